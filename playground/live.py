"""Runs the shipped suites live: builds the playground, serves its pages and a small model, and calls toolgrade."""

import socket
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from threading import Thread

from playground.build import build
from playground.pages import HOST, PORT, serve

MODEL_PORT = 8137
MODEL_SERVER = (".model/bin/python", "tools/model_server.py")


@contextmanager
def serve_pages() -> Generator[None]:
    """Serve the playground's pages for as long as the block lasts."""
    try:
        server = serve()
    except OSError as error:
        sys.exit(f"{HOST}:{PORT} cannot be served: {error.strerror}. End what uses it, then try again.")
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def serve_model() -> Generator[None]:
    """Provide SmolLM2 on loopback.

    Use the server that `make model-server` started if there is one, else start one for as long as the block lasts.
    """
    if is_served(MODEL_PORT):
        yield
        return
    with subprocess.Popen(MODEL_SERVER, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:  # noqa: S603
        try:
            # The first line it prints says that it is ready.
            if process.stdout is None or not process.stdout.readline():
                sys.exit(f"{' '.join(MODEL_SERVER)} did not start: try it with make model-server.")
            yield
        finally:
            process.kill()


def is_served(port: int) -> bool:
    """Return whether something listens on this port of this machine."""
    with socket.socket() as probe:
        return probe.connect_ex((HOST, port)) == 0


def main(args: list[str]) -> int:
    """Run the suites and return toolgrade's exit code; the arguments are passed on."""
    build()
    with serve_pages(), serve_model():
        return subprocess.call([sys.executable, "-m", "toolgrade", "run", "--mode", "live", *args])  # noqa: S603


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
