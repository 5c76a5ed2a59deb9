"""Bounds on what arrives over HTTP, from servers and from providers: no compression, and an end to every body."""

from collections.abc import AsyncIterator

import httpx2

IDENTITY = {"accept-encoding": "identity"}
"""Bounds count what arrives, so nothing may grow afterwards: 5 KB of `gzip, gzip` unpack to gigabytes."""


async def refuse_compressed(response: httpx2.Response) -> None:
    """Raise `DecodingError`, unread, if an answer is compressed although that was not asked for."""
    if response.headers.get("content-encoding", "").strip().lower() not in ("", "identity"):
        await response.aclose()
        raise httpx2.DecodingError("the answer is compressed, which was not asked for")


def bound_body(response: httpx2.Response, most_bytes: int) -> None:
    """Let a body end with `StreamError` after so many bytes."""
    assert isinstance(response.stream, httpx2.AsyncByteStream)
    response.stream = _BoundedStream(response.stream, most_bytes)


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
