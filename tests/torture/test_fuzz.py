"""A short run of the fuzzer with a fixed seed; `make torture` runs it for as long as it is told."""

from pathlib import Path

from tests.torture.fuzz import fuzz, make_readers


def test_no_mutated_file_makes_a_reader_fail(tmp_path: Path) -> None:
    readers = make_readers(tmp_path)
    fuzz(readers, seconds=5, seed=15)
    assert {reader.name: reader.failures for reader in readers} == {reader.name: [] for reader in readers}
    assert all(reader.tried >= 5 for reader in readers)
