"""`toolgrade` and `python -m toolgrade`."""

import gc
import os
import sys
import warnings


def main() -> int:
    """Run the command. It is over soon and makes hardly any cycles, so it looks for them rarely and not at exit."""
    gc.set_threshold(100_000, 50, 100)
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # looking for plugins costs 13 ms, and we use none
    if not sys.warnoptions:
        warnings.simplefilter("ignore")  # what libraries warn their developers of is no message for users
    from .cli import run_command_line as run

    try:
        return run()
    finally:
        gc.freeze()


if __name__ == "__main__":
    sys.exit(main())
