"""What the bundle's terminal program runs."""

import sys

from engine.__main__ import main

sys.exit(main())
