"""trec_eval by its own arguments, files and output."""

from __future__ import annotations

from rankwell.compat.trec_eval.command import main

__all__ = ["main"]
