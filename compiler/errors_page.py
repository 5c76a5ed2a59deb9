"""Renders `docs/errors.md`, the page of all diagnostic codes."""

from collections.abc import Iterator, Mapping

from .codes import CODES, DiagnosticCode

_SECTIONS = {
    "TG0": "Reading the file",
    "TG1": "A block of the suite",
    "TG2": "The suite as a whole",
}
_OPENING = """\
# Errors and warnings

What `toolgrade check` finds, by code. All findings of all files are shown in one pass, each at its line and column and
with what to write instead. An error stops the suite from compiling (exit code 2); a warning does not. `--format` is
`full` (as below), `concise`, `json` or `github`.

<!-- Made from compiler/codes.py by `make golden`. -->
"""


def render_errors_page(examples: Mapping[str, str]) -> str:
    """Return the page in Markdown; `examples` holds, for each code, a finding as `check` shows it."""
    return "\n".join([_OPENING, *_render_sections(examples)])


def _render_sections(examples: Mapping[str, str]) -> Iterator[str]:
    for prefix, title in _SECTIONS.items():
        yield f"## {title}\n"
        for name, code in CODES.items():
            if name.startswith(prefix):
                yield _render_code(name, code, examples[name])


def _render_code(name: str, code: DiagnosticCode, example: str) -> str:
    kind = "" if code.severity == "error" else " (warning)"
    return f"### {name}: {code.title}{kind}\n\n{code.why}\n\n```\n{example.rstrip()}\n```\n"
