"""`toolgrade score` and `import` with traces of other programs: formats, names, tests, outputs, recordings."""

import json
from pathlib import Path

import pytest

from tests.conftest import RunToolgrade
from toolgrade import load_plan, read_traces, score_runs
from toolgrade.foundations.fault import BadInput

GOLDEN = Path(__file__).parents[1] / "runners" / "trace_formats" / "golden"
PROMPT = "Find the retention policy in the docs, look for mails from legal about it, and send Dana a summary."
SUITE = """\
servers:
  docs: {catalog: docs.json}
  mail_box: {command: [mail-server]}
tests:
  - name: sends a summary
    model: lexical
    runs: 2
    servers: [docs, mail_box]
    prompt: "PROMPT"
    equal_function_sets:
      classes:
        - {name: search, members: [docs.search]}
        - {name: fetch, members: [docs.fetch]}
        - {name: mail, members: [mail_box.search]}
        - {name: send, members: [mail_box.send_message]}
      expect: [{tool_selection.f1: {">=": 100}}]
""".replace("PROMPT", PROMPT)
SECOND = """\
  - name: counts
    model: lexical
    servers: [docs]
    prompt: Count the pages.
    equal_function_sets:
      classes: [{name: list, members: [docs.list_pages]}]
      expect: [{tool_selection.recall: {">=": 100}}]
"""
DOCS = {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in ("search", "fetch", "list_pages")]}
CLAUDE = GOLDEN / "claude-session" / "toolsearch.jsonl"
CODEX = GOLDEN / "codex-rollout" / "session.jsonl"
GHOST = GOLDEN / "codex-rollout" / "session-ghost.jsonl"
INSPECT = GOLDEN / "inspect" / "log.json"


@pytest.fixture(autouse=True)
def suite(tmp_path: Path) -> Path:
    (tmp_path / "docs.json").write_text(json.dumps(DOCS))
    path = tmp_path / "s.yml"
    path.write_text(SUITE)
    return path


@pytest.mark.parametrize(
    "file",
    [
        "claude-session/toolsearch.jsonl",
        "claude-stream/plain.jsonl",
        "codex-exec/run.jsonl",
        "gemini-stream/run.jsonl",
        "opencode-run/run.jsonl",
        "acp/qwen.jsonl",
        "openai-chat/messages.json",
        "langchain/langgraph_state.json",
        "otlp/pydantic_ai.json",
        "tap-log/tap.jsonl",
        "mcpchecker/results.json",
    ],
)
def test_a_perfect_run_of_any_program_gets_an_a(run_toolgrade: RunToolgrade, file: str) -> None:
    done = run_toolgrade("score", "s.yml", GOLDEN / file)
    assert done.code == 0, done.stderr
    assert "grade A, F1 100" in done.stdout
    assert "1 file, 1 run, 5 calls" in done.stderr


def test_what_was_read_and_left_out_is_said_once(run_toolgrade: RunToolgrade) -> None:
    said = run_toolgrade("score", "s.yml", CLAUDE).stderr.splitlines()
    assert said[0] == "Claude Code: 1 file, 1 run, 5 calls; left out: 1 call of the program's own tools (ToolSearch)"
    assert said[1].startswith("names: `mcp__docs__search` is `docs.search`")
    assert said[2].startswith("offered to the model, as the trace says: 4 tools of docs, mail_box")


def test_quiet_says_nothing_of_it(run_toolgrade: RunToolgrade) -> None:
    assert run_toolgrade("score", "s.yml", CLAUDE, "--quiet").stderr == ""


def test_a_name_of_two_servers_ends_with_both_named_and_nothing_scored(
    run_toolgrade: RunToolgrade, suite: Path
) -> None:
    suite.write_text(SUITE.replace("{catalog: docs.json}", "{command: [docs-server]}"))
    done = run_toolgrade("score", "s.yml", INSPECT)
    assert (done.code, done.stdout) == (2, "")
    assert "`search` (docs or mail_box), `fetch` (docs or mail_box), `send_message` (docs or mail_box)" in done.stderr
    options = ["search=docs", "fetch=docs", "send_message=mail_box"]
    done = run_toolgrade("score", "s.yml", INSPECT, *(f"--server-of={option}" for option in options))
    assert done.code == 1, done.stderr
    assert "missed mail" in done.stdout


def test_a_server_that_no_test_has_is_refused(run_toolgrade: RunToolgrade) -> None:
    done = run_toolgrade("score", "s.yml", INSPECT, "--server-of", "search=doc")
    assert done.code == 2
    assert "no test has a server `doc`" in done.stderr
    assert "did you mean `docs`?" in done.stderr


def test_the_catalog_of_a_trace_is_in_the_report_as_of_the_trace(run_toolgrade: RunToolgrade) -> None:
    done = run_toolgrade("score", "s.yml", GOLDEN / "openai-chat" / "messages.json", "--format", "json")
    (test,) = json.loads(done.stdout)["suites"][0]["tests"]
    assert test["toolset"]["source"] == "trace"
    assert test["toolset"]["tools"] == 6
    assert test["surface"]["tokens"] > 0


def test_the_test_is_found_by_the_very_prompt(run_toolgrade: RunToolgrade, suite: Path) -> None:
    suite.write_text(SUITE + SECOND)
    done = run_toolgrade("score", "s.yml", CLAUDE, CODEX, GHOST)
    assert done.code == 0, done.stderr
    assert "2 tests: 2 passed" in done.stdout


