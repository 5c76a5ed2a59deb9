"""Exceptions that nobody foresaw, as faults: whose they are, and where their traceback is kept."""

import sys
import traceback
from hashlib import sha256
from pathlib import Path
from types import TracebackType

from ..foundations.fault import Fault
from ..foundations.redaction import Redactor
from .atomic_file import write_durably

FOLDER = ".toolgrade"
_OURS = __name__.partition(".")[0]
_LONGEST = 300


class UnexpectedError(Fault):
    """An exception that is no fault of the world as far as we know."""


def make_unexpected_error(error: BaseException, redactor: Redactor, folder: Path) -> UnexpectedError:
    """Return the fault that stands for an exception, after writing its traceback, without secrets, below `folder`."""
    owner = find_owner(error)
    text = " ".join(str(error).split())
    what = redactor.redact_text(f"{type(error).__name__}: {text[:_LONGEST]}" if text else type(error).__name__)
    blame = "this is a bug in toolgrade" if owner == _OURS else f"{owner} failed in a way that toolgrade does not know"
    return UnexpectedError(f"{blame}: {what}{_describe_traceback(error, redactor, folder)}", _HELP)


def find_owner(error: BaseException) -> str:
    """Return the package whose code raised an exception: the innermost that is not of the standard library."""
    names = [_get_package(step) for step in _walk_traceback(error.__traceback__)]
    return next((name for name in reversed(names) if name not in sys.stdlib_module_names), _OURS)


def _walk_traceback(step: TracebackType | None) -> list[TracebackType]:
    found: list[TracebackType] = []
    while step is not None:
        found.append(step)
        step = step.tb_next
    return found


def _get_package(step: TracebackType) -> str:
    return str(step.tb_frame.f_globals.get("__name__", "")).partition(".")[0]


def _describe_traceback(error: BaseException, redactor: Redactor, folder: Path) -> str:
    """Write the traceback to a file and say which; say nothing if it cannot be written."""
    text = redactor.redact_text("".join(traceback.format_exception(error)))
    data = text.encode("utf-8", "backslashreplace")
    path = folder / FOLDER / f"traceback-{sha256(data).hexdigest()[:8]}.txt"
    try:
        write_durably(path, data)
        write_durably(path.with_name(".gitignore"), b"*\n")
    except Fault:
        return ""
    return f"; the traceback is in {FOLDER}/{path.name}"


_HELP = "please report it, with that file"
