"""ndeval's output: a row per topic of the run with values, or differences from a baseline, and a row of means."""

from __future__ import annotations

import numpy as np

from rankwell.compat.ndeval import differences
from rankwell.compat.ndeval.options import Options
from rankwell.compat.ndeval.reading import Judgements, Lists
from rankwell.compat.ndeval.values import DIGITS, Values


def printed(
    options: Options, judgements: Judgements, run: Lists, baseline: Lists | None
) -> tuple[bytes, list[str]]:
    """Return the table, and notes on values that the program prints differently."""
    evaluated = Values(judgements, options.alpha, options.beta)
    values, topics, name = evaluated.of(run), run.topics, run.runid
    count = len(judgements.subtopics if options.is_complete else values)
    base: dict[int, np.ndarray] = {}
    if baseline is not None:
        base = evaluated.of(baseline)
        topics = np.union1d(topics, baseline.topics) if options.is_complete else topics
        count = max(count, len(topics))
        name = b"%s (rel to. %s; rs=1+a; a=%s)" % (name, baseline.runid, options.risk_text.encode())
    shown = topics.tolist()
    nothing = np.zeros(len(evaluated.columns))
    ours, others = (np.array([of.get(topic, nothing) for topic in shown]) for of in (values, base))
    loss = 1 + options.risk_alpha
    rows = np.where(ours >= others, ours - others, loss * (ours - others))
    sums = np.cumsum(rows, axis=0)[-1]  # in sequence, as the program does
    table = np.vstack([rows, sums / count if count else np.full(len(sums), np.nan)])
    sizes = np.vstack([loss * np.maximum(ours, others), np.abs(rows).sum(axis=0) / max(count, 1)])
    is_noise = ~evaluated.is_exact & (np.abs(table) <= sizes * 10.0**-DIGITS)
    clean = np.where(evaluated.is_exact, table, np.round(np.where(is_noise, 0.0, table), DIGITS))
    lines = [",".join(["runid", "topic", *evaluated.columns]).encode()]
    lines += [
        name + f",{topic},{','.join(f'{x:.6f}' for x in row)}".encode()
        for topic, row in zip([*shown, "amean"], clean.tolist(), strict=True)
    ]
    judged = {*values, *base}.intersection(shown)
    rounded = np.array(list(evaluated.columns))[~evaluated.is_exact], clean[:, ~evaluated.is_exact]
    notes = differences.notes(options, judgements, judged, count)
    notes += differences.of_rounding(*rounded, (is_noise & (table != 0))[:, ~evaluated.is_exact])
    return b"\n".join(lines) + b"\n", notes
