"""Serves a built site on loopback."""

from collections.abc import Callable
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from ..foundations.fault import Fault


class _SilentRequestHandler(SimpleHTTPRequestHandler):
    """A file handler that logs no requests."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the standard library
        del format, args


def serve_folder(folder: Path, port: int, announce: Callable[[str], None]) -> None:
    """Serve a folder to this machine alone until interrupted; raise `Fault` if the port cannot be used."""
    try:
        # Threads: a browser keeps several connections open at once.
        server = ThreadingHTTPServer(("127.0.0.1", port), partial(_SilentRequestHandler, directory=str(folder)))
    except OSError as error:
        raise Fault(f"port {port}: {error.strerror or error}", "give another with --port") from None
    with server:
        announce(f"http://127.0.0.1:{server.server_port}/")
        server.serve_forever()
