"""Renders pages from templates; text from outside is escaped here, by default and without exception."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

import jinja2
import msgspec
from markupsafe import Markup

from ...foundations.canonical_json import digest_short, encode_compact
from ...foundations.untrusted_text import escape_hidden_characters
from ..history.commit_summary import CommitSummary
from .wording import cut_page_text, format_number

Body = Callable[[], str]
"""Renders a page when its turn to be written comes."""

THEME = Path(__file__).parent.parent / "theme"
_IN_SCRIPT = re.compile(r"[<>&]")
_GLYPHS = {"h": "matched", "m": "missed", "x": "unexpected", "o": "nothing expected"}


@dataclass(frozen=True, slots=True)
class PageFrame:
    """The frame of a page: its addresses, its commit and its tab."""

    title: str
    site_title: str
    root: str
    here: str
    overview: str
    compare: str | None
    commit: CommitSummary | None = None
    tab: str = ""


@dataclass(frozen=True, slots=True)
class PageAssets:
    """The files that pages load, named by a hash of their content, so that a page keeps the style it was made with."""

    css: str
    js: str
    icon: str
    data: dict[str, bytes]


def render_page(template: str, frame: PageFrame, page: Any, **more: Any) -> str:
    """Return a whole document."""
    places = {"root": frame.root, "here": frame.here}
    body = _get_environment().get_template(template).render(page=page, **places, **more)
    fields = {name: getattr(frame, name) for name in frame.__dataclass_fields__}
    whole = _get_environment().get_template("frame.html").render(assets=load_assets(), body=Markup(body), **fields)  # noqa: S704 - made by a template that escapes
    return escape_hidden_characters(whole)


def render_plain(template: str, page: Any) -> str:
    """Return a document without the frame."""
    return escape_hidden_characters(_get_environment().get_template(template).render(page=page))


def render_data_script(name: str, value: Any) -> bytes:
    """Return data as a script, because pages that are opened from disk cannot fetch JSON."""
    text = encode_compact(_escape_strings(msgspec.to_builtins(value))).decode()
    # `</script>` or `<!--` in a name would end the script; as escapes they are the same text to JavaScript.
    safe = _IN_SCRIPT.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    return f"window.{name} = {safe};\n".encode()


def _escape_strings(value: Any) -> Any:
    """Return plain data with the hidden characters of its texts written out: scripts put them on pages."""
    match value:
        case str():
            return escape_hidden_characters(value)
        case list() | tuple():
            return [_escape_strings(item) for item in cast(list[Any], value)]
        case dict():
            return {key: _escape_strings(item) for key, item in cast(dict[str, Any], value).items()}
        case _:
            return value


@cache
def load_assets() -> PageAssets:
    """Return the style sheet, the script and the icon."""
    found = {name: (THEME / name).read_bytes() for name in ("report.css", "report.js", "icon.svg")}
    paths = {name: f"assets/{_make_hashed_name(name, data)}" for name, data in found.items()}
    data = {paths[name]: data for name, data in found.items()}
    return PageAssets(paths["report.css"], paths["report.js"], paths["icon.svg"], data)


def _make_hashed_name(name: str, data: bytes) -> str:
    stem, _, kind = name.partition(".")
    return f"{stem}-{digest_short(data)}.{kind}"


@cache
def _get_environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(THEME),
        autoescape=True,
        # A misspelt name in a template fails the build instead of leaving a gap on the page.
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        # Templates do not change during a build, so they are not looked at again for each page.
        auto_reload=False,
    )
    filters = cast(dict[str, Any], environment.filters)
    filters.update(
        counted=_format_counted_noun,
        cut=cut_page_text,
        number=format_number,
        split_tool=_split_tool_id,
        told_glyphs=_describe_glyphs,
    )
    return environment


def _format_counted_noun(number: int, noun: str, plural: str | None = None) -> str:
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def _split_tool_id(tool: str) -> tuple[str, str]:
    server, dot, name = tool.rpartition(".")
    return server + dot, name


def _describe_glyphs(runs: Sequence[str]) -> str:
    told = [
        ", ".join(f"{run.count(mark)} {word}" for mark, word in _GLYPHS.items() if mark in run) or "not scored"
        for run in runs
    ]
    return "; ".join(f"run {index}: {words}" for index, words in enumerate(told, start=1)) or "no traces"
