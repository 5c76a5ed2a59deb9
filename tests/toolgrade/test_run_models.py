"""`toolgrade run --mode live` with models: over real HTTP, recorded, priced, within a budget, and replayed offline."""

import asyncio
import json
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Finished, RunToolgrade
from tests.provider import Provider, Reply, chat, chat_usage, plain
from tests.rogues import ROGUE
from toolgrade.foundations.canonical_json import to_json

LIVE = ("run", "--mode", "live")
MODEL = "openai-chat:gpt-4o"
CALL = chat([("echo", {"text": "hello"})], model="gpt-4o", usage=chat_usage(1000, 10))
DONE = chat(text="hello", model="gpt-4o", usage=chat_usage(1100, 5))


def write_suite(folder: Path, tests: int = 1, **more: Any) -> None:
    classes = [{"name": "echo", "members": ["rogue.echo"]}]
    gates = {"equal_function_sets": {"classes": classes}, "token_efficiency": {"classes": classes}}
    shared = {"prompt": "Say hello back.", "servers": ["rogue"], "model": MODEL, "max_turns": 2, **gates}
    servers = {"rogue": {"command": [sys.executable, str(ROGUE)]}}
    suite = {"servers": servers, "tests": [{"name": f"t{number}", **shared, **more} for number in range(tests)]}
    (folder / "suites").mkdir()
    (folder / "suites/shop.yml").write_bytes(to_json(suite))


def run_with(run_toolgrade: RunToolgrade, *args: str, replies: tuple[Reply, ...]) -> tuple[Finished, Provider]:
    """The command, with OpenAI's address pointing at a provider that answers this."""

    async def run() -> tuple[Finished, Provider]:
        async with Provider(*replies) as provider:
            env = {"OPENAI_BASE_URL": f"{provider.url}/v1", "OPENAI_API_KEY": "sk-test-of-nobody"}
            return await asyncio.to_thread(run_toolgrade, *LIVE, *args, env=env), provider

    return asyncio.run(run())


def cell(folder: Path, mode: str = "live", number: int = 0) -> Any:
    return json.loads((folder / f"reports/{mode}/report.json").read_bytes())["suites"][0]["tests"][number]


def test_cost_and_cost_per_correct_end_to_end_and_the_replay_agrees(
    run_toolgrade: RunToolgrade, tmp_path: Path
) -> None:
    write_suite(tmp_path, runs=2)
    done, provider = run_with(run_toolgrade, replies=(CALL, DONE, CALL, DONE))
    assert done.code == 0, done.stderr
    assert len(provider.requests) == 4
    live = cell(tmp_path)
    cost = 2 * (Decimal(2100) * Decimal("2.5") + 15 * 10) / 10**6
    values = live["gates"][1]["values"]
    assert Decimal(values["token_efficiency.cost"]) == cost
    assert Decimal(values["token_efficiency.cost_per_correct"]) == cost / 2
    made = json.loads((tmp_path / "reports/live/run.json").read_bytes())
    assert made["prices"]["name"] == "genai-prices"
    assert made["prices"]["version"]
    assert made["prices"]["newest_price"] > "2025"
    assert run_toolgrade("run").code == 0
    assert cell(tmp_path, "replay")["gates"][0] == live["gates"][0]


def test_a_budget_stops_what_would_go_over_and_keeps_what_is_finished(
    run_toolgrade: RunToolgrade, tmp_path: Path
) -> None:
    write_suite(tmp_path, tests=4, sampling={"max_tokens": 100})
    done, _ = run_with(run_toolgrade, "--max-cost", "0.012", replies=(CALL, DONE, CALL, DONE, CALL, DONE))
    assert done.code == 3
    assert "the budget of $0.012" in done.stderr
    assert done.stderr.count("not run: the budget") >= 1
    kept = sorted(tmp_path.glob("cassettes/shop/*/*.run1.json"))
    assert 1 <= len(kept) < 4
    assert not (tmp_path / "reports/live/report.json").exists()
    finished = sum(Decimal(json.loads(file.read_bytes())["cost"]) for file in kept)
    assert finished <= Decimal("0.012")
    rest, more = run_with(run_toolgrade, "--resume", replies=(CALL, DONE) * 4)
    assert rest.code == 0, rest.stderr
    assert len(more.requests) == 2 * (4 - len(kept))


def test_a_dry_run_spends_nothing_and_needs_no_key(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    write_suite(tmp_path, tests=2, runs=3)
    done = run_toolgrade(*LIVE, "--dry-run", env={"OPENAI_API_KEY": ""})
    assert done.code == 0, done.stderr
    first, _, total = done.stdout.splitlines()
    assert first.startswith(f"t0 [{MODEL}]: 3 runs, at most 6 turns, ")
    assert "surface tokens, $0." in first
    assert total.startswith("2 cells, 6 runs, at most 12 turns, $0.")
    assert total.endswith("Nothing was spent.")
    assert not (tmp_path / "cassettes").exists()
    assert run_toolgrade("run", "--dry-run").code == 2


def test_what_a_model_lacks_is_said_before_a_server_is_started(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    write_suite(tmp_path)
    done = run_toolgrade(*LIVE, env={"OPENAI_API_KEY": "", "OPENAI_BASE_URL": ""})
    assert done.code == 3
    assert "needs a key" in done.stderr
    assert "OPENAI_API_KEY" in done.stderr
    assert "server rogue:" not in done.stderr


def test_retries_a_malformed_call_and_another_model_are_in_the_report(
    run_toolgrade: RunToolgrade, tmp_path: Path
) -> None:
    write_suite(tmp_path)
    limited = plain({"error": {"message": "slow down"}}, 429, {"retry-after": "0"})
    broken = chat([("echo", '{"text": "hel')], model="gpt-3.5", cut=True)
    unknown = chat([("nothing", {})], model="gpt-4o", usage=chat_usage(10, 5))
    done, _ = run_with(run_toolgrade, replies=(limited, broken, unknown))
    assert done.code == 1, done.stderr
    assert "`gpt-4o` was asked, `gpt-3.5` answered" in done.stderr
    assert "the answer broke off in the middle of a call" in done.stderr
    result = cell(tmp_path)
    assert result["retries"] == 1
    selection = result["gates"][0]
    assert selection["counts"] == {"fn": 1, "fp": 2, "tp": 0}
    assert "token_efficiency.cost" not in result["gates"][1]["values"]
    [cassette] = tmp_path.glob("cassettes/shop/*/*.run1.json")
    calls = json.loads(cassette.read_bytes())["tool_calls"]
    assert [(call["status"], call["args"]) for call in calls] == [
        ("malformed", '{"text": "hel'),
        ("unknown_tool", {}),
    ]


@pytest.mark.parametrize("value", ["many", "0"])
def test_a_concurrency_that_is_none_is_refused(run_toolgrade: RunToolgrade, tmp_path: Path, value: str) -> None:
    write_suite(tmp_path)
    assert run_toolgrade(*LIVE, "--max-concurrency", value).code == 2
