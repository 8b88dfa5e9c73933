"""Sums of what groups answered, made where the answers are, so that few come back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rankwell.evaluation.distributed.answers import DONE, RANGE, of_blob
from rankwell.evaluation.distributed.by_item import Pieces, add, folded
from rankwell.evaluation.distributed.mapping import mapped
from rankwell.evaluation.distributed.packing import unpacked
from rankwell.evaluation.streaming.done import Done
from rankwell.evaluation.streaming.values import Values

MANY, FEW = 32, 8  # answers that come back one by one; sums that more are made into


def merged(answered: Any, groups: int, ranges: int) -> Any:
    """Return the answers of groups, as some sums of them if there are many, and folded states by range of items if there are any."""
    answers = answered.filter(answered[DONE].isNotNull()).select(RANGE, DONE)
    if ranges:
        return mapped(answers.repartition(ranges, RANGE), sums, f"{DONE} binary")
    if groups <= MANY:
        return answers.select(DONE)
    return mapped(answers.repartition(FEW), sums, f"{DONE} binary")


def sums(batches: Iterator[Any]) -> Iterator[Any]:
    """Yield the sum of all answers in batches of Arrow, one taken after the other, and the folded states of ranges of items."""
    done, by_range = Done(Values()), dict[int, Pieces]()
    for batch in batches:
        for number, answer in zip(batch.column(0).to_pylist(), batch.column(1), strict=True):
            found = unpacked(answer.as_py())
            if number is None:
                done.add(found)
            else:
                add(by_range.setdefault(number, {}), found)
    made = [done.as_part()] if done.is_begun else []
    for each in (*made, *([folded(by_range)] if by_range else [])):
        yield of_blob(each)
