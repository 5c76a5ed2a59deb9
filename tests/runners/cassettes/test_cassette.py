"""Old cassettes keep loading, and names never leave the folder."""

from decimal import Decimal
from pathlib import Path

from tests.recordings import make_shop
from toolgrade.cassette import load_cassette
from toolgrade.runners.cassettes.cassette import seal_cassette

GOLDEN = Path(__file__).parents[2] / "golden/cassette"


def test_a_cassette_of_format_1_keeps_loading() -> None:
    file = GOLDEN / "format-1.json"
    cassette = load_cassette(file)
    assert (cassette.key.test, cassette.final_response, cassette.redactions) == ("passes the account on", "Grüße", 2)
    assert cassette.to_trace().cost == Decimal("0.0042")
    assert seal_cassette(cassette) == file.read_bytes()


def test_hostile_names_stay_inside_the_folder_and_apart(tmp_path: Path) -> None:
    names = ["../../x", "/etc/x", "CON", "x" * 300, "A", "a", "é", "e\u0301"]
    tests = "\n".join(
        f"  - {{name: {name!r}, prompt: p, model: '../m', expect: [{{turns: {{'>=': 0}}}}]}}" for name in names[:-2]
    )
    files = make_shop(tmp_path, f"servers: {{docs: {{command: [d]}}}}\ntests:\n{tests}\n")
    root = (tmp_path / "cassettes/shop").resolve()
    assert len({str(file).casefold() for file in files}) == len(names) - 2
    assert all(file.resolve().is_relative_to(root) and len(file.name) < 100 for file in files)
