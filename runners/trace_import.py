"""From trace files of any format to runs that can be scored: the test each belongs to, and what its names mean."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import msgspec

from ..compiler.plan import Plan, PlannedTest, SuitePlan
from ..foundations.fault import BadInput
from ..foundations.suggestion import find_nearest, format_suggestion
from ..gates.trace import Trace
from .catalogs.fingerprint import ServerListing
from .known_servers import KnownToolFinder, list_servers
from .trace_catalog import group_offered_tools, is_complete, make_listings
from .trace_file import RecordedRun, TraceFileEntry, read_stream
from .trace_formats.imported_run import ImportedCall, ImportedRun
from .trace_formats.own_format import OWN_FORMAT
from .trace_formats.reading import TraceFile, open_trace, sniff_format
from .trace_formats.registry import AUTO
from .trace_formats.resolved_run import NameResolver, ResolvedRun, infer_servers
from .trace_formats.tool_names import AmbiguousName, KnownServers
from .trace_input import expand_folders, open_file


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """What the user says of the traces."""

    format: str = AUTO
    test: str | None = None
    model: str | None = None
    server_of: Mapping[str, str] = field(default_factory=dict[str, str])
    resolve_names: bool = False
    cassettes: Path = Path("cassettes")


class FormatCount(msgspec.Struct):
    """What was read of one format, and what was left out."""

    label: str
    files: int = 0
    runs: int = 0
    calls: int = 0
    left_out: Counter[str] = msgspec.field(default_factory=Counter[str])
    sub_agent_calls: int = 0
    skipped: Counter[str] = msgspec.field(default_factory=Counter[str])


@dataclass(slots=True)
class ImportSummary:
    """What is to be said once of all traces that were read."""

    formats: dict[str, FormatCount] = field(default_factory=dict[str, FormatCount])
    renamed: dict[str, str] = field(default_factory=dict[str, str])

    def find_format(self, label: str) -> FormatCount:
        """Return the count of a format."""
        return self.formats.setdefault(label, FormatCount(label))


class _TestReader:
    """Resolves the names of the runs of one test."""

    def __init__(self, suite: SuitePlan, test: PlannedTest, options: ImportOptions, finder: KnownToolFinder) -> None:
        self.test = test
        self.members = frozenset(tool.id for gate in test.gates for tool in gate.list_tool_ids())
        self.warnings: dict[str, None] = {}
        self.listings: dict[str, ServerListing] | None = None
        self._options = options
        self._known = finder.find_tools(suite, test)
        self._resolvers: dict[tuple[object, ...], NameResolver] = {}
        self._checked: set[tuple[str | None, str]] = set()

    def resolve(self, run: ImportedRun) -> ResolvedRun:
        """Return a run with its names resolved."""
        return self._make_resolver(run).resolve(run)

    def _make_resolver(self, run: ImportedRun) -> NameResolver:
        """Return a resolver that knows this run's catalog; runs with the same one share it."""
        key = tuple((tool.server, tool.name) for tool in run.offered)
        if not self._known:
            # A suite without servers takes them from the names of each run.
            key = (key, *infer_servers(run))
        if key not in self._resolvers:
            known = dict(self._known)
            offered = group_offered_tools(run.offered, KnownServers(self._known))
            for server in known.keys() & offered.keys():
                # A trace shows what the model was offered, which may be less than a server lists: it only adds.
                known[server] = (known[server] or frozenset()) | frozenset(offered[server])
            if is_complete(offered) and self.listings is None:
                self.listings = make_listings(offered)
            servers = KnownServers(known or infer_servers(run), self._options.server_of)
            written = self._options.resolve_names
            self._resolvers[key] = NameResolver(servers, self.members, resolve_written=written)
        return self._resolvers[key]

    def check_names(self, trace: Trace, *, is_own: bool) -> None:
        """Warn of a call that is no member as it stands, and would be one if it were read in another way."""
        checked = self._checked
        for call in trace.tool_calls:
            key = (call.server, call.name)
            if key not in checked:
                checked.add(key)
                if call.id not in self.members and call.name not in self.members:
                    self._warn(call.id, call.name, is_own)

    def _warn(self, written: str, name: str, is_own: bool) -> None:
        alike = [member for member in sorted(self.members) if _is_alike(name, member)]
        alike.sort(key=lambda member: member.rpartition(".")[0] not in written)
        if alike:
            option = "--resolve-names" if is_own else f"--server-of {written}={alike[0].rpartition('.')[0] or 'SERVER'}"
            self.warnings[f"`{written}` is taken as it is, and looks like the member `{alike[0]}`: {option}"] = None


