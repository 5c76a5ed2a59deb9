"""An imported run as a trace that can be scored: names resolved, calls of the program's own tools left out."""

from collections import Counter
from collections.abc import Container, Mapping
from dataclasses import dataclass

from ...gates.trace import Call, Trace
from .imported_run import ImportedCall, ImportedRun
from .tool_names import AmbiguousName, KnownServers, ToolName, resolve_name, strip_server

_PREFIX = "mcp__"


@dataclass(frozen=True, slots=True)
class ResolvedRun:
    """A run that can be scored, and what is to be said of it."""

    run: ImportedRun
    trace: Trace
    left_out: Mapping[str, int]
    """How many calls of which of the program's own tools are not in the trace."""
    renamed: Mapping[str, str]
    """Names as the file has them, with the tool that each was read as."""
    unresolved: tuple[str, ...]
    """Names that are left as they are and have no server."""


class NameResolver:
    """Resolves the names of runs of one test; each name is worked out once."""

    def __init__(self, servers: KnownServers, declared: Container[str] = (), *, resolve_written: bool = False) -> None:
        self._servers = servers
        self._declared = declared
        self._resolve_written = resolve_written
        self._known: dict[tuple[str, str], ToolName | None] = {}

    def resolve(self, run: ImportedRun) -> ResolvedRun:
        """Return a run with its names resolved; raise `AmbiguousName` if a name may belong to several servers."""
        calls: list[Call] = []
        left_out: Counter[str] = Counter()
        renamed: dict[str, str] = {}
        unresolved: dict[str, None] = {}
        ambiguous: dict[str, AmbiguousName] = {}
        for call in run.calls:
            try:
                tool = self._find(call)
            except AmbiguousName as error:
                # Collected: the user answers one error that names them all.
                ambiguous[call.name] = error
                continue
            if tool is None:
                left_out[call.name] += 1
                continue
            made = Call(tool.name, tool.server, call.args, call.status, call.turn)
            calls.append(made)
            if tool.server is None:
                unresolved[tool.name] = None
            elif call.server is None:
                renamed[call.name] = made.id
        if ambiguous:
            raise AmbiguousName.from_several(list(ambiguous.values()))
        trace = Trace(tuple(calls), run.final_response, run.turns, run.usage, run.cost)
        return ResolvedRun(run, trace, dict(left_out), renamed, tuple(unresolved))

    def _find(self, call: ImportedCall) -> ToolName | None:
        """Return the tool that a call is of, or None if it is one of the program's own that the test does not name."""
        if call.kind == "written" and not (self._resolve_written and _is_flat(call)):
            return ToolName(call.server, call.name)
        if call.server is not None and call.kind != "written":
            # The file's word is taken, unless the user contradicts it by the full name.
            chosen = self._servers.chosen.get(f"{call.server}.{call.name}")
            return ToolName(chosen or call.server, call.name)
        if call.kind == "own" and call.name not in self._servers.chosen:
            # A suite may name a tool of the program itself, such as its shell: then its calls are scored.
            return ToolName(None, call.name) if call.name in self._declared else None
        key = (call.name, call.kind)
        if key not in self._known:
            self._known[key] = self._resolve(call)
        return self._known[key]

    def _resolve(self, call: ImportedCall) -> ToolName | None:
        if call.server is not None:
            return ToolName(call.server, strip_server(call.name, call.server))
        bare = call.kind not in ("mcp", "prefixed")
        found = resolve_name(call.name, self._servers, may_be_bare=bare)
        if found is not None:
            return found
        if call.kind == "prefixed" and call.name not in self._declared:
            return None
        return ToolName(None, call.name)


def infer_servers(run: ImportedRun) -> dict[str, frozenset[str] | None]:
    """Return the servers that names of the form `mcp__SERVER__TOOL` tell of, if nothing else says which there are."""
    names = [call.name for call in run.calls if call.name.startswith(_PREFIX)]
    servers = sorted({name.removeprefix(_PREFIX).partition("__")[0] for name in names} - {""})
    return dict.fromkeys(servers)


def _is_flat(call: ImportedCall) -> bool:
    """Return whether a name of our own format lacks its server, or repeats it."""
    return call.server is None or strip_server(call.name, call.server) != call.name
