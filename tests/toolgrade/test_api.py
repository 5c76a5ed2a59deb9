"""The public Python API: every name is there, documented, loaded when used, and takes plain dicts."""

import ast
import asyncio
import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

import toolgrade
from toolgrade import agents

CLASSES = [{"name": "search", "members": ["brave.search", "google.search"]}, {"name": "fetch", "members": ["http.get"]}]
HIT = {"tool_calls": [{"server": "brave", "name": "search"}, {"server": "http", "name": "get", "args": {"url": "x"}}]}
MISS: dict[str, Any] = {"tool_calls": []}
SUITE = "tests: [{name: t, tool_correctness: {expected_tools: [a]}}]\n"


def test_the_public_names_are_the_ones_with_a_home() -> None:
    assert set(toolgrade.__all__) == set(toolgrade._HOMES)  # pyright: ignore[reportPrivateUsage]


@pytest.mark.parametrize("name", toolgrade.__all__)
def test_every_public_name_is_there_and_documented(name: str) -> None:
    assert getattr(toolgrade, name).__doc__


def test_type_checkers_and_the_running_package_know_the_same_names() -> None:
    tree = ast.parse(Path(toolgrade.__file__).read_text(encoding="utf-8"))
    (block,) = [node for node in tree.body if isinstance(node, ast.If)]
    imports = {name.name: node.module for node in block.body if isinstance(node, ast.ImportFrom) for name in node.names}
    assert imports == toolgrade._HOMES  # pyright: ignore[reportPrivateUsage]


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nothing"):
        _ = toolgrade.nothing  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType, reportAttributeAccessIssue]


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = "import sys, toolgrade\n"
    code += "print([m for m in ('click', 'pydantic', 'yaml', 'msgspec', 'jsonschema_rs') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_selection_is_scored_from_plain_dicts() -> None:
    result = toolgrade.score_selection(CLASSES, [HIT, MISS], [{"tool_selection.f1": {">=": 60}}])
    assert (result.status, result.grade) == ("passed", "D")
    assert result.counts == {"tp": 2, "fp": 0, "fn": 2}


def test_a_trace_and_a_mapping_score_alike() -> None:
    trace = toolgrade.Trace((toolgrade.Call("search", "brave"), toolgrade.Call("get", "http")))
    assert toolgrade.score_selection(CLASSES, [trace]) == toolgrade.score_selection(CLASSES, [HIT])


def test_correctness_is_scored_in_any_of_its_ways() -> None:
    expected = ["http.get", "brave.search"]
    assert toolgrade.score_correctness(expected, [HIT]).values == {"tool_correctness.score": 100}
    assert toolgrade.score_correctness(expected, [HIT], check_ordering=True).values == {"tool_correctness.score": 50}
    assert toolgrade.score_correctness(expected, [HIT], exact_match=True).status == "passed"
    assert toolgrade.score_correctness(["http.get", "other"], [HIT], threshold=0.6).status == "failed"


def test_efficiency_is_scored_on_what_was_measured() -> None:
    result = toolgrade.score_efficiency(CLASSES, [HIT, HIT], tool_surface_tokens=1_000, cost="0.02")
    assert result.values == {
        "token_efficiency.f1": 100,
        "token_efficiency.tool_surface_tokens": 1_000,
        "token_efficiency.correct_selections": 4,
        "token_efficiency.tokens_per_correct": 250,
        "token_efficiency.cost": "0.02",
        "token_efficiency.cost_per_correct": "0.005",
    }


def test_plain_assertions_reach_into_arguments() -> None:
    expect = [{"tool_calls[1].args.url": {"exact": "x"}}]
    assert toolgrade.check_trace(expect, [HIT]).status == "passed"
    assert toolgrade.check_trace(expect, [HIT, MISS]).status == "failed"


def test_a_run_without_tool_calls_is_refused() -> None:
    with pytest.raises(toolgrade.BadInput, match="run 1: no `tool_calls`"):
        toolgrade.score_selection(CLASSES, [{}])


def test_suites_are_compiled_scored_and_reported(tmp_path: Path) -> None:
    (tmp_path / "s.yml").write_text(SUITE, encoding="utf-8")
    (tmp_path / "r.jsonl").write_text('{"tool_calls": [{"name": "a"}]}\n', encoding="utf-8")
    plan = toolgrade.compile_suites([str(tmp_path / "s.yml")]).plan
    assert plan is not None
    results = toolgrade.score_traces(plan, toolgrade.read_runs([str(tmp_path / "r.jsonl")]))
    report = toolgrade.make_report(plan, results, "score")
    assert json.loads(toolgrade.to_json(report))["summary"]["passed"] == 1
    with pytest.raises(toolgrade.Fault, match="no such file"):
        toolgrade.compile_suites([str(tmp_path / "nope.yml")])


