"""The part of GitHub's API that the action needs: JSON in and out, page by page, with errors a log can show."""

import json
import os
from collections.abc import Iterator
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

PAGE = 100
TIMEOUT_S = 30


class ApiError(Exception):
    """A request that GitHub refused or did not answer."""


class Api:
    """The API of one repository, with a token."""

    def __init__(self, address: str, repository: str, token: str) -> None:
        self._root = f"{address.rstrip('/')}/repos/{repository}"
        self._headers = {
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {token}",
            "User-Agent": "toolgrade",
            "X-GitHub-Api-Version": "2022-11-28",
        }

    @classmethod
    def from_environment(cls) -> "Api":
        """Return the API for the variables of a workflow step; raise `ApiError` if one is missing."""
        missing = [name for name in ("GITHUB_API_URL", "GITHUB_REPOSITORY", "GITHUB_TOKEN") if not os.environ.get(name)]
        if missing:
            raise ApiError(f"{', '.join(missing)} not set: run this as a step of a workflow")
        return cls(os.environ["GITHUB_API_URL"], os.environ["GITHUB_REPOSITORY"], os.environ["GITHUB_TOKEN"])

    def iterate_items(self, path: str, **query: str) -> Iterator[dict[str, Any]]:
        """Yield every item of a list, over all its pages."""
        number, is_more = 1, True
        while is_more:
            words = urlencode({**query, "per_page": PAGE, "page": number})
            page: list[dict[str, Any]] = self.send("GET", f"{path}?{words}")
            yield from page
            # A page that is not full is the last.
            number, is_more = number + 1, len(page) == PAGE

    def send(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """Send a request and return GitHub's answer; raise `ApiError` if there is none or it is an error."""
        data = None if body is None else json.dumps(body).encode()
        request = Request(f"{self._root}/{path}", data, self._headers, method=method)  # noqa: S310 - the runner's address
        try:
            with urlopen(request, timeout=TIMEOUT_S) as answer:  # noqa: S310
                return json.load(answer)
        except HTTPError as error:
            raise ApiError(f"{method} {path}: GitHub answered {error.code} {error.reason}") from None
        except (URLError, TimeoutError, ValueError) as error:
            raise ApiError(f"{method} {path}: {error}") from None
