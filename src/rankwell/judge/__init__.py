"""Judging: a run matched with the qrels under a policy; the only place where ids are compared."""

from __future__ import annotations

from rankwell.judge.asked import Asked, Asker
from rankwell.judge.lists import judge, lists_of_others, missing_lists
from rankwell.judge.pooling import pool_of
from rankwell.judge.train import history_of

__all__ = ["Asked", "Asker", "history_of", "judge", "lists_of_others", "missing_lists", "pool_of"]
