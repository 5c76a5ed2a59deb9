"""Exceptions for failures outside toolgrade: each says what happened and what to do next."""


class Fault(Exception):
    """A failure outside toolgrade; its message and `help` are shown to the user as they are."""

    exit_code = 3
    details: tuple[str, ...] = ()
    ends_the_suite = False
    """Whether no further cell of the suite with a model should be begun."""

    def __init__(self, message: str, help: str | None = None) -> None:  # noqa: A002 - as in a diagnostic
        super().__init__(message)
        self.help = help


class BadInput(Fault):
    """A file or an argument that was given and cannot be used."""

    exit_code = 2


class ServerFault(Fault):
    """A server that could not be used; `details` is the end of its stderr."""

    def __init__(self, server: str, what: str, details: tuple[str, ...] = (), help: str | None = None) -> None:  # noqa: A002
        super().__init__(f"server `{server}` {what}", help)
        self.details = details


class ServerGone(ServerFault):
    """A server that ended after it had started; it may be started again."""
