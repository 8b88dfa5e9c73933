"""What estimates mean, and what they lack, as sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankwell.judging.estimating.targets import RULES

if TYPE_CHECKING:
    from rankwell.judging.estimating.estimated import Estimated

BLIND = 0.02  # share of the items of a list


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
    sparse = [row for row in found.rows if row.is_sparse]
    if sparse:
        most = max(row.possible_bias / row.value for row in sparse)
        notes.append(
            f"WARNING: the numbers of relevant items are too uncertain for {len(sparse):,} of {len(found.rows):,} estimates: means can be too high by "
            f"up to about {100 * most:.0f} % of themselves, more than three standard errors, and the intervals for these queries do not hold the value. Judge more "
            f"items per query, or draw from shorter lists (depth)"
        )
    blind = max((row.unseen for row in found.rows if row.estimator == "infndcg"), default=0.0)
    if blind > BLIND:
        notes.append(
            f"up to {100 * blind:.0f} % of the items of a list within the cut-off are of strata of which none there is judged: infndcg gives them no gain, "
            f"and is too low"
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
