"""One run of a test by a program: started with tapped servers, its trace joined with what the taps saw."""

import io
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...compiler.driver_plan import PLACEHOLDER, DriverPlan
from ...compiler.plan import AnyServer
from ...foundations.extras import require_extra
from ...foundations.fault import BadInput
from ..cassettes.recording import FinishedRun
from ..catalogs.fingerprint import ServerListing
from ..cell_selection import PlannedCell
from ..servers.limits import ServerLimits
from ..servers.transports import LaunchContext
from ..taps.tap_record import TapLogReader, TapRecord
from ..trace_formats.imported_run import ImportedRun
from ..trace_formats.reading import read_all
from ..trace_formats.registry import find_formats
from .join import JoinedCalls, join_calls, list_executed_calls
from .preset import DriverTask, Launch, Preset, TappedServer, write_config
from .presets.registry import PRESETS_BY_NAME
from .program import DriverFault, ProgramCommand, ProgramOutput, read_version, run_program
from .workspace import Workspace, expand_driver_variables, make_program_environment, make_workspace, tap_servers

TAPS_ALONE = "tap"
_PROMPT = "{prompt}"

Announce = Callable[[tuple[str, ...]], None]


@dataclass(frozen=True, slots=True)
class DrivenRun:
    """A run that ended: what is recorded of it, and what every server listed, first and last."""

    finished: FinishedRun
    listings: Mapping[str, ServerListing]
    last_listings: Mapping[str, ServerListing]


@dataclass(frozen=True, slots=True)
class DriverSetup:
    """A test as a program runs it: its cell, its servers, and the world they are started in."""

    planned: PlannedCell
    driver: DriverPlan
    servers: tuple[AnyServer, ...]
    place: LaunchContext

    @property
    def limits(self) -> ServerLimits:
        """Return the longest limits that the suite gives one of the servers."""
        every = [ServerLimits().update_timeouts(server) for server in self.servers]
        return max(every, key=lambda limits: limits.start_s, default=ServerLimits())

    def make_task(self, space: Workspace, servers: tuple[TappedServer, ...]) -> DriverTask:
        """Return the run as a program has to be told of it. Raise `BadInput` if something is missing."""
        test = self.planned.test
        if test.prompt is None:
            raise BadInput(f"`{test.name}` has no prompt: it cannot be run", "give it a `prompt:`")
        environment = self.place.environment
        if test.api_key_env is not None and test.api_key_env not in environment:
            raise BadInput(f"the environment variable {test.api_key_env} is not set", "it holds the key for `base_url`")
        return DriverTask(
            prompt=test.prompt,
            system_prompt=test.system_prompt,
            model=self.driver.find_model(self.planned.cell.model or self.driver.label),
            base_url=test.base_url,
            api_key=environment.get(test.api_key_env or ""),
            servers=servers,
            home=space.home,
            workdir=space.workdir,
            user_home=Path(environment.get("HOME", "/nonexistent")),
            start_s=self.limits.start_s,
            permissions=self.driver.permissions,
            tool_search=self.driver.tool_search,
        )


def check_driver(planned: PlannedCell, driver: DriverPlan, environment: Mapping[str, str]) -> None:
    """Raise `BadInput` if a driver cannot be started, or has no way to get something that the test says."""
    if driver.trace is not None:
        find_formats(driver.trace)
    if driver.kind == "acp":
        require_extra("agents", f"the driver `{driver.label}`")
    expand_driver_variables(driver, environment)
    for key in _list_unheard_keys(planned, driver):
        what = f"`{key}` of `{planned.test.name}` does not reach the driver `{driver.label}`"
        raise BadInput(what, "give it to the program in its arguments or `env`, and remove it from the test")


def _list_unheard_keys(planned: PlannedCell, driver: DriverPlan) -> list[str]:
    """Return what a test says and a program that is no preset would never hear of."""
    if driver.kind == "preset":
        return []
    test = planned.test
    model = driver.find_model(planned.cell.model or driver.label)
    said = {"system_prompt": test.system_prompt, "model": model, "base_url": test.base_url}
    texts = " ".join((*driver.argv, *driver.env.values())) if driver.kind == "command" else ""
    return [key for key, value in said.items() if value is not None and f"{{{key}}}" not in texts]


async def run_driver(setup: DriverSetup, announce: Announce) -> DrivenRun:
    """Run a test once. Raise a `Fault` if the program fails or its run cannot be counted.

    `announce` is called with the command line before it is started, a word in place of the prompt.
    """
    began = time.monotonic()
    with make_workspace(setup.driver, setup.place) as space:
        task = setup.make_task(space, tap_servers(setup.servers, space, setup.place))
        preset = PRESETS_BY_NAME.get(setup.driver.preset or "")
        launch = preset.prepare(task) if preset else _expand_command(setup.driver, task)
        variables = {**launch.env, **_expand_variables(setup.driver, task, setup.place.environment)}
        # With an address of the test's own, the user's keys would go to a stranger.
        login = preset.login_variables if preset and task.base_url is None else ()
        env = make_program_environment(space, variables, login, setup.place.environment)
        command = ProgramCommand(
            setup.driver.label, launch.argv, env, space.workdir, space.mark, setup.driver.timeout_s
        )
        announce(tuple(_PROMPT if part == task.prompt else part for part in launch.argv))
        taps = TapLogReader(space.log)
        output, program = await _run_command(setup, command, task, taps)
        record = taps.read_on()
        check_readiness(setup, record, output.before_listing)
        trace = _read_run(setup.driver, preset, space.home, output.stdout)
        meta = {"duration_s": round(time.monotonic() - began, 3), "program": dict(program)}
        return make_driven_run(setup, record, trace, meta)


