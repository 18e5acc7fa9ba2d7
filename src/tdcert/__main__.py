"""``python -m tdcert`` is the command ``tdcert``."""

import sys

from tdcert.reports.cli import main

if __name__ == "__main__":
    sys.exit(main())
