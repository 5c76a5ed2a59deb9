"""A stand-in for GitHub's API on loopback: comments and pull requests of one repository, in memory."""

import json
import re
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

REPOSITORY = "acme/shop"


class Forge:
    """What the server holds; `requests` are those that changed something."""

    def __init__(self) -> None:
        self.comments: list[dict[str, Any]] = []
        self.pulls: list[dict[str, Any]] = []
        self.requests: list[tuple[str, str]] = []
        self.tokens: set[str] = set()
        self.address = ""
        self.status = 200

    def answer(self, method: str, path: str, query: dict[str, str], body: dict[str, Any]) -> Any:
        if method != "GET":
            self.requests.append((method, path))
        if found := re.fullmatch(r"issues/(\d+)/comments", path):
            if method == "GET":
                return self._page([c for c in self.comments if c["issue"] == int(found[1])], query)
            self.comments.append(comment(int(found[1]), body["body"], len(self.comments) + 1))
            return self.comments[-1]
        if found := re.fullmatch(r"issues/comments/(\d+)", path):
            return self._change(self.comments, "id", int(found[1]), body)
        if path == "pulls" and method == "GET":
            return self._page([pull for pull in self.pulls if pull["label"] == query["head"]], query)
        if path == "pulls":
            made = {**body, "number": 7, "label": f"acme:{body['head']}", "html_url": "https://example.test/7"}
            self.pulls.append(made)
            return made
        if found := re.fullmatch(r"pulls/(\d+)", path):
            return self._change(self.pulls, "number", int(found[1]), body)
        raise AssertionError(path)

    def _page(self, items: list[dict[str, Any]], query: dict[str, str]) -> list[dict[str, Any]]:
        size, number = int(query["per_page"]), int(query["page"])
        return items[size * (number - 1) : size * number]

    def _change(self, items: list[dict[str, Any]], key: str, value: int, body: dict[str, Any]) -> dict[str, Any]:
        (item,) = [item for item in items if item[key] == value]
        item.update(body)
        return item


def comment(issue: int, body: str, identity: int, kind: str = "Bot") -> dict[str, Any]:
    return {"id": identity, "issue": issue, "body": body, "user": {"type": kind}}


@contextmanager
def serving() -> Generator[Forge]:
    """The server, on a free port of loopback."""
    forge = Forge()

    class Handler(BaseHTTPRequestHandler):
        def handle_any(self) -> None:
            url = urlsplit(self.path)
            query = {name: values[0] for name, values in parse_qs(url.query).items()}
            length = int(self.headers.get("Content-Length") or 0)
            body: dict[str, Any] = json.loads(self.rfile.read(length) or b"{}")
            forge.tokens.add(self.headers["Authorization"])
            path = url.path.removeprefix(f"/repos/{REPOSITORY}/")
            data = json.dumps(forge.answer(self.command, path, query, body) if forge.status == 200 else {}).encode()
            self.send_response(forge.status)
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PATCH = handle_any  # noqa: N815 - the names that http.server asks for

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name there
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    forge.address = f"http://127.0.0.1:{server.server_port}"
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield forge
    finally:
        server.shutdown()
        server.server_close()
