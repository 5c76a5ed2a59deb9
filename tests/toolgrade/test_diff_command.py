"""`toolgrade diff`: real reports, compared in a process of its own."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.conftest import Golden, RunToolgrade
from toolgrade.foundations.canonical_json import to_json
from toolgrade.site.report.report_file import read_report

CASES = Path(__file__).parent.parent / "golden" / "diff"
MISSED = CASES / "a-class-is-missed"
FORMATS = {"text": "diff.txt", "markdown": "diff.md", "json": "diff.json"}
NO_REGRESSION = {"a-class-is-reached-again", "nothing-changed", "tests-come-and-go", "a-threshold-was-lowered"}
STRICT = {"hostile-names", "one-model-of-two"}
"""Cases of one run a side, in which chance would explain every change."""
NAME = "picks search, then fetch"


def make_reports(run_toolgrade: RunToolgrade, case: Path, folder: Path) -> None:
    """old.json and new.json of a case, by really scoring its traces."""
    for side in ("old", "new"):
        suite = case / f"{side}.yml"
        done = run_toolgrade(
            "score", suite if suite.exists() else case / "suite.yml", case / f"{side}.jsonl", "--format", "json"
        )
        assert done.code in (0, 1), done.stderr
        (folder / f"{side}.json").write_text(done.stdout, encoding="utf-8")


@pytest.fixture
def missed(run_toolgrade: RunToolgrade, tmp_path: Path) -> Path:
    """A folder with the two reports of a regression."""
    make_reports(run_toolgrade, MISSED, tmp_path)
    return tmp_path


@pytest.fixture
def repository(missed: Path) -> Path:
    """A repository whose last two commits hold the two reports of a regression."""
    git(missed, "init", "--quiet", "--initial-branch=main")
    for side in ("old", "new"):
        for file in ("reports/replay/report.json", "elsewhere.json"):
            (missed / file).parent.mkdir(parents=True, exist_ok=True)
            (missed / file).write_bytes((missed / f"{side}.json").read_bytes())
            git(missed, "add", file)
        git(missed, "commit", "--quiet", "--message", side)
    return missed


def git(folder: Path, *arguments: str) -> None:
    who = {f"GIT_{role}_{what}": "t@t.test" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    env = {**os.environ, **who, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", *arguments], cwd=folder, env=env, check=True, capture_output=True)


@pytest.mark.parametrize("style", FORMATS)
@pytest.mark.parametrize("case", sorted(CASES.iterdir()), ids=lambda case: case.name)
def test_golden(run_toolgrade: RunToolgrade, golden: Golden, tmp_path: Path, case: Path, style: str) -> None:
    make_reports(run_toolgrade, case, tmp_path)
    strict = ["--strict"] if case.name in STRICT else []
    done = run_toolgrade("diff", "old.json", "new.json", "--format", style, *strict)
    assert (done.code, done.stderr) == (0 if case.name in NO_REGRESSION else 1, "")
    golden(done.stdout, case / FORMATS[style])


@pytest.mark.parametrize("case", sorted(CASES.iterdir()), ids=lambda case: case.name)
def test_reports_of_score_are_read_back_to_the_same_bytes(
    run_toolgrade: RunToolgrade, tmp_path: Path, case: Path
) -> None:
    make_reports(run_toolgrade, case, tmp_path)
    for side in ("old", "new"):
        data = (tmp_path / f"{side}.json").read_bytes()
        assert to_json(read_report(data)) == data


def test_a_report_with_traces_is_read_back_to_the_same_bytes(run_toolgrade: RunToolgrade) -> None:
    done = run_toolgrade("score", MISSED / "suite.yml", MISSED / "new.jsonl", "--format", "json", "--with-traces")
    assert to_json(read_report(done.stdout.encode())).decode() == done.stdout


def test_a_folder_stands_for_the_report_in_it(run_toolgrade: RunToolgrade, repository: Path) -> None:
    done = run_toolgrade("diff", "old.json", "reports/replay")
    assert done == run_toolgrade("diff", "old.json", "new.json")
    assert done.code == 1


def test_a_revision_stands_for_the_report_committed_at_it(run_toolgrade: RunToolgrade, repository: Path) -> None:
    done = run_toolgrade("diff", "HEAD~1", "main")
    assert done == run_toolgrade("diff", "old.json", "new.json")
    assert run_toolgrade("diff", "HEAD", "main").code == 0


def test_a_revision_is_read_from_a_folder_below_the_root(run_toolgrade: RunToolgrade, repository: Path) -> None:
    assert run_toolgrade("diff", "HEAD~1", "HEAD", cwd=repository / "reports").code == 1


def test_report_says_where_a_revision_has_its_report(run_toolgrade: RunToolgrade, repository: Path) -> None:
    assert run_toolgrade("diff", "HEAD~1", "HEAD", "--report", "elsewhere.json").code == 1
    done = run_toolgrade("diff", "HEAD~1", "HEAD", "--report", "nowhere.json")
    assert (done.code, done.stdout) == (2, "")
    assert "HEAD~1: no report is committed at nowhere.json\n" in done.stderr
    assert "--report" in done.stderr


def test_a_path_wins_over_a_revision_of_the_same_name(run_toolgrade: RunToolgrade, repository: Path) -> None:
    (repository / "main").write_bytes((repository / "old.json").read_bytes())
    assert run_toolgrade("diff", "old.json", "main").code == 0
    assert run_toolgrade("diff", "old.json", "refs/heads/main").code == 1


@pytest.mark.parametrize("revision", ["-x", "--output=stolen", "-"])
def test_a_revision_that_looks_like_an_option_is_refused(
    run_toolgrade: RunToolgrade, repository: Path, revision: str
) -> None:
    done = run_toolgrade("diff", "--", revision, "new.json")
    assert (done.code, done.stdout) == (2, "")
    assert "neither a path nor a git revision" in done.stderr
    assert not (repository / "stolen").exists()


@pytest.mark.parametrize("place", ["HEAD; touch stolen", "$(touch stolen)", "HEAD:reports", ":/new", "", "a" * 5000])
def test_no_shell_sees_a_revision_and_what_is_none_is_refused(
    run_toolgrade: RunToolgrade, repository: Path, place: str
) -> None:
    done = run_toolgrade("diff", place, "new.json")
    assert not (repository / "stolen").exists()
    assert (done.code, done.stdout) == (2, "")
    assert "bug" not in done.stderr


def test_what_is_missing_is_named_with_the_nearest(run_toolgrade: RunToolgrade, missed: Path) -> None:
    done = run_toolgrade("diff", "odl.json", "new.json", env={"GIT_CEILING_DIRECTORIES": str(missed.parent)})
    assert (done.code, done.stdout) == (2, "")
    assert "odl.json: no such file, folder or git revision (and this is no git repository)\n" in done.stderr
    assert "did you mean `old.json`?" in done.stderr


def test_a_folder_without_a_report_says_how_to_make_one(run_toolgrade: RunToolgrade, missed: Path) -> None:
    (missed / "empty").mkdir()
    done = run_toolgrade("diff", "old.json", "empty")
    assert (done.code, done.stdout) == (2, "")
    assert done.stderr.startswith("toolgrade: empty: no report.json in this folder\n")
    assert "--format json > report.json" in done.stderr


def test_without_git_a_revision_is_the_worlds_fault(run_toolgrade: RunToolgrade, missed: Path) -> None:
    done = run_toolgrade("diff", "HEAD", "new.json", env={"PATH": str(missed)})
    assert (done.code, done.stdout) == (3, "")
    assert "git is not on PATH" in done.stderr


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "bad.json: not JSON: it is empty"),
        ("{", "bad.json: not JSON"),
        ('{"schema": "toolgrade.report/1", "mode": 3}', "bad.json: not a report"),
        ('{"schema": "toolgrade.report/7"}', "upgrade toolgrade"),
        ('{"schema": "\\u001b[31m"}', "`\\u001b[31m`"),
    ],
)
def test_a_broken_report_is_refused(run_toolgrade: RunToolgrade, missed: Path, text: str, says: str) -> None:
    (missed / "bad.json").write_text(text, encoding="utf-8")
    done = run_toolgrade("diff", "old.json", "bad.json")
    assert (done.code, done.stdout) == (2, "")
    assert says in done.stderr
    assert "bug" not in done.stderr


@pytest.mark.parametrize("name", [NAME, f"research/{NAME}"])
def test_an_allowed_regression_is_shown_and_passes(run_toolgrade: RunToolgrade, missed: Path, name: str) -> None:
    done = run_toolgrade("diff", "old.json", "new.json", "--allow", name)
    assert (done.code, done.stderr) == (0, "")
    assert f"allowed            {NAME}\n" in done.stdout
    assert done.stdout.endswith("1 test: 1 allowed\n")
    found = json.loads(run_toolgrade("diff", "old.json", "new.json", "--allow", name, "--format", "json").stdout)
    assert [(row["verdict"], row["allowed"]) for row in found["changes"]] == [("regressed", True)]


def test_allowing_one_model_leaves_the_other(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    make_reports(run_toolgrade, CASES / "one-model-of-two", tmp_path)
    strict = ("diff", "old.json", "new.json", "--strict", "--allow", "models/books a room@small")
    assert run_toolgrade(*strict).code == 1
    done = run_toolgrade(*strict, "--allow", "models/answers without a tool@big")
    assert (done.code, done.stderr) == (0, "")


def test_allowing_what_is_no_test_is_an_error_with_a_suggestion(run_toolgrade: RunToolgrade, missed: Path) -> None:
    done = run_toolgrade("diff", "old.json", "new.json", "--allow", "picks search then fetch")
    assert (done.code, done.stdout) == (2, "")
    assert f"did you mean `{NAME}`?" in done.stderr


def test_allowing_a_test_that_did_not_regress_is_noted(run_toolgrade: RunToolgrade, missed: Path) -> None:
    done = run_toolgrade("diff", "old.json", "old.json", "--allow", NAME)
    assert (done.code, done.stderr) == (0, f"toolgrade: --allow `{NAME}`: it did not regress\n")


def test_without_strict_one_run_a_side_is_noise(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    make_reports(run_toolgrade, CASES / "one-model-of-two", tmp_path)
    done = run_toolgrade("diff", "old.json", "new.json")
    assert done.code == 0
    assert "2 within noise" in done.stdout


@pytest.mark.parametrize("level", ["0", "1", "two", "1/0", "-0.05", ""])
def test_a_level_that_is_none_is_refused(run_toolgrade: RunToolgrade, missed: Path, level: str) -> None:
    done = run_toolgrade("diff", "old.json", "new.json", "--alpha", level)
    assert (done.code, done.stdout) == (2, "")
    assert f"`{level}` is not" in done.stderr


def test_a_stricter_level_needs_more(run_toolgrade: RunToolgrade, missed: Path) -> None:
    assert run_toolgrade("diff", "old.json", "new.json", "--alpha", "1/1000000").code == 0


def test_help_teaches_with_examples(run_toolgrade: RunToolgrade) -> None:
    done = run_toolgrade("diff", "--help")
    assert (done.code, done.stderr) == (0, "")
    assert "toolgrade diff main reports/replay" in done.stdout
    assert "--allow" in done.stdout
