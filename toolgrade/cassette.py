"""Cassettes from Python: turn a run that was made elsewhere into a recording that `toolgrade run` replays."""

from .runners.cassette import Cassette, RecordedCall, cassette_path
from .runners.fingerprint import ServerListing, Toolset, fingerprint
from .runners.recorder import Recorder
from .runners.recording import FinishedRun
from .runners.redaction import Redactor
from .runners.stale import Refusal, load_cassette

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
