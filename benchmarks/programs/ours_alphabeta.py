"""rankwell's αβ-nDCG, data in memory: USERS KINDS [WHOLE]. Runs where rankwell is installed.

Seconds of CPU time, as parts of a second would suffer from what else runs: ``profiles``, ``dcg`` and ``ideal`` are the parts of
ab_ndcg@10 after lists and judgements were matched, each the median of several calls on one core; ``ab_ndcg@10`` and ``ndcg@10``
are whole evaluations of a run that is in memory, ``next`` those of one more run with the same evaluator.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from statistics import median

import numpy as np
import polars as pl
from alphabeta_data import data

import rankwell as rw
from rankwell.metrics import metric_of
from rankwell.metrics.diversity.topic_ideal import without_lists

CALLS = 7
FEW = 200  # users whose values are printed


def timed(function: Callable[[], object], calls: int = CALLS) -> float:
    seconds = []
    for _ in range(calls):
        start = time.process_time()
        function()
        seconds.append(time.process_time() - start)
    return median(seconds)


def main() -> None:
    users, kinds, whole = int(sys.argv[1]), int(sys.argv[2]), len(sys.argv) > 3
    given = data(users, kinds)

    def rows(table: np.ndarray) -> np.ndarray:
        return np.repeat(np.arange(users), table.shape[1])

    run = rw.Run(query=rows(given.shown), item=given.shown.ravel(), rank=np.tile(np.arange(1, 11), users))
    qrels = rw.Qrels(query=rows(given.test), item=given.test.ravel(), grade=given.test_rating.ravel())
    train = rw.Qrels(query=rows(given.train), item=given.train.ravel(), grade=given.train_rating.ravel())
    items = pl.DataFrame(
        {
            "item": range(len(given.topics)),
            "topics": [[f"t{t:02}" for t in topics] for topics in given.topics],
        }
    )
    metric = metric_of("ab_ndcg@10")
    dcg = metric_of("ab_dcg@10")
    tables = {"items": items, "train": train}
    task = rw.Evaluator(qrels, [metric, dcg], **tables).task
    pool, context = task.pool, task.context
    batches = [batch() for batch in run.rows.batches(250_000)]
    assert len(metric.kinds(context).members[1]) == kinds + 1  # of the catalogue: made once

    def profiles() -> None:
        metric.interests(pool, replace(context))  # a context that keeps nothing yet

    seconds = {"profiles": timed(profiles, 3)}
    parts = []
    for _ in range(CALLS):
        judged = [task.judged(batch)[0] for batch in batches]
        start = time.process_time()
        for batch in judged:
            dcg.per_query(batch, context)
        parts.append(time.process_time() - start)
    seconds["dcg"] = median(parts)
    cuts = (10,)
    seconds["ideal"] = timed(lambda: metric.measured(without_lists(pool), context, cuts))
    res = rw.evaluate(run, qrels, [dcg, metric], **tables)
    frame = res.per_query.head(FEW)
    values = {f"mean of the first {FEW}, {name}": float(frame[str(name)].mean()) for name in (dcg, metric)}
    if whole:
        plain = {"policy": rw.Policy(grades="judgements"), "per_query": False}
        seconds["ab_ndcg@10"] = timed(lambda: rw.evaluate(run, qrels, [metric], **plain, **tables), 3)
        seconds["ndcg@10"] = timed(lambda: rw.evaluate(run, qrels, ["ndcg@10"], **plain), 3)
        for text, needed in (("ab_ndcg@10", tables), ("ndcg@10", {})):
            kept = rw.Evaluator(qrels, [text], **plain, **needed)
            kept.evaluate(run)
            seconds[f"next {text}"] = timed(lambda kept=kept: kept.evaluate(run), 3)
    print(json.dumps({"values": values, "seconds": seconds}))


if __name__ == "__main__":
    main()
