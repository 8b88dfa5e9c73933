"""What estimates mean, and what they lack, as sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankwell.judging.estimating.targets import RULES

if TYPE_CHECKING:
    from rankwell.judging.estimating.estimated import Estimated

SMALL = 100  # judged items per query


def notes_of(found: Estimated) -> list[str]:
    """Return the sentences."""
    parts, frame = found.judged.parts, found.frame
    notes = [f"{name}: {RULES[name]}" for name in dict.fromkeys(row.estimator for row in found.rows)]
    notes += [
        "design variance: of the mean over samples of items, for these queries; its interval is for the value under all judgements",
        "query variance: of the mean over samples of queries; it holds the design variance already, so do not add the two",
        "drawn at random from strata"
        if frame.stratum is not None
        else "drawn independently, each item with its own propensity (Poisson)",
    ]
    per_query = np.mean([int(part.judged.sum()) for part in parts])
    if per_query < SMALL and any(row.design_variance > 0 for row in found.rows):
        notes.append(
            f"{per_query:.0f} items are judged per query: under {SMALL}, estimates are biased and intervals hold the value less often than they "
            f"say"
        )
    undefined = max((row.undefined for row in found.rows), default=0)
    if undefined:
        what = {
            "skip": "left out of the means, which are too high for it",
            "zero": "counted as 0",
            "one": "counted as 1",
        }
        notes.append(
            f"{undefined:,} of {len(frame.queries):,} queries have no relevant item in the sample: {what[found.policy.undefined]}"
        )
    lonely, empty = sum(part.lonely for part in parts), sum(part.empty for part in parts)
    if lonely:
        notes.append(
            f"{lonely:,} strata have one judged item of several: two and more of a query are taken together for the variance, a single one has "
            f"that within the others"
        )
    if empty:
        notes.append(f"{empty:,} strata have no judged item, and add nothing: values are biased")
    unknown = max((row.unknown for row in found.rows), default=0)
    if unknown:
        notes.append(
            f"the design variance of {unknown:,} queries is not known; they are given the mean of the others'"
        )
    outside = {run: max(int(row.outside.sum()) for row in found.rows if row.run == run) for run in found.runs}
    listed = [f"{run} {n:,}" for run, n in outside.items() if n]
    if listed:
        notes.append(
            f"items of lists that are not in the frame, and count as not relevant: {', '.join(listed)}"
        )
    return notes + [f"{what}: {n:,}" for what, n in found.counts.items() if n]
