"""A format is one row: a test that registers one proves that nothing else knows of it."""

from collections.abc import Iterator, Sequence

import pytest

from tests.runners.trace_formats.traces import read_lines
from toolgrade.runners.trace_formats import registry
from toolgrade.runners.trace_formats.event_stream import EventStream
from toolgrade.runners.trace_formats.imported_run import ImportedRun, RunBuilder
from toolgrade.runners.trace_formats.shape import Shape
from toolgrade.runners.trace_formats.trace_format import TraceFormat


def _claims(sample: Sequence[Shape]) -> bool:
    return any(shape.has("dummy_tool") for shape in sample)


def _read(events: EventStream) -> Iterator[ImportedRun]:
    run = RunBuilder()
    for record in events:
        run.add_call(Shape(record.data).text("dummy_tool") or "")
    yield run.build()


@pytest.fixture
def dummy(monkeypatch: pytest.MonkeyPatch) -> None:
    row = TraceFormat("dummy", "a dummy", _claims, _read, frozenset(("dummy_tool",)))
    monkeypatch.setattr(registry, "FORMATS", [*registry.FORMATS, row])


@pytest.mark.usefixtures("dummy")
@pytest.mark.parametrize("name", ["auto", "dummy"])
def test_a_new_format_is_one_row(name: str) -> None:
    (run,) = read_lines({"dummy_tool": "docs__search"}, name=name)
    assert [call.name for call in run.calls] == ["docs__search"]
    assert "dummy" in registry.list_format_names()
