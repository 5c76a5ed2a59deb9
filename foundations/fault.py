"""The world failed: what happened, to what, and what to do next."""


class Fault(Exception):
    """Something outside toolgrade stopped it; the message is for the user."""

    exit_code = 3
    details: tuple[str, ...] = ()
    ends_the_suite = False
    """Whether no further cell of the suite with a model should be begun."""

    def __init__(self, message: str, help: str | None = None) -> None:  # noqa: A002 - as in a diagnostic
        super().__init__(message)
        self.help = help


class BadInput(Fault):
    """A file that was given cannot be used."""

    exit_code = 2


class ServerFault(Fault):
    """A server could not be used; `details` is the end of what it wrote to stderr."""

    def __init__(self, server: str, what: str, details: tuple[str, ...] = (), help: str | None = None) -> None:  # noqa: A002
        super().__init__(f"server `{server}` {what}", help)
        self.details = details


class ServerGone(ServerFault):
    """A server that had started is no longer there; it may be started again."""
