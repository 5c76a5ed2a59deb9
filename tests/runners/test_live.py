"""A live run with a scripted agent: what ends a cell, what ends a suite, and what is journalled."""

import asyncio
import os
import sys
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

import pytest

from tests.recordings import write_suite
from tests.rogues import ROGUE, started_by_us
from tests.scripted import Script, asking
from toolgrade.compiler.plan import Plan
from toolgrade.foundations.fault import Fault
from toolgrade.foundations.redaction import Redactor
from toolgrade.runners.agents.agent import Agent, AskedCall, Task, ToolAnswer, Turn
from toolgrade.runners.cassettes.recording import FinishedRun, make_cassette
from toolgrade.runners.catalogs.fingerprint import fingerprint
from toolgrade.runners.cell_result import CellResult
from toolgrade.runners.cell_selection import PlannedCell, iterate_cells, make_cell_key
from toolgrade.runners.events import Event, ServerStarting
from toolgrade.runners.journal import Journal
from toolgrade.runners.live import LiveInputs, LiveRun
from toolgrade.runners.models.budget import Budget

SUITE = f"""\
servers:
  rogue: {{command: [{sys.executable}, {ROGUE}], env: {{ROGUE_OF: "{os.getpid()}"}}}}
tests:
"""
TEST = """\
  - name: {name}
    prompt: Say it back.
    model: {model}
    servers: [rogue]
    equal_function_sets: {{classes: [{{name: echo, members: [rogue.echo]}}]}}
"""


class Broke:
    """An agent whose budget is used up."""

    def begin(self, task: Task) -> "Broke":
        return self

    async def turn(self, answers: Sequence[ToolAnswer]) -> Turn:
        Budget(Decimal(1)).check_bound(Decimal(2))
        raise AssertionError


def suite(folder: Path, *models: str) -> Plan:
    tests = [TEST.format(name=f"t{number}", model=model) for number, model in enumerate(models)]
    return write_suite(folder, SUITE + "".join(tests))


class Runner:
    """A live run in a folder, whose events are kept."""

    def __init__(self, folder: Path, plan: Plan, agent: Agent) -> None:
        self.cells = list(iterate_cells(plan))
        self.events: list[Event] = []
        agents = {make_cell_key(cell): agent for cell in self.cells}
        self.world = LiveInputs(os.environ, {one.id: folder for one in plan.suites}, agents)
        self.journal = Journal(folder, plan.suites)

    def run(self, resume: bool = False, workers: int = 1) -> tuple[CellResult, ...]:
        def keep(planned: PlannedCell, run: int, done: FinishedRun) -> Any:
            return make_cassette(planned, run, done, fingerprint(done.collect_listings()), Redactor())

        self.journal.begin(resume)
        live = LiveRun(self.world, self.journal, keep, self.events.append)
        try:
            return asyncio.run(live.run(self.cells, workers))
        finally:
            assert started_by_us() == []


def test_calls_that_cannot_be_made_count_as_what_they_are(tmp_path: Path) -> None:
    asked = (asking("invent"), AskedCall("1", "echo", None, "{"), asking("echo", word="hi"))
    runner = Runner(tmp_path, suite(tmp_path, "scripted"), Script(Turn(asked), Turn(text="done")))
    (result,) = runner.run()
    assert result.traces is not None
    calls = [(call.id, call.status, call.outcome) for call in result.traces[0].tool_calls]
    assert calls == [
        ("invent", "unknown_tool", "unexpected"),
        ("rogue.echo", "malformed", "unexpected"),
        ("rogue.echo", "ok", "hit"),
    ]
    assert result.traces[0].final_response == "done"


