"""How long a server may take and how much it may send, before it is given up on."""

from dataclasses import dataclass, replace

from msgspec import UnsetType

from ...compiler.plan import AnyServer

_KIB = 1024
_MIB = 1024 * _KIB


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """The bounds of one connection; a suite's `timeout_s` replaces the first three."""

    start_s: float = 30.0
    list_s: float = 30.0
    call_s: float = 60.0
    stop_s: float = 2.0
    pages: int = 1000
    message_bytes: int = 32 * _MIB
    """A longer message is not kept: its length and hash stand for it."""
    flood_bytes: int = 640 * _MIB
    """A message that has not ended by then ends the server."""
    result_bytes: int = 256 * _KIB
    """A longer result of a call is cut, with its length and hash."""
    stderr_bytes: int = 64 * _KIB

    def update_timeouts(self, server: AnyServer) -> "ServerLimits":
        """Return these bounds with the time limits that a suite sets for a server."""
        if isinstance(server.timeout_s, UnsetType):
            return self
        chosen = {f"{name}_s": value for name in ("start", "list", "call") if (value := _get_timeout_s(server, name))}
        return replace(self, **chosen)


def _get_timeout_s(server: AnyServer, name: str) -> float | None:
    value = getattr(server.timeout_s, name)
    return None if isinstance(value, UnsetType) else float(value)
