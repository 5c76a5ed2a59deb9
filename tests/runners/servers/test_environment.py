"""What a server is told of the environment, and which values may reach no file."""

import toolgrade
from toolgrade.runners.servers.environment import list_plan_secrets

SUITE = """
servers:
  docs: {url: "http://127.0.0.1:1/mcp", headers: {Authorization: "Bearer ${env:DOCS_TOKEN}"}}
tests:
  - name: finds it
    servers: [docs]
    prompt: Find it.
    model: llama
    base_url: http://127.0.0.1:1/v1
    api_key_env: LOCAL_LLM
    equal_function_sets: {classes: []}
"""


def test_the_values_a_suite_names_and_the_keys_of_providers_are_secrets() -> None:
    plan = toolgrade.compile_text(SUITE).plan
    assert plan is not None
    environment = {
        "DOCS_TOKEN": "one", "LOCAL_LLM": "two", "OPENAI_API_KEY": "three", "AWS_SECRET_ACCESS_KEY": "four",
        "HOME": "five", "API_KEY_FILE": "six",
    }  # fmt: skip
    assert sorted(list_plan_secrets(plan, environment)) == ["four", "one", "three", "two"]