def test_a_budget_that_is_used_up_ends_the_cells_with_models(tmp_path: Path) -> None:
    runner = Runner(tmp_path, suite(tmp_path, "m1", "m2", "lexical"), Broke())
    lexical = Script(Turn((asking("echo"),)), Turn(text="done"))
    runner.world = LiveInputs(
        os.environ,
        runner.world.folders,
        {key: lexical if "lexical" in key else agent for key, agent in runner.world.agents.items()},
    )
    first, second, third = runner.run()
    assert first.error is not None
    assert "the budget of $1" in first.error
    assert second.error == f"not run: {first.error}"
    assert third.status == "passed"


def test_only_finished_cells_are_in_the_journal(tmp_path: Path) -> None:
    plan = suite(tmp_path, "m1")
    assert Runner(tmp_path, plan, Broke()).run()[0].status == "error"
    again = Runner(tmp_path, plan, Script(Turn((asking("echo"),)), Turn(text="done")))
    (result,) = again.run(resume=True)
    assert result.status == "passed"
    third = Runner(tmp_path, plan, Broke())
    assert third.run(resume=True) == (result,)
    assert not [event for event in third.events if isinstance(event, ServerStarting)]


def test_a_torn_line_of_a_journal_is_no_finished_cell(tmp_path: Path) -> None:
    plan = suite(tmp_path, "m1")
    runner = Runner(tmp_path, plan, Script(Turn((asking("echo"),)), Turn(text="done")))
    runner.run()
    runner.journal.path.write_bytes(runner.journal.path.read_bytes()[:-20])
    torn = Runner(tmp_path, plan, Broke())
    assert torn.run(resume=True)[0].status == "error"


def test_a_journal_of_another_prompt_is_not_used(tmp_path: Path) -> None:
    plan = suite(tmp_path, "m1")
    Runner(tmp_path, plan, Script(Turn(text="done"))).run()
    changed = write_suite(tmp_path, SUITE + TEST.format(name="t0", model="m1").replace("Say it", "Shout it"))
    assert Runner(tmp_path, changed, Broke()).run(resume=True)[0].status == "error"


class Broken:
    """An agent that fails as nobody foresaw, in our own code."""

    def begin(self, task: Task) -> "Broken":
        return self

    async def turn(self, answers: Sequence[ToolAnswer]) -> Turn:
        return Turn(calls=(AskedCall("1", "echo", cast(Any, 5)),))


def test_an_exception_in_a_cell_costs_that_cell_and_its_traceback_is_in_the_file_it_names(tmp_path: Path) -> None:
    runner = Runner(tmp_path, suite(tmp_path, "m1", "m2"), Broken())
    script = Script(Turn((asking("echo"),)), Turn(text="done"))
    agents = {key: script if "m2" in key else agent for key, agent in runner.world.agents.items()}
    runner.world = LiveInputs(os.environ, runner.world.folders, agents)
    first, second = runner.run(workers=2)
    assert second.status == "passed"
    assert first.error is not None
    assert first.error.startswith("this is a bug in toolgrade: TypeError: ")
    named = first.error.rpartition("the traceback is in ")[2]
    assert "in _execute_call" in (tmp_path / named).read_text()
    assert (tmp_path / ".toolgrade/.gitignore").read_text() == "*\n"


class Foreign(Broken):
    """An agent whose package fails as nobody foresaw."""

    def begin(self, task: Task) -> "Foreign":
        return self

    async def turn(self, answers: Sequence[ToolAnswer]) -> Turn:
        raise LookupError("no such shelf")


def test_an_exception_of_a_package_is_not_called_ours(tmp_path: Path) -> None:
    (result,) = Runner(tmp_path, suite(tmp_path, "m1"), Foreign()).run()
    assert result.error is not None
    assert result.error.startswith("tests failed in a way that toolgrade does not know: LookupError: no such shelf; ")


def test_a_journal_that_cannot_be_written_is_a_fault(tmp_path: Path) -> None:
    plan = suite(tmp_path, "m1")
    (tmp_path / ".toolgrade").write_text("in the way")
    with pytest.raises(Fault, match="\\.toolgrade"):
        Runner(tmp_path, plan, Broke()).run()
