"""A checker of built sites: every link and every anchor leads somewhere, and nothing leads out."""

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_LINKS = {
    "a": "href",
    "link": "href",
    "script": "src",
    "img": "src",
    "iframe": "src",
    "object": "data",
    "form": "action",
}


class Document(HTMLParser):
    """What a page holds: its links, its ids, its tags and attributes, its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            self.attributes.append((name, value or ""))
            if name == "id":
                self.ids.append(value or "")
            if name == _LINKS.get(tag):
                self.links.append(value or "")
            if tag == "meta" and name == "content" and (value or "").startswith("0; url="):
                self.links.append((value or "").removeprefix("0; url="))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def pages(site: Path) -> dict[str, Document]:
    return {
        path.relative_to(site).as_posix(): Document(path.read_text(encoding="utf-8"))
        for path in sorted(site.rglob("*.html"))
    }


def broken_links(site: Path) -> list[str]:
    """Links that lead nowhere or out of the site, and ids that stand twice on a page."""
    return list(_broken(site, pages(site)))


def _broken(site: Path, found: dict[str, Document]) -> Iterator[str]:
    for name, page in found.items():
        yield from (f"{name}: id {one} twice" for one in page.ids if page.ids.count(one) > 1)
        for link in dict.fromkeys(page.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or parts.path.startswith("/"):
                yield f"{name}: {link} leads out"
                continue
            target = (site / name).parent / unquote(parts.path) if parts.path else site / name
            place = target.resolve().relative_to(site.resolve()).as_posix()
            if not target.is_file():
                yield f"{name}: {link} leads nowhere"
            elif parts.fragment and unquote(parts.fragment) not in found[place].ids:
                yield f"{name}: {link} has no such anchor"
