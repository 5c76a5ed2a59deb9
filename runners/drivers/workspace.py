"""The folders of one run of a program: a home and a working folder of its own, and a tap for each server."""

import secrets
import shutil
import sys
import tempfile
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ...compiler.driver_plan import DriverPlan
from ...compiler.plan import AnyServer, HttpServer, StdioServer
from ...compiler.schema import ENV_REFERENCE
from ...foundations.fault import BadInput, Fault
from ..servers.environment import list_secret_values, make_server_environment
from ..servers.process_tree import MARK
from ..servers.transports import LaunchContext, build_server_argv
from ..taps.launched_tap import write_launch_file
from .preset import TappedServer

_PASSED_ON = ("LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TZ", "USER")
"""The only variables that a program gets unasked."""
# `-P`: the folder that the program works in must not shadow a module.
_LAUNCHER = ("-P", "-m", "toolgrade.runners.taps.launched_tap")


@dataclass(frozen=True, slots=True)
class Workspace:
    """Where one run happens; all of it is gone afterwards. `mark` is in the environment of every process of the run."""

    root: Path
    mark: str

    @property
    def home(self) -> Path:
        """Return the program's home."""
        return self.root / "home"

    @property
    def workdir(self) -> Path:
        """Return the folder that the program is started in."""
        return self.root / "work"

    @property
    def log(self) -> Path:
        """Return the log that all taps of the run share."""
        return self.root / "tap.jsonl"


@contextmanager
def make_workspace(driver: DriverPlan, place: LaunchContext) -> Generator[Workspace]:
    """Make the folders of a run, with a copy of the driver's `workdir`, and remove them at the end."""
    # Not below a name that ends in a space or holds one: programs put these paths into configuration of their own.
    root = Path(tempfile.mkdtemp(prefix="toolgrade-run-"))
    try:
        space = Workspace(root, secrets.token_hex(8))
        space.home.mkdir()
        (root / "tmp").mkdir()
        _fill_workdir(space.workdir, driver, place)
        yield space
    finally:
        shutil.rmtree(root, ignore_errors=True)


def _fill_workdir(target: Path, driver: DriverPlan, place: LaunchContext) -> None:
    if driver.workdir is None:
        target.mkdir()
        return
    source = place.folder / driver.workdir
    # Resolved: neither `..` nor a link leads out of the suite's folder.
    if not source.resolve().is_relative_to(place.folder.resolve()) or not source.is_dir():
        raise BadInput(f"the driver's `workdir` {source.as_posix()} is not a folder below the suite's", "make it")
    try:
        # A link stays a link: followed, it could copy what is not the suite's.
        shutil.copytree(source, target, symlinks=True)
    except (OSError, shutil.Error) as error:
        raise Fault(f"{source.as_posix()} could not be copied: {error}") from None


def tap_servers(servers: Sequence[AnyServer], space: Workspace, place: LaunchContext) -> tuple[TappedServer, ...]:
    """Return the servers of a test, each behind a tap that writes into the log of the run."""
    return tuple(_tap_server(server, index, space, place) for index, server in enumerate(servers))


def _tap_server(server: AnyServer, index: int, space: Workspace, place: LaunchContext) -> TappedServer:
    if isinstance(server, HttpServer):
        message = f"server `{server.name}` has a `url`: a driver can be given only servers with `command` or `catalog`"
        raise BadInput(message, "start the server as a process, or remove `driver`")
    env = {**make_server_environment(server, place.environment), MARK: space.mark}
    cwd = Path(server.cwd) if isinstance(server, StdioServer) and server.cwd else Path()
    file = space.root / f"server-{index}.json"
    values = list_secret_values([server], place.environment)
    argv = build_server_argv(server, place)
    write_launch_file(file, server.name, space.log, argv, env, cwd.absolute(), values)
    return TappedServer(server.name, sys.executable, (*_LAUNCHER, str(file)))


def make_program_environment(
    space: Workspace, more: Mapping[str, str], login_variables: Sequence[str], environment: Mapping[str, str]
) -> dict[str, str]:
    """Return the whole environment of a program: a short list of names, folders of its own, and what it needs."""
    names = (*_PASSED_ON, *login_variables)
    passed_on = {name: environment[name] for name in names if name in environment}
    home = {"HOME": str(space.home), "TMPDIR": str(space.root / "tmp"), "TERM": "dumb", "NO_COLOR": "1"}
    folders = {"XDG_CONFIG_HOME": ".config", "XDG_CACHE_HOME": ".cache", "XDG_DATA_HOME": ".local/share"}
    return {**passed_on, **home, **{name: str(space.home / below) for name, below in folders.items()}, **more}


def expand_driver_variables(driver: DriverPlan, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of a driver with `${env:NAME}` replaced. Raise `BadInput` if one is not set."""
    for text in driver.env.values():
        for name in ENV_REFERENCE.findall(text):
            if name not in environment:
                message = f"driver `{driver.label}`: the environment variable {name} is not set"
                raise BadInput(message, "set it, or take it out of the suite")
    return {key: ENV_REFERENCE.sub(lambda found: environment[found[1]], text) for key, text in driver.env.items()}
