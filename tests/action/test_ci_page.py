"""The workflows in docs/ci.md: they parse, use inputs that exist, and give a fork nothing to run."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs/ci.md").read_text(encoding="utf-8")
BLOCKS: dict[str, Any] = {
    text.partition("\n")[0].removeprefix("# "): yaml.load(text, yaml.BaseLoader)
    for text in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
}
WORKFLOWS = {name: block for name, block in BLOCKS.items() if name.startswith(".github/")}


def steps(workflow: dict[str, Any]) -> list[dict[str, Any]]:
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


def test_the_page_has_the_files_it_speaks_of() -> None:
    assert sorted(BLOCKS) == [
        ".github/workflows/toolgrade-comment.yml",
        ".github/workflows/toolgrade-record.yml",
        ".github/workflows/toolgrade.yml",
        ".gitlab-ci.yml",
        ".pre-commit-config.yaml",
    ]


@pytest.mark.parametrize("name", WORKFLOWS)
def test_every_action_of_ours_is_there_and_knows_its_inputs(name: str) -> None:
    ours = [step for step in steps(WORKFLOWS[name]) if step.get("uses", "").startswith("OWNER/toolgrade/")]
    assert ours
    for step in ours:
        folder = step["uses"].removeprefix("OWNER/toolgrade/").partition("@")[0]
        manifest = yaml.safe_load((ROOT / folder / "action.yml").read_text(encoding="utf-8"))
        assert set(step.get("with", {})) <= set(manifest["inputs"])


@pytest.mark.parametrize("name", WORKFLOWS)
def test_only_the_scheduled_workflow_has_a_secret_and_none_runs_a_forks_files_with_rights(name: str) -> None:
    workflow = WORKFLOWS[name]
    assert "pull_request_target" not in workflow["on"]
    if "schedule" not in workflow["on"]:
        assert "secrets." not in str(workflow)
    if "workflow_run" in workflow["on"]:
        assert not [step for step in steps(workflow) if "run" in step]
        assert not [step for step in steps(workflow) if "ref" in step.get("with", {})], "it checks out our own branch"
    assert not [step for step in steps(workflow) if "${{ github.event" in step.get("run", "")]


def test_the_hook_on_the_page_is_the_one_in_the_manifest() -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert BLOCKS[".pre-commit-config.yaml"]["repos"][0]["hooks"] == [{"id": hook["id"]}]
    assert re.search(hook["files"], "suites/a/b.yaml")
    assert not re.search(hook["files"], "docs/suites/a.yml")
