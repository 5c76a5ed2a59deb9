"""A provider's failures as ours: a `TransientError` if trying again may help, else a `Fault`."""

import re
from typing import cast

from pydantic_ai import exceptions as failed

from ...foundations.fault import Fault
from .retries import TransientError

# 408 timeout, 409 conflict, 429 too many requests: the others below 500 fail the same way each time.
RETRIED = frozenset({408, 409, 429})
_LONGEST = 300


def translate_provider_error(error: Exception, model: str) -> Exception:
    """Return the `TransientError` or the `Fault` that stands for an error of the SDK."""
    match error:
        case failed.ModelAuthenticationError():
            return Fault(
                f"{model}: the provider refused the key: {extract_provider_message(error)}",
                "check the key of this provider",
            )
        case failed.ModelNotFoundError():
            return Fault(
                f"{model}: the provider does not know this model: {extract_provider_message(error)}", "check the name"
            )
        case failed.ModelContextWindowExceededError():
            help_ = "offer fewer tools, or lower `max_turns`"
            return Fault(
                f"{model}: the conversation is longer than the model can read: {extract_provider_message(error)}", help_
            )
        case failed.ModelQuotaExceededError():
            return Fault(
                f"{model}: the account's quota is used up: {extract_provider_message(error)}",
                "check the provider's billing",
            )
        case failed.ModelHTTPError() if error.status_code in RETRIED or error.status_code >= 500:
            return TransientError(f"{model}: the provider answered {error.status_code}", error.retry_after)
        case failed.ModelHTTPError():
            return Fault(f"{model}: the provider answered {error.status_code}: {extract_provider_message(error)}")
        case failed.ModelAPIError():
            return TransientError(f"{model}: {extract_provider_message(error)}", error.retry_after)
        case _:
            return Fault(f"{model}: {type(error).__name__}: {_cut_to_one_line(str(error))}")


def make_unreadable_fault(error: Exception, model: str) -> Fault:
    """Return the fault for an answer that an SDK, or our reading of it, failed on."""
    what = f"{type(error).__name__}: {_cut_to_one_line(str(error))}"
    return Fault(f"{model}: the provider's answer cannot be read ({what})", "check what the provider sends")


def extract_provider_message(error: failed.ModelAPIError) -> str:
    """Return the provider's message, on one line."""
    body = error.body
    # Providers nest the text to different depths.
    while isinstance(body, dict):
        fields = cast(dict[str, object], body)
        body = fields.get("error") or fields.get("message")
    return _cut_to_one_line(body if isinstance(body, str) else error.message)


def _cut_to_one_line(text: str) -> str:
    line = re.sub(r"\s+", " ", text).strip()
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"
