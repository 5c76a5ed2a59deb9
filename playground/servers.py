"""Installs the servers of servers.toml into .servers/, each in its own environment, if they are not there yet."""

import json
import shutil
import subprocess
import sys
import tomllib
import venv
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

TABLE = Path(__file__).with_name("servers.toml")
HOME = Path(".servers")


@dataclass(frozen=True, slots=True)
class Server:
    """A row of servers.toml."""

    name: str
    registry: str
    package: str
    extra: tuple[str, ...]
    program: str
    is_optional: bool = False

    @property
    def folder(self) -> Path:
        """The environment of this server alone."""
        return HOME / self.name

    @property
    def launcher(self) -> Path:
        """The link by which suites start it."""
        return HOME / "bin" / self.name

    @property
    def is_installed(self) -> bool:
        """Whether this very version was installed completely."""
        stamp = self.folder / "installed.json"
        return self.launcher.exists() and stamp.exists() and stamp.read_text() == self.stamp

    @property
    def stamp(self) -> str:
        """The text that is written when an installation is complete."""
        what = {key: value for key, value in asdict(self).items() if key != "is_optional"}
        return json.dumps(what, indent=2) + "\n"


def read_table(table: Path = TABLE) -> list[Server]:
    """Return the rows of the table, in their order."""
    return [
        Server(
            name,
            registry,
            row["package"],
            tuple(row.get("with", ())),
            row.get("program", name),
            row.get("optional", False),
        )
        for registry, rows in tomllib.loads(table.read_text()).items()
        for name, row in rows.items()
    ]


def install(server: Server) -> None:
    """Install one server from nothing; exit if it does not have its program.

    The stamp is written last, so that an installation that was cut short is made again.
    """
    shutil.rmtree(server.folder, ignore_errors=True)
    program = _INSTALLERS[server.registry](server)
    if not program.exists():
        raise SystemExit(f"{server.package} has no program `{server.program}`: give its `program` in {TABLE.name}")
    server.launcher.parent.mkdir(parents=True, exist_ok=True)
    server.launcher.unlink(missing_ok=True)
    # A relative link still works if the checkout is moved.
    server.launcher.symlink_to(Path("..") / program.relative_to(HOME))
    (server.folder / "installed.json").write_text(server.stamp)


def _install_from_pypi(server: Server) -> Path:
    venv.create(server.folder, symlinks=True)
    python = server.folder / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-compile"]
    _run([*pip, server.package, *server.extra])
    return server.folder / "bin" / server.program


def _install_from_npm(server: Server) -> Path:
    npm = ["npm", "install", "--silent", "--no-save", "--no-package-lock", "--no-audit", "--no-fund", "--prefix"]
    server.folder.mkdir(parents=True)
    _run([*npm, str(server.folder), server.package.replace("==", "@")])
    return server.folder / "node_modules" / ".bin" / server.program


_INSTALLERS = {"pypi": _install_from_pypi, "npm": _install_from_npm}


def _run(argv: list[str]) -> None:
    done = subprocess.run(argv, capture_output=True, text=True, check=False)  # noqa: S603 - the table's own rows
    if done.returncode:
        raise SystemExit(f"{' '.join(argv)} failed:\n{done.stdout}{done.stderr}")


def main(names: list[str]) -> None:
    """Install the named servers, or all that are not optional; leave out npm packages if npm is missing, and say so."""
    table = read_table()
    if unknown := set(names) - {server.name for server in table}:
        raise SystemExit(f"{TABLE.name} has no server {', '.join(sorted(unknown))}")
    wanted = [server for server in table if (server.name in names if names else not server.is_optional)]
    missing = [server for server in wanted if not server.is_installed]
    if shutil.which("npm") is None and (needy := [server for server in missing if server.registry == "npm"]):
        missing = [server for server in missing if server not in needy]
        sys.stderr.write(f"Left out, as npm is not on PATH: {', '.join(server.name for server in needy)}\n")
    if missing:
        sys.stderr.write(f"Installing {', '.join(server.name for server in missing)} into {HOME}\n")
    HOME.mkdir(exist_ok=True)
    (HOME / ".gitignore").write_text("*\n")
    # Installing waits for the network most of the time.
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(install, missing))


if __name__ == "__main__":
    main(sys.argv[1:])
