"""Redaction of comparisons and differences: ids as hashes, and no group that is too small."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankwell.comparison.comparison import Comparison
from rankwell.comparison.diffs import Diff
from rankwell.results.redacting import alone
from rankwell.tables.redaction import Redaction


def without_small_groups(found: Comparison, redaction: Redaction) -> Comparison:
    """Return a comparison without the segments of too few queries; a note says how many there were."""
    hidden = redaction.hides([_size(found, segment) for segment in range(1, len(found.segments))])
    if not hidden.any():
        return found
    kept = [0, *(np.flatnonzero(~hidden) + 1).tolist()]
    places = {segment: place for place, segment in enumerate(kept)}
    return replace(
        found,
        segments=tuple(found.segments[segment] for segment in kept),
        means={(m, places[at]): own for (m, at), own in found.means.items() if at in places},
        differences={(m, places[at]): own for (m, at), own in found.differences.items() if at in places},
        notes=(*found.notes, redaction.note(int(hidden.sum()))),
    )


def _size(found: Comparison, segment: int) -> int:
    """The fewest queries behind a mean of a segment, but for means of none."""
    n = np.concatenate([own.n for (_, at), own in found.means.items() if at == segment])
    return int(n[n > 0].min(initial=n.max()))


def redacted(found: Diff, redaction: Redaction) -> Diff:
    """Return a difference with ids as hashes, in the order of these, and without texts and groups of too few queries."""
    ids = redaction.ids("query", found.ids)
    order = ids.order()
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    labels, members = found.groups.labels, [np.sort(place[own]) for own in found.groups.members]
    hidden = np.append(False, redaction.hides([len(own) for own in members[1:]]))
    withheld = np.zeros(len(order), bool)
    for own in (members[group] for group in np.flatnonzero(hidden)):
        withheld[own] = True
    kept = np.flatnonzero(~hidden).tolist()
    groups = replace(
        found.groups,
        labels=tuple(labels[group] for group in kept),
        members=tuple(members[group] for group in kept),
    )
    a, b = (alone(res, found.metric, redaction) for res in found.results)
    return replace(
        found,
        results=(a, b),
        ids=ids[order],
        values=found.values[:, order],
        lacking=found.lacking[:, order],
        groups=groups,
        query_texts=None,
        item_texts=None,
        redaction=redaction,
        true_ids=found.ids[order],
        withheld=withheld,
    )
