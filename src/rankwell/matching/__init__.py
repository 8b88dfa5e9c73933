"""Judging: a run matched with the qrels under a policy; the only place where ids are compared."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rankwell.matching.batch import history_of
    from rankwell.matching.lists import judge, lists_of_others, missing_lists
    from rankwell.matching.policy import Asked, Asker
    from rankwell.matching.pool import pool_of

__all__ = ["Asked", "Asker", "history_of", "judge", "lists_of_others", "missing_lists", "pool_of"]
HOMES = {
    "Asked": "policy",
    "Asker": "policy",
    "history_of": "batch",
    "judge": "lists",
    "lists_of_others": "lists",
    "missing_lists": "lists",
    "pool_of": "pool",
}


# Loaded when asked for: the rules of a policy, which the help of a command lists, need no NumPy.
def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
    return getattr(importlib.import_module(f"{__name__}.{HOMES[name]}"), name)
