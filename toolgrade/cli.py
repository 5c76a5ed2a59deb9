"""The command line: the commands there are, and what becomes of whatever stops one of them."""

import errno
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from . import __version__
from .commands.check import check_command
from .commands.completion import completion_command
from .commands.diff import diff_command
from .commands.doctor import doctor_command
from .commands.drift import drift_command
from .commands.import_traces import import_command
from .commands.init import init_command
from .commands.plan import plan_command
from .commands.run import run_command
from .commands.schema import schema_command
from .commands.score import score_command
from .commands.site import site_group
from .commands.tap import tap_command

EPILOG = """\b
Exit codes:
  0    every gate met
  1    a gate failed, or diff found a regression
  2    bad usage, or input that cannot be used
  3    the world stopped it: a server, a provider, the disk, a budget
  4    a cassette is missing, stale or corrupt
  130  interrupted"""


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}, epilog=EPILOG)
@click.version_option(__version__, prog_name="toolgrade")
def toolgrade() -> None:
    """Give an MCP agent's tool selection a report card.

    \b
    toolgrade check suites/               does it compile?
    toolgrade run suites/                 replay the cassettes, offline
    toolgrade run suites/ --mode live     run against real servers, and record
    toolgrade score suite.yml run.jsonl   grade traces recorded anywhere
    toolgrade diff main HEAD              what got better, what got worse
    toolgrade site build                  the report site, from the history in git
    """


for command in (
    check_command,
    completion_command,
    diff_command,
    doctor_command,
    drift_command,
    init_command,
    plan_command,
    run_command,
    schema_command,
    score_command,
    import_command,
    site_group,
    tap_command,
):
    toolgrade.add_command(command)


def run_command_line(arguments: Sequence[str] | None = None) -> int:
    """Run a command and give its exit code. No traceback reaches a user."""
    try:
        # Not standalone: click would end the process itself, and report errors in its own way.
        code = toolgrade.main(arguments, prog_name="toolgrade", standalone_mode=False) or 0
        sys.stdout.flush()  # a full disk behind stdout is found here, not after the last door
        return code
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.Abort:
        return _report_interrupt()
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except KeyboardInterrupt:
        return _report_interrupt()
    except BrokenPipeError:
        _discard_stdout()
        return 1
    except Exception as error:  # noqa: BLE001 - the last door: a bug is reported as one, not as a traceback
        return _report_failure(error)


def _report_interrupt() -> int:
    click.echo("toolgrade: interrupted", err=True)
    return 130


def _discard_stdout() -> None:
    """Let what is still buffered go nowhere: Python writes it at exit, and would fail once more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _report_system_error(error: OSError) -> int:
    """Say what the system refused: a file, a folder, or standard output itself."""
    from .foundations.untrusted_text import make_visible

    # Every file is written by name: an error of the disk without one is of standard output.
    if error.filename is None and error.errno in (errno.ENOSPC, errno.EIO, errno.EFBIG, errno.EDQUOT):
        _discard_stdout()
        click.echo(f"toolgrade: could not write to standard output: {error.strerror}", err=True)
        return 3
    if not _has_working_folder():
        click.echo("toolgrade: the working folder is gone\n  change to a folder that exists", err=True)
        return 3
    where = f"{error.filename}: " if error.filename else ""
    click.echo(make_visible(f"toolgrade: {where}{error.strerror or error}"), err=True)
    return 3


def _has_working_folder() -> bool:
    try:
        return Path.cwd().exists()
    except OSError:
        return False


def _report_failure(error: Exception) -> int:
    from .foundations.fault import Fault

    if isinstance(error, Fault):
        from .console import format_fault_message

        click.echo(format_fault_message("\n".join((str(error), *error.details)), error.help), err=True)
        return error.exit_code
    if os.environ.get("TOOLGRADE_TRACEBACK"):
        raise error
    if isinstance(error, OSError):
        return _report_system_error(error)
    kind = type(error).__name__
    click.echo(f"toolgrade: this is a bug in toolgrade: {kind}: {error}", err=True)
    click.echo("  please report it; TOOLGRADE_TRACEBACK=1 shows where it happened", err=True)
    return 3
