"""Run the command line: `python -m streamclip`."""

from __future__ import annotations

import sys

from streamclip.cli.clip import main

if __name__ == "__main__":
    sys.exit(main())
