"""Reads reports that were written before: from a file, a folder or a git revision."""

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import msgspec
from msgspec import UnsetType

from ...foundations.fault import BadInput, Fault
from ...foundations.paths import StrPath, list_paths
from ...foundations.suggestion import format_suggestion
from .report_consistency import find_contradictions
from .report_model import SCHEMA, Report

FILE = "report.json"
COMMITTED = "reports/replay/report.json"
MAX_BYTES = 256 * 1024 * 1024
_KIND, _, _VERSION = SCHEMA.partition("/")
_COUNTS = {"tp", "fp", "fn"}
_BOM = b"\xef\xbb\xbf"


class ReportNotFound(BadInput):
    """No report at the place that was named."""


class ReportNotCommitted(ReportNotFound):
    """A git revision that exists, without a report committed at it."""


class InvalidReport(BadInput):
    """Bytes that cannot be read as a report."""


class NewerReportSchema(BadInput):
    """A report in a format that only a newer version of toolgrade reads."""


class _SchemaHeader(msgspec.Struct):
    schema: str


def load_report(place: StrPath, committed: str = COMMITTED) -> Report:
    """Return the report in a file, in a folder's report.json, or committed at a git revision.

    A path that exists wins over a revision of the same name. Raise `ReportNotFound` if there is no report, and
    `InvalidReport` if it cannot be read.
    """
    place = list_paths(place)[0]
    path = Path(place)
    if place and _is_existing_path(path):
        file = path / FILE if path.is_dir() else path
        return read_report(_read_file(file), file.as_posix())
    return read_report(_read_committed_report(place, committed), f"{place}:{committed}")


def read_report(data: bytes, origin: str = FILE) -> Report:
    """Return the report in these bytes; raise `InvalidReport` if they are not one.

    A report that toolgrade wrote comes back unchanged: `to_json(read_report(data)) == data`.
    """
    try:
        if len(data) > MAX_BYTES:
            raise InvalidReport(f"{origin}: a report has at most {MAX_BYTES:,} bytes")
        # Windows editors and PowerShell redirection add a byte order mark.
        data = data.removeprefix(_BOM)
        # The schema is read first: a newer report would otherwise fail with an error about some unknown value.
        _check_schema(msgspec.json.decode(data, type=_SchemaHeader).schema, origin)
        report = msgspec.json.decode(data, type=Report)
    except msgspec.ValidationError as error:
        raise InvalidReport(f"{origin}: not a report: {error}", _MAKE) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidReport(f"{origin}: not JSON: {_explain_decode_error(data, error)}", _MAKE) from None
    _check_values(report, origin)
    return report


def _check_schema(schema: str, origin: str) -> None:
    # Nine digits at most: int() raises ValueError for thousands of them.
    found = re.fullmatch(rf"{re.escape(_KIND)}/([0-9]{{1,9}})", schema)
    if found and int(found[1]) > int(_VERSION):
        help_ = "upgrade toolgrade: pip install --upgrade toolgrade"
        raise NewerReportSchema(
            f"{origin}: written by a newer toolgrade (`{schema}`; this one reads `{SCHEMA}`)", help_
        )
    if schema != SCHEMA:
        raise InvalidReport(f"{origin}: not a report: its schema is `{schema}`, not `{SCHEMA}`", _MAKE)


def _check_values(report: Report, origin: str) -> None:
    """Raise `InvalidReport` if counts cannot be graded or a test occurs twice, which types do not express."""
    tests = [(suite.name, test) for suite in report.suites for test in suite.tests]
    for _, test in tests:
        for gate in test.gates:
            counts = {} if isinstance(gate.counts, UnsetType) else gate.counts
            # Other gates have counts of their own names, which no grade is made of.
            if "tp" in counts and (not counts.keys() <= _COUNTS or min(counts.values()) < 0):
                raise InvalidReport(f"{origin}: not a report: `counts` of `{gate.gate}` in `{test.name}`", _MAKE)
    times = Counter((suite, test.name, test.model or "") for suite, test in tests)
    for suite, name, _ in (key for key, number in times.items() if number > 1):
        raise InvalidReport(f"{origin}: not a report: `{name}` of `{suite}` stands in it twice", _MAKE)
    # The first is enough: a report that contradicts itself is not read at all.
    for problem in find_contradictions(report):
        raise InvalidReport(f"{origin}: contradicts itself: {problem}", _MAKE)


def _explain_decode_error(data: bytes, error: Exception) -> str:
    if not data.strip():
        return "it is empty"
    # Reports are committed, so an unresolved merge is the likeliest damage.
    if data.startswith(b"<<<<<<< ") or b"\n<<<<<<< " in data:
        return "it holds the marks of a merge conflict"
    if isinstance(error, RecursionError):
        return "nested too deeply"
    return "not UTF-8 text" if isinstance(error, UnicodeDecodeError) else str(error)


def _is_existing_path(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False


def _read_file(file: Path) -> bytes:
    try:
        with file.open("rb") as stream:
            # One byte more than the limit: `read_report` can tell a report that is too large from one that fits.
            return stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise ReportNotFound(f"{file.parent}: no {FILE} in this folder", _MAKE) from None
    except OSError as error:
        raise ReportNotFound(f"{file}: {error.strerror or error}") from None


def _read_committed_report(revision: str, committed: str) -> bytes:
    # git would read a leading dash as an option.
    if not revision or revision.startswith("-"):
        raise ReportNotFound(f"`{revision}` is neither a path nor a git revision", "a path that starts with - is ./-…")
    found = _run_git("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    if found.returncode:
        # Git is silent about a revision that it does not know; anything else is its own failure, in its own words.
        said = found.stderr.decode("utf-8", "replace").strip()
        said = "and this is no git repository" if "not a git repository" in said else said.removeprefix("fatal: ")
        outside = f" ({said})" if said else ""
        raise ReportNotFound(f"{revision}: no such file, folder or git revision{outside}", _find_suggestion(revision))
    commit = found.stdout.decode().strip()
    blob = _run_git("cat-file", "blob", f"{commit}:{committed}")
    # git fails alike on a path that is not there and on a damaged object; only the tree tells them apart.
    if blob.returncode and _is_committed(commit, committed):
        raise Fault(f"{revision}: {blob.stderr.decode('utf-8', 'replace').strip()}", "`git fsck` checks the repository")
    if blob.returncode:
        help_ = "commit a report there, or say with --report where it is"
        raise ReportNotCommitted(f"{revision}: no report is committed at {committed}", help_)
    return blob.stdout


def _is_committed(commit: str, path: str) -> bool:
    """Whether a commit has a file; raise `Fault` if git cannot tell."""
    listed = _run_git("ls-tree", "-z", "--full-tree", commit, "--", path.removeprefix("./"))
    if listed.returncode:
        raise Fault(listed.stderr.decode("utf-8", "replace").strip(), "`git fsck` checks the repository")
    return bool(listed.stdout)


def _run_git(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    git = shutil.which("git")
    if git is None:
        raise Fault("git is not on PATH, and a revision needs it", "install git, or give the reports as files")
    return subprocess.run([git, *arguments], capture_output=True, check=False, stdin=subprocess.DEVNULL)  # noqa: S603 - argv, no shell


def _find_suggestion(place: str) -> str:
    try:
        siblings = [entry.name for entry in Path(place).parent.iterdir()]
    except OSError:
        siblings = []
    return format_suggestion(Path(place).name, siblings) or _MAKE


_MAKE = "`toolgrade score SUITE TRACE --format json > report.json` makes a report"
