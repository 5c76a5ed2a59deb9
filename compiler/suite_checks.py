"""Checks a suite as a whole: repeated names, dead references, tests that check nothing.

It reads raw values, so that a mistake of one kind does not hide those of another.
"""

from collections.abc import Iterator
from typing import Any, cast

from ..foundations.suggestion import format_suggestion
from ..gates.registry import list_gates
from .diagnostic import Diagnostic, Path
from .document import Document
from .plan import LEXICAL
from .raw_values import Entry, iterate_entries, iterate_texts, list_texts
from .run_checks import check_definition, check_drawn_runs, check_expected_failure, check_gate_models
from .schema import ENV_REFERENCE, leaves_folder
from .tool_id_checks import Catalogs, check_forbidden_ids, check_tool_ids

_ENV_PLACES = ("command", "env", "headers", "url")
_INHERITED = ("model", "models", "driver", "servers", "prompt")


def check_document(document: Document, catalogs: Catalogs) -> Iterator[Diagnostic]:
    """Yield every finding that needs more than one block to see."""
    agents = list(iterate_entries(document.value, "agents"))
    tests = [(path, agent) for path, agent in agents if _has_check(agent)]
    tests += iterate_entries(document.value, "tests")
    yield from _find_repeated_names(document, agents, "agent")
    yield from _find_repeated_names(document, tests, "test")
    yield from _check_environment_references(document)
    if not tests and not document.value.get("tests"):
        help_ = "add `tests:`, or an agent with a gate"
        yield document.source.make_diagnostic("TG202", document.root, "this suite holds no test", help=help_)
    for path, entry in [*agents, *iterate_entries(document.value, "tests")]:
        yield from _check_entry(document, path, entry)
    for path, agent in agents:
        if not _has_check(agent):
            yield from check_definition(document, path, agent)
    known = {agent["name"]: agent for _, agent in agents if isinstance(agent.get("name"), str)}
    for path, test in tests:
        yield from _check_test(document, path, test, known, catalogs)


def _has_check(agent: dict[str, Any]) -> bool:
    """Return whether an agent is a test: a gate that its tests inherit does not make it one."""
    return any(gate.name in agent for gate in list_gates() if not gate.is_inherited)


def _find_repeated_names(document: Document, named: list[Entry], kind: str) -> Iterator[Diagnostic]:
    first: dict[str, Path] = {}
    for path, entry in named:
        name = entry.get("name")
        if not isinstance(name, str):
            continue
        if name in first and first[name] != path:
            before = document.find_value_span((*first[name], "name"))
            line, _ = document.source.find_line_and_column(before.start)
            yield document.source.make_diagnostic(
                "TG112",
                document.find_value_span(path if _is_aliased(document, path, first[name]) else (*path, "name")),
                f"{_add_article(kind)} named `{name}` is already on line {line}",
                help="rename one of them",
                related=((before, "first used here"),),
            )
        first.setdefault(name, path)


def _is_aliased(document: Document, one: Path, other: Path) -> bool:
    """Return whether two entries are one block through an alias, so that their names have the same place."""
    return document.find_value_span((*one, "name")) == document.find_value_span((*other, "name"))


def _check_entry(document: Document, path: Path, entry: dict[str, Any]) -> Iterator[Diagnostic]:
    if "model" in entry and "models" in entry:
        span = document.find_key_span((*path, "models"))
        yield document.source.make_diagnostic("TG113", span, "`model` and `models` exclude each other", help="keep one")
    yield from _find_repeated_items(document, path, entry, "models", "model")
    yield from _find_repeated_items(document, path, entry, "servers", "server")
    yield from _check_driver(document, path, entry.get("driver"))
    known = list_texts(document.value.get("servers"))
    for index, name in iterate_texts(entry.get("servers")):
        if name not in known:
            span = document.find_value_span((*path, "servers", index))
            help_ = format_suggestion(name, known) or (None if known else "declare it under `servers:`")
            label = f"expected one of {', '.join(known)}" if known else None
            yield document.source.make_diagnostic("TG201", span, f"unknown server `{name}`", help=help_, label=label)


def _find_repeated_items(
    document: Document, path: Path, entry: dict[str, Any], key: str, noun: str
) -> Iterator[Diagnostic]:
    first: dict[str, int] = {}
    for index, name in iterate_texts(entry.get(key)):
        before = first.setdefault(name, index)
        if before != index:
            span, related = (document.find_value_span((*path, key, at)) for at in (index, before))
            message = f"the {noun} `{name}` is listed twice"
            first_use = ((related, "first used here"),)
            yield document.source.make_diagnostic("TG112", span, message, help="remove one of them", related=first_use)


