"""A drafted suite as YAML, with comments for the person who is to correct it."""

import json
import re
from collections.abc import Iterator, Sequence

from ...compiler.plan import AnyServer, HttpServer, StdioServer
from .suite_draft import NO_TOOL, DraftClass

_SHOWN = 8
_PLAIN = re.compile(r"(?!(?:null|true|false)$)[A-Za-z][\w./-]*", re.ASCII | re.IGNORECASE)


def suite_text(servers: Sequence[AnyServer], drafts: Sequence[DraftClass], changing: Sequence[str]) -> str:
    """The suite; what it asks is a guess, and it says so. `changing` are the tools that it leaves alone."""
    names = _flow([server.name for server in servers])
    lines = [
        "# A first suite, drafted from what the servers list. It compiles and runs as it stands; what it asks is a",
        "# guess. Correct three things: the prompts (say the task as a user would, never the tool), the members (tools",
        "# that do the job equally well belong to one class), and the values: a live run calls tools for real.",
        *_left_out(changing),
        "servers:",
        *(f"  {_text(server.name)}: {_server(server)}" for server in servers),
        "agents:",
        "  - name: first",
        "    model: lexical  # free and deterministic: a text search. Add a model beside it: models: [lexical, …]",
        f"    servers: {names}",
        "tests:",
        *(line for draft in drafts for line in _test(draft)),
        "  - name: calls nothing where no tool fits",
        "    agent: first",
        f"    prompt: {_text(NO_TOOL)}",
        "    equal_function_sets: {classes: []}",
    ]
    return "\n".join(lines) + "\n"


def _left_out(changing: Sequence[str]) -> Iterator[str]:
    if changing:
        more = f" and {len(changing) - _SHOWN} more" if len(changing) > _SHOWN else ""
        yield f"# No prompt was drafted for what seems to change something: {', '.join(changing[:_SHOWN])}{more}."


def _test(draft: DraftClass) -> Iterator[str]:
    yield f"  - name: {_text(draft.name)}"
    yield "    agent: first"
    if not draft.is_found:
        picked = ", ".join(draft.found) or "nothing"
        yield f"    # A text search picks {picked} for this prompt: reword it, or the descriptions."
    yield f"    prompt: {_text(draft.prompt)}"
    yield "    equal_function_sets:"
    yield "      classes:"
    yield f"        - name: {_text(draft.name)}"
    if len(draft.members) > 1:
        yield "          # These are named or described alike: are they interchangeable?"
    yield f"          members: {_flow(draft.members)}"


def _server(server: AnyServer) -> str:
    match server:
        case StdioServer():
            return f"{{command: {_flow(server.command)}}}"
        case HttpServer():
            headers = ", ".join(f"{_text(name)}: {_text(value)}" for name, value in server.headers.items())
            return (
                f"{{url: {_text(server.url)}, headers: {{{headers}}}}}" if headers else f"{{url: {_text(server.url)}}}"
            )
        case _:
            return f"{{catalog: {_text(server.catalog)}}}"


def _flow(texts: Sequence[str]) -> str:
    return f"[{', '.join(map(_text, texts))}]"


def _text(text: str) -> str:
    """A plain scalar, or a double-quoted one: JSON's quoting is YAML's, for what can be printed."""
    return text if _PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)
