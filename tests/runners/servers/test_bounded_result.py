"""Results that are too long to keep."""

from hashlib import sha256

from toolgrade.runners.servers.bounded_result import cut_result, cut_result_text


def test_what_is_short_is_kept_as_it_is() -> None:
    value = {"content": [{"type": "text", "text": "short"}], "n": [1, None, True]}
    assert cut_result(value, 1000) is value
    assert cut_result_text("short", 1000) == "short"


def test_a_long_text_keeps_its_start_length_and_hash() -> None:
    text = "é " * 20_000
    whole = text.encode()
    kept = cut_result({"content": [{"text": text}], "other": "kept"}, 5_000)
    assert kept["content"][0]["text"] == f"{'é ' * 512}… [cut: 60000 bytes, sha256:{sha256(whole).hexdigest()}]"
    assert kept["other"] == "kept"


def test_no_half_of_a_word_is_kept_as_it_may_be_half_a_secret() -> None:
    text = f"{'word ' * 203}secret-{'x' * 20} {'word ' * 5000}"
    assert text[1015:1024] == "secret-xx"
    assert "secret" not in cut_result_text(text, 5_000)
    assert cut_result_text("x" * 5_000, 100).startswith("… [cut:")


def test_many_short_texts_are_cut_as_one() -> None:
    kept = cut_result({"rows": ["a row"] * 10_000}, 5_000)
    assert set(kept["cut"]) == {"bytes", "sha256"}
    assert kept["cut"]["bytes"] > 50_000


def test_a_lone_surrogate_is_no_obstacle() -> None:
    assert "[cut:" in cut_result_text("\ud800" * 5000, 100)
