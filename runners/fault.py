"""The world failed: what happened, to what, and what to do next."""


class Fault(Exception):
    """Something outside toolgrade stopped it; the message is for the user."""

    exit_code = 3

    def __init__(self, message: str, help: str | None = None) -> None:  # noqa: A002 - as in a diagnostic
        super().__init__(message)
        self.help = help


class BadInput(Fault):
    """A file that was given cannot be used."""

    exit_code = 2
