"""The ``counterfactual`` function: what a new order of the items would have earned, from the clicks on the old one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import polars as pl

from rankwell.clicks.log import collected
from rankwell.clicks.means import Weights, cluster_mean
from rankwell.clicks.position_bias import thetas_of
from rankwell.clicks.read import read_log
from rankwell.clicks.results import FromLog, with_interval
from rankwell.display.page import PageStrings
from rankwell.display.saved_files import ensure
from rankwell.display.table import Table, number
from rankwell.errors import DataError, brief
from rankwell.tables.arguments import checked
from rankwell.tables.run_qrels import Run

Discount = Literal["log2p1", "reciprocal", "none"]


@dataclass(frozen=True, eq=False, repr=False)
class Counterfactual(
    FromLog, kind="counterfactual value", plural="counterfactual values", title="clicks.counterfactual.title"
):
    """The discounted clicks per impression that a new order would have earned; made by ``rankwell.clicks.counterfactual``.

    ``value`` is the mean over ``n`` impressions, with its standard error, degrees of freedom and interval, NaN where there is none; ``naive``
    is the same without θ, as if all ranks were looked at alike. ``weights`` tells how the weights of clicks are spread, 1/θ, or 0 for what the
    new lists do not hold; None if all are 0.
    """

    log: str
    run: str
    discount: Discount
    cluster: str | None
    level: float
    value: float
    n: int
    clusters: int
    error: float
    freedom: float
    low: float
    high: float
    naive: float
    weights: Weights | None
    counts: dict[str, int]

    def _tables(self, words: PageStrings) -> list[Table]:
        heads = {"text": "run", "value": "value low high naive", "count": "n clusters"}
        return [self._table(words, [self], heads, self.title(words))]

    def _said(self, words: PageStrings) -> list[str]:
        notes = [words("clicks.counterfactual.means", discount=self.discount)]
        interval = words("clicks.clustered", cluster=self.cluster or "impression", level=self._percent)
        return notes + [interval] * (not math.isnan(self.low))

    def _answer(self, words: PageStrings) -> tuple[str, str, dict[str, int]]:
        said = {"run": self.run, "value": with_interval(self), "naive": number(self.naive)}
        sentence = words("clicks.counterfactual.answer", **said)
        return "value", sentence, {"impressions": self.n, "clusters": self.clusters}

    def _check(self) -> None:
        ensure(self.weights is None or self.weights.is_whole(), "weights", "they do not add up")


@checked
def counterfactual(
    log: Any,
    run: Any,
    positions: Any,
    *,
    discount: Discount = "log2p1",
    cluster: str | None = "user",
    level: float = 0.95,
) -> Counterfactual:
    """Estimate what a new order would have earned, from clicks on the old one that are weighed by how likely their rank is looked at.

    Formula
        the mean over impressions of Σ λ(rank in the new list) / θ(rank where it was clicked) over the clicked items; λ(r) = 1/log2(r + 1),
        1/r or 1, and 0 for an item that is not in the new list

    Parameters
    ----------
    log
        What ``rankwell.clicks.read_log`` reads, with impression, query, item, rank and click, and the column of the clusters.
    run
        The new lists by query, in any form that ``evaluate`` reads.
    positions
        What ``rankwell.clicks.positions`` returns, the path of a saved one, or a list of θ from rank 1 on.
    discount
        What a click is worth at a rank of the new list: ``log2p1``, ``reciprocal`` or ``none``.
    cluster
        The column of what comes back; None counts each impression alone.
    level
        The share of intervals that should contain the true value.

    Returns
    -------
    Counterfactual
        Print it; ``found.value``, ``found.low``, ``found.high``. ``found.counts`` says how many clicked items the new lists lack.

    Raises
    ------
    RankwellError
        If a column is missing, a row is wrong, or an item was clicked at a rank without θ.

    Examples
    --------
    >>> import rankwell as rw
    >>> log = {"impression": [1, 1, 1], "query": ["q"] * 3, "item": ["a", "x", "b"], "rank": [1, 2, 3], "click": [1, 0, 1]}
    >>> found = rw.clicks.counterfactual(log, {"q": ["b", "x", "a"]}, [1, 0.5, 0.3], cluster=None)
    >>> round(found.value, 4), found.naive
    (3.8333, 1.5)
    """
    from rankwell.readers import read_run

    own = read_log(log)
    words = "impression", "query", "item", "rank", "click"
    own.require(*words)
    column = own.cluster(cluster)
    own = own.checked(*words)
    own.require_ids()
    theta, lists = np.array(thetas_of(positions)), read_run(run)
    # in one order, so that sums are the same whatever the order of the rows
    keys = own.keys("impression", "query", "item", "rank")
    clicked = collected(own.frame.filter(own.clicked).select(*keys).sort("impression", "rank"))
    at = clicked["rank"].to_numpy() - 1
    looked = theta[np.minimum(at, len(theta) - 1)]
    if lost := sorted({rank + 1 for rank in at[(at >= len(theta)) | ~(looked > 0)].tolist()}):
        raise DataError(
            f"{own.name}: rank {lost[0]} has no theta: a click there cannot be weighed. Give positions= to rank {lost[-1]}, or a log of the "
            f"first {lost[0] - 1} ranks."
        )
    clicked = clicked.with_columns(pl.col("query", "item").cast(pl.String))
    new = clicked.join(_listed(lists), on=["query", "item"], how="left", maintain_order="left")["new"]
    if len(clicked) and not len(clicked.join(_listed(lists), on="query", how="semi")):
        raise DataError(
            f"{own.name}: {lists.name} has no list for any query of the log that was clicked on, such as {brief(clicked['query'][0])}. Name "
            f"queries alike in both."
        )
    # what is not listed is infinitely far down
    place = new.cast(pl.Float64).fill_null(math.inf).to_numpy()
    is_listed = np.isfinite(place)
    worth = {"log2p1": 1 / np.log2(place + 1), "reciprocal": 1 / place, "none": is_listed * 1.0}[discount]
    gained = clicked.select("impression", value=worth / looked, naive=worth)
    gained = gained.group_by("impression", maintain_order=True).agg(pl.col("value", "naive").sum())
    shown, codes, alone = own.of_impressions(column)
    rows = shown.join(gained, left_on="impression ", right_on="impression", how="left", maintain_order="left")
    values, naive = (rows[name].fill_null(0.0).to_numpy() for name in ("value", "naive"))
    mean = cluster_mean(np.bincount(codes, values), np.bincount(codes), level=level)
    mean = mean._replace(low=max(mean.low, 0.0))  # NaN stays
    spread = Weights.spread(lists.name, is_listed / looked) if is_listed.any() else None
    counts = own.counted(cluster, alone_impressions=alone, not_listed=new.null_count())
    return Counterfactual(
        own.name, lists.name, discount, cluster, level, *mean, float(naive.mean()), spread, counts
    )


def _listed(run: Run) -> pl.DataFrame:
    """The rank of each item in its list; items of one score are in the order of the policy's default, the larger id as text first."""
    from rankwell.readers.frames.in_memory import frame_of_run

    frame = frame_of_run(run).with_columns(pl.col("query", "item").cast(pl.String))
    twice = frame.filter(~pl.struct("query", "item").is_first_distinct())
    if len(twice):
        query, item = (brief(twice[word][0]) for word in ("query", "item"))
        raise DataError(f"{run.name}: query {query} lists item {item} twice. Remove one.")
    if "score" in frame.columns:
        frame = frame.sort("score", "item", descending=True)
    elif "rank" in frame.columns:
        frame = frame.sort("rank")
    return frame.select("query", "item", new=pl.int_range(1, pl.len() + 1).over("query"))
