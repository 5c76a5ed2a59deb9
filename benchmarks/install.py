"""Measures the size and the import time of a plain install, ours and three rivals', each in an empty environment.

`make bench-install`, or `python benchmarks/install.py [NAME…]` for some of them. Sizes are of the files that pip put
there, byte code included; times are the best of several fresh processes, less that of an empty one.
"""

import os
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

ROOT = Path(__file__).parent.parent
MODULES = {
    "toolgrade": "toolgrade",
    "pydantic-evals": "pydantic_evals",
    "deepeval": "deepeval",
    "eval-ai-library": "eval_lib",
}
ROUNDS = 7
OFFLINE = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "DEEPEVAL_TELEMETRY_OPT_OUT": "YES"}  # imports that would call home


def main(names: list[str]) -> None:
    """Print a row for each package."""
    print(f"{'package':<18} {'MB':>6} {'packages':>9} {'import s':>9}")
    for name in names or MODULES:
        with tempfile.TemporaryDirectory() as folder:
            python = installed(name, Path(folder))
            size, packages = weigh(python)
            seconds = best(python, f"import {MODULES[name]}") - best(python, "pass")
            print(f"{name:<18} {size / 1e6:>6.0f} {packages:>9} {seconds:>9.2f}", flush=True)


def installed(name: str, folder: Path) -> Path:
    """Return the interpreter of a new environment with this package and its dependencies."""
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    wanted = str(ROOT) if name == "toolgrade" else name
    subprocess.run([python, "-m", "pip", "install", "--quiet", wanted], check=True, stderr=subprocess.DEVNULL)
    return python


def weigh(python: Path) -> tuple[int, int]:
    """Return the bytes and the number of the packages, without pip and setuptools."""
    (packages,) = (python.parent.parent / "lib").glob("python*/site-packages")
    own = [entry for entry in packages.iterdir() if not entry.name.startswith(("pip", "setuptools", "_distutils"))]
    files = [file for entry in own for file in ([entry] if entry.is_file() else entry.rglob("*")) if file.is_file()]
    return sum(file.stat().st_size for file in files), sum(entry.suffix == ".dist-info" for entry in own)


def best(python: Path, code: str) -> float:
    """Return the least time of several runs; the first of them writes the byte code."""
    times: list[float] = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        subprocess.run([python, "-c", code], check=True, capture_output=True, env={**os.environ, **OFFLINE})
        times.append(time.perf_counter() - started)
    return min(times)


if __name__ == "__main__":
    main(sys.argv[1:])
