"""`toolgrade schema`: the JSON Schema of the language, the same bytes every time."""

import json

import jsonschema_rs

from tests.conftest import RunToolgrade


def test_it_prints_a_schema_that_accepts_suites_and_refuses_others(run_toolgrade: RunToolgrade) -> None:
    done = run_toolgrade("schema")
    assert (done.code, done.stderr) == (0, "")
    validator = jsonschema_rs.validator_for(json.loads(done.stdout))
    assert validator.is_valid({"tests": [{"name": "t", "tool_correctness": {"expected_tools": ["a"]}}]})
    assert not validator.is_valid({"tests": [{"nam": "t"}]})


def test_it_is_the_same_under_every_hash_seed(run_toolgrade: RunToolgrade) -> None:
    assert len({run_toolgrade("schema", env={"PYTHONHASHSEED": seed}).stdout for seed in "012"}) == 1
