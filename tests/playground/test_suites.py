"""The suites that are shipped: they compile without a word, and name programs that can be installed."""

from playground.servers import read_table
from tests.conftest import ROOT, RunToolgrade
from toolgrade import compile_suites
from toolgrade.compiler.plan import Plan, StdioServer
from toolgrade.gates.gate import Gate


def shipped() -> Plan:
    compiled = compile_suites([str(ROOT / "suites")])
    assert compiled.plan is not None
    return compiled.plan


def test_the_shipped_suites_compile_without_a_warning(run_toolgrade: RunToolgrade) -> None:
    done = run_toolgrade("check", "suites", "--format", "concise", cwd=ROOT)
    assert (done.code, done.stdout) == (0, "")


def test_every_server_is_one_that_make_servers_installs() -> None:
    known = {str(server.launcher) for server in read_table()}
    servers = [server for suite in shipped().suites for server in suite.servers if isinstance(server, StdioServer)]
    assert servers
    assert {server.command[0] for server in servers} <= known


def test_prompts_name_the_task_and_never_a_tool() -> None:
    for suite in shipped().suites:
        members = {member for test in suite.tests for gate in test.gates for member in members_of(gate)}
        tools = {member.split(".", 1)[-1] for member in members}
        assert not [(test.name, tool) for test in suite.tests for tool in tools if f" {tool} " in f"{test.prompt} "]


def members_of(gate: Gate) -> list[str]:
    return [named.id for named in gate.list_tool_ids()]
