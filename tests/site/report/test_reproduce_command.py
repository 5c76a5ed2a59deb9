"""The command beside a failure runs that very test again, in a real shell, whatever the test is called."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import RunToolgrade
from tests.hostile import MODELS, NAMES, make_hostile
from toolgrade.compiler.suite_locations import SuiteLocations
from toolgrade.runners.cell_selection import Selection, escape_model, split_models
from toolgrade.runners.replay import Replay
from toolgrade.runners.suite_files import compile_suites
from toolgrade.site.report.report_file import read_report
from toolgrade.site.report.report_model import Report, make_report
from toolgrade.site.report.reproduce_command import Reproducer

CELLS = [(name, model) for name in NAMES for model in MODELS]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    make_hostile(folder)
    return folder


@pytest.mark.parametrize("name", NAMES)
def test_the_command_selects_exactly_that_cell(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = MODELS[NAMES.index(name) % len(MODELS)]
    monkeypatch.chdir(folder)
    reproducer, report = replayed("suites/shop.yml")
    suite = report.suites[0]
    test = next(test for test in suite.tests if (test.name, test.model) == (name, model))
    done = in_bash(f"{reproducer.format_command(suite, test)} --format json", folder)
    found = read_report(done.stdout)
    assert [(test.name, test.model) for suite in found.suites for test in suite.tests] == [(name, model)]
    assert done.returncode == 1


def replayed(*suites: str) -> tuple[Reproducer, Report]:
    compilation = compile_suites(suites)
    assert compilation.plan
    report = make_report(
        compilation.plan,
        [Replay(Path("cassettes"))(cell) for cell in Selection().select_cells(compilation.plan)],
        "replay",
    )
    return Reproducer(SuiteLocations(compilation), report), report


def in_bash(command: str, folder: Path) -> subprocess.CompletedProcess[bytes]:
    assert "\n" not in command
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "HOME": str(folder), "PYTHONUTF8": "1"}
    return subprocess.run(["bash", "-c", command], cwd=folder, env=env, capture_output=True, check=False, timeout=120)


def test_a_suite_elsewhere_is_named_as_it_was_given(tmp_path: Path, run_toolgrade: RunToolgrade) -> None:
    make_hostile(tmp_path / "far" / "-away")
    (tmp_path / "here").mkdir()
    arguments = ["run", "../far/-away/suites/shop.yml", "--cassettes", "../far/-away/cassettes", "--format", "agent"]
    line = run_toolgrade(*arguments, cwd=tmp_path / "here").stdout
    command = line.split(" => ")[1].split(" | ")[0]
    done = in_bash(f"{command} --format json", tmp_path / "here")
    assert [test.name for test in read_report(done.stdout).suites[0].tests] == [NAMES[0]]


@pytest.mark.parametrize("model", MODELS)
def test_a_comma_in_a_model_is_no_second_model(model: str) -> None:
    assert split_models(escape_model(model)) == (model,)
    assert split_models(f"a,{escape_model(model)},b") == ("a", model, "b")
    assert split_models("") == ()
