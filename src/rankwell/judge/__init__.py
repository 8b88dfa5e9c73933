"""judge: a run and the qrels brought together under a policy. The only place where ids meet."""

from __future__ import annotations

from rankwell.judge.asked import Asked
from rankwell.judge.history import history_of
from rankwell.judge.lists import judge, lists_of_others, missing_lists
from rankwell.judge.pool import pool_of

__all__ = ["Asked", "history_of", "judge", "lists_of_others", "missing_lists", "pool_of"]
