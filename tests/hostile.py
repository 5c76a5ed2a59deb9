"""A suite whose names try to do something wherever they are written, with cassettes that fail it."""

import json
from pathlib import Path

from tests.recordings import make_shop

NAMES = (
    "::set-output name=grade::A",
    "a ##[add-mask]secret",
    "thanks @org/team, see #1",
    "]]> <![CDATA[ </failure> & <script>alert(1)</script>",
    "--a b=c; echo $(whoami) `id`",
    "-q",
    'it\'s "quoted" | $HOME \\ !!',
    "hides \u202e and \u001b[31m colours \u200b\u0085 \ufffe\t\n::error::second line",
    "plain",
    "plain and longer",
)
MODELS = ("m,1", "m", "1", "back\\slash")
DANGEROUS = ("\x1b", "\u202e", "\u200b", "\x85", "\ufffe")

_SUITE = {
    "servers": {"docs": {"command": ["docs-server"]}},
    "tests": [
        {
            "name": name,
            "prompt": "What?",
            "models": list(MODELS),
            "servers": ["docs"],
            "equal_function_sets": {
                "classes": [{"name": f"class of {name}", "members": ["docs.fetch"]}],
                "expect": [{"tool_selection.f1": {">=": 80}}],
            },
            "expect": [{"final_response": {"contains": "Nobody"}}],
        }
        for name in NAMES
    ],
}


def make_hostile(folder: Path) -> None:
    """The suite `shop` in the folder, JSON being YAML, and its cassettes."""
    make_shop(folder, json.dumps(_SUITE))