def test_a_prompt_of_no_test_is_an_error_with_the_nearest(run_toolgrade: RunToolgrade, suite: Path) -> None:
    suite.write_text(SUITE + SECOND.replace("Count the pages.", "Count all the pages."))
    done = run_toolgrade("score", "s.yml", GHOST)
    assert (done.code, done.stdout) == (2, "")
    assert "no test has the prompt of this trace; the nearest is that of `counts`: --test NAME" in done.stderr
    assert run_toolgrade("score", "s.yml", GHOST, "--test", "counts").code == 0


def test_a_trace_without_a_prompt_needs_the_test(run_toolgrade: RunToolgrade, suite: Path) -> None:
    suite.write_text(SUITE + SECOND)
    done = run_toolgrade("score", "s.yml", GOLDEN / "codex-exec" / "run.jsonl")
    assert "the trace has no prompt, and the suite has several tests; say which: --test NAME" in done.stderr


def test_a_folder_of_traces_is_read(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    (tmp_path / "traces").mkdir()
    for number, file in enumerate((CLAUDE, CODEX)):
        (tmp_path / "traces" / f"{number}.jsonl").write_bytes(file.read_bytes())
    done = run_toolgrade("score", "s.yml", "traces", "--format", "json")
    assert json.loads(done.stdout)["suites"][0]["tests"][0]["runs"] == 2


def test_stdin_is_read_in_any_format(run_toolgrade: RunToolgrade) -> None:
    done = run_toolgrade("score", "s.yml", "-", stdin=(GOLDEN / "codex-exec" / "run.jsonl").read_text())
    assert done.code == 0, done.stderr


def test_all_outputs_of_run_are_written(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    args = ("score", "s.yml", CODEX, "--out", "first", "--junit", "j.xml", "--markdown", "m.md")
    assert run_toolgrade(*args).code == 0
    assert "sends a summary" in (tmp_path / "j.xml").read_text()
    assert (tmp_path / "m.md").exists()
    assert json.loads((tmp_path / "first" / "report.json").read_text())["mode"] == "score"
    ghost = GOLDEN / "claude-stream" / "plain-ghost.jsonl"
    done = run_toolgrade("score", "s.yml", ghost, "--base", "first", "--format", "agent")
    assert done.code == 1
    assert f"=> toolgrade score --test='sends a summary' s.yml {ghost}" in done.stdout


def test_traces_are_kept_as_cassettes_that_replay(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    assert "one cassette" in run_toolgrade("score", "s.yml", CLAUDE, "--record").stderr
    assert "one cassette" in run_toolgrade("score", "s.yml", CLAUDE, "--record").stderr
    done = run_toolgrade("run", "s.yml")
    assert done.code == 0, done.stderr
    assert "grade A, F1 100" in done.stdout
    full = run_toolgrade("score", "s.yml", CLAUDE, "--record")
    assert full.code == 2
    assert "has 2 of 2 runs recorded" in full.stderr


def test_our_own_format_is_taken_as_it_is_with_a_warning(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    names = ["mcp__docs__search", "docs__fetch", "mail_box_search", "mail_box.send_message"]
    (tmp_path / "own.json").write_text(json.dumps({"tool_calls": [{"name": name} for name in names]}))
    done = run_toolgrade("score", "s.yml", "own.json")
    assert done.code == 1
    assert (
        "`mcp__docs__search` is taken as it is, and looks like the member `docs.search`: --resolve-names" in done.stderr
    )
    assert run_toolgrade("score", "s.yml", "own.json", "--resolve-names").code == 0


def test_import_prints_our_own_format(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    done = run_toolgrade("import", CLAUDE)
    run = json.loads(done.stdout)
    assert [f"{call['server']}.{call['name']}" for call in run["tool_calls"]][:2] == ["docs.search", "docs.fetch"]
    (tmp_path / "own.jsonl").write_text(done.stdout)
    assert run_toolgrade("score", "s.yml", "own.jsonl").code == 0
    suited = run_toolgrade("import", GOLDEN / "langchain" / "dumpd.json", "--suite", "s.yml")
    assert json.loads(suited.stdout)["test"] == "sends a summary"


def test_an_unknown_file_names_the_nearest_format(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    (tmp_path / "odd.jsonl").write_text('{"type": "x", "timestamp": 1, "sessionID": "s"}\n')
    done = run_toolgrade("score", "s.yml", "odd.jsonl")
    assert done.code == 2
    assert "odd.jsonl: this is no trace that is known" in done.stderr
    assert "the nearest format is opencode" in done.stderr


def test_a_damaged_file_ends_with_its_line_and_no_report(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    (tmp_path / "cut.jsonl").write_bytes(CLAUDE.read_bytes()[:-30])
    done = run_toolgrade("score", "s.yml", "cut.jsonl")
    assert (done.code, done.stdout) == (2, "")
    assert "cut.jsonl:" in done.stderr
    assert "the JSON is cut off here" in done.stderr


def test_traces_are_read_from_python(suite: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(suite.parent)
    plan = load_plan("s.yml")
    assert score_runs(plan, CLAUDE).summary.grade == "A"
    (run,) = read_traces(CODEX)
    assert [call.server for call in run.calls][:2] == ["docs", "docs"]
    report = score_runs(plan, [run, *read_traces(CLAUDE, "claude-code")])
    assert report.suites[0].tests[0].runs == 2
    with pytest.raises(BadInput, match="no trace format is named"):
        read_traces(CODEX, "codexx")
