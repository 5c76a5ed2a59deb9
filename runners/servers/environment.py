"""The environment of a server: a short list of variables, and those that the suite names."""

from collections.abc import Iterable, Iterator, Mapping

from ...compiler.plan import AnyServer, CatalogServer, HttpServer, Plan, StdioServer
from ...compiler.schema import ENV_REFERENCE
from ...foundations.fault import BadInput

_POSIX = ("HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER")
_WINDOWS = (
    *("APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATHEXT", "PROCESSOR_ARCHITECTURE"),
    *("SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE", "WINDIR"),
)
PASSED_ON = (*_POSIX, *_WINDOWS)
"""The only variables that a server gets without the suite naming them."""
_KEYS = ("_API_KEY", "_API_TOKEN", "_SECRET_ACCESS_KEY")
"""How the variables end that providers' SDKs read by themselves: a suite need not name them."""


def make_server_environment(server: StdioServer | CatalogServer, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the whole environment of a server's process. Raise `BadInput` if it names a variable that is not set."""
    passed_on = {name: environment[name] for name in PASSED_ON if name in environment}
    named = server.env if isinstance(server, StdioServer) else {}
    return passed_on | {name: expand_variables(text, server, environment) for name, text in named.items()}


def expand_variables(text: str, server: AnyServer, environment: Mapping[str, str]) -> str:
    """Return the text with each `${env:NAME}` replaced. Raise `BadInput` if a variable is not set."""
    for name in ENV_REFERENCE.findall(text):
        if name not in environment:
            message = f"server `{server.name}`: the environment variable {name} is not set"
            raise BadInput(message, "set it, or take it out of the suite")
    return ENV_REFERENCE.sub(lambda found: environment[found[1]], text)


def list_referenced_variables(servers: Iterable[AnyServer]) -> tuple[str, ...]:
    """Return the names of the variables that servers refer to, each once and sorted."""
    return tuple(
        sorted(
            {name for server in servers for text in _list_server_texts(server) for name in ENV_REFERENCE.findall(text)}
        )
    )


def check_server_variables(servers: Iterable[AnyServer], environment: Mapping[str, str]) -> None:
    """Raise `BadInput` if a server refers to a variable that is not set."""
    for server in servers:
        for text in _list_server_texts(server):
            expand_variables(text, server, environment)


def list_secret_values(servers: Iterable[AnyServer], environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the values that servers take from the environment: none of them may reach a file."""
    return tuple(environment[name] for name in list_referenced_variables(servers) if name in environment)


def list_run_secrets(servers: Iterable[AnyServer], environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the values that servers take from the environment, and the keys of providers that are in it."""
    keys = sorted(name for name in environment if name.endswith(_KEYS))
    return (*list_secret_values(servers, environment), *(environment[name] for name in keys))


def list_plan_secrets(plan: Plan, environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the values of all variables that the suites of a plan name, and of those that hold providers' keys."""
    servers = [server for suite in plan.suites for server in suite.servers]
    keys = {test.api_key_env for suite in plan.suites for test in suite.tests if test.api_key_env}
    keys |= {name for name in environment if name.endswith(_KEYS)}
    drivers = [test.driver for suite in plan.suites for test in suite.tests if test.driver]
    keys |= {name for driver in drivers for text in driver.env.values() for name in ENV_REFERENCE.findall(text)}
    return (
        *list_secret_values(servers, environment),
        *(environment[name] for name in sorted(keys) if name in environment),
    )


def _list_server_texts(server: AnyServer) -> Iterator[str]:
    match server:
        case StdioServer():
            yield from server.command
            yield from server.env.values()
        case HttpServer():
            yield server.url
            yield from server.headers.values()
        case CatalogServer():
            pass
