"""Sums of what groups answered, made where the answers are, so that few come back."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

from rankwell.evaluation.distributed.job import DONE
from rankwell.evaluation.streaming.done import Done
from rankwell.evaluation.streaming.values import Values

MANY, FEW = 32, 8  # answers that come back one by one; sums that more are made into


def merged(answered: Any, groups: int) -> Any:
    """Return the answers of groups, as some sums of them if there are many."""
    answers = answered.filter(answered[DONE].isNotNull()).select(DONE)
    if groups <= MANY:
        return answers
    return answers.repartition(FEW).mapInArrow(sums, f"{DONE} binary")


def sums(batches: Iterator[Any]) -> Iterator[Any]:
    """Yield the sum of all answers in batches of Arrow, one taken after the other."""
    import pyarrow as pa

    done = Done(Values())
    for batch in batches:
        for answer in batch.column(0):
            done.add(pickle.loads(answer.as_py()))  # noqa: S301 - written by our own job
    if done.is_begun:
        blob = pickle.dumps(done.as_part(), pickle.HIGHEST_PROTOCOL)
        yield pa.RecordBatch.from_arrays([pa.array([blob], pa.binary())], names=[DONE])
