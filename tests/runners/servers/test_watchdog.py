"""Nothing outlives toolgrade, also when it is killed and cannot clean up."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.rogues import ROGUE, started_by_us

RUN = """\
import asyncio, os, sys
from pathlib import Path
from toolgrade.compiler.plan import StdioServer
from toolgrade.runners.servers.session import connect_server
from toolgrade.runners.servers.transports import LaunchContext

async def main():
    server = StdioServer("rogue", tuple(sys.argv[1:]), {"ROGUE_OF": os.environ["ROGUE_OF"]})
    async with connect_server(server, LaunchContext(os.environ, Path.cwd())):
        print("ready", flush=True)
        await asyncio.sleep(600)

asyncio.run(main())
"""


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="who is alive is read from /proc")
@pytest.mark.parametrize("behaviours", [(), ("stubborn",), ("grandchild",), ("resession",)], ids=" ".join)
def test_no_server_is_alive_five_seconds_after_toolgrade_was_killed(behaviours: tuple[str, ...]) -> None:
    env = {**os.environ, "ROGUE_OF": str(os.getpid())}
    command = [sys.executable, "-c", RUN, sys.executable, str(ROGUE), *behaviours]
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        assert len(started_by_us()) >= 2
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    deadline = time.monotonic() + 5
    while (alive := started_by_us()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert alive == []
