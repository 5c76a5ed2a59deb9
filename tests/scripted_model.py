"""A model on loopback that says what a script says, in the protocols of Codex (Responses) and Gemini CLI.

A turn of a script is a list of calls; when all of them were made, the final text follows. A call names a server, a tool
and its arguments, and is made under the name that the program offers, or would offer, that tool.
"""

import json
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Call = tuple[str, str, dict[str, Any]]


@dataclass
class Script:
    """What the model does, and the bodies of the requests that it got."""

    turns: list[list[Call]]
    final: str = "Done."
    delay_s: float = 0.0
    requests: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])


@contextmanager
def serve(script: Script) -> Generator[str]:
    """Serve a script; yields the address of the server."""

    class Handler(_Handler):
        model = script

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    model: Script

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass

    def do_GET(self) -> None:
        self._send(json.dumps({"object": "list", "data": [], "models": []}).encode(), "application/json")

    def do_POST(self) -> None:
        body: dict[str, Any] = json.loads(self._read_body() or b"{}")
        path = self.path.partition("?")[0]
        self.model.requests.append(body)
        if path.endswith("/responses"):
            self._send_events([(event["type"], event) for event in answer_responses(self.model, body)])
        elif "enerateContent" in path:
            answer = answer_gemini(self.model, body)
            if "stream" in path:
                self._send_events([(None, answer)])
            else:
                self._send(json.dumps(answer).encode(), "application/json")
        else:
            self._send(b'{"totalTokens": 1}', "application/json")

    def _read_body(self) -> bytes:
        if self.headers.get("transfer-encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def _send_events(self, events: list[tuple[str | None, dict[str, Any]]]) -> None:
        lines = [(f"event: {name}\n" if name else "") + f"data: {json.dumps(data)}\n\n" for name, data in events]
        self._send("".join(lines).encode(), "text/event-stream")

    def _send(self, data: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def find_turn(script: Script, made: int) -> int:
    """The turn that follows so many calls."""
    number = 0
    for turn in script.turns:
        if made < len(turn):
            break
        made -= len(turn)
        number += 1
    return number


def answer_responses(script: Script, body: dict[str, Any]) -> list[dict[str, Any]]:
    """One answer in the Responses protocol, as a stream of events."""
    history: list[dict[str, Any]] = body.get("input", [])
    turn = find_turn(script, sum(item.get("type") == "function_call" for item in history))
    items: list[dict[str, Any]] = []
    if turn < len(script.turns):
        items = [_make_function_call(turn, index, call) for index, call in enumerate(script.turns[turn])]
    else:
        content: list[dict[str, Any]] = [{"type": "output_text", "text": script.final, "annotations": []}]
        items = [{"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content}]
    usage = {
        "input_tokens": 100,
        "output_tokens": 10,
        "total_tokens": 110,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    }
    answer: dict[str, Any] = {
        "id": f"resp_{turn}",
        "object": "response",
        "model": "scripted",
        "status": "completed",
        "output": items,
    }
    events: list[dict[str, Any]] = [{"type": "response.created", "response": {**answer, "output": []}}]
    for index, item in enumerate(items):
        events.append({"type": "response.output_item.added", "output_index": index, "item": item})
        events.append({"type": "response.output_item.done", "output_index": index, "item": item})
    events.append({"type": "response.completed", "response": {**answer, "usage": usage}})
    return [{**event, "sequence_number": number} for number, event in enumerate(events)]


def _make_function_call(turn: int, index: int, call: Call) -> dict[str, Any]:
    server, tool, args = call
    return {
        "type": "function_call",
        "id": f"fc_{turn}_{index}",
        "call_id": f"call_{turn}_{index}",
        "namespace": f"mcp__{server}",
        "name": tool,
        "arguments": json.dumps(args),
        "status": "completed",
    }


def answer_gemini(script: Script, body: dict[str, Any]) -> dict[str, Any]:
    """One answer in the protocol of Gemini."""
    parts = [part for content in body.get("contents", []) for part in content.get("parts", [])]
    turn = find_turn(script, sum("functionCall" in part for part in parts))
    answer: list[dict[str, Any]] = [{"text": script.final}]
    if turn < len(script.turns):
        answer = [{"functionCall": {"name": f"mcp_{s}_{tool}", "args": args}} for s, tool, args in script.turns[turn]]
    return {
        "candidates": [{"content": {"role": "model", "parts": answer}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 10, "totalTokenCount": 110},
        "modelVersion": "scripted",
    }
