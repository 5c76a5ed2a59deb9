"""A provider for tests: real HTTP on loopback, which answers what the test says, in the protocols that models speak."""

import asyncio
import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

Calls = Sequence[tuple[str, Any]]
"""Names with arguments; text stands for itself, so that it need not be JSON."""


@dataclass(frozen=True, slots=True)
class Reply:
    """One HTTP answer; `cut` drops the connection before it is whole."""

    body: bytes = b"{}"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict[str, str])
    cut: bool = False
    delay_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Request:
    """What a client sent."""

    path: str
    headers: dict[str, str]
    body: Any


class Provider:
    """Answers one request after the other with its replies; the last one is repeated."""

    def __init__(self, *replies: Reply) -> None:
        self._replies = list(replies)
        self.requests: list[Request] = []
        self.underway = self.most_underway = 0
        self._writers: set[asyncio.StreamWriter] = set()

    def answer_with(self, *replies: Reply) -> None:
        """Answer with these from now on."""
        self._replies = list(replies)

    async def __aenter__(self) -> "Provider":
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, backlog=2048)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        for writer in self._writers:
            writer.close()
        await asyncio.sleep(0)  # or the loop ends before what reads from them hears of it

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while (await self._answer(reader, writer)).cut is False:
                pass
        writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Reply:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {key.lower(): value for key, _, value in (line.partition(": ") for line in head[1:] if line)}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        self.requests.append(Request(head[0].split(" ")[1], headers, json.loads(body) if body else None))
        reply = self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]
        self.underway += 1
        self.most_underway = max(self.most_underway, self.underway)
        await asyncio.sleep(reply.delay_s)
        self.underway -= 1
        writer.write(_head(reply) + reply.body + (b"" if reply.cut else b"0\r\n\r\n"))
        await writer.drain()
        return reply


