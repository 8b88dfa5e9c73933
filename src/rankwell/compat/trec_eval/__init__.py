"""trec_eval's command line, input files and output."""

from __future__ import annotations

from rankwell.compat.trec_eval.command import main

__all__ = ["main"]
