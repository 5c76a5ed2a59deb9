"""The files of a run: report.json, which is committed, and run.json, which is not."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..site.report.report_model import Report

_IGNORED = b"/.gitignore\n/.*.tmp\n/run.json\n"


@dataclass(frozen=True, slots=True)
class WrittenReport:
    """A report on disk, and whether it is another than the one that was there."""

    folder: Path
    is_changed: bool

    @property
    def file(self) -> str:
        return (self.folder / "report.json").as_posix()


def write_report(folder: Path, report: "Report", made: dict[str, Any]) -> WrittenReport:
    """Write both files, and tell git of the one that is not committed."""
    from ..foundations.canonical_json import to_json
    from ..runners.atomic_file import write_durably

    data = to_json(report)
    is_changed = not _has_content(folder / "report.json", data)
    if is_changed:
        write_durably(folder / "report.json", data)
    write_durably(folder / "run.json", to_json(made))
    if not (folder / ".gitignore").exists():
        write_durably(folder / ".gitignore", _IGNORED)
    return WrittenReport(folder, is_changed)


def _has_content(file: Path, data: bytes) -> bool:
    from ..runners.atomic_file import read_regular

    try:
        return read_regular(file, len(data)) == data
    except OSError:
        return False
