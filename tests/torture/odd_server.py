"""An MCP server that answers one method with a raw line: `odd_server.py METHOD LINE`, `%ID%` being the id."""

import json
import sys
from typing import Any

METHOD, LINE = sys.argv[1:]
RESULTS: dict[str, dict[str, Any]] = {
    "initialize": {
        "protocolVersion": "2025-06-18",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "odd", "version": "1"},
    },
    "tools/list": {"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]},
    "tools/call": {"content": [{"type": "text", "text": "called"}]},
}
for text in sys.stdin:
    request = json.loads(text)
    if "id" not in request:
        continue
    if request["method"] == METHOD:
        answer = LINE.replace("%ID%", str(request["id"])).replace("%DEEP%", "[" * 100_000 + "]" * 100_000)
        sys.stdout.buffer.write(answer.encode("utf-8", "surrogateescape") + b"\n")
    elif request["method"] in RESULTS:
        answer = {"result": RESULTS[request["method"]]}
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": request["id"], **answer}) + "\n")
    else:
        answer = {"error": {"code": -32601, "message": "no"}}
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": request["id"], **answer}) + "\n")
    sys.stdout.flush()
