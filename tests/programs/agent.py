"""An agent without a model or a library: `agent.py MCP_CONFIG BEHAVIOUR… -- PROMPT`.

It starts the servers of a configuration, makes the calls that the prompt names (each word with a dot is one), and
prints a trace in toolgrade's own format.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

CUT = sys.argv.index("--")
BEHAVIOURS = frozenset(sys.argv[2:CUT])
WISHES = [word for word in sys.argv[CUT + 1].split() if "." in word]

_sent = 0


class Server:
    def __init__(self, entry: dict[str, Any]) -> None:
        command = [entry["command"], *entry["args"]]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0
        self.ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "a", "version": "1"})

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        kill_somebody(self.process)
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        try:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            sys.exit("the server is gone")
        while line := self.process.stdout.readline():
            answer = json.loads(line)
            if answer.get("id") == self.number:
                return answer
        raise SystemExit("the server is gone")

    def list_tools(self) -> None:
        cursor: dict[str, Any] = {}
        while (page := self.ask("tools/list", **cursor)["result"]).get("nextCursor"):
            cursor = {"cursor": page["nextCursor"]}


def kill_somebody(tap: "subprocess.Popen[bytes]") -> None:
    """Kill this program, or the tap it talks to, before a message: `kills-self-3`, `kills-tap-3`."""
    global _sent
    _sent += 1
    if f"kills-self-{_sent}" in BEHAVIOURS:
        os.kill(os.getpid(), signal.SIGKILL)
    if f"kills-tap-{_sent}" in BEHAVIOURS:
        tap.kill()
        tap.wait()


def misbehave_at_start() -> None:
    if "ignores-sigterm" in BEHAVIOURS:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if "forks" in BEHAVIOURS:
        orphan = "import os, time\nif os.fork(): os._exit(0)\nos.setsid()\nif os.fork(): os._exit(0)\ntime.sleep(600)"
        subprocess.Popen([sys.executable, "-c", orphan]).wait()
    if "fails" in BEHAVIOURS:
        sys.exit("no licence found")
    if "floods" in BEHAVIOURS:
        while True:
            sys.stdout.write("x" * 1_000_000)


def make_calls(servers: dict[str, Server]) -> list[dict[str, Any]]:
    args = {"from": str(Path.cwd())} if "tells-folder" in BEHAVIOURS else {}
    calls: list[dict[str, Any]] = []
    for wish in WISHES:
        server, _, tool = wish.partition(".")
        servers[server].ask("tools/call", name=tool, arguments=args)
        calls.append({"server": server, "name": tool, "status": "ok"})
    return calls


def main() -> None:
    misbehave_at_start()
    servers = {name: Server(entry) for name, entry in json.loads(Path(sys.argv[1]).read_text())["mcpServers"].items()}
    late = list(servers.values())[-1]
    for server in servers.values():
        if server is not late or not {"lists-late", "never-lists"} & BEHAVIOURS:
            server.list_tools()
    if "hangs" in BEHAVIOURS:
        time.sleep(600)
    calls = make_calls(servers)
    if "answers-early" in BEHAVIOURS:
        print(json.dumps({"tool_calls": [], "final_response": "Nothing to do."}), flush=True)
        time.sleep(0.3)
    if {"lists-late", "answers-early"} & BEHAVIOURS:
        late.list_tools()
    if "forgets" in BEHAVIOURS:
        calls.pop()
    if "invents" in BEHAVIOURS:
        calls.append({"server": "docs", "name": "made_up"})
        calls.append({"server": "docs", "name": "echo", "args": {"never": "ran"}})
    if "environment" in BEHAVIOURS:
        print(json.dumps({"tool_calls": calls, "final_response": json.dumps(dict(os.environ))}))
    elif "answers-early" not in BEHAVIOURS and "silent" not in BEHAVIOURS:
        print(json.dumps({"tool_calls": calls, "final_response": "Done."}), flush=True)
    Path("left-behind").touch()


main()
