"""HTTP to a server: bounded answers, a few retries, and no redirect to another origin.

The SDK follows a redirect only within the address's own origin; nothing here widens that.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping

import httpx2

from .limits import ServerLimits

_TRIES = 4
_FIRST_WAIT_S = 0.25
_LONGEST_WAIT_S = 5.0
_NOT_CARRIED_OUT = (429, 503)
"""The request was not carried out: also a call may be sent again."""


class RetryingTransport(httpx2.AsyncBaseTransport):
    """Sends again, a few times, what a server was too busy for; a call only if it was not carried out."""

    def __init__(self, inner: httpx2.AsyncBaseTransport, limits: ServerLimits) -> None:
        self._inner, self._limits = inner, limits

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await self._inner.handle_async_request(request)
        for attempt in range(_TRIES - 1):
            if not _is_retryable(request, response):
                break
            await response.aclose()
            await asyncio.sleep(_compute_wait_s(response, attempt))
            response = await self._inner.handle_async_request(request)
        return _limit_body(response, self._limits.message_bytes)

    async def aclose(self) -> None:
        await self._inner.aclose()


def make_http_client(headers: Mapping[str, str], limits: ServerLimits) -> httpx2.AsyncClient:
    """Return a client for one server."""
    timeout = httpx2.Timeout(limits.start_s, read=max(limits.call_s, limits.list_s, limits.start_s))
    transport = RetryingTransport(httpx2.AsyncHTTPTransport(), limits)
    return httpx2.AsyncClient(headers=dict(headers), transport=transport, timeout=timeout)


def _is_retryable(request: httpx2.Request, response: httpx2.Response) -> bool:
    if response.status_code in _NOT_CARRIED_OUT:
        return True
    return response.status_code >= 500 and b'"tools/call"' not in request.content


def _compute_wait_s(response: httpx2.Response, attempt: int) -> float:
    asked = response.headers.get("retry-after", "")
    wait = float(asked) if asked.isdecimal() else _FIRST_WAIT_S * 2**attempt
    return min(wait, _LONGEST_WAIT_S)


def _limit_body(response: httpx2.Response, most_bytes: int) -> httpx2.Response:
    """Return the response with a bound on its body; in a stream of events each event has the bound."""
    if not response.headers.get("content-type", "").startswith("text/event-stream"):
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _BoundedStream(response.stream, most_bytes)
    return response


class _BoundedStream(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream, most_bytes: int) -> None:
        self._inner, self._most = inner, most_bytes

    async def __aiter__(self) -> AsyncIterator[bytes]:
        total = 0
        async for chunk in self._inner:
            total += len(chunk)
            if total > self._most:
                raise httpx2.StreamError(f"an answer of more than {self._most:,} bytes")
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()
