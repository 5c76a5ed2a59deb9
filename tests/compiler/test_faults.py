"""What the compiler must survive: hostile and broken suites, numbered I01 to I19 as in the acceptance table."""

import time
from pathlib import Path

import pytest

from tests.conftest import Finished, RunToolgrade
from toolgrade.compiler.compilation import Compilation, compile_text
from toolgrade.compiler.yaml_reader import MAX_BYTES
from toolgrade.gates.equal_function_sets import EqualFunctionSetsBlock
from toolgrade.gates.expectation import Expectation
from toolgrade.gates.gate import ScoringConditions, score_gate
from toolgrade.gates.tool_correctness import ToolCorrectness
from toolgrade.gates.trace import Call, Trace

GATE = "tool_correctness: {expected_tools: [a]}"


def within(seconds: float, text: str | bytes) -> Compilation:
    """Compile in at most that long on a quiet machine; a busy one gets five times as much."""
    started = time.process_time()
    compilation = compile_text(text)
    assert time.process_time() - started < 5 * seconds
    return compilation


def only_error(text: str | bytes) -> tuple[str, str]:
    (error,) = compile_text(text).errors
    return error.code, error.message


def checked(run: RunToolgrade, folder: Path, text: str | bytes) -> Finished:
    """`toolgrade check` on a suite: it ends with 2 and no traceback."""
    (folder / "s.yml").write_bytes(text.encode() if isinstance(text, str) else text)
    done = run("check", "s.yml", "--format", "concise")
    assert done.code == 2
    assert "Traceback" not in done.stdout + done.stderr
    assert done.stdout.startswith("s.yml:")
    return done


def expecting(matcher: str) -> str:
    classes = "[{name: c, members: [a]}]"
    return (
        f"tests: [{{name: t, equal_function_sets: {{classes: {classes}, expect: [{{tool_selection.f1: {matcher}}}]}}}}]"
    )


def test_i01_an_alias_bomb_is_refused_before_it_goes_off(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    levels = (f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 9))
    bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n" + "".join(levels)
    assert len(bomb) < 400
    assert within(1, bomb).errors[0].code == "TG006"
    assert "alias expansion limit" in checked(run_toolgrade, tmp_path, bomb).stdout


def test_i01_a_suite_of_6_mb_without_anchors_still_loads() -> None:
    test = f"  - {{name: test number %06d, prompt: {'x' * 1_500}, {GATE}}}\n"
    text = "tests:\n" + "".join(test % number for number in range(3_800))
    assert 6_000_000 < len(text) < MAX_BYTES
    assert within(1, text).plan is not None


def test_i02_an_alias_inside_its_own_anchor_is_cyclic() -> None:
    code, message = only_error("a: &a [*a]")
    assert (code, message.split(":")[0]) == ("TG006", "cyclic alias")


@pytest.mark.parametrize("text", ["[" * 2_000, "- " * 2_000, "{a: " * 2_000, "? " * 2_000])
def test_i03_depth_without_end_is_refused_at_once(text: str) -> None:
    assert within(0.2, text).errors[0].code in ("TG005", "TG111")


def test_i04_chained_merges_are_refused_by_the_budget() -> None:
    chain = (f"x{n}: &x{n} {{<<: [*x{n - 1}, *x{n - 1}], k{n}: 1}}\n" for n in range(1, 19))
    assert within(0.2, "x0: &x0 {a: 1}\n" + "".join(chain)).errors[0].code == "TG006"


@pytest.mark.parametrize("size", [10_000_000, 100_000_000])
def test_i05_a_huge_file_is_refused_before_it_is_parsed(run_toolgrade: RunToolgrade, tmp_path: Path, size: int) -> None:
    with (tmp_path / "s.yml").open("wb") as file:
        file.write(b"a: x")
        file.truncate(size)
    done = run_toolgrade("check", "s.yml", "--format", "concise")
    assert (done.code, done.stdout) == (2, "s.yml:1:1: error[TG002] the file has more than 8,388,608 bytes\n")


def test_i06_a_key_given_twice_is_told_with_both_lines() -> None:
    text = "tests:\n  - name: t\n    expect: [{turns: {'<': 3}}]\n    expect: []\n"
    assert only_error(text) == ("TG008", "the key `expect` is given twice, on lines 3 and 4")


def test_i07_words_and_times_are_text_and_numbers_are_to_be_quoted() -> None:
    tools = "[no, on, 12:30:00, 2024-01-01]"
    plan = compile_text(f"tests: [{{name: no, tool_correctness: {{expected_tools: {tools}}}}}]").plan
    assert plan is not None
    (test,) = plan.suites[0].tests
    (gate,) = test.gates
    assert isinstance(gate, ToolCorrectness)
    assert (test.name, gate.expected_tools) == ("no", ("no", "on", "12:30:00", "2024-01-01"))
    for name in ("014", "~"):
        (error,) = compile_text(f"tests:\n  - name: {name}\n    {GATE}\n").errors
        assert (error.code, error.line, error.column) == ("TG111", 2, 11)
        assert f'quote it: `"{name}"`' in (error.help or "")


