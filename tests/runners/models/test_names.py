"""Whose a model is, by its name; what is a slip of the pen; and what counts as the same model."""

import pytest

from toolgrade.runners.models.names import (
    ModelName,
    find_likely_spelling,
    is_same_model,
    parse_self_hosted_name,
    split_model_name,
)


@pytest.mark.parametrize(
    ("name", "provider"),
    [
        ("claude-sonnet-4-5", "anthropic"),
        ("gpt-5", "openai"),
        ("chatgpt-4o-latest", "openai"),
        ("o3", "openai"),
        ("o4-mini", "openai"),
        ("gemini-2.5-pro", "google"),
        ("mistral-large-latest", "mistral"),
        ("codestral-2508", "mistral"),
    ],
)
def test_a_bare_name_says_whose_it_is(name: str, provider: str) -> None:
    assert split_model_name(name) == ModelName(provider, name)


@pytest.mark.parametrize("name", ["llama3", "o", "oracle", "claude", "gpt", ":x", "openai:", "", "o3x"])
def test_a_name_that_is_nobodys_is_not_guessed(name: str) -> None:
    assert split_model_name(name) is None


def test_a_provider_before_a_colon_wins() -> None:
    assert split_model_name("openrouter:anthropic/claude-x") == ModelName("openrouter", "anthropic/claude-x")


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("anthropic:qwen3", ModelName("anthropic", "qwen3")),
        ("openai:qwen3", ModelName("openai", "qwen3")),
        ("llama3.1:8b", ModelName("openai", "llama3.1:8b")),
        ("claude-sonnet-4-5", ModelName("openai", "claude-sonnet-4-5")),
        ("anthropic:", ModelName("openai", "anthropic:")),
    ],
)
def test_at_an_address_only_the_two_protocols_are_prefixes(name: str, found: ModelName) -> None:
    assert parse_self_hosted_name(name) == found


def test_other_letters_are_a_slip_and_other_numbers_are_a_new_version() -> None:
    known = ["claude-sonnet-4-5", "gpt-5-mini", "gpt-5"]
    assert find_likely_spelling("claude-sonet-4-5", known) == "claude-sonnet-4-5"
    assert find_likely_spelling("gpt-5-minni", known) == "gpt-5-mini"
    assert find_likely_spelling("claude-sonnet-4-6", known) is None
    assert find_likely_spelling("gpt-5-codex", known) is None
    assert find_likely_spelling("gpt-5", known) is None


@pytest.mark.parametrize(
    ("asked", "answered", "same"),
    [
        ("gpt-4o", "gpt-4o-2024-08-06", True),
        ("claude-sonnet-4-5", "claude-sonnet-4-5-20250929", True),
        ("gemini-2.5-pro", "models/gemini-2.5-pro", True),
        ("mistral-large-latest", "mistral-large-2411", True),
        ("gpt-4o", "gpt-4o-mini", False),
        ("gpt-4o", "gpt-4", False),
        ("smollm2", "qwen3", False),
    ],
)
def test_a_dated_version_is_the_same_model(asked: str, answered: str, same: bool) -> None:
    assert is_same_model(asked, answered) is same
