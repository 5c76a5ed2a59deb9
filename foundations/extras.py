"""The optional parts of toolgrade: which modules each needs, and the message if they are not installed."""

from importlib.util import find_spec

from .fault import BadInput

EXTRA_MODULES: dict[str, tuple[str, ...]] = {
    # mcp 1.x has no `mcp_types`: an environment that holds a server built on 1.x has no part `live`.
    "live": ("mcp", "mcp_types", "rich", "tiktoken"),
    "site": ("jinja2", "mkdocs"),
    "models": ("genai_prices", "pydantic_ai"),
    "agents": ("acp",),
}


class MissingExtra(BadInput):
    """A command needs an optional part that is not installed."""

    def __init__(self, subject: str, extra: str) -> None:
        super().__init__(f"{subject} needs the extra `{extra}`: pip install 'toolgrade[{extra}]'")


def require_extra(extra: str, subject: str) -> None:
    """Raise `MissingExtra` if a module of this extra is not installed; import none of them."""
    if not all(map(_is_installed, EXTRA_MODULES[extra])):
        raise MissingExtra(subject, extra)


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ValueError:  # a module that a test has blocked: None stands for it in sys.modules
        return False
