"""Leaderboards over many tasks that say which ranks are real: a ``Suite`` of values, and its ``Board``."""

from __future__ import annotations

from typing import Literal

from rankwell.faces import Commands

COMMANDS = Commands("Compare", 1)
RankBy = Literal["mean", "borda", "mean_rank"]
Draw = Literal["queries", "tasks"]
Missing = Literal["refuse", "shared"]
