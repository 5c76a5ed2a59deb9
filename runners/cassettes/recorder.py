"""The recorder writes cassettes: each whole, without secrets, and with one recorder at a time in a suite's folder."""

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
from ...foundations.redaction import Redactor
from ...foundations.suggestion import format_suggestion
from ..atomic_file import TEMPORARY, read_regular, write_durably
from ..catalogs.fingerprint import Toolset, fingerprint
from ..cell_selection import PlannedCell, iterate_cells
from ..servers.environment import list_plan_secrets
from ..suite_files import load_plan
from .cassette import MAX_BYTES, Cassette, get_meta_path, locate_cassette, seal_cassette
from .recorder_lock import hold_recording_lock
from .recording import FinishedRun, make_cassette
from .toolset_lock import BrokenToolsetLock, ToolsetLock, get_toolset_lock_path, read_toolset_lock

_IGNORED = b".gitignore\n.lock\n.*.tmp\n*.meta.json\n"


class Recorder:
    """A writer of cassettes for the tests of a plan.

    It never writes the value of an environment variable that the plan names, nor any of `secrets`.

    As a context manager it locks the plan's suites at the start, so that a second recorder is refused before it has
    spent anything. At the end it removes the tool sets that no cassette names any more.
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
        self._locks = ExitStack()
        self._is_holding = False
        self._writing = Lock()
        self._next_numbers: dict[Path, int] = {}

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            for suite in self._plan.suites:
                stack.enter_context(hold_recording_lock(self._root / suite.id))
                _remove_leftovers(self._root / suite.id)
            # If any suite is locked, leaving the block releases those before it; else the locks outlive the block.
            self._locks = stack.pop_all()
        self._is_holding = True
        return self

    def __exit__(self, kind: type[BaseException] | None, *_rest: object) -> None:
        self._is_holding = False
        with self._locks:
            # Only after success: an error of the clean-up would replace the one that ended the run.
            for suite in self._plan.suites if kind is None else ():
                self._remove_unused_toolsets(suite)

    def record(self, test: str, *, run: int | None = None, model: str | None = None, **done: Any) -> Path:
        """Write one run of a test and return its file; `done` are the fields of `FinishedRun`.

        Without `run` it is the next one: the first that a recorder writes of a cell is run 1, the second run 2. Raise
        `BadInput` if the plan has no such test, model or run, and `Fault` if the file cannot be written.
        """
        planned = self._find_cell(test, model)
        first = locate_cassette(self._root, planned, 1)
        number = self._next_numbers.get(first, 1) if run is None else run
        self.record_run(planned, number, FinishedRun(**done))
        self._next_numbers[first] = number + 1
        return locate_cassette(self._root, planned, number)

    def record_run(self, planned: PlannedCell, run: int, done: FinishedRun) -> Cassette:
        """Write one run of a cell and return its cassette as the file has it: redacted."""
        redactor = Redactor(self._secrets, self._folder)
        toolset = fingerprint(done.collect_listings())
        cassette = make_cassette(planned, run, done, toolset, redactor)
        path = locate_cassette(self._root, planned, run)
        # The tools first: a crash in between leaves an unused tool set, not a cassette whose tools are missing.
        with self._writing, self._lock_suite(planned.suite):
            self._write_gitignore()
            self._write_toolset(planned.suite, toolset)
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
        """Write a file. Raise `Fault` if a known secret is in it before or after, or if it reads back differently."""
        # A search of its own, independent of how the value was redacted: a bug there must not publish a secret.
        redactor = Redactor(self._secrets)
        if redactor.has_leak(data):
            # The redactor leaves prompts and settings as they are, as the digest covers them: the author must act.
            what = "a known secret is in the prompt, a server's settings or a tool's name"
            help_ = "remove it from the suite, and refer to it as ${env:NAME} there"
            raise Fault(f"{path.as_posix()}: nothing was written: {what}", help_)
        write_durably(path, data)
        written = read_regular(path, len(data))
        if written != data or redactor.has_leak(written):
            raise Fault(
                f"{path.as_posix()}: the file does not hold what was written", "check the disk, then record again"
            )

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
            # A damaged cassette may name any tool set: none is removed.
            return
        if used != known:
            self._write_and_verify(path, to_json(used))

    def _write_gitignore(self) -> None:
        """Write a .gitignore for locks, temporary files and .meta.json files, if there is none."""
        path = self._root / ".gitignore"
        if not path.exists():
            write_durably(path, _IGNORED)

    def _find_cell(self, name: str, model: str | None) -> PlannedCell:
        cells = [planned for planned in iterate_cells(self._plan) if planned.test.name == name]
        if not cells:
            names = [planned.test.name for planned in iterate_cells(self._plan)]
            raise BadInput(f"no test is named `{name}`", format_suggestion(name, names))
        if len({planned.suite.name for planned in cells}) > 1:
            raise BadInput(f"several suites have a test named `{name}`", "record with a plan of one suite")
        chosen = [planned for planned in cells if model is None or planned.cell.model == model]
        if len(chosen) != 1 or chosen[0].cell.model is None:
            models = ", ".join(planned.cell.model for planned in cells if planned.cell.model)
            raise BadInput(f"`{name}`: say which model", f"one of {models}" if models else "set `model:` in the suite")
        return chosen[0]


def _remove_leftovers(folder: Path) -> None:
    """Delete the temporary files of a recorder that was killed."""
    # Only called with the lock held: nobody else is writing in this folder.
    for path in folder.rglob(f".*{TEMPORARY}"):
        path.unlink(missing_ok=True)


class _CassetteToolset(msgspec.Struct):
    """The part of a cassette that names its tools, the same in every format."""

    class Tools(msgspec.Struct):
        fingerprint: str

    toolset: Tools


def _list_used_fingerprints(folder: Path) -> Iterator[str]:
    for path in folder.glob("*/*.json"):
        if not path.name.endswith(".meta.json"):
            yield msgspec.json.decode(read_regular(path, MAX_BYTES), type=_CassetteToolset).toolset.fingerprint
