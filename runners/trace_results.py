"""Facts of a cell from its traces, beside the verdicts: warnings, and the catalog that the traces carry."""

from collections.abc import Iterable

import msgspec

from .cell_result import CellResult
from .trace_catalog import describe_offered_tools
from .trace_import import TraceImporter


def add_trace_facts(results: Iterable[CellResult], importer: TraceImporter) -> tuple[CellResult, ...]:
    """Return results with what their traces say: shown as of the trace, and asked by no gate."""
    return tuple(_add_facts(result, importer) for result in results)


def _add_facts(result: CellResult, importer: TraceImporter) -> CellResult:
    warnings = importer.list_warnings(result.suite, result.test)
    listings = importer.get_listings(result.suite, result.test)
    if not result.runs or not (warnings or listings):
        return result
    if listings:
        tools, surface = describe_offered_tools(listings)
        result = msgspec.structs.replace(result, tools=tools, surface=surface)
    return msgspec.structs.replace(result, warnings=(*result.warnings, *warnings))
