"""A model by its name: the provider, the key and the address it is reached with, checked before anything starts."""

import re
from collections.abc import Mapping
from typing import Any

import httpx2
from pydantic_ai.models import Model, infer_model, known_model_names
from pydantic_ai.providers import infer_provider_class

from ...foundations.fault import BadInput, Fault
from ...foundations.suggestion import find_nearest, format_suggestion
from ..http_bounds import IDENTITY, bound_body, refuse_compressed
from .names import ModelName, find_likely_spelling, parse_self_hosted_name, split_model_name

LOCAL = "local"
"""The provider of a model at an address of one's own: it has no price."""

ANSWER_TIMEOUT_S = 600.0
CONNECT_TIMEOUT_S = 60.0
ANSWER_BYTES = 64 * 1024 * 1024
EXTRA = "pip install 'toolgrade[models]'"
_NO_KEY = "no-key"  # SDKs refuse an empty key, also for a server that asks for none
_PACKAGE = re.compile(r"install the `([^`]+)` package")
_INSTALL = re.compile(r"pip install [^\s`]+")
_VARIABLE = re.compile(r"`([A-Z][A-Z0-9_]*(?:KEY|TOKEN)[A-Z_]*)`")


def connect_model(name: str, base_url: str | None, api_key: str | None) -> tuple[ModelName, Model]:
    """Return the model of this name, ready to be asked. Raise a `Fault` if it is unknown or lacks a key."""
    try:
        if base_url is None:
            found = resolve_model_name(name)
            model = infer_model(f"{found.provider}:{found.model}")
        else:
            found = parse_self_hosted_name(name)
            model = _make_self_hosted_model(found, base_url, api_key or _NO_KEY)
            found = ModelName(LOCAL, found.model)
    except BadInput:
        raise
    except Exception as error:  # noqa: BLE001 - every SDK has errors of its own for what it is not given
        raise _make_connection_fault(name, error) from None
    # A profile may rewrite schemas for its provider: then the model would not see what the server sent.
    # And a chat stream that ends without a finish reason would count as whole.
    profile: Any = {
        **model.profile,
        "json_schema_transformer": None,
        "openai_chat_streaming_requires_finish_reason": True,
    }
    model.profile = profile
    _extend_timeouts(model)
    _bound_answers(model)
    return found, model


def _extend_timeouts(model: Model) -> None:
    """Give SDKs that take one a longer time to connect: with very many requests under way, 5 s are not enough."""
    client: Any = getattr(model, "client", None)
    if hasattr(client, "timeout"):
        client.timeout = httpx2.Timeout(ANSWER_TIMEOUT_S, connect=CONNECT_TIMEOUT_S)


def _bound_answers(model: Model) -> None:
    """Ask for answers that are not compressed, refuse others, and end one that does not."""
    http: object = getattr(getattr(model, "client", None), "_client", None)  # nothing public of an SDK leads to it
    if isinstance(http, httpx2.AsyncClient):
        http.headers.update(IDENTITY)
        http.event_hooks = {**http.event_hooks, "response": [*http.event_hooks["response"], _bound_answer]}


async def _bound_answer(response: httpx2.Response) -> None:
    await refuse_compressed(response)
    bound_body(response, ANSWER_BYTES)


def resolve_model_name(name: str) -> ModelName:
    """Return the provider and model that a name means. Raise `BadInput` if it is unknown or misspelt."""
    found = split_model_name(name)
    known = [known_name for known_name in known_model_names() if "/" not in known_name]
    if found is None:
        raise BadInput(f"unknown model `{name}`", _describe_likely_model(name, known))
    try:
        infer_provider_class(found.provider)
    except ValueError:
        providers = sorted({known_name.partition(":")[0] for known_name in known})
        help_ = format_suggestion(found.provider, providers) or f"one of {', '.join(providers)}"
        raise BadInput(f"unknown provider `{found.provider}` in `{name}`", help_) from None
    models = [known_name.partition(":")[2] for known_name in known if known_name.startswith(f"{found.provider}:")]
    if near := find_likely_spelling(found.model, models):
        raise BadInput(f"unknown model `{name}`", f"did you mean `{name.removesuffix(found.model)}{near}`?")
    return found


def _describe_likely_model(name: str, known: list[str]) -> str:
    by_model = {known_name.partition(":")[2]: known_name for known_name in reversed(known)}
    near = find_nearest(name, by_model)
    advice = "write it as provider:model, or give the `base_url` that serves it"
    return f"did you mean `{near if split_model_name(near) else by_model[near]}`? Or {advice}" if near else advice


def get_api_key(variable: str | None, environ: Mapping[str, str]) -> str | None:
    """Return the key that a suite names for its `base_url`. Raise a `Fault` if its variable is not set.

    A provider's own key is never sent to another address.
    """
    if variable is None:
        return None
    if not environ.get(variable):
        raise Fault(f"`api_key_env: {variable}`: this environment variable is not set", f"export {variable}=…")
    return environ[variable]


def _make_self_hosted_model(name: ModelName, base_url: str, api_key: str) -> Model:
    if name.provider == "anthropic":
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        # Its SDK adds /v1/messages, and people write the address with /v1 as for the other protocol.
        root = base_url.rstrip("/").removesuffix("/v1")
        return AnthropicModel(name.model, provider=AnthropicProvider(base_url=root, api_key=api_key))
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    provider = OpenAICompatibleProvider(LOCAL, base_url=base_url, api_key=api_key)
    # OpenAI itself takes `max_completion_tokens`; servers that only speak its protocol are sent the older `max_tokens`.
    profile = OpenAIModelProfile(openai_chat_supports_max_completion_tokens=False)
    return OpenAIChatModel(name.model, provider=provider, profile=profile)


def _make_connection_fault(name: str, error: Exception) -> Fault:
    """Return the fault that says what a model lacks: a package, a key, or whatever its SDK says."""
    text = str(error)
    if isinstance(error, ImportError):
        package, install = _PACKAGE.search(text), _INSTALL.search(text)
        missing = f"the package {package[1]}" if package else f"a package: {_get_first_line(text)}"
        return Fault(f"`{name}` needs {missing}", install[0].replace('"', "'") if install else EXTRA)
    variable = _VARIABLE.search(text)
    if variable:
        return Fault(f"`{name}` needs a key", f"export {variable[1]}=…")
    return Fault(f"`{name}` cannot be reached: {_get_first_line(text)}", "docs/models.md says what each provider needs")


def _get_first_line(text: str) -> str:
    return text.strip().partition("\n")[0]
