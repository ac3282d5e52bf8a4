"""Starts the window, or the self-test: ``python -m app`` or ``tinyloop-chat``."""

from __future__ import annotations

import sys

from app import frozen


def main() -> int:
    """Run what the command line asks for and return its exit code."""
    frozen.prepare()
    if "--self-test" in sys.argv:
        from app.self_test import main as run
    else:
        try:
            from app.main import main as run
        except ImportError as error:
            if not frozen.tell_missing(error):
                raise
            return 1
    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
