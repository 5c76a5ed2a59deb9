"""Planted secrets are in no file that is written and on no stream."""

import json
from base64 import b64encode
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tests.conftest import RunToolgrade
from tests.recordings import TOOLS, write_suite
from toolgrade.cassette import Recorder

VALUE = "pa/ss+CANARY-env?"
SUITE = """\
servers:
  docs: {url: "https://docs.example/mcp", headers: {Authorization: "Bearer ${env:DOCS_TOKEN}"}}
tests:
  - name: reads
    prompt: Read it.
    model: m
    servers: [docs]
    expect:
      - tool_calls[0].args.note: {contains: nowhere}
      - final_response: {contains: nowhere}
    equal_function_sets: {classes: [{name: read, members: [docs.read]}]}
"""
CANARIES = {
    "environment value": VALUE,
    "bearer": "Authorization: Bearer CANARY2abcdefgh",
    "cookie": "Cookie: sid=CANARY3; theme=dark",
    "key in a URL": "https://x.example/?q=1&api_key=CANARY4abc",
    "OAuth body": "grant_type=refresh_token&refresh_token=CANARY5abc&client_secret=CANARY6abc",
    "base64": b64encode(f"user:{VALUE}".encode()).decode(),
    "URL-encoded": quote(VALUE, safe=""),
    "JSON in text": '{"access_token": "CANARY7abc"}',
    "provider key": "sk-ant-CANARY8abcdefghijkl",
    "key in a header": "x-api-key: AIzaCANARY9" + "a" * 30,
}
TRACES = ["CANARY", quote(VALUE, safe=""), CANARIES["base64"][8:-8]]


def record(folder: Path) -> None:
    everything = "\n".join(CANARIES.values())
    calls: list[dict[str, Any]] = [
        {"server": "docs", "name": "read", "args": {"note": everything, "password": "CANARY10"}, "status": "ok"},
        {"server": "docs", "name": "read", "args": {everything: [everything]}, "result": {"content": [everything]}},
        {"server": "docs", "name": "shell", "status": "error", "result": f"failed: {everything}", "turn": 2},
    ]
    plan = write_suite(folder, SUITE)
    meta = {"stderr": everything, "headers": {"Authorization": "CANARY11"}}
    with Recorder(plan, folder / "cassettes", environment={"DOCS_TOKEN": VALUE}) as recorder:
        recorder.record(
            "reads",
            tool_calls=calls,
            tools={"docs": TOOLS},
            final_response=everything,
            warnings=[everything],
            meta=meta,
        )


def test_no_secret_is_in_any_file_or_stream(run_toolgrade: RunToolgrade, tmp_path: Path) -> None:
    record(tmp_path)
    outputs = [
        run_toolgrade("run", "--junit", "junit.xml", "--markdown", "summary.md"),
        *(run_toolgrade("run", "--format", style) for style in ("json", "github", "agent")),
    ]
    assert [done.code for done in outputs] == [1] * len(outputs)
    files = {path: path.read_text(encoding="utf-8") for path in tmp_path.rglob("*") if path.is_file()}
    names = {path.name for path in files}
    assert {"report.json", "run.json", "junit.xml", "summary.md", "toolsets.lock.json"} <= names
    assert len([name for name in names if name.endswith(".meta.json")]) == 1
    streams = {str(number): done.stdout + done.stderr for number, done in enumerate(outputs)}
    for place, text in {**files, **streams}.items():
        for trace in TRACES:
            assert trace not in text, (place, trace)
    report = json.loads(files[tmp_path / "reports/replay/report.json"])
    calls = report["suites"][0]["tests"][0]["traces"][0]["tool_calls"]
    assert [call.get("redacted", False) for call in calls] == [True, True, False]
