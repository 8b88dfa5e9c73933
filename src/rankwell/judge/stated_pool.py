"""The stated pool: what of the items that some runs hold has not been judged, beside the judgements."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from rankwell.judge.asked import Asked
from rankwell.judge.context import Context
from rankwell.judge.policy import Policy
from rankwell.judge.pool import Pool
from rankwell.judge.unjudged_pair import batches_of
from rankwell.kernels import match
from rankwell.tables.csr import offsets_of, owners
from rankwell.tables.ids import Ids, Known, to_same_kind
from rankwell.tables.run_qrels import Run


def with_pooled(pool: Pool, runs: Iterable[Run], depth: int | None, policy: Policy) -> Pool:
    """Return the judgements with the unjudged items that the runs hold down to rank ``depth``, whose grades are NaN."""
    deepest = policy.depth if depth is None else min(depth, policy.depth or depth)
    rules = replace(policy, depth=deepest, missing="skip")
    found: list[tuple[np.ndarray, Ids]] = []
    for run in runs:
        found += _unjudged_of(run, pool, Asked(rules, needs=frozenset({"shown", "item"})))
    if any(not items.is_text for _, items in found) and pool.items.is_text:
        pool = pool.in_integers()
    query = np.concatenate([owners(pool.offsets), *(rows for rows, _ in found)])
    items = Ids.concatenate([pool.items, *(to_same_kind(own, pool.items, "item")[0] for _, own in found)])
    grades = np.concatenate([pool.grades, np.full(len(query) - len(pool.grades), np.nan)])
    order = np.argsort(query, kind="stable")
    query, items, grades = query[order], items[order], grades[order]
    offsets = offsets_of(np.bincount(query, minlength=len(pool.queries)))
    again, _ = match.repeats(offsets, *items.columns)
    kept = np.ones(len(query), np.bool_)
    kept[again] = False
    rows, until = np.flatnonzero(kept), offsets_of(kept)
    return Pool(pool.queries.ids, until[offsets], items[rows], grades[rows], pool.scale)


def _unjudged_of(run: Run, pool: Pool, asked: Asked) -> list[tuple[np.ndarray, Ids]]:
    """Return the unjudged items of a run's lists, with the row of each one's query in the pool, a batch at a time."""
    catalogue = Known(run.rows.table().item.distinct())
    context = Context(pool.scale, catalogue=catalogue)
    found = []
    for judged in batches_of(run, pool, asked, context):
        shown = judged.shown
        assert shown.item is not None
        row = judged.pool_row[shown.query]
        free = np.flatnonzero(np.isnan(shown.grade) & (row >= 0))
        found.append((row[free], catalogue.ids[shown.item[free]]))
    return found
