"""What the bundle's window program runs."""

import sys

from app.__main__ import main

sys.exit(main())
