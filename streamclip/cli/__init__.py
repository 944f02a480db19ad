"""The command line: one module for each named command, and what they share."""

from __future__ import annotations

from streamclip.cli.clip import main

__all__ = ["main"]
