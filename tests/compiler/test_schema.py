"""The JSON Schema of the language: committed, named by every shipped suite, and of one mind with the compiler."""

import json
from pathlib import Path

import jsonschema_rs
import pytest

from tests.compiler.corpus import CASES, VALID, mistake
from tests.conftest import Golden
from toolgrade.compiler.compilation import compile_sources
from toolgrade.compiler.schema import build_json_schema
from toolgrade.compiler.yaml_reader import read_document
from toolgrade.foundations.canonical_json import to_json

SUITES = Path(__file__).parents[2] / "suites"
COMMITTED = SUITES / "suite.schema.json"
SHIPPED = sorted(SUITES.rglob("*.yml"))
SEEN_BY_A_SCHEMA = {"TG101", "TG102", "TG103", "TG111", "TG115"}
VALIDATOR = jsonschema_rs.validator_for(build_json_schema())


def accepts(data: bytes) -> bool:
    document, _, _ = read_document("suite.yml", data)
    assert document is not None
    return VALIDATOR.is_valid(document.value)


def test_the_committed_schema_is_the_one_the_models_make(golden: Golden) -> None:
    golden(to_json(build_json_schema()).decode(), COMMITTED)


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.name)
def test_a_shipped_suite_names_the_schema_on_its_first_line(file: Path) -> None:
    mark, _, name = file.read_text(encoding="utf-8").splitlines()[0].partition("$schema=")
    assert mark == "# yaml-language-server: "
    assert (file.parent / name).resolve() == COMMITTED


@pytest.mark.parametrize("file", [*VALID, *SHIPPED], ids=lambda file: file.name)
def test_what_compiles_is_accepted(file: Path) -> None:
    assert accepts(file.read_bytes())


def is_of_shape(case: str) -> bool:
    """Whether all that is wrong with a golden mistake is something that a schema can see."""
    sources = mistake(case)
    document, _, unreadable = read_document("suite.yml", sources[0].data)
    codes = {found.code for found in compile_sources(sources).errors}
    return document is not None and not unreadable and bool(codes) and codes <= SEEN_BY_A_SCHEMA


@pytest.mark.parametrize("case", [case for case in CASES if is_of_shape(case)])
def test_a_mistake_of_shape_is_refused(case: str) -> None:
    assert not accepts(mistake(case)[0].data)


@pytest.mark.parametrize("runs", ["0", "1001", "1.5", "two"])
def test_a_number_out_of_range_is_refused(runs: str) -> None:
    test = f"{{name: t, runs: {runs}, tool_correctness: {{expected_tools: [a]}}}}"
    assert not accepts(f"tests: [{test}]".encode())


def test_every_key_tells_an_editor_what_it_is_for() -> None:
    blocks = [build_json_schema(), *build_json_schema()["$defs"].values()]
    keys = [(key, part) for block in blocks for key, part in block.get("properties", {}).items()]
    assert len(keys) > 30
    assert [key for key, part in keys if not part.get("description") and "$ref" not in part] == []
    assert [name for name, block in build_json_schema()["$defs"].items() if not block.get("description")] == []


def test_no_key_admits_null() -> None:
    assert '"null"' not in json.dumps(build_json_schema())