@pytest.mark.parametrize(
    "tag", ["!!python/object/apply:os.system ['touch canary']", "!include canary", "!!binary aGk="]
)
def test_i08_no_tag_does_anything(run_toolgrade: RunToolgrade, tmp_path: Path, tag: str) -> None:
    done = checked(run_toolgrade, tmp_path, f"tests: [{{name: {tag}, {GATE}}}]")
    assert "error[TG007]" in done.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["s.yml"]


@pytest.mark.parametrize(
    ("data", "offset"),
    [
        (f"tests: [{{name: t, {GATE}}}]".encode("utf-16"), "byte 0"),
        (b"tests: \xff", "byte 7"),
        (b"tests: \x00", "byte 7"),
        (b'tests: "\\ud800"', ":1:9:"),
    ],
)
def test_i09_what_is_not_text_is_refused_with_its_place(
    run_toolgrade: RunToolgrade, tmp_path: Path, data: bytes, offset: str
) -> None:
    assert offset in checked(run_toolgrade, tmp_path, data).stdout


def test_i09_a_byte_order_mark_is_accepted() -> None:
    assert compile_text(f"\ufefftests: [{{name: t, {GATE}}}]").plan is not None


@pytest.mark.parametrize(
    ("text", "help_"),
    [
        ("tests: [{name: t, equal_function_set: {classes: []}}]", "did you mean `equal_function_sets`?"),
        (expecting('{">=": 1}').replace("f1", "f2"), "did you mean `tool_selection.f1`?"),
        (expecting('{"=>": 80}'), "did you mean `>=`?"),
    ],
)
def test_i10_a_misspelling_is_answered_with_what_was_meant(text: str, help_: str) -> None:
    assert help_ in [error.help for error in compile_text(text).errors]


@pytest.mark.parametrize("check", ["", "expect: []", "expect: [{turns: {}}]", "tool_correctness: {expected_tools: []}"])
def test_i10_a_test_without_an_effective_gate_is_an_error(check: str) -> None:
    assert compile_text(f"tests: [{{name: t, {check}}}]").errors


def test_i11_empty_members_and_empty_efficiency_are_errors_and_no_classes_asserts_no_call() -> None:
    for gate in ("equal_function_sets: {classes: [{name: c, members: []}]}", "token_efficiency: {classes: []}"):
        assert only_error(f"tests: [{{name: t, {gate}}}]")[0] == "TG110"
    plan = compile_text("tests: [{name: t, equal_function_sets: {classes: []}}]").plan
    assert plan is not None
    (gate,) = plan.suites[0].tests[0].gates
    called = Trace((Call("a"),))
    assert score_gate(gate, [Trace(())], ScoringConditions("score")).status == "passed"
    assert score_gate(gate, [called], ScoringConditions("score")).status == "failed"


def test_i12_overlapping_classes_warn_and_count_alike_in_any_order() -> None:
    classes = [{"name": "X", "members": ["a", "b"]}, {"name": "Y", "members": ["a"]}]
    listed = "[{name: X, members: [a, b]}, {name: Y, members: [a]}]"
    (warning,) = compile_text(f"tests: [{{name: t, equal_function_sets: {{classes: {listed}}}}}]").diagnostics
    assert (warning.code, warning.is_error) == ("TG220", False)
    assert "`X` and `Y`" in warning.message
    gate = EqualFunctionSetsBlock.model_validate({"classes": classes}).resolve()
    for calls in (("a", "b"), ("b", "a")):
        result = score_gate(gate, [Trace(tuple(Call(name) for name in calls))], ScoringConditions("score"))
        assert result.counts == {"tp": 2, "fp": 0, "fn": 0}


def test_i13_ids_with_dots_spaces_and_colons_are_compared_whole() -> None:
    gate = EqualFunctionSetsBlock.model_validate({"classes": [{"name": "c", "members": ["PDF.co MCP.merge", "a::b"]}]})
    for call, hits in ((Call("merge", "PDF.co MCP"), 1), (Call("co MCP.merge", "PDF"), 1), (Call("a::b", "x"), 1)):
        result = score_gate(gate.resolve(), [Trace((call,))], ScoringConditions("score"))
        assert (result.counts or {})["tp"] == hits
    assert (score_gate(gate.resolve(), [Trace((Call("merge", "PDF"),))], ScoringConditions("score")).counts or {})[
        "tp"
    ] == 0


def test_i13_a_bare_id_that_two_servers_have_is_a_warning_that_names_both(
    run_toolgrade: RunToolgrade, tmp_path: Path
) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.json").write_text('{"tools": [{"name": "a", "inputSchema": {}}]}', encoding="utf-8")
    servers = "servers: {one: {catalog: one.json}, two: {catalog: two.json}}"
    suite = f"{servers}\ntests: [{{name: t, prompt: p, servers: [one, two], {GATE}}}]\n"
    (tmp_path / "s.yml").write_text(suite, encoding="utf-8")
    done = run_toolgrade("check", "s.yml", "--format", "concise")
    assert done.code == 0
    assert "warning[TG224] `a` is a tool of one and two" in done.stdout