def test_text_is_compiled_or_its_errors_are_given() -> None:
    good, bad = toolgrade.compile_text(SUITE), toolgrade.compile_text("tests: [{nam: t}]")
    assert isinstance(good.plan, toolgrade.Plan)
    assert good.diagnostics == ()
    assert bad.plan is None
    assert "TG101" in [diagnostic.code for diagnostic in bad.errors]


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.yml").write_text(SUITE, encoding="utf-8")
    return tmp_path / "s.yml"


def test_suites_are_named_as_text_as_a_path_or_as_several(suite: Path) -> None:
    plan = toolgrade.load_plan(suite)
    assert plan == toolgrade.load_plan("s.yml") == toolgrade.load_plan(["s.yml"]) == toolgrade.load_plan((suite,))
    assert plan == toolgrade.load_plan(plan) == toolgrade.load_plan(toolgrade.compile_suites(suite))
    assert plan == toolgrade.compile_suites("s.yml").plan == toolgrade.compile_suites([suite]).plan
    (suite.parent / "other.yml").write_text(SUITE, encoding="utf-8")
    assert len(toolgrade.load_plan("s.yml", [Path("other.yml")]).suites) == 2


def test_every_call_on_suites_takes_paths_and_plans(suite: Path) -> None:
    run = {"tool_calls": [{"name": "a"}]}
    for suites in ("s.yml", suite, [suite], toolgrade.load_plan(suite), toolgrade.compile_suites(suite)):
        assert toolgrade.score_runs(suites, [run]).summary.passed == 1
        assert toolgrade.replay(suites).summary.skipped == 1
        assert asyncio.run(toolgrade.run_live(suites, None)).summary.skipped == 1
    (suite.parent / "run.json").write_text(json.dumps(run), encoding="utf-8")
    assert [entry.file for entry in toolgrade.read_runs(Path("run.json"))] == ["run.json"]
    assert toolgrade.Recorder("s.yml", Path("cassettes"))


def test_one_run_needs_no_list(suite: Path) -> None:
    assert toolgrade.score_selection(CLASSES, HIT) == toolgrade.score_selection(CLASSES, [HIT])
    assert toolgrade.score_runs(suite, HIT) == toolgrade.score_runs(suite, [HIT])


