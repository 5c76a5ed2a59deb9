"""Serves .playground/page on loopback, without headers that tell a time or a version."""

from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

HOST = "127.0.0.1"
PORT = 8931
PAGES = Path(".playground/page")
UNTOLD = ("Server", "Date", "Last-Modified")


class PageHandler(SimpleHTTPRequestHandler):
    """Serves files without headers that change, so that recordings of them are equal every day."""

    def send_header(self, keyword: str, value: str) -> None:
        """Send a header unless it tells a time or a version."""
        if keyword not in UNTOLD:
            super().send_header(keyword, value)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - named so by the library
        """Say nothing: the agent's calls are in the cassettes."""


def serve(pages: Path = PAGES, port: int = PORT) -> ThreadingHTTPServer:
    """Return a server that is bound and not yet running; port 0 takes any free port."""
    return ThreadingHTTPServer((HOST, port), partial(PageHandler, directory=str(pages)))