def _check_test(
    document: Document, path: Path, test: dict[str, Any], agents: dict[str, dict[str, Any]], catalogs: Catalogs
) -> Iterator[Diagnostic]:
    agent_name = test.get("agent")
    agent = agents.get(agent_name, {}) if isinstance(agent_name, str) else {}
    inherited = {gate.name: agent[gate.name] for gate in list_gates() if gate.is_inherited and gate.name in agent}
    if not _has_effective_check({**inherited, **test}):
        span = document.find_value_span((*path, "name"))
        help_ = f"add one of {', '.join(gate.name for gate in list_gates())}"
        yield document.source.make_diagnostic("TG202", span, "this test checks nothing", help=help_)
    is_declared = not isinstance(agent_name, str) or agent_name in agents
    if isinstance(agent_name, str) and not is_declared:
        help_ = format_suggestion(agent_name, agents) or "declare it under `agents:` to run the test live"
        message = f"the agent `{agent_name}` is declared nowhere"
        yield document.source.make_diagnostic("TG210", document.find_value_span((*path, "agent")), message, help=help_)
    whole = {key: test.get(key, agent.get(key)) for key in _INHERITED}
    if is_declared:
        yield from _check_runnable(document, path, whole)
    yield from check_tool_ids(document, path, test, list_texts(whole["servers"]), catalogs)
    agent_path = next((at for at, entry in iterate_entries(document.value, "agents") if entry is agent), ())
    yield from check_forbidden_ids(document, (path, test), (agent_path, agent))
    models = _list_models(test, whole)
    yield from check_expected_failure(document, path, test, models)
    yield from check_gate_models(document, path, test, models, inherited)
    yield from check_drawn_runs(document, path, test, test.get("runs", agent.get("runs", 1)))


def _list_models(test: dict[str, Any], whole: dict[str, Any]) -> list[str]:
    """Return the models of a test; those of its agent only if it names none itself."""
    source = test if "model" in test or "models" in test else whole
    single = source.get("model")
    return list_texts(source.get("models")) or ([single] if isinstance(single, str) else [LEXICAL])


def _check_driver(document: Document, path: Path, driver: object) -> Iterator[Diagnostic]:
    folder = cast(dict[str, Any], driver).get("workdir") if isinstance(driver, dict) else None
    if isinstance(folder, str) and leaves_folder(folder):
        span = document.find_value_span((*path, "driver", "workdir"))
        help_ = "give a path below the suite's folder, with `/`"
        yield document.source.make_diagnostic("TG116", span, f"`{folder}` leaves the suite's folder", help=help_)


def _has_effective_check(test: dict[str, Any]) -> bool:
    # An empty list is a gate that asserts nothing, as its `resolve` says.
    return any(test.get(gate.name) not in (None, []) for gate in list_gates())


def _check_runnable(document: Document, path: Path, test: dict[str, Any]) -> Iterator[Diagnostic]:
    wants_to_run = any(test[key] is not None for key in ("model", "models", "driver", "servers"))
    span = document.find_value_span((*path, "name"))
    if test["driver"] is not None and LEXICAL in (test["model"], *list_texts(test["models"])):
        message = f"`{LEXICAL}` is no model of a program"
        help_ = "leave `model` out for the program's own choice, or remove `driver`"
        yield document.source.make_diagnostic("TG113", span, message, help=help_)
    if test["prompt"] is None and wants_to_run:
        yield document.source.make_diagnostic(
            "TG211", span, "this test has no prompt: it cannot be run live", help="add `prompt:`"
        )
    if test["prompt"] is not None and not test["servers"]:
        yield document.source.make_diagnostic(
            "TG212", span, "this test has no servers: its agent would see no tools", help="add `servers:`"
        )


def _check_environment_references(document: Document) -> Iterator[Diagnostic]:
    text = document.source.text
    # Walking every text of a large suite takes time; most suites name no variable.
    if "env:" not in text and "\\" not in text:  # an escape could spell it
        return
    for path, text, is_key in _walk_strings(document.value, ()):
        if "${env:" not in text:
            continue
        span = document.find_key_span(path) if is_key else document.find_value_span(path)
        in_server = len(path) > 2 and path[0] == "servers" and path[2] in _ENV_PLACES
        allowed = (in_server or path[2:4] == ("driver", "env")) and not is_key
        # The first entry of `command` is the program: only its arguments may hold a reference.
        if not allowed or path[2:] == ("command", 0):
            message = "`${env:…}` is not expanded here"
            help_ = "it may stand in a server's env, headers, url and command arguments, and in a driver's env"
            yield document.source.make_diagnostic("TG114", span, message, help=help_)
        elif "${env:" in ENV_REFERENCE.sub("", text):
            yield document.source.make_diagnostic(
                "TG114", span, "malformed `${env:NAME}`", help="NAME is letters, digits and `_`"
            )


def _walk_strings(value: Any, path: Path) -> Iterator[tuple[Path, str, bool]]:
    if isinstance(value, str):
        yield path, value, False
    elif isinstance(value, dict):
        for key, child in cast(dict[str, Any], value).items():
            yield (*path, key), key, True
            yield from _walk_strings(child, (*path, key))
    elif isinstance(value, list):
        for index, child in enumerate(cast(list[Any], value)):
            yield from _walk_strings(child, (*path, index))


def _add_article(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"
