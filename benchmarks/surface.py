"""Measures how fast tools are counted, against raw tiktoken on the same texts."""

import json
from pathlib import Path
from typing import Any

from timing import best_of

from toolgrade.runners.catalogs.fingerprint import ServerListing
from toolgrade.runners.catalogs.token_surface import count_surface, extract_surface_texts, load_encoding

LIVEMCP = Path(__file__).parents[2] / "shared/data/livemcp/tools.json"
COPIES = 10


def real_tools() -> list[dict[str, Any]]:
    """Return the tools of LiveMCPBench."""
    entries = json.loads(LIVEMCP.read_text(encoding="utf-8"))
    return [tool for entry in entries for server in entry["tools"].values() for tool in server["tools"]]


def measure(tools: list[dict[str, Any]]) -> None:
    """Print the rate and the ratio to raw tiktoken."""
    texts = [text for tool in tools for text in extract_surface_texts(tool).values()]
    encoding = load_encoding()
    listings = {"all": ServerListing(None, tools)}
    ours = best_of(5, lambda: count_surface(listings))
    raw = best_of(5, lambda: [encoding.encode(text, disallowed_special=()) for text in texts])
    print(f"surface, {len(tools):,} tools: {len(tools) / ours:,.0f} tools a second")
    print(f"  ratio {ours / raw:.2f} to raw tiktoken on the same texts (aim: at most 1.5)")


if __name__ == "__main__":
    if LIVEMCP.exists():
        measure(real_tools() * COPIES)
    else:
        print("surface: skipped, the catalogs of LiveMCPBench are not here")
