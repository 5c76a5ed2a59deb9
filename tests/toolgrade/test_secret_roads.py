"""Planted secrets, and servers that say them: in no file and on no stream of any command that talks to a server."""

import json
import sys
from pathlib import Path

import pytest

from tests.conftest import Finished, RunToolgrade

SECRET = "CANARY-x7/secret+of 9 the\\environment"
PEM = "-----BEGIN PRIVATE KEY-----\nMIICANARYpem1\nMIICANARYpem2\n-----END PRIVATE KEY-----"
SERVER = """\
import json, os, sys
secret = os.environ["KEY"]
pem = %PEM%
tool = {
    "name": "echo", "description": "Say back. " + secret, "inputSchema": {"type": "object", "description": pem},
    "annotations": {"title": "sk-ant-CANARYabcdefghijklmnop"},
}
print("banner", secret, flush=True)
print(secret.encode().hex(), file=sys.stderr)
print(pem, file=sys.stderr, flush=True)
if "dies" in sys.argv:
    sys.exit(3)
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    result = {
        "initialize": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                       "serverInfo": {"name": "s", "version": "1 " + secret}, "instructions": secret},
        "tools/list": {"tools": [tool]},
        "tools/call": {"content": [{"type": "text", "text": text} for text in (secret[:9], secret[9:], pem)]},
    }.get(message["method"])
    answer = {"result": result} if result else {"error": {"code": -32601, "message": "no " + secret}}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}), flush=True)
""".replace("%PEM%", repr(PEM))
TRACES = ("CANARY", SECRET.encode().hex()[4:40], SECRET.encode().hex().upper()[4:40])
ENV = {"PLANTED": SECRET}


def write_suite(folder: Path, *arguments: str) -> None:
    (folder / "server.py").write_text(SERVER)
    server = {
        "command": [sys.executable, "server.py", *arguments],
        "env": {"KEY": "${env:PLANTED}"},
        "protocol": "legacy",
    }
    classes = [{"name": "echo", "members": ["s.echo"]}]
    test = {
        "name": "says it back",
        "prompt": "Say back.",
        "servers": ["s"],
        "model": "lexical",
        "equal_function_sets": {"classes": classes},
    }
    (folder / "suites").mkdir(exist_ok=True)
    (folder / "suites/s.yml").write_text(json.dumps({"servers": {"s": server}, "tests": [test]}))


def assert_clean(folder: Path, *finished: Finished) -> None:
    (folder / "server.py").unlink()
    places = {str(number): done.stdout + done.stderr for number, done in enumerate(finished)}
    places |= {str(path): path.read_text(errors="replace") for path in folder.rglob("*") if path.is_file()}
    for place, text in places.items():
        for trace in TRACES:
            assert trace not in text, (place, trace, text[:2000])


@pytest.mark.parametrize("arguments", [(), ("dies",)], ids=["answers", "dies"])
def test_no_command_that_starts_a_server_lets_its_secrets_out(
    run_toolgrade: RunToolgrade, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    write_suite(tmp_path, *arguments)
    done = [
        run_toolgrade("run", "--mode", "live", "--junit", "j.xml", "--markdown", "m.md", env=ENV),
        run_toolgrade("doctor", "suites", "--all", "--freeze", "frozen.json", env=ENV),
        run_toolgrade("doctor", "suites", "--format", "json", env=ENV),
        run_toolgrade("drift", env=ENV),
        run_toolgrade("drift", "--format", "json", env=ENV),
    ]
    codes = [one.code for one in done]
    assert 0 in codes or arguments
    if not arguments:
        assert (tmp_path / "frozen.json").exists(), done[1].stderr
    assert_clean(tmp_path, *done)


def test_a_draft_has_no_secret_of_the_server(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    write_suite(tmp_path)
    (tmp_path / "suites/s.yml").unlink()
    text = SERVER.replace('os.environ["KEY"]', '"sk-ant-CANARYabcdefghijklmnop"')
    (tmp_path / "server.py").write_text(text)
    done = run_toolgrade("init", "suites/new.yml", "--command", f"{sys.executable} server.py")
    assert done.code == 0, done.stderr
    assert_clean(tmp_path, done)


def test_a_token_on_the_command_line_is_not_printed_whole(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    command = f"{sys.executable} -c pass --api sk-ant-CANARYabcdefghijklmnop"
    done = run_toolgrade("doctor", "--command", command)
    assert done.code == 3
    other = run_toolgrade("doctor", "--url", "http://ada:CANARY1@127.0.0.1:9/mcp")
    assert other.code == 3
    for one in (done, other):
        assert "CANARY" not in one.stdout + one.stderr