async def _run_command(
    setup: DriverSetup, command: ProgramCommand, task: DriverTask, taps: TapLogReader
) -> tuple[ProgramOutput, Mapping[str, Any]]:
    """Run a program; return what it printed, and what it says of itself."""
    servers = frozenset(server.name for server in setup.servers)
    if setup.driver.kind == "acp":
        require_extra("agents", f"the driver `{setup.driver.label}`")
        from .acp_session import run_acp_agent

        done = await run_acp_agent(command, task, taps, servers)
        return done.printed, done.program
    version = await read_version(command) if setup.driver.kind == "preset" else None
    return await run_program(command, taps, servers), {"version": version} if version else {}


def _expand_command(driver: DriverPlan, task: DriverTask) -> Launch:
    return Launch(tuple(_replace_placeholders(part, task) for part in driver.argv), {})


def _expand_variables(driver: DriverPlan, task: DriverTask, environment: Mapping[str, str]) -> dict[str, str]:
    return {
        name: _replace_placeholders(text, task) for name, text in expand_driver_variables(driver, environment).items()
    }


def _replace_placeholders(text: str, task: DriverTask) -> str:
    """Return a text with its placeholders replaced, all at once: what a prompt holds is never a placeholder."""
    config = task.home.parent / "mcp.json"
    if "{mcp_config}" in text and not config.exists():
        write_config(config, {"mcpServers": task.list_entries()})
    values = {
        "prompt": task.prompt,
        "system_prompt": task.system_prompt or "",
        "model": task.model or "",
        "mcp_config": str(config),
        "workdir": str(task.workdir),
    }
    return PLACEHOLDER.sub(lambda found: values[found[1]], text)


def check_readiness(setup: DriverSetup, record: TapRecord, before_listing: bytes) -> None:
    """Raise `DriverFault` if a server had not listed its tools when the program answered first.

    Such a run looks as if the program chose no tool; it never saw one.
    """
    label, names = setup.driver.label, [server.name for server in setup.servers]
    help_ = "it may have answered before its servers were ready, or it was not given them"
    missing = [name for name in names if name not in record.listings]
    if missing:
        raise DriverFault(label, f"never listed the tools of server {_quote_names(missing)}", help=help_)
    late = [name for name in names if name not in (record.listed_before_calls or frozenset(names))]
    if late:
        raise DriverFault(label, f"called a tool before server {_quote_names(late)} had listed its tools", help=help_)
    if before_listing and _has_answer(before_listing, _get_printed_format(setup.driver)):
        raise DriverFault(label, "answered before every server had listed its tools", help=help_)
    if record.lost:
        raise DriverFault(label, f"made {record.lost} messages that a tap could not log", help="free some disk space")


def _quote_names(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _get_printed_format(driver: DriverPlan) -> str:
    return "acp" if driver.kind == "acp" else driver.trace or PRESETS_BY_NAME[driver.preset or ""].trace


def _has_answer(printed: bytes, name: str) -> bool:
    """Return whether a trace that has only begun holds an answer of the model."""
    if name == TAPS_ALONE:
        return False
    try:
        _, runs = read_all("trace", io.BytesIO(printed), name)
    except BadInput:
        return False  # nothing that says so was printed yet
    return any(run.calls or run.final_response for run in runs)


def _read_run(driver: DriverPlan, preset: Preset | None, home: Path, printed: bytes) -> ImportedRun | None:
    """Return the run as the program tells it; None if the taps are its only trace."""
    name = _get_printed_format(driver)
    if name == TAPS_ALONE:
        return None
    kept = preset.find_trace(home) if preset else None
    data = printed if kept is None else kept.read_bytes()
    try:
        _, runs = read_all("what it printed", io.BytesIO(data), name)
    except BadInput as error:
        raise DriverFault(driver.label, f"left no trace that can be read: {error}", help=error.help) from None
    if len(runs) != 1:
        raise DriverFault(driver.label, f"left a trace of {len(runs)} runs where one was started")
    return runs[0]


def make_driven_run(
    setup: DriverSetup, record: TapRecord, trace: ImportedRun | None, meta: Mapping[str, Any]
) -> DrivenRun:
    """Return what is recorded of a run. Raise `DriverFault` if it took more turns than the test allows."""
    test = setup.planned.test
    if trace is not None and trace.turns is not None and trace.turns > test.max_turns:
        what = f"took {trace.turns} turns, more than `max_turns: {test.max_turns}`"
        raise DriverFault(setup.driver.label, what, help="raise `max_turns` in the test")
    listings = {server.name: record.listings[server.name] for server in setup.servers}
    executed = record.calls
    joined = list_executed_calls(executed, listings) if trace is None else join_calls(trace, executed, listings)
    finished = FinishedRun(
        tool_calls=joined.calls,
        tools=listings,
        final_response=trace and trace.final_response,
        turns=trace and trace.turns,
        usage=trace and trace.usage,
        cost=trace and trace.cost,
        warnings=tuple(_list_warnings(joined, trace)),
        meta={**meta, "own_tools": dict(sorted(joined.own_tools.items()))},
    )
    return DrivenRun(finished, listings, {**listings, **record.later_listings})


def _list_warnings(joined: JoinedCalls, trace: ImportedRun | None) -> list[str]:
    found = list(joined.warnings)
    if joined.own_tools:
        named = ", ".join(f"{name} ({count})" for name, count in sorted(joined.own_tools.items()))
        found.append(f"calls of the program's own tools are not scored: {named}")
    if trace is not None and trace.sub_agent_calls:
        found.append(f"{trace.sub_agent_calls} calls of sub-agents are not told apart from those that reached a server")
    return [*found, *(trace.warnings if trace else ())]
