"""Running a program within bounds, and watching through the taps when its servers have listed their tools."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import anyio

from ...foundations.fault import BadInput, Fault
from ..agent_loop import MAX_CALLS
from ..servers.limits import ServerLimits
from ..servers.process import ServerProcess
from ..taps.tap_record import TapLogReader

MAX_OUTPUT_BYTES = 64 * 1024 * 1024
_POLL_S = 0.05
_DRAIN_S = 1.0
_SHOWN_LINES = 8
_VERSION_S = 15.0


class DriverFault(Fault):
    """A program could not be run to its end, or its run cannot be counted."""

    def __init__(self, label: str, what: str, details: tuple[str, ...] = (), help: str | None = None) -> None:  # noqa: A002
        super().__init__(f"`{label}` {what}", help)
        self.details = details


@dataclass(frozen=True, slots=True)
class ProgramCommand:
    """What is started, and within which bounds. `label` names it in messages; `mark` is that of the run."""

    label: str
    argv: tuple[str, ...]
    env: Mapping[str, str]
    cwd: Path
    mark: str
    timeout_s: float


@dataclass(frozen=True, slots=True)
class ProgramOutput:
    """What a program that ended printed, and which part of it surely before every server had listed its tools."""

    stdout: bytes
    before_listing: bytes


async def start_program(command: ProgramCommand) -> ServerProcess:
    """Start a program. Raise `BadInput` if there is none of that name."""
    try:
        return await ServerProcess.start(command.argv, command.env, command.cwd, ServerLimits(), command.mark)
    except OSError as error:
        message = f"`{command.label}` could not be started: {command.argv[0]}: {error.strerror or error}"
        raise BadInput(message, "install it, or put its folder on PATH") from None


async def run_program(command: ProgramCommand, taps: TapLogReader, servers: frozenset[str]) -> ProgramOutput:
    """Run a program to its end and return what it printed. Raise `DriverFault` if it fails or breaks a bound."""
    process = await start_program(command)
    run = _ProgramRun(command, process, taps, servers)
    try:
        process.close_stdin()
        return await run.finish()
    finally:
        with anyio.CancelScope(shield=True):
            await process.stop()


class _ProgramRun:
    def __init__(
        self, command: ProgramCommand, process: ServerProcess, taps: TapLogReader, servers: frozenset[str]
    ) -> None:
        self._command, self._process, self._taps, self._servers = command, process, taps, servers
        self._stdout = bytearray()
        self._is_listed = False
        self._before_listing = 0

    async def finish(self) -> ProgramOutput:
        reading = asyncio.create_task(self._read_stdout())
        try:
            await self._wait(lambda: self._process.exit_code is not None, self._command.timeout_s)
            # The output is read to its end, but not for ever: a process left behind may hold the pipe open.
            await asyncio.wait([reading], timeout=_DRAIN_S)
        finally:
            reading.cancel()
        # Once more: what came in the last moment counts against the bounds, too.
        self._watch()
        code = self._process.exit_code
        if code != 0:
            how = f"ended with code {code}" if code is not None and code >= 0 else f"was ended by signal {-(code or 0)}"
            raise self._make_fault(how)
        return ProgramOutput(bytes(self._stdout), bytes(self._stdout[: self._before_listing]))

    async def _wait(self, is_done: Callable[[], bool], seconds: float) -> None:
        clock = asyncio.get_running_loop().time
        deadline = clock() + seconds
        while not is_done():
            if clock() >= deadline:
                raise self._make_fault(f"did not finish within {seconds:g} s", "raise `timeout_s` in the driver")
            self._watch()
            await asyncio.sleep(_POLL_S)

    def _watch(self) -> None:
        if len(self._stdout) > MAX_OUTPUT_BYTES:
            raise self._make_fault(f"printed more than {MAX_OUTPUT_BYTES:,} bytes")
        self._look_for_listings()
        if len(self._taps.read_on().calls) > MAX_CALLS:
            raise self._make_fault(f"made more than {MAX_CALLS:,} calls in one run")

    def _look_for_listings(self) -> None:
        self._is_listed = self._is_listed or self._servers <= self._taps.read_on().listings.keys()

    async def _read_stdout(self) -> None:
        async for chunk in self._process.read_chunks():
            self._look_for_listings()
            self._stdout += chunk
            # A listing that is not in the log now was not there when this was printed.
            self._before_listing = self._before_listing if self._is_listed else len(self._stdout)
            if len(self._stdout) > MAX_OUTPUT_BYTES:
                return  # the watch ends the program; what it goes on to print is not read

    def _make_fault(self, what: str, help_: str | None = None) -> DriverFault:
        return DriverFault(self._command.label, what, get_last_lines(self._process), help_)


async def read_version(command: ProgramCommand) -> str | None:
    """Return what a program prints for `--version`, or None if it does not say."""
    asked = replace(command, argv=(command.argv[0], "--version"), timeout_s=_VERSION_S)
    process = await start_program(asked)
    printed = bytearray()
    try:
        process.close_stdin()
        with suppress(TimeoutError):
            async with asyncio.timeout(_VERSION_S):
                async for chunk in process.read_chunks():
                    printed += chunk[:1000]
    finally:
        with anyio.CancelScope(shield=True):
            await process.stop()
    return printed.decode("utf-8", "replace").strip().partition("\n")[0] or None


def get_last_lines(process: ServerProcess) -> tuple[str, ...]:
    """Return the end of what a program wrote to stderr."""
    return tuple(process.stderr.rstrip().splitlines()[-_SHOWN_LINES:])
