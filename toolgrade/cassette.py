"""Cassettes from Python: turn a run that was made elsewhere into a recording that `toolgrade run` replays."""

from .foundations.redaction import Redactor
from .runners.cassettes.cassette import Cassette, RecordedCall, cassette_path
from .runners.cassettes.cassette_file import Refusal, load_cassette
from .runners.cassettes.recorder import Recorder
from .runners.cassettes.recording import FinishedRun
from .runners.catalogs.fingerprint import ServerListing, Toolset, fingerprint

__all__ = [
    "Cassette",
    "FinishedRun",
    "RecordedCall",
    "Recorder",
    "Redactor",
    "Refusal",
    "ServerListing",
    "Toolset",
    "cassette_path",
    "fingerprint",
    "load_cassette",
]
