"""Leaderboards over many tasks that say which ranks are real: a ``Suite`` of values, and its ``Board``."""

from __future__ import annotations

from rankwell.faces import Commands

COMMANDS = Commands("Compare", 1)