BROKEN = "tests: [{name: t, tool_correctness: {expected_tools: [a]}, nam: t}]\n"
BAD_INPUTS: dict[str, tuple[Callable[[Any], object], str]] = {
    "no path": (lambda api: api.compile_suites(3), "3 is not a path"),
    "no path among several": (lambda api: api.load_plan(["s.yml", None]), "None is not a path"),
    "a plan among paths": (lambda api: api.load_plan("s.yml", api.load_plan("s.yml")), "a plan stands for all suites"),
    "broken to load": (lambda api: api.load_plan("broken.yml"), "unknown key `nam`"),
    "broken to replay": (lambda api: api.replay("broken.yml"), "unknown key `nam`"),
    "broken to score": (lambda api: api.score_runs("broken.yml", []), "unknown key `nam`"),
    "broken to record": (lambda api: api.Recorder("broken.yml"), "unknown key `nam`"),
    "broken to run live": (lambda api: asyncio.run(api.run_live("broken.yml")), "unknown key `nam`"),
    "a broken compilation": (lambda api: asyncio.run(api.run_live(api.compile_text(BROKEN))), "unknown key `nam`"),
    "a plan without files": (
        lambda api: asyncio.run(api.run_live(api.compile_text(SUITE, "gone.yml").plan)), "gone.yml: no such file",
    ),
    "no workers to run": (lambda api: asyncio.run(api.run_live("s.yml", workers=0)), "`workers` must be"),
    "no workers to replay": (lambda api: api.replay("s.yml", workers=-1), "`workers` must be"),
    "no requests": (lambda api: asyncio.run(api.run_live("s.yml", max_concurrency=0)), "`max_concurrency` must be"),
    "negative dollars": (lambda api: asyncio.run(api.run_live("s.yml", max_cost=-1)), "`-1` is not an amount"),
    "text for dollars": (lambda api: asyncio.run(api.run_live("s.yml", max_cost="much")), "`much` is not an amount"),
    "text for names": (lambda api: api.Selection(models="m1"), "`models` must be a list of names"),
    "no such part": (lambda api: api.Selection(shard=(3, 2)), "no part 3 of 2"),
    "a misspelt key": (lambda api: api.score_selection([{"nam": "x"}], HIT), "classes[0]: unknown key"),
    "a misspelt target": (
        lambda api: api.score_selection(CLASSES, HIT, [{"tool_selection.f2": {">=": 80}}]), "expect[0]: unknown target",
    ),
    "two mistakes": (lambda api: api.score_selection([{"name": 1, "members": "a"}], HIT), "`name` must be text"),
    "classes that are text": (lambda api: api.score_selection("search", HIT), "`classes` must be a list, not text"),
    "a class that is no mapping": (lambda api: api.score_selection([object()], HIT), "entry 1 of `classes`"),
    "classes of efficiency": (
        lambda api: api.score_efficiency([{}], HIT, tool_surface_tokens=1), "classes[0]: missing key `name`",
    ),
    "dollars of efficiency": (
        lambda api: api.score_efficiency(CLASSES, HIT, tool_surface_tokens=1, cost="much"), "`much` is not an amount",
    ),
    "text for expected tools": (lambda api: api.score_correctness("a.b", HIT), "`expected_tools` must be a list"),
    "an unknown option": (lambda api: api.score_correctness(["a"], HIT, treshold=1), "unknown key `treshold`"),
    "a misspelt operator": (lambda api: api.check_trace([{"turns": {">>": 1}}], HIT), "expect[0]"),
    "assertions that are text": (lambda api: api.check_trace("turns", HIT), "expect: expected a list"),
    "runs that are text": (lambda api: api.score_selection(CLASSES, "runs"), "`runs` must be a run or a list"),
    "runs that are a number": (lambda api: api.score_runs("s.yml", 3), "`runs` must be a run or a list"),
    "a run that is no mapping": (lambda api: api.score_selection(CLASSES, [HIT, 3]), "run 2: expected `object`"),
    "a run with an object": (lambda api: api.score_runs("s.yml", {"tool_calls": object()}), "could not be read"),
    "no report": (lambda api: api.load_report(Path("nowhere")), "nowhere"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_INPUTS)
def test_bad_input_is_a_fault_in_plain_words(name: str, suite: Path) -> None:
    (suite.parent / "broken.yml").write_text(BROKEN, encoding="utf-8")
    call, message = BAD_INPUTS[name]
    with pytest.raises(toolgrade.Fault) as raised:
        call(toolgrade)
    assert message in str(raised.value)
    assert "pydantic" not in str(raised.value)


def test_a_misspelt_key_is_offered_the_right_one() -> None:
    with pytest.raises(toolgrade.BadInput) as raised:
        toolgrade.score_selection([{"nam": "x", "members": ["a"]}], HIT)
    assert (str(raised.value), raised.value.help) == ("classes[0]: unknown key `nam`", "did you mean `name`?")


def test_a_suite_that_does_not_compile_says_what_is_wrong_with_it(suite: Path) -> None:
    suite.write_text(BROKEN, encoding="utf-8")
    with pytest.raises(toolgrade.NotCompiled, match=r"s\.yml:1:60") as raised:
        toolgrade.load_plan(suite)
    assert raised.value.help == "`toolgrade check` shows each mistake at its line"
    assert [diagnostic.code for diagnostic in raised.value.compilation.errors] == ["TG101"]


class FirstTool:
    """An agent of one's own, written with the public names alone."""

    def begin(self, task: agents.Task) -> agents.Conversation:
        self.task = task
        return self

    async def turn(self, answers: Sequence[agents.ToolAnswer]) -> agents.Turn:
        if answers:
            return agents.Turn(text=answers[0].text)
        return agents.Turn(calls=(agents.AskedCall("1", self.task.tools[0].name, {}),))


@pytest.mark.parametrize("form", ["path", "plan", "compilation"])
def test_an_agent_of_ones_own_runs_in_the_folder_of_its_suite(suite: Path, form: str) -> None:
    folder = suite.parent / "below"
    folder.mkdir()
    (folder / "tools.json").write_text('{"tools": [{"name": "a", "inputSchema": {"type": "object"}}]}', "utf-8")
    test = "{name: t, model: mine, servers: [web], prompt: Go., tool_correctness: {expected_tools: [a]}}"
    (folder / "s.yml").write_text(f"servers: {{web: {{catalog: tools.json}}}}\ntests: [{test}]\n", encoding="utf-8")
    suites = {
        "path": "below/s.yml",
        "plan": toolgrade.load_plan("below"),
        "compilation": toolgrade.compile_suites("below"),
    }
    report = asyncio.run(toolgrade.run_live(suites[form], agent=FirstTool()))
    assert (report.summary.tests, report.summary.passed) == (1, 1)
    assert toolgrade.replay("below").summary.passed == 1


def test_what_an_agent_is_written_with_is_all_there() -> None:
    hints = get_type_hints(agents.Agent.begin) | get_type_hints(agents.Conversation.turn)
    hints |= get_type_hints(agents.Turn) | get_type_hints(agents.Task)
    ours = {kind.__name__ for kind in _iterate_types(hints.values()) if kind.__module__.startswith("toolgrade")}
    assert ours <= set(agents.__all__)
    assert all(getattr(agents, name).__doc__ for name in agents.__all__)


def _iterate_types(hints: Iterable[Any]) -> Iterator[type]:
    for hint in hints:
        yield from [hint] if isinstance(hint, type) and not get_args(hint) else _iterate_types(get_args(hint))
