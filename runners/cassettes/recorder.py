"""The recorder: cassettes on disk, each whole and without secrets, one recorder at a time."""

import os
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, Self

import msgspec

from ...compiler.plan import Plan, SuitePlan
from ...foundations.canonical_json import to_json
from ...foundations.fault import BadInput, Fault
from ...foundations.paths import Paths, StrPath
from ...foundations.suggestion import format_suggestion
from ..atomic_file import TEMPORARY, read_regular, write_durably
from ..catalogs.fingerprint import Toolset, fingerprint
from ..cell_selection import PlannedCell, iterate_cells
from ..servers.environment import list_plan_secrets
from ..suite_files import load_plan
from .cassette import MAX_BYTES, Cassette, cassette_path, get_meta_path, seal_cassette
from .recorder_lock import hold_recording_lock
from .recording import FinishedRun, make_cassette
from .redaction import Redactor
from .toolset_lock import BrokenToolsetLock, ToolsetLock, get_toolset_lock_path, read_toolset_lock

_IGNORED = b".gitignore\n.lock\n.*.tmp\n*.meta.json\n"


class Recorder:
    """Writes cassettes for the tests of a plan.

    No value of a variable that the plan names, and none of `secrets`, ever reaches a file.

    As a context manager it holds the plan's suites from the start, so that a second recorder is refused before it has
    spent anything, and forgets the tool sets that no cassette names any more at the end.
    """

    def __init__(
        self,
        suites: Paths | Plan,
        root: StrPath = "cassettes",
        secrets: Iterable[str] = (),
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        self._plan = plan = load_plan(suites)
        self._root = Path(root)
        self._secrets = (*secrets, *list_plan_secrets(plan, environment))
        self._folder = Path.cwd()
        self._held = ExitStack()
        self._is_holding = False
        self._writing = Lock()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            for suite in self._plan.suites:
                stack.enter_context(hold_recording_lock(self._root / suite.id))
                _remove_leftovers(self._root / suite.id)
            self._held = stack.pop_all()
        self._is_holding = True
        return self

    def __exit__(self, kind: type[BaseException] | None, *_rest: object) -> None:
        self._is_holding = False
        with self._held:
            for suite in self._plan.suites if kind is None else ():
                self._remove_unused_toolsets(suite)

    def record(self, test: str, *, run: int = 1, model: str | None = None, **done: Any) -> Path:
        """Write one run of a test; the rest of the arguments are those of `FinishedRun`."""
        planned = self._find_cell(test, model)
        self.record_run(planned, run, FinishedRun(**done))
        return cassette_path(self._root, *planned, run)

    def record_run(self, planned: PlannedCell, run: int, done: FinishedRun) -> Cassette:
        """Write one run of a cell, and give the cassette as it stands in the file: without secrets."""
        redactor = Redactor(self._secrets, self._folder)
        toolset = fingerprint(done.collect_listings())
        cassette = make_cassette(planned, run, done, toolset, redactor)
        path = cassette_path(self._root, *planned, run)
        with self._writing, self._lock_suite(planned[0]):
            self._write_gitignore()
            self._write_toolset(planned[0], toolset)
            if done.meta:
                self._write_and_verify(
                    get_meta_path(path), to_json(redactor.redact_value(msgspec.to_builtins(done.meta)))
                )
            self._write_and_verify(path, seal_cassette(cassette))
        return cassette

    @contextmanager
    def _lock_suite(self, suite: SuitePlan) -> Generator[None]:
        if self._is_holding:
            yield
            return
        with hold_recording_lock(self._root / suite.id):
            yield

    def _write_and_verify(self, path: Path, data: bytes) -> None:
        """Write a file, read it again, and search both for every known secret."""
        redactor = Redactor(self._secrets)
        if redactor.has_leak(data):
            what = "a known secret stands in the prompt, a server's settings or the name of a tool"
            help_ = "take it out of the suite, and name it with ${env:NAME} there"
            raise Fault(f"{path.as_posix()}: nothing was written, as {what}", help_)
        write_durably(path, data)
        written = read_regular(path, len(data))
        if written != data or redactor.has_leak(written):
            raise Fault(f"{path.as_posix()}: the file does not hold what was written", "check the disk; record again")

    def _write_toolset(self, suite: SuitePlan, toolset: Toolset) -> None:
        path = get_toolset_lock_path(self._root, suite)
        known = self._read_known_toolsets(path)
        if toolset.fingerprint not in known.toolsets:
            self._write_and_verify(path, to_json(known.with_toolset(toolset)))

    def _read_known_toolsets(self, path: Path) -> ToolsetLock:
        try:
            return read_toolset_lock(path)
        except BrokenToolsetLock as error:
            raise Fault(str(error), "restore it from git, or delete it and record the suite again") from None

    def _remove_unused_toolsets(self, suite: SuitePlan) -> None:
        path = get_toolset_lock_path(self._root, suite)
        known = self._read_known_toolsets(path)
        try:
            used = known.keep_toolsets(_list_used_fingerprints(path.parent))
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            return  # what a damaged cassette names is not known
        if used != known:
            self._write_and_verify(path, to_json(used))

    def _write_gitignore(self) -> None:
        """git is told of the files that are not committed, this one among them."""
        path = self._root / ".gitignore"
        if not path.exists():
            write_durably(path, _IGNORED)

    def _find_cell(self, name: str, model: str | None) -> PlannedCell:
        cells = [planned for planned in iterate_cells(self._plan) if planned[1].name == name]
        if not cells:
            names = [test.name for _, test, _ in iterate_cells(self._plan)]
            raise BadInput(f"no test is named `{name}`", format_suggestion(name, names))
        if len({suite.name for suite, _, _ in cells}) > 1:
            raise BadInput(f"several suites have a test named `{name}`", "record with a plan of one suite")
        chosen = [planned for planned in cells if model is None or planned[2].model == model]
        if len(chosen) != 1 or chosen[0][2].model is None:
            models = ", ".join(str(cell.model) for _, _, cell in cells if cell.model)
            raise BadInput(f"`{name}`: say which model", f"one of {models}" if models else "set `model:` in the suite")
        return chosen[0]


def _remove_leftovers(folder: Path) -> None:
    """What a recorder that was killed had begun to write; who holds the folder knows that nobody is writing now."""
    for path in folder.rglob(f".*{TEMPORARY}"):
        path.unlink(missing_ok=True)


class _CassetteToolset(msgspec.Struct):
    """The part of a cassette, of any format, that names its tools."""

    class Tools(msgspec.Struct):
        fingerprint: str

    toolset: Tools


def _list_used_fingerprints(folder: Path) -> Iterator[str]:
    for path in folder.glob("*/*.json"):
        if not path.name.endswith(".meta.json"):
            yield msgspec.json.decode(read_regular(path, MAX_BYTES), type=_CassetteToolset).toolset.fingerprint
