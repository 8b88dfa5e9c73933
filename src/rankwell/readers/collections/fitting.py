"""Topics that fit the judgements: the numbers that these mean, and only the topics that they judge."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

import numpy as np
import polars as pl

from rankwell.readers.collections.text import is_number, without_zeros
from rankwell.tables.collections import Topics
from rankwell.tables.ids import Ids
from rankwell.tables.run_qrels import Qrels


def judged_in(qrels: Qrels) -> set[str]:
    """Return the queries of judgements, as text."""
    return {str(each) for each in qrels.query.distinct().tolist()}


def numbered(topics: Topics, judged: AbstractSet[str], notes: list[str]) -> Topics:
    """Return topics with the numbers that the judgements use, where these can only mean one thing."""
    own = [str(each) for each in topics.ids.tolist()]
    if judged <= set(own) or not all(map(is_number, (*judged, *own))):
        return topics
    plain = [without_zeros(each) for each in own]
    places = [str(at + 1) for at in range(len(own))]
    if judged <= set(plain) and len(set(plain)) == len(own):
        new, note = plain, "topics lost the leading zeros of their numbers, as the judgements have none"
    elif judged <= set(places):
        new = places
        note = (
            f"topics are numbered by their place, 1 to {len(own)}, which the judgements mean: in the file the last is "
            f"{own[-1]}"
        )
    else:
        return topics
    notes.append(note)
    return Topics(Ids.of_strings(new), topics.frame, name=topics.name)


def only(topics: Topics, judged: AbstractSet[str], notes: list[str]) -> Topics:
    """Return the topics that are judged; all if none is."""
    is_judged = np.array([str(each) in judged for each in topics.ids.tolist()], bool)
    if is_judged.all() or not is_judged.any():
        return topics
    left_out = np.count_nonzero(~is_judged)
    notes.append(f"{left_out:,} of {len(topics):,} topics are not judged in this split and left out")
    return Topics(
        topics.ids[np.flatnonzero(is_judged)], topics.frame.filter(pl.Series(is_judged)), name=topics.name
    )
