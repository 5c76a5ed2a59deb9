"""A tap below the SDK: it keeps the answers of a server as they came, before the SDK's models drop unknown fields."""

from collections.abc import AsyncGenerator, Generator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from contextvars import ContextVar
from typing import Any

from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

Streams = tuple[Any, Any]
"""The two streams of a transport: one to read messages from, one to write them to. The SDK's own types are private."""

_DENIED = ("sampling/createMessage", "elicitation/create", "roots/list")


class Exchange:
    """One request of ours, and the answer as it came."""

    def __init__(self, method: str) -> None:
        self.method = method
        self.result: dict[str, Any] | None = None


# A context variable, as the SDK does not hand the request's id to its caller: the exchange follows the task instead.
_CURRENT: ContextVar[Exchange | None] = ContextVar("exchange", default=None)


@contextmanager
def capture_exchange(method: str) -> Generator[Exchange]:
    """Keep the answer to the first request of this method that is sent inside the block."""
    current = Exchange(method)
    token = _CURRENT.set(current)
    try:
        yield current
    finally:
        _CURRENT.reset(token)


class MessageTap:
    """Sees every message of a connection; keeps the answers that are asked for, and counts what is out of turn."""

    def __init__(self) -> None:
        self._asked: dict[str, Exchange | None] = {}
        self.denied: dict[str, int] = {}
        self.stray_answers = 0
        self.list_changes = 0

    @asynccontextmanager
    async def wrap_transport(self, transport: AbstractAsyncContextManager[Streams]) -> AsyncGenerator[Streams]:
        """Return the same transport, tapped."""
        async with transport as (read, write):
            yield _TappedRead(read, self), _TappedWrite(write, self)

    def note_sent(self, item: SessionMessage) -> None:
        """Note a request, and whether its answer is captured."""
        message = item.message
        if isinstance(message, JSONRPCRequest):
            current = _CURRENT.get()
            wanted = current is not None and current.method == message.method and current.result is None
            self._asked[str(message.id)] = current if wanted else None

    def note_received(self, item: SessionMessage | Exception) -> bool:
        """Note a message that came. Return False if it answers nothing that was asked: it must not reach the SDK."""
        message = item.message if isinstance(item, SessionMessage) else None
        if isinstance(message, JSONRPCResponse | JSONRPCError):
            return self._match_answer(message)
        if isinstance(message, JSONRPCRequest) and message.method in _DENIED:
            self.denied[message.method] = self.denied.get(message.method, 0) + 1
        if isinstance(message, JSONRPCNotification) and message.method == "notifications/tools/list_changed":
            self.list_changes += 1
        return True

    def _match_answer(self, message: JSONRPCResponse | JSONRPCError) -> bool:
        # As text, so that an id that comes back as another type still finds its request.
        key = str(message.id)
        if key not in self._asked:
            self.stray_answers += 1
            return False
        current = self._asked.pop(key)
        if current is not None and isinstance(message, JSONRPCResponse):
            current.result = message.result
        return True


class _TappedRead:
    def __init__(self, inner: Any, tap: MessageTap) -> None:
        self._inner, self._tap = inner, tap

    async def receive(self) -> SessionMessage | Exception:
        while not self._tap.note_received(item := await self._inner.receive()):
            pass
        return item

    def __aiter__(self) -> "_TappedRead":
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        while not self._tap.note_received(item := await self._inner.__anext__()):
            pass
        return item

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> "_TappedRead":
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> bool | None:
        return await self._inner.__aexit__(*error)

    @property
    def last_context(self) -> Any:
        return getattr(self._inner, "last_context", None)


class _TappedWrite:
    def __init__(self, inner: Any, tap: MessageTap) -> None:
        self._inner, self._tap = inner, tap

    async def send(self, item: SessionMessage, /) -> None:
        self._tap.note_sent(item)
        await self._inner.send(item)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> "_TappedWrite":
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> bool | None:
        return await self._inner.__aexit__(*error)