def _head(reply: Reply) -> bytes:
    headers = {"content-type": "application/json", **reply.headers, "transfer-encoding": "chunked"}
    lines = [f"HTTP/1.1 {reply.status} Scripted", *(f"{key}: {value}" for key, value in headers.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def _chunk(text: str) -> bytes:
    data = text.encode()
    return f"{len(data):x}\r\n".encode() + data + b"\r\n" if data else b""


def plain(body: object, status: int = 200, headers: dict[str, str] | None = None) -> Reply:
    """An answer in one piece, such as an error."""
    return Reply(_chunk(json.dumps(body)), status, headers or {})


def stream(events: Iterable[str], cut: bool = False, delay_s: float = 0.0) -> Reply:
    """An answer as server-sent events; where it is `cut`, the connection is lost after the last of them."""
    body = b"".join(_chunk(event) for event in events)
    return Reply(body, headers={"content-type": "text/event-stream"}, cut=cut, delay_s=delay_s)


def _data(value: object, name: str | None = None) -> str:
    return (f"event: {name}\n" if name else "") + f"data: {json.dumps(value)}\n\n"


def _json(args: Any) -> str:
    return args if isinstance(args, str) else json.dumps(args)


def chat(
    calls: Calls = (),
    text: str = "",
    *,
    model: str = "local-model",
    finish: str = "",
    usage: dict[str, int] | None = None,
    cut: bool = False,
    refusal: str | None = None,
    delay_s: float = 0.0,
) -> Reply:
    """OpenAI chat completions, with a list of calls. Where it is cut, the last call has no end."""
    base = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": model}

    def event(delta: dict[str, Any], reason: str | None = None) -> str:
        return _data({**base, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})

    events = [event({"role": "assistant", "content": text})] if text else []
    events += [event({"refusal": refusal})] if refusal else []
    for index, (name, args) in enumerate(calls):
        function = {"name": name, "arguments": _json(args)}
        call = {"index": index, "id": f"call_{index}", "type": "function", "function": function}
        events.append(event({"tool_calls": [call]}))
    if not cut:
        events.append(event({}, finish or ("tool_calls" if calls else "stop")))
        events += [_data({**base, "choices": [], "usage": usage})] if usage else []
        events.append("data: [DONE]\n\n")
    return stream(events, cut, delay_s)


def chat_usage(input_tokens: int, output_tokens: int) -> dict[str, int]:
    total = input_tokens + output_tokens
    return {"prompt_tokens": input_tokens, "completion_tokens": output_tokens, "total_tokens": total}


def messages(
    calls: Calls = (),
    text: str = "",
    *,
    model: str = "local-model",
    stop: str = "",
    usage: tuple[int, int] = (10, 5),
    cut: bool = False,
) -> Reply:
    """Anthropic messages, in blocks."""
    message: dict[str, Any] = {
        "id": "m1",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": usage[0], "output_tokens": 1},
    }
    events = [_data({"type": "message_start", "message": message}, "message_start")]
    blocks: list[tuple[dict[str, Any], dict[str, Any]]] = []
    if text:
        blocks.append(({"type": "text", "text": ""}, {"type": "text_delta", "text": text}))
    for index, (name, args) in enumerate(calls):
        block: dict[str, Any] = {"type": "tool_use", "id": f"toolu_{index}", "name": name, "input": {}}
        blocks.append((block, {"type": "input_json_delta", "partial_json": _json(args)}))
    for index, (block, delta) in enumerate(blocks):
        events.append(
            _data({"type": "content_block_start", "index": index, "content_block": block}, "content_block_start")
        )
        events.append(_data({"type": "content_block_delta", "index": index, "delta": delta}, "content_block_delta"))
        if cut and index == len(blocks) - 1:
            return stream(events, cut=True)
        events.append(_data({"type": "content_block_stop", "index": index}, "content_block_stop"))
    ended = {"stop_reason": stop or ("tool_use" if calls else "end_turn"), "stop_sequence": None}
    delta = {"type": "message_delta", "delta": ended, "usage": {"output_tokens": usage[1]}}
    events += [_data(delta, "message_delta"), _data({"type": "message_stop"}, "message_stop")]
    return stream(events)


def responses(calls: Calls = (), *, model: str = "gpt-5", usage: tuple[int, int] = (10, 5)) -> Reply:
    """OpenAI Responses: each call is an item of its own."""
    base = {"id": "r1", "object": "response", "created_at": 1, "model": model, "parallel_tool_calls": True}
    base |= {"tool_choice": "auto", "tools": [], "status": "in_progress", "output": []}
    events = [_data({"type": "response.created", "sequence_number": 0, "response": base}, "response.created")]
    items: list[dict[str, Any]] = []
    for index, (name, args) in enumerate(calls):
        item = {"type": "function_call", "id": f"fc_{index}", "call_id": f"call_{index}", "name": name}
        done = {**item, "arguments": _json(args), "status": "completed"}
        items.append(done)
        for kind, facts in (
            ("response.output_item.added", {"item": {**item, "arguments": "", "status": "in_progress"}}),
            ("response.function_call_arguments.delta", {"item_id": f"fc_{index}", "delta": _json(args)}),
            ("response.output_item.done", {"item": done}),
        ):
            events.append(_data({"type": kind, "sequence_number": 1, "output_index": index, **facts}, kind))
    counts = {"input_tokens": usage[0], "output_tokens": usage[1], "total_tokens": sum(usage)}
    details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    whole = {**base, "status": "completed", "output": items, "usage": {**counts, **details}}
    kind = "response.completed"
    return stream([*events, _data({"type": kind, "sequence_number": 9, "response": whole}, kind)])


def gemini(calls: Calls = (), *, model: str = "gemini-2.5-pro", usage: tuple[int, int] = (10, 5)) -> Reply:
    """Gemini: arguments are objects, calls have no ids."""
    parts = [{"functionCall": {"name": name, "args": args}} for name, args in calls]
    counts = {"promptTokenCount": usage[0], "candidatesTokenCount": usage[1], "totalTokenCount": sum(usage)}
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
    return stream([_data({"candidates": [candidate], "usageMetadata": counts, "modelVersion": model})])


def mistral(calls: Calls = (), *, model: str = "mistral-large-latest", usage: tuple[int, int] = (10, 5)) -> Reply:
    """Mistral: all calls in one delta."""
    tool_calls = [
        {"id": f"call{index:05}", "type": "function", "index": index, "function": {"name": name, "arguments": args}}
        for index, (name, args) in enumerate(calls)
    ]
    delta = {"role": "assistant", "content": "", "tool_calls": tool_calls}
    chunk = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": model}
    choice = {"index": 0, "delta": delta, "finish_reason": "tool_calls"}
    return stream([_data({**chunk, "choices": [choice], "usage": chat_usage(*usage)}), "data: [DONE]\n\n"])
