"""Serve .playground/page on loopback, with no header that tells the time or the version of anything."""

from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

HOST = "127.0.0.1"
PORT = 8931
PAGES = Path(".playground/page")
UNTOLD = ("Server", "Date", "Last-Modified")


class PageHandler(SimpleHTTPRequestHandler):
    """Files as they are, so that what a server records of them is the same every day."""

    def send_header(self, keyword: str, value: str) -> None:
        if keyword not in UNTOLD:
            super().send_header(keyword, value)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - named so by the library
        """Say nothing: the agent's calls are in the cassettes."""


def serve(pages: Path = PAGES, port: int = PORT) -> ThreadingHTTPServer:
    """A server that is bound and not yet running; port 0 takes any free one."""
    return ThreadingHTTPServer((HOST, port), partial(PageHandler, directory=str(pages)))