def _is_alike(name: str, member: str) -> bool:
    """Return whether a name could mean a member: the same tool without its server, or behind another one's name."""
    tool = member.rpartition(".")[2]
    return name == tool or (name.endswith(tool) and name[: -len(tool)].endswith(("_", ".", "/")))


class TraceImporter:
    """Reads traces for the tests of a plan. What it has to say is complete when all of them were read."""

    def __init__(self, plan: Plan, options: ImportOptions | None = None) -> None:
        self.summary = ImportSummary()
        self._options = options or ImportOptions()
        self._finder = KnownToolFinder(self._options.cassettes)
        self._tests = [(suite, test) for suite in plan.suites for test in suite.tests]
        self._readers: dict[tuple[str, str], _TestReader] = {}
        _check_servers(self._options.server_of, self._tests)

    def read_files(self, files: Sequence[str]) -> Iterator[TraceFileEntry]:
        """Yield the runs of files and folders, names resolved, each read when it is asked for."""
        for file in expand_folders(files):
            with open_file(file) as (shown, stream):
                yield from self._read_stream(shown, stream)

    def _read_stream(self, file: str, stream: IO[bytes]) -> Iterator[TraceFileEntry]:
        if sniff_format(file, stream, self._options.format) == OWN_FORMAT.name:
            yield from self._read_own(file, stream)
            return
        opened = open_trace(file, stream, self._options.format)
        count = self.summary.find_format(opened.format.label)
        count.files += 1
        for run in opened.runs:
            yield self._import(run, opened, count)
        count.skipped.update(opened.skipped)

    def _read_own(self, file: str, stream: IO[bytes]) -> Iterator[TraceFileEntry]:
        """Yield runs of our own format, which are taken as they are written unless the user says otherwise."""
        # Looked up once for each name that runs give: a file may hold a million runs of one test.
        readers: dict[str | None, _TestReader | None] = {}
        for entry in read_stream(file, stream):
            run = entry.run
            if run is None:
                yield entry
                continue
            if run.test not in readers:
                test = self._find_by_name(run.test)
                readers[run.test] = self._get_reader(*test) if test else None
            reader = readers[run.test]
            if reader is None:
                yield entry
            elif self._options.resolve_names:
                yield self._resolve_own(entry, run, reader)
            else:
                reader.check_names(run, is_own=True)
                yield entry

    def _resolve_own(self, entry: TraceFileEntry, run: RecordedRun, reader: _TestReader) -> TraceFileEntry:
        try:
            resolved = reader.resolve(convert_own_run(run))
        except AmbiguousName as error:
            return TraceFileEntry(entry.file, entry.line, None, f"{error}; {error.help}")
        self.summary.renamed.update(resolved.renamed)
        made = msgspec.structs.replace(run, tool_calls=resolved.trace.tool_calls)
        return TraceFileEntry(entry.file, entry.line, made, None)

    def import_run(self, run: ImportedRun, number: int) -> TraceFileEntry:
        """Return a run that was read already, names resolved."""
        return self._import(run, None, FormatCount("runs"), number)

    def _import(
        self, run: ImportedRun, opened: TraceFile | None, count: FormatCount, number: int | None = None
    ) -> TraceFileEntry:
        file = opened.file if opened else "run"
        line = number or (run.line if file.endswith((".jsonl", ".ndjson")) else 0)
        try:
            suite, test = self._find_test(run)
            reader = self._get_reader(suite, test)
            resolved = reader.resolve(run)
        except BadInput as error:
            return TraceFileEntry(file, line, None, f"{error}; {error.help}" if error.help else str(error))
        self._count(resolved, count)
        reader.check_names(resolved.trace, is_own=False)
        reader.warnings.update(dict.fromkeys(f"{file}: {text}" for text in run.warnings))
        made = RecordedRun(
            **msgspec.structs.asdict(resolved.trace), test=test.name, model=self._choose_model(test, run)
        )
        return TraceFileEntry(file, line, made, None)

    def _count(self, resolved: ResolvedRun, count: FormatCount) -> None:
        count.runs += 1
        count.calls += len(resolved.trace.tool_calls)
        count.left_out.update(resolved.left_out)
        count.sub_agent_calls += resolved.run.sub_agent_calls
        self.summary.renamed.update(resolved.renamed)

    def _choose_model(self, test: PlannedTest, run: ImportedRun) -> str | None:
        """Return the model of the suite that a trace is of: a program names it without its provider."""
        if self._options.model is not None or run.model is None:
            return self._options.model
        models = [cell.model for cell in test.cells if cell.model]
        return next((model for model in models if model.rpartition(":")[2] == run.model), run.model)

    def _get_reader(self, suite: SuitePlan, test: PlannedTest) -> _TestReader:
        key = (suite.name, test.name)
        if key not in self._readers:
            self._readers[key] = _TestReader(suite, test, self._options, self._finder)
        return self._readers[key]

    def _find_by_name(self, name: str | None) -> tuple[SuitePlan, PlannedTest] | None:
        """Return the test of this name, or the only one that is meant; None if that is not clear."""
        meant = name or self._options.test
        found = [both for both in self._tests if meant is None or both[1].name == meant]
        return found[0] if len(found) == 1 else None

    def _find_test(self, run: ImportedRun) -> tuple[SuitePlan, PlannedTest]:
        """Return the test that a run belongs to: named, the only one, or the one with its very prompt."""
        found = self._find_by_name(None) or (self._find_by_name(run.test) if run.test else None)
        if found is not None:
            return found
        if self._options.test is not None:
            names = [test.name for _, test in self._tests]
            known = f"several suites have a test named `{self._options.test}`: score them one by one"
            missing = f"no test is named `{self._options.test}`"
            is_known = self._options.test in names
            raise BadInput(
                known if is_known else missing, None if is_known else format_suggestion(self._options.test, names)
            )
        return self._find_by_prompt(run.prompt)

    def _find_by_prompt(self, prompt: str | None) -> tuple[SuitePlan, PlannedTest]:
        if prompt is None:
            raise BadInput("the trace has no prompt, and the suite has several tests", "say which: --test NAME")
        found = [(suite, test) for suite, test in self._tests if (test.prompt or "").strip() == prompt.strip()]
        if len(found) == 1:
            return found[0]
        if found:
            names = " and ".join(f"`{test.name}`" for _, test in found)
            raise BadInput(f"its prompt is that of {names}", "say which: --test NAME")
        raise BadInput("no test has the prompt of this trace", self._describe_nearest(prompt))

    def _describe_nearest(self, prompt: str) -> str:
        by_prompt = {(test.prompt or "")[:500]: test.name for _, test in self._tests if test.prompt}
        near = find_nearest(prompt[:500], by_prompt, cutoff=0.3)
        return (
            f"the nearest is that of `{by_prompt[near]}`: --test NAME says which" if near else "say which: --test NAME"
        )

    def list_warnings(self, suite: SuitePlan, test: PlannedTest) -> tuple[str, ...]:
        """Return what is to be said of the traces of a test."""
        reader = self._readers.get((suite.name, test.name))
        return tuple(reader.warnings) if reader else ()

    def get_listings(self, suite: SuitePlan, test: PlannedTest) -> dict[str, ServerListing] | None:
        """Return the catalog that the traces of a test carry, if one does."""
        reader = self._readers.get((suite.name, test.name))
        return reader.listings if reader else None


def _check_servers(server_of: Mapping[str, str], tests: Sequence[tuple[SuitePlan, PlannedTest]]) -> None:
    """Raise `BadInput` if a server that the user names is in no test."""
    known = {server for suite, test in tests for server in list_servers(suite, test)}
    for name, server in server_of.items():
        if known and server not in known:
            raise BadInput(
                f"--server-of {name}={server}: no test has a server `{server}`", format_suggestion(server, known)
            )


def convert_own_run(run: RecordedRun) -> ImportedRun:
    """Return a run of our own format as an imported one."""
    calls = tuple(
        ImportedCall(call.name, call.server, call.args, call.status, call.turn, None, "written")
        for call in run.tool_calls
    )
    return ImportedRun(calls, run.final_response, run.turns, run.usage, run.cost, None, run.test, run.model)
