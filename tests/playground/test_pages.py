"""The playground's pages tell nothing about the machine that serves them."""

from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from threading import Thread

import pytest

from playground.pages import HOST, serve
from tests.conftest import ROOT

PAGES = ROOT / "playground/seed/page"


@pytest.fixture
def port() -> Iterator[int]:
    server = serve(PAGES, port=0)
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield server.server_address[1]
    server.shutdown()
    server.server_close()
    thread.join()


def get(port: int, path: str) -> tuple[HTTPResponse, bytes]:
    with closing(HTTPConnection(HOST, port, timeout=30)) as connection:
        connection.request("GET", path)
        response = connection.getresponse()
        return response, response.read()


def test_a_page_comes_as_it_is_in_the_folder(port: int) -> None:
    response, body = get(port, "/")
    assert response.status == 200
    assert body == Path(PAGES / "index.html").read_bytes()


def test_no_header_tells_time_or_version(port: int) -> None:
    response, _ = get(port, "/prices.json")
    assert {name.lower() for name, _ in response.getheaders()} == {"content-type", "content-length"}
