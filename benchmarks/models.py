"""Measures a thousand conversations at once with a provider on loopback that answers after 200 ms.

The ideal is two waits of 200 ms. The rest is our own work and that of the SDK, on one core.
"""

import asyncio
import json
import multiprocessing
import resource
import time
from multiprocessing.connection import Connection
from typing import Any

from toolgrade.compiler.plan import PlannedTest, Sampling, SuitePlan
from toolgrade.runners.agents.agent import OfferedTool, Task, ToolAnswer
from toolgrade.runners.models.model_pool import ModelLimits, ModelPool

CONVERSATIONS = 1000
WAIT_S = 0.2
SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
TASK = Task("Find it.", None, tuple(OfferedTool(f"web__t{i}", "web", f"t{i}", "Search", SCHEMA) for i in range(20)))


def _event(delta: dict[str, Any], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    chunk: dict[str, Any] = {
        "id": "c",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "m",
        "choices": [choice],
    }
    chunk["usage"] = {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12} if finish else None
    return f"data: {json.dumps(chunk)}\n\n".encode()


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
            is_second = b'"role":"tool"' in await reader.readexactly(length)
            await asyncio.sleep(WAIT_S)
            call = {
                "index": 0,
                "id": "a",
                "type": "function",
                "function": {"name": "web__t7", "arguments": '{"q":"x"}'},
            }
            delta = {"content": "Found."} if is_second else {"tool_calls": [call]}
            body = _event(delta) + _event({}, "stop" if is_second else "tool_calls") + b"data: [DONE]\n\n"
            kind = b"content-type: text/event-stream"
            writer.write(b"HTTP/1.1 200 OK\r\n%b\r\ncontent-length: %d\r\n\r\n%b" % (kind, len(body), body))
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


def _serve(pipe: Connection) -> None:
    async def serve() -> None:
        server = await asyncio.start_server(_answer, "127.0.0.1", 0, backlog=4096)
        pipe.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(serve())


async def _conversations(port: int, count: int) -> tuple[float, float, int]:
    models = ModelPool({}, ModelLimits(max_concurrency=count))
    test = PlannedTest("t", "t", (), (), 1, 8, (), (), base_url=f"http://127.0.0.1:{port}/v1", sampling=Sampling())
    agent = models.make_agent("m", SuitePlan("s", "s", "s.yml", (), ()), test)

    async def one() -> bool:
        conversation = agent.begin(TASK)
        turn = await conversation.turn(())
        last = await conversation.turn([ToolAnswer(call.id, call.name, "there", False) for call in turn.calls])
        return last.text == "Found." and not turn.retries and not last.retries

    async with models:
        await one()
        started, worked = time.perf_counter(), time.process_time()
        whole = await asyncio.gather(*(one() for _ in range(count)))
        return time.perf_counter() - started, time.process_time() - worked, sum(whole)


def main() -> None:
    """Print the time, the CPU time and the memory for growing numbers of conversations."""
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.Process(target=_serve, args=(theirs,), daemon=True)
    server.start()
    port = ours.recv()
    for count in (1, 100, CONVERSATIONS):
        seconds, cpu_s, whole = asyncio.run(_conversations(port, count))
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"models: {count:5} conversations of 2 turns, {whole} whole, {seconds:.2f} s (ideal {2 * WAIT_S:.2f} s), "
            f"{cpu_s / count / 2 * 1000:.1f} ms of CPU a request, {memory:.0f} MB at most"
        )
    server.kill()


if __name__ == "__main__":
    main()
