"""What ndeval prints: a row of values per topic of the run, or of differences from a baseline, and the row of means."""

from __future__ import annotations

import numpy as np

from rankwell.compat.ndeval import differences
from rankwell.compat.ndeval.options import Options
from rankwell.compat.ndeval.reading import Judgements, Lists
from rankwell.compat.ndeval.values import DIGITS, Values


def printed(
    options: Options, judgements: Judgements, run: Lists, baseline: Lists | None
) -> tuple[bytes, list[str]]:
    """Return the table, and notes on values that the program prints otherwise."""
    evaluated = Values(judgements, options.alpha, options.beta)
    values, topics, name = evaluated.of(run), run.topics, run.runid
    count = len(judgements.subtopics if options.is_complete else values)
    base: dict[int, np.ndarray] = {}
    if baseline is not None:
        base = evaluated.of(baseline)
        topics = np.union1d(topics, baseline.topics) if options.is_complete else topics
        count = max(count, len(topics))
        name = b"%s (rel to. %s; rs=1+a; a=%s)" % (name, baseline.runid, options.risk_text.encode())
    nothing = np.zeros(len(evaluated.columns))
    gained = np.array([values.get(t, nothing) - base.get(t, nothing) for t in topics.tolist()])
    rows = np.where(gained >= 0, gained, (1 + options.risk_alpha) * gained)
    sums = np.cumsum(rows, axis=0)[-1]  # one after the other, as the program does
    table = np.vstack([rows, sums / count if count else np.full(len(sums), np.nan)])
    clean = np.where(evaluated.is_exact, table, np.round(table, DIGITS) + 0.0)  # no -0
    names = [*map(str, topics.tolist()), "amean"]
    lines = [",".join(["runid", "topic", *evaluated.columns]).encode()]
    lines += [
        name + f",{topic},{','.join(f'{x:.6f}' for x in row)}".encode()
        for topic, row in zip(names, clean.tolist(), strict=True)
    ]
    shown = [topic for topic in {*values, *base} if topic in set(topics.tolist())]
    notes = differences.notes(options, judgements, shown, count)
    return b"\n".join(lines) + b"\n", notes + differences.of_rounding(
        evaluated.columns, evaluated.is_exact, table, clean
    )