@pytest.mark.parametrize("twin", ["Search", "se\u0430rch", "sear\u200bch", "s\u0435arch"])
def test_i14_twins_stay_distinct_and_are_warned_of(twin: str) -> None:
    (warning,) = compile_text(
        f"tests: [{{name: t, tool_correctness: {{expected_tools: [search, {twin}]}}}}]"
    ).diagnostics
    assert warning.code == "TG222"
    gate = EqualFunctionSetsBlock.model_validate({"classes": [{"name": "c", "members": ["search"]}]}).resolve()
    assert score_gate(gate, [Trace((Call(twin),))], ScoringConditions("score")).counts == {"tp": 0, "fp": 1, "fn": 1}


def test_i14_two_encodings_of_an_accent_are_two_ids() -> None:
    text = "tests: [{name: t, tool_correctness: {expected_tools: [caf\u00e9, cafe\u0301]}}]"
    assert [found.code for found in compile_text(text).diagnostics] == ["TG222"]


@pytest.mark.parametrize(
    "threshold", [".nan", ".inf", "-.inf", "-1", "101", '"80"', "1e999", "9" * 5_000, "true", "~", "[80]"]
)
def test_i15_a_threshold_that_is_no_percentage_is_an_error(threshold: str) -> None:
    assert within(0.2, expecting(f'{{">=": {threshold}}}')).plan is None


def test_i16_a_pattern_that_explodes_elsewhere_is_answered_at_once() -> None:
    started = time.process_time()
    result = Expectation("final_response", {"regex": "(a+)+$"}).check_value("a" * 26 + "!")
    assert result.status == "failed"
    assert time.process_time() - started < 1


@pytest.mark.parametrize(
    "path", ["../../etc/passwd", "/etc/passwd", "~/x.json", "a/../../x.json", "C:\\x.json", "a\\..\\x"]
)
def test_i17_a_path_out_of_the_folder_is_an_error(path: str) -> None:
    assert only_error(f"servers: {{s: {{catalog: '{path}'}}}}\ntests: [{{name: t, {GATE}}}]")[0] == "TG116"


def test_i17_a_link_out_of_the_folder_is_not_followed(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    (tmp_path / "outside.json").write_text('{"tools": [{"name": "canary", "inputSchema": {}}]}', encoding="utf-8")
    (tmp_path / "suites").mkdir()
    (tmp_path / "suites" / "link.json").symlink_to("../outside.json")
    server = "servers: {s: {catalog: link.json}}"
    suite = f"{server}\ntests: [{{name: t, prompt: p, servers: [s], {GATE}}}]\n"
    (tmp_path / "suites" / "s.yml").write_text(suite, encoding="utf-8")
    done = run_toolgrade("check")
    assert "link.json: leads out of the suite's folder" in done.stdout
    assert "canary" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    "text",
    [
        f"tests: [{{name: t, prompt: 'Say ${{env:CANARY}}', {GATE}}}]",
        f"description: '${{env:CANARY}}'\ntests: [{{name: t, {GATE}}}]",
        "tests: [{name: t, tool_correctness: {expected_tools: ['${env:CANARY}']}}]",
        f'tests: [{{name: t, prompt: "Say ${{\\x65nv:CANARY}}", {GATE}}}]',
        f"servers: {{s: {{command: ['${{env:CANARY}}']}}}}\ntests: [{{name: t, {GATE}}}]",
    ],
)
def test_i18_the_environment_is_reached_from_a_server_alone(
    run_toolgrade: RunToolgrade, tmp_path: Path, text: str
) -> None:
    (tmp_path / "s.yml").write_text(text, encoding="utf-8")
    done = run_toolgrade("check", "s.yml", env={"CANARY": "sk-canary-1"})
    assert done.code == 2
    assert "error[TG114]" in done.stdout
    assert "sk-canary-1" not in done.stdout + done.stderr


def test_i18_a_plan_holds_the_reference_and_never_the_value(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    server = "{command: [x, '${env:CANARY}'], env: {K: '${env:CANARY}'}}"
    (tmp_path / "s.yml").write_text(f"servers: {{s: {server}}}\ntests: [{{name: t, {GATE}}}]", encoding="utf-8")
    done = run_toolgrade("plan", "s.yml", env={"CANARY": "sk-canary-1"})
    assert done.code == 0
    assert "${env:CANARY}" in done.stdout
    assert "sk-canary-1" not in done.stdout + done.stderr


def test_i19_every_row_of_a_large_broken_suite_is_bounded() -> None:
    compilation = within(2, "tests:\n" + "".join(f"  - nam: '${{env:X}}{n}'\n" for n in range(20_000)))
    assert compilation.plan is None
    assert len(compilation.diagnostics) < 3_000
