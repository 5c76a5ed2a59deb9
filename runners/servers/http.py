"""HTTP to a server: bounded answers, a few retries, and no redirect to another origin.

The SDK follows a redirect only within the address's own origin; nothing here widens that.
"""

import asyncio
from collections.abc import Mapping

import httpx2

from ..http_bounds import IDENTITY, bound_body, refuse_compressed
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
        await refuse_compressed(response)
        # Events have a bound each, and a stream of them has none.
        if not response.headers.get("content-type", "").startswith("text/event-stream"):
            bound_body(response, self._limits.message_bytes)
        return response

    async def aclose(self) -> None:
        await self._inner.aclose()


def make_http_client(headers: Mapping[str, str], limits: ServerLimits) -> httpx2.AsyncClient:
    """Return a client for one server."""
    # One client serves start, listing and calls: the session holds each to its own bound.
    timeout = httpx2.Timeout(limits.start_s, read=max(limits.call_s, limits.list_s, limits.start_s))
    transport = RetryingTransport(httpx2.AsyncHTTPTransport(), limits)
    return httpx2.AsyncClient(headers={**headers, **IDENTITY}, transport=transport, timeout=timeout)


def _is_retryable(request: httpx2.Request, response: httpx2.Response) -> bool:
    if response.status_code in _NOT_CARRIED_OUT:
        return True
    # A 5xx may come after the work was done: a call that writes must not be made twice.
    return response.status_code >= 500 and b'"tools/call"' not in request.content


def _compute_wait_s(response: httpx2.Response, attempt: int) -> float:
    asked = response.headers.get("retry-after", "")
    wait = float(asked) if asked.isdecimal() else _FIRST_WAIT_S * 2**attempt
    return min(wait, _LONGEST_WAIT_S)
