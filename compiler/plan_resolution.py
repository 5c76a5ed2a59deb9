"""Resolves an authored suite into a plan: follows references, fills defaults, expands models into cells."""

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any, cast

import msgspec
from msgspec import UNSET

from ..gates.gate import Gate
from ..gates.registry import GateBlock, list_gates
from .identity import make_hashed_slug, make_suite_id
from .plan import (
    DEFAULT_MAX_TURNS,
    LEXICAL,
    AnyServer,
    CatalogServer,
    Cell,
    HttpServer,
    PlannedTest,
    Sampling,
    StdioServer,
    SuitePlan,
    Timeouts,
)
from .schema import ABSENT, CatalogBlock, HttpBlock, StdioBlock, SuiteBlock
from .xfail import XfailBlock

_INHERITED = (
    *("model", "models", "driver", "sampling", "base_url", "api_key_env"),
    *("servers", "system_prompt", "prompt", "max_turns", "runs", "tags"),
)


def resolve_suite(suite: SuiteBlock, file: str) -> SuitePlan:
    """Return the plan of one valid suite."""
    name = choose_suite_name(suite.suite, file)
    return SuitePlan(
        id=make_suite_id(name),
        name=name,
        file=file,
        # By name, as the order of keys in YAML must not change the plan's digest.
        servers=tuple(_resolve_server(key, suite.servers[key]) for key in sorted(suite.servers)),
        tests=_resolve_tests(suite),
        description=suite.description,
        max_cost=suite.budget.max_cost if "budget" in suite.model_fields_set else None,
    )


def choose_suite_name(authored: str | None, file: str) -> str:
    """Return a suite's name: as written, or the stem of its file."""
    return authored or PurePosixPath(file.replace("\\", "/")).stem


def _resolve_tests(suite: SuiteBlock) -> tuple[PlannedTest, ...]:
    agents = {agent.name: _get_authored_fields(agent) for agent in suite.agents}
    own = [gate.name for gate in list_gates() if not gate.is_inherited]
    # An agent with a gate is a test as well; a gate that tests inherit does not make it one.
    tests = [fields for fields in agents.values() if any(name in fields for name in own)]
    tests += [_get_authored_fields(test) for test in suite.tests]
    return tuple(_resolve_test(fields, agents) for fields in tests)


def _get_authored_fields(block: Any) -> dict[str, Any]:
    """Return the fields that the author wrote."""
    # A default is not authored: it must not win over what the agent says.
    return {key: getattr(block, key) for key in block.model_fields_set}


def _resolve_test(test: dict[str, Any], agents: dict[str, dict[str, Any]]) -> PlannedTest:
    agent = test.get("agent")
    inherited = {key: value for key, value in agents.get(agent or "", {}).items() if key in _list_inherited_keys()}
    # `model` of the test replaces `models` of the agent and the other way round: the two exclude each other.
    if "model" in test or "models" in test:
        inherited.pop("model", None)
        inherited.pop("models", None)
    fields = {**inherited, **test}
    can_run = agent is None or agent in agents
    test_id = make_hashed_slug(test["name"])
    gates = tuple(_resolve_gates(fields))
    cells = _expand_cells(test_id, fields, can_run)
    return PlannedTest(
        id=test_id,
        name=test["name"],
        gates=tuple(gate for gate, _ in gates),
        cells=_mark_expected_failures(_assign_gates(cells, gates), test.get("xfail")),
        runs=fields.get("runs", 1),
        max_turns=fields.get("max_turns", DEFAULT_MAX_TURNS),
        servers=tuple(fields.get("servers", ())),
        # Tags only select: their order and repetitions must not change the digest.
        tags=tuple(sorted(set(fields.get("tags", ())))),
        agent=agent,
        system_prompt=fields.get("system_prompt"),
        prompt=fields.get("prompt"),
        sampling=Sampling(**_get_authored_fields(fields["sampling"])) if "sampling" in fields else Sampling(),
        base_url=fields.get("base_url"),
        api_key_env=fields.get("api_key_env"),
        driver=fields["driver"].resolve() if "driver" in fields else None,
    )


def _list_inherited_keys() -> tuple[str, ...]:
    return (*_INHERITED, *(gate.name for gate in list_gates() if gate.is_inherited))


def _resolve_gates(test: dict[str, Any]) -> Iterator[tuple[Gate, tuple[str, ...]]]:
    """Yield the gates of a test, each with the models that it applies to; none stands for all."""
    for row in list_gates():
        authored = test.get(row.name)
        for block in cast(list[GateBlock], authored if isinstance(authored, list) else [authored] if authored else []):
            gate = block.resolve()
            if gate is not None:
                yield gate, tuple(getattr(block, "models", None) or ())


def _assign_gates(cells: tuple[Cell, ...], gates: tuple[tuple[Gate, tuple[str, ...]], ...]) -> tuple[Cell, ...]:
    if not any(models for _, models in gates):
        return cells
    return tuple(
        msgspec.structs.replace(
            cell, gates=tuple(at for at, (_, models) in enumerate(gates) if not models or cell.model in models)
        )
        for cell in cells
    )


def _expand_cells(test_id: str, fields: dict[str, Any], can_run: bool) -> tuple[Cell, ...]:
    models = fields.get("models") or ([fields["model"]] if "model" in fields else [])
    if "driver" in fields and can_run:
        driver = fields["driver"].resolve()
        # None stands for the model that the program chooses.
        models = [driver.name_cell(model) for model in models or [None]]
    # A test that could run and names no model is run by the agent that needs none.
    if not models and can_run and fields.get("prompt"):
        models = [LEXICAL]
    if not models:
        return (Cell(test_id),)
    return tuple(Cell(f"{test_id}/{make_hashed_slug(model)}", model) for model in models)


def _mark_expected_failures(cells: tuple[Cell, ...], xfail: XfailBlock | None) -> tuple[Cell, ...]:
    if xfail is None:
        return cells
    return tuple(
        msgspec.structs.replace(cell, xfail=xfail.reason) if not xfail.models or cell.model in xfail.models else cell
        for cell in cells
    )


def _resolve_server(name: str, block: StdioBlock | HttpBlock | CatalogBlock) -> AnyServer:
    timeout_s = UNSET if block.timeout_s is ABSENT else Timeouts(**_get_authored_fields(block.timeout_s))
    match block:
        case StdioBlock():
            # A default that is written out must give the same digest as one that is left out.
            cwd = UNSET if block.cwd == "." else block.cwd
            return StdioServer(
                name, tuple(block.command), block.env, cwd, **_drop_default_settings(block), timeout_s=timeout_s
            )
        case HttpBlock():
            sse = True if block.transport == "sse" else UNSET
            return HttpServer(name, block.url, block.headers, sse, **_drop_default_settings(block), timeout_s=timeout_s)
        case CatalogBlock():
            return CatalogServer(name, block.catalog, timeout_s)


def _drop_default_settings(block: StdioBlock | HttpBlock) -> dict[str, Any]:
    """Return the settings of a server; those with their default value are left out of the plan."""
    settings = {"isolate": (block.isolate, False), "protocol": (block.protocol, "auto")}
    return {key: UNSET if value == default else value for key, (value, default) in settings.items()}
