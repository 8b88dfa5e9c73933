"""ndeval's command line, input files and output."""

from __future__ import annotations

from rankwell.compat.ndeval.command import main

__all__ = ["main"]
