"""Whatever a model lacks is found before anything starts, and the error says what to do."""

import sys
from decimal import Decimal
from typing import Any

import pytest

from toolgrade.compiler.plan import PlannedTest, SuitePlan
from toolgrade.foundations.extras import MissingExtra
from toolgrade.foundations.fault import BadInput, Fault
from toolgrade.runners.models.model_pool import ModelLimits, ModelPool

SUITE = SuitePlan("s", "s", "s.yml", (), ())
ADVICE = "write it as provider:model, or give the `base_url` that serves it"
KEYS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY", "MISTRAL_API_KEY")


def planned(**fields: Any) -> PlannedTest:
    return PlannedTest("t", "t", (), (), 1, 8, (), (), **fields)


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("model", "key"),
    [
        ("claude-haiku-5-5", "ANTHROPIC_API_KEY"),
        ("gpt-5", "OPENAI_API_KEY"),
        ("o3", "OPENAI_API_KEY"),
        ("gemini-2.5-pro", "GOOGLE_API_KEY"),
        ("mistral-large-latest", "MISTRAL_API_KEY"),
        ("deepseek:deepseek-chat", "DEEPSEEK_API_KEY"),
    ],
)
def test_a_missing_key_names_the_variable_to_set(model: str, key: str) -> None:
    with pytest.raises(Fault, match="needs a key") as raised:
        ModelPool({}).make_agent(model, SUITE, planned())
    assert raised.value.help == f"export {key}=…"
    assert raised.value.exit_code == 3


@pytest.mark.parametrize(
    ("model", "help_"),
    [
        ("claude-sonet-4-5", "did you mean `claude-sonnet-4-5`?"),
        ("anthropic:claude-sonet-4-5", "did you mean `anthropic:claude-sonnet-4-5`?"),
        ("antropic:claude-sonnet-4-5", "did you mean `anthropic`?"),
        ("claud-sonnet-4-5", f"did you mean `claude-sonnet-4-5`? Or {ADVICE}"),
        ("llama3.1-8", f"did you mean `snowflake:llama3.1-8b`? Or {ADVICE}"),
        ("my-own-model", ADVICE),
    ],
)
def test_an_unknown_name_is_refused_with_the_nearest_one(model: str, help_: str) -> None:
    with pytest.raises(BadInput, match="unknown") as raised:
        ModelPool({}).make_agent(model, SUITE, planned())
    assert (raised.value.help, raised.value.exit_code) == (help_, 2)


def test_a_provider_whose_package_is_missing_says_what_to_install() -> None:
    with pytest.raises(Fault, match="needs the package groq") as raised:
        ModelPool({}).make_agent("groq:llama-3.3-70b-versatile", SUITE, planned())
    assert raised.value.help == "pip install 'pydantic-ai-slim[groq]'"


def test_without_the_extra_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydantic_ai", None)
    with pytest.raises(MissingExtra, match=r"needs the extra `models`: pip install 'toolgrade\[models\]'"):
        ModelPool({}).make_agent("gpt-5", SUITE, planned())


def test_a_budget_refuses_a_model_without_a_price_but_not_one_of_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    models = ModelPool({}, ModelLimits(max_cost=Decimal(1)))
    models.make_agent("gpt-5", SUITE, planned())
    models.make_agent("whatever", SUITE, planned(base_url="http://127.0.0.1:9/v1"))
    with pytest.raises(BadInput, match="no price is known for `gpt-77`"):
        models.make_agent("gpt-77", SUITE, planned())
    ModelPool({}).make_agent("gpt-77", SUITE, planned())


def test_a_suites_budget_is_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    limited = SuitePlan("limited", "limited", "l.yml", (), (), max_cost=Decimal(1))
    with pytest.raises(BadInput, match="no price"):
        ModelPool({}).make_agent("gpt-77", limited, planned())
