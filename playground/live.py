"""Run the shipped suites live: build the playground, serve its pages, and hand over to `toolgrade run --mode live`."""

import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from threading import Thread

from playground.build import build
from playground.pages import HOST, PORT, serve


@contextmanager
def served_pages() -> Generator[None]:
    """The playground's pages, for as long as the block lasts."""
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


def main(args: list[str]) -> int:
    """The exit code of toolgrade; what it is given goes on to it."""
    build()
    with served_pages():
        return subprocess.call([sys.executable, "-m", "toolgrade", "run", "--mode", "live", *args])  # noqa: S603


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
