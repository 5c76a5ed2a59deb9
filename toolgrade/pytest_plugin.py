"""The pytest plugin: suites as test items, and fixtures that score and record runs of an agent of your own.

Off unless suites are named, by `--toolgrade` or the setting `toolgrade_suites`; until then it imports nothing of ours.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .api import TraceSource
    from .foundations.paths import StrPath
    from .runners.cassettes.recorder import Recorder
    from .site.report.report_model import TestReport


class RunScorer(Protocol):
    """Scores runs against a test of a suite; fails the pytest test with the reasons if a gate does."""

    def __call__(
        self,
        suite: StrPath,
        runs: TraceSource,
        test: str | None = None,
        model: str | None = None,
        server_of: Mapping[str, str] | None = None,
    ) -> TestReport: ...


class RecorderFactory(Protocol):
    """A recorder for the tests of these suites."""

    def __call__(self, *suites: StrPath, secrets: Sequence[str] = ()) -> Recorder: ...


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the plugin's options and settings to pytest."""
    group = parser.getgroup("toolgrade", "toolgrade: suites of tool selection")
    group.addoption(
        "--toolgrade", action="append", default=[], metavar="SUITE",
        help="replay this suite file or folder, an item for each test and model; may be repeated",
    )  # fmt: skip
    group.addoption("--toolgrade-cassettes", metavar="DIR", help="where recordings are (default: cassettes)")
    group.addoption("--toolgrade-record", action="store_true", help="run the tests that use toolgrade_recorder")
    parser.addini("toolgrade_suites", "suite files and folders to replay", type="paths", default=[])
    parser.addini("toolgrade_cassettes", "where recordings are", default="cassettes")


def pytest_configure(config: pytest.Config) -> None:
    """Register what collects and runs the suites, if any suite is named."""
    option: list[str] = config.option.toolgrade
    named = [Path(config.invocation_params.dir, suite) for suite in option]
    setting: list[Path] = config.getini("toolgrade_suites")
    suites = [*named, *setting]
    if not suites:
        return
    from .pytest_items import SuiteCollector

    config.pluginmanager.register(SuiteCollector(suites, find_cassette_folder(config)), "toolgrade-suites")
    is_whole = config.args_source is not pytest.Config.ArgsSource.ARGS
    for suite in suites if is_whole else named:  # what a setting names is left out where files are named
        config.args.append(str(suite))


def find_cassette_folder(config: pytest.Config) -> Path:
    """Return the folder of the recordings, from the option or the setting."""
    option = config.getoption("--toolgrade-cassettes")
    if option:
        return Path(config.invocation_params.dir, option)
    return Path(config.inipath.parent if config.inipath else config.rootpath, config.getini("toolgrade_cassettes"))


@pytest.fixture
def toolgrade_score() -> RunScorer:
    """Score a trace, several runs, or a trace file against a test: `toolgrade_score("suites/shop.yml", trace)`."""
    from .pytest_items import score_or_fail

    return score_or_fail


@pytest.fixture
def toolgrade_recorder(request: pytest.FixtureRequest) -> RecorderFactory:
    """Make a `Recorder` for a suite; the test is skipped unless pytest is told to record (`--toolgrade-record`)."""
    if not request.config.getoption("--toolgrade-record"):
        pytest.skip("records cassettes: --toolgrade-record runs it")
    cassettes = find_cassette_folder(request.config)

    def make_recorder(*suites: StrPath, secrets: Sequence[str] = ()) -> Recorder:
        from .runners.cassettes.recorder import Recorder

        return Recorder(suites, cassettes, secrets)

    return make_recorder
