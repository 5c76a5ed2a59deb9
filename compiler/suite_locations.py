"""Finds the places of tests in their files again from the text, as a plan holds no positions."""

from dataclasses import dataclass
from typing import Any, cast

from .compilation import Compilation
from .diagnostic import Path, SourceText
from .yaml_reader import Document, read_document


@dataclass(frozen=True, slots=True)
class SuiteLocation:
    """A place in a suite file; lines and columns are counted from 1."""

    file: str
    line: int
    column: int


class SuiteLocations:
    """The places of the tests of a compilation; a suite is read again when one of its tests is first asked for."""

    def __init__(self, compilation: Compilation) -> None:
        suites = compilation.plan.suites if compilation.plan else ()
        names = [suite.name for suite in suites]
        # Without a plan there are no names, and texts that have none to pair with.
        self._texts = dict(zip(names, compilation.texts.values(), strict=bool(names)))
        # Filled on demand: a run in which everything passes needs no places at all.
        self._tests: dict[str, tuple[Document | None, dict[str, Path]]] = {}

    def get_file(self, suite: str) -> str:
        """Return the suite's file, as the command line named it."""
        return self._texts[suite].file

    def find_test(self, suite: str, test: str, gate: str | None = None) -> SuiteLocation:
        """Return the place of a test's name, or of its gate; the start of the file if neither is found."""
        text = self._texts[suite]
        if suite not in self._tests:
            self._tests[suite] = _find_tests(text)
        document, paths = self._tests[suite]
        if document is None or test not in paths:
            return SuiteLocation(text.file, 1, 1)
        entry = paths[test]
        key, value = document.find_spans((*entry, gate or "name"))
        return SuiteLocation(text.file, *text.find_line_and_column((key if gate else value).start))


def _find_tests(text: SourceText) -> tuple[Document | None, dict[str, Path]]:
    document, _, _ = read_document(text.file, text.text.encode("utf-8", "surrogatepass"))
    paths: dict[str, Path] = {}
    for section in ("agents", "tests"):  # a test's name is used once; of an agent and a test, the test is meant
        entries: Any = document.value.get(section) if document else None
        for index, entry in enumerate(cast(list[dict[str, Any]], entries or [])):
            paths[entry["name"]] = (section, index)
    return document, paths
