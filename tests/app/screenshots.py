"""Takes the pictures of the README: ``python tests/app/screenshots.py [FOLDER]``.

Writes ten of them, into ``resources/screenshots`` unless told otherwise: an empty chat, a run,
three variants, a receipt and an error, light and dark. Exit code 1 when one does not show what it
should.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# As pytest has it: the tests' helpers after the product, for tests/engine is another folder.
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from photographer import missing, take_all  # noqa: E402
from PySide6.QtWidgets import QApplication  # noqa: E402


def main() -> int:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "resources" / "screenshots"
    application = QApplication([])
    code = 0
    for picture, words in take_all(folder).items():
        without = missing(picture, words)
        note = f": without {without}" if without else ""
        sys.stdout.write(f"{folder / picture}.png{note}\n")
        code = code or bool(without)
    del application
    return int(code)


if __name__ == "__main__":
    sys.exit(main())
