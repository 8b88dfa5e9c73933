"""Redaction of results: queries as hashes, and no segment that is too small."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankwell.metrics.metric import Metric
from rankwell.results.results import Results
from rankwell.results.segments import Division
from rankwell.tables.redaction import Redaction


def without_small_groups(res: Results, redaction: Redaction) -> Results:
    """Return results without the segments of too few queries."""
    return replace(res, division=res.division._replace(least=redaction.least))


def alone(res: Results, metric: Metric, redaction: Redaction) -> Results:
    """Return results of one metric whose queries are hashes, in the order of these, without all else that may hold an id or name a group."""
    res = res.collected()
    part = res.part
    ids = redaction.ids("query", part.queries)
    order = ids.order()
    kept = replace(
        part,
        queries=ids[order],
        # the row in the judgements would say which of them each is
        pool_row=np.where(part.pool_row[order] >= 0, np.arange(len(order)), -1),
        values={each: own[order] for each, own in part.values.items() if each == metric},
        states={metric: part.states[metric]},
        tied=part.tied if callable(part.tied) else {each: own for each, own in part.tied.items() if each == metric},
        diagnostics={each: own for each, own in part.diagnostics.items() if each == metric},
        undefined={key: n for key, n in part.undefined.items() if key[0] == metric},
        reported={key: n for key, n in part.reported.items() if key[0] == metric},
        weighted={each: own for each, own in part.weighted.items() if each == metric},
        split={}, sizes={}, segment=None, divided={}, low={}, high={},
    )  # fmt: skip
    return replace(
        res, metrics=(metric,), part=kept, division=Division(weights=res.division.weights), slices={}, bounding=None, notice=None,
    )  # fmt: skip


def redacted(res: Results, redaction: Redaction) -> Results:
    """Return results whose queries are hashes, and without the segments of too few queries."""
    part = replace(res.part, queries=redaction.ids("query", res.part.queries))
    return replace(without_small_groups(res, redaction), part=part)
