"""JUnit XML: valid by the schema that Jenkins and pytest use, bounded, and clean whatever names and answers hold."""

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import xmlschema

from tests.conftest import RunToolgrade
from tests.hostile import MODELS, NAMES, make_hostile
from tests.recordings import SHOP, make_shop, record_all, write_suite

# Of the Jenkins xunit plugin, MIT; pytest tests its own output with the same file.
SCHEMA = xmlschema.XMLSchema(str(Path(__file__).parent / "junit-10.xsd"))
FAILING = SHOP.replace('">=": 40', '">=": 80')
SECRET = "hunter2-hunter2-hunter2"


def read(file: Path) -> ET.Element:
    SCHEMA.validate(str(file))
    return ET.fromstring(file.read_bytes())


def test_failures_carry_their_reason_and_command(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    make_shop(tmp_path, FAILING)
    assert run_toolgrade("run", "--junit", "out/junit.xml").code == 1
    suites = read(tmp_path / "out/junit.xml")
    assert dict(suites.attrib) == {"name": "toolgrade", "tests": "3", "failures": "2", "errors": "0"}
    (suite,) = suites
    assert suite.attrib["file"] == "suites/shop.yml"
    cases = suite.findall("testcase")
    names = ["reads the revenue back [m1]", "reads the revenue back [m2]", "answers in words [m1]"]
    assert [case.attrib["name"] for case in cases] == names
    failure = cases[0].find("failure")
    assert failure is not None
    assert failure.attrib["message"] == "missed fetch in 2 of 2 runs"
    assert "tool_selection.f1: 50 is not >= 80" in str(failure.text)
    assert "reproduce: toolgrade run --test='reads the revenue back' --models=m1 suites/shop.yml" in str(failure.text)
    assert list(cases[2]) == []


def test_refused_cells_are_errors_and_what_ran_nothing_is_skipped(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    unrecorded = "  - {name: only scored, agent: elsewhere, tool_correctness: {expected_tools: [a]}}\n"
    write_suite(tmp_path, SHOP + unrecorded)
    assert run_toolgrade("run", "--junit", "junit.xml").code == 4
    suites = read(tmp_path / "junit.xml")
    assert (suites.attrib["errors"], suites[0].attrib["skipped"]) == ("3", "1")
    assert "not recorded yet" in next(suites.iter("error")).attrib["message"]
    assert "no model" in next(suites.iter("skipped")).attrib["message"]


def test_two_runs_write_the_same_bytes(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    make_shop(tmp_path, FAILING)
    for name in ("a.xml", "b.xml"):
        run_toolgrade("run", "--junit", name)
    assert (tmp_path / "a.xml").read_bytes() == (tmp_path / "b.xml").read_bytes()


def test_hostile_names_stay_text(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    make_hostile(tmp_path)
    assert run_toolgrade("run", "--junit", "junit.xml").code == 1
    suites = read(tmp_path / "junit.xml")
    names = [case.attrib["name"] for case in suites.iter("testcase")]
    assert len(names) == len(set(names)) == len(NAMES) * len(MODELS)
    assert f"{NAMES[3]} [m]" in names


@pytest.mark.parametrize("answer", ["x" * 10_000_000, "]]>\x00\x1b[31m\ud7ff\ufffe" * 100_000], ids=["long", "control"])
def test_an_answer_of_megabytes_is_cut(run_toolgrade: RunToolgrade, tmp_path: Path, answer: str) -> None:
    record_all(
        tmp_path, write_suite(tmp_path, SHOP.replace("contains: Ada", "contains: Nobody")), final_response=answer
    )
    assert run_toolgrade("run", "--junit", "junit.xml").code == 1
    read(tmp_path / "junit.xml")
    assert (tmp_path / "junit.xml").stat().st_size < 20_000


def test_no_secret_reaches_the_file(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    plan = write_suite(tmp_path, SHOP.replace("contains: Ada", "contains: Nobody"))
    record_all(tmp_path, plan, final_response=f"my api_key=sk-ant-api03-{SECRET}{SECRET}{SECRET}")
    assert run_toolgrade("run", "--junit", "junit.xml").code == 1
    assert SECRET not in (tmp_path / "junit.xml").read_text(encoding="utf-8")
