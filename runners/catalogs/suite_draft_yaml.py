"""Writing a drafted suite as YAML, with comments for the author who corrects it."""

import json
import re
from collections.abc import Iterator, Sequence

from ...compiler.plan import AnyServer, HttpServer, StdioServer
from .suite_draft import NO_TOOL, DraftClass

_SHOWN = 8
# YAML 1.2 reads null, true and false as values; what starts with a letter and has none of its signs is plain text.
_PLAIN = re.compile(r"(?!(?:null|true|false)$)[A-Za-z][\w./-]*", re.ASCII | re.IGNORECASE)


def render_suite_draft(servers: Sequence[AnyServer], drafts: Sequence[DraftClass], changing: Sequence[str]) -> str:
    """Return the suite as YAML. `changing` are the tools that a comment lists as left out."""
    names = _render_flow_list([server.name for server in servers])
    lines = [
        "# A first suite, drafted from what the servers list. It compiles and runs as it stands; what it asks is a",
        "# guess. Correct three things: the prompts (say the task as a user would, never the tool), the members (tools",
        "# that do the job equally well belong to one class), and the values: a live run calls tools for real.",
        *_render_left_out_note(changing),
        "servers:",
        *(f"  {_render_scalar(server.name)}: {_render_server(server)}" for server in servers),
        "agents:",
        "  - name: first",
        "    model: lexical  # free and deterministic: a text search. Add a model beside it: models: [lexical, …]",
        f"    servers: {names}",
        "tests:",
        *(line for draft in drafts for line in _render_test(draft)),
        "  - name: calls nothing where no tool fits",
        "    agent: first",
        f"    prompt: {_render_scalar(NO_TOOL)}",
        "    equal_function_sets: {classes: []}",
    ]
    return "\n".join(lines) + "\n"


def _render_left_out_note(changing: Sequence[str]) -> Iterator[str]:
    if changing:
        more = f" and {len(changing) - _SHOWN} more" if len(changing) > _SHOWN else ""
        yield f"# No prompt was drafted for what seems to change something: {', '.join(changing[:_SHOWN])}{more}."


def _render_test(draft: DraftClass) -> Iterator[str]:
    yield f"  - name: {_render_scalar(draft.name)}"
    yield "    agent: first"
    if not draft.is_found:
        picked = ", ".join(draft.found) or "nothing"
        yield f"    # A text search picks {picked} for this prompt: reword it, or the descriptions."
    yield f"    prompt: {_render_scalar(draft.prompt)}"
    yield "    equal_function_sets:"
    yield "      classes:"
    yield f"        - name: {_render_scalar(draft.name)}"
    if len(draft.members) > 1:
        yield "          # These are named or described alike: are they interchangeable?"
    yield f"          members: {_render_flow_list(draft.members)}"


def _render_server(server: AnyServer) -> str:
    match server:
        case StdioServer():
            return f"{{command: {_render_flow_list(server.command)}}}"
        case HttpServer():
            headers = ", ".join(
                f"{_render_scalar(name)}: {_render_scalar(value)}" for name, value in server.headers.items()
            )
            return (
                f"{{url: {_render_scalar(server.url)}, headers: {{{headers}}}}}"
                if headers
                else f"{{url: {_render_scalar(server.url)}}}"
            )
        case _:
            return f"{{catalog: {_render_scalar(server.catalog)}}}"


def _render_flow_list(texts: Sequence[str]) -> str:
    return f"[{', '.join(map(_render_scalar, texts))}]"


def _render_scalar(text: str) -> str:
    """Return a text as a plain scalar if that is safe, else in double quotes."""
    # JSON strings of printable characters are double-quoted YAML scalars, too: no YAML writer is needed.
    return text if _PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)
