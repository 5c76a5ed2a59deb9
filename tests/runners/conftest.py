"""HTTP recordings of real models: sorted JSON, so that two recordings of the same exchange are the same bytes."""

import json
from typing import Any


class SortedJson:
    """vcrpy's JSON, with one order of keys."""

    @staticmethod
    def serialize(cassette: Any) -> str:
        return json.dumps(cassette, indent=2, sort_keys=True, ensure_ascii=False) + "\n"

    @staticmethod
    def deserialize(text: str) -> Any:
        return json.loads(text)


def pytest_recording_configure(config: object, vcr: Any) -> None:
    vcr.register_serializer("json", SortedJson)
