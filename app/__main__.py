"""Starts the window: ``python -m app`` or ``tinyloop-chat``."""

from __future__ import annotations

import sys

from app.main import main

if __name__ == "__main__":
    sys.exit(main())
