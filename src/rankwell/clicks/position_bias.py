"""The ``positions`` function: how likely a rank is looked at, and the click curve that it explains."""

from __future__ import annotations

import math
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
import polars as pl

from rankwell.clicks.log import DEEPEST, ROW, Log
from rankwell.clicks.read import read_log
from rankwell.clicks.results import OfRows
from rankwell.display.page import PageStrings
from rankwell.display.saved_files import ensure
from rankwell.display.table import Table
from rankwell.errors import DataError, UsageError, brief
from rankwell.tables.arguments import checked, refuse_level

FEWEST = 30  # clicks of a rank, fewer of which are said
NEAR = 1e-12
# why nothing tells of rank 1
UNTOLD = {
    "shuffled": ": no row is of it",
    "swap": " in an impression with a swap: the column of the swap says for each row which rank was swapped with rank 1",
    "harvest": " in a query and item that stood there and at another rank, too: harvest needs a log of several rankers",
}
LOTS = 100  # that clusters are dealt to where there are more


class PositionTheta(NamedTuple):
    """How likely a rank is looked at, relative to rank 1, with its interval; NaN is undefined. ``impressions`` and ``clicks`` tell of it."""

    rank: int
    impressions: int
    clicks: int
    theta: float
    low: float
    high: float

    def is_rare(self) -> bool:
        """Whether a rank has too few clicks to be sure of."""
        return self.impressions > 0 and self.clicks < FEWEST


@dataclass(frozen=True, eq=False, repr=False)
class Positions(OfRows, kind="position bias", plural="position biases", title="plots.positions.title"):
    """How likely each rank is looked at; made by ``rankwell.clicks.positions``.

    ``found.theta`` is the list from rank 1 on, NaN where unknown; ``found.rows`` has a ``PositionTheta`` for each.
    """

    _rows: ClassVar[tuple[str, type]] = "rows", PositionTheta

    log: str
    how: Literal["swap", "harvest"]
    shuffled: bool
    cluster: str | None
    clusters: int
    level: float
    rows: tuple[PositionTheta, ...]
    counts: dict[str, int]

    @property
    def theta(self) -> list[float]:
        """Theta from rank 1 on; NaN where it is unknown."""
        return [row.theta for row in self.rows]

    def _tables(self, words: PageStrings) -> list[Table]:
        marks = {(at, 2): " *" for at, row in enumerate(self.rows) if row.is_rare()}
        heads = {"count": "rank impressions clicks", "value": "theta low high"}
        return [self._table(words, self.rows, heads, self.title(words), marks=marks)]

    def _said(self, words: PageStrings) -> list[str]:
        notes = ["means", "shuffled" if self.shuffled else self.how]
        notes += ["interval"] * any(not math.isnan(row.low) for row in self.rows)
        notes += ["few"] * any(row.is_rare() for row in self.rows)
        notes += [f"unlinked_{self.how}"] * any(math.isnan(row.theta) for row in self.rows)
        facts = {
            "level": self._percent,
            "cluster": self.cluster or "impression",
            "n": self.clusters,
            "least": FEWEST,
        }
        return [words(f"clicks.positions.{note}", **facts) for note in notes]

    def _answer(self, words: PageStrings) -> tuple[str, str, dict[str, int]]:
        known = [row for row in self.rows[1:] if not math.isnan(row.theta)][-1:]
        said = {"rank": known[0].rank, "share": f"{100 * known[0].theta:.0f}"} if known else {}
        sentence = words("clicks.answer_positions" if known else "clicks.answer_no_positions", **said)
        return "positions", sentence, {"ranks": len(self.rows), "clusters": self.clusters}

    def _check(self) -> None:
        rows = self.rows
        ensure([row.rank for row in rows] == [*range(1, len(rows) + 1)], "rows", "ranks are not 1, 2, 3 …")
        ensure(rows and rows[0].theta == 1, "rows[0].theta", "it is not 1")
        ensure(all(math.isnan(row.theta) or row.theta >= 0 for row in rows), "rows", "theta is below 0")


@checked
def positions(
    log: Any,
    *,
    how: Literal["swap", "harvest"] = "swap",
    cluster: str | None = "user",
    level: float = 0.95,
    seed: int = 0,
) -> Positions:
    """Find how likely users look at each rank, relative to the first: the position bias θ, where θ_1 = 1.

    Formula
        swap: θ_k = click rate at k ÷ click rate at 1, of the impressions in which what stood at 1 and at k was swapped at random.
        harvest: of query and item that several rankers showed at ranks k and k', maximise Σ C_kk' ln(p_k r_kk') + C̄_kk' ln(1 − p_k r_kk')
        with C_kk' = Σ click rate at k, C̄_kk' = Σ (1 − rate), r symmetric, p and r in (0, 1]; θ_k = p_k / p_1

    Parameters
    ----------
    log
        What ``rankwell.clicks.read_log`` reads: rank and click; for ``swap`` also swap, the rank that was swapped with rank 1 in the
        impression, without which all of the log must have been shuffled; for ``harvest`` query and item.
    how
        ``swap`` needs a log that was randomised, ``harvest`` one of several rankers.
    cluster
        The column of what varies as a whole; None lets each row vary alone. Rows without it are alone, and counted.
    level
        The share of intervals that should contain the true value.
    seed
        The seed of the lots.

    Returns
    -------
    Positions
        Print it; ``found.theta`` is a list from rank 1 on, which ``judgements`` and ``counterfactual`` take.

    Raises
    ------
    RankwellError
        If a column is missing, a row is wrong, or rank 1 has no click.

    Notes
    -----
    Intervals are exp(ln θ ± t · se), se by the jackknife that leaves clusters out (more than 100 in 100 random lots), Student's t with one
    degree of freedom less than there are lots. A rank that no chain of pairs links to rank 1, or one without clicks, has no θ or no
    interval; fewer than 30 clicks are said. Ranks below 62 are not harvested, and counted.

    Source: for ``harvest`` Agarwal, Zaitsev, Wang, Li, Najork and Joachims, Estimating position bias without intrusive interventions,
    WSDM 2019 (AllPairs).

    Examples
    --------
    >>> import rankwell as rw
    >>> shown = {"rank": [1] * 10 + [2] * 10, "click": [1] * 8 + [0] * 2 + [1] * 4 + [0] * 6}
    >>> rw.clicks.positions(shown, cluster=None).theta
    [1.0, 0.5]
    """
    refuse_level(level)
    own = read_log(log)
    is_swap, words = how == "swap", ["rank", "click", *(() if how == "swap" else ("query", "item"))]
    own.require(*words)
    column = own.cluster(cluster)
    is_shuffled = is_swap and "swap" not in own.words
    words += ["swap"] * (is_swap and not is_shuffled)
    own = own.checked(*words)
    lots = Lots.of(own, column, seed)
    found = (_swapped if is_swap else _harvested)(lots)
    if not found.clicks[0]:
        why = "" if found.shown[0] else UNTOLD["shuffled" if is_shuffled else how]
        raise DataError(f"{own.name}: theta is relative to rank 1, which has no click{why}.")
    of_ranks = found.shown.astype(int), found.clicks.astype(int), found.theta, *found.bounds(level)
    values = zip(*(each.tolist() for each in of_ranks), strict=True)
    rows = tuple(PositionTheta(rank, *row) for rank, row in enumerate(values, 1))
    counts = own.counted(cluster, alone=lots.alone, deep=found.deep)
    return Positions(own.name, how, is_shuffled, cluster, lots.clusters, level, rows, counts)


class ThetaCurve(NamedTuple):
    """Theta of each rank, the same without each lot of clusters (a row each), the impressions and clicks that tell of it, and how many rows
    are too deep.
    """

    theta: np.ndarray
    without: np.ndarray
    shown: np.ndarray
    clicks: np.ndarray
    deep: int = 0

    def bounds(self, level: float) -> np.ndarray:
        """The ends of the intervals of theta by the jackknife of ln theta; NaN where leaving a lot out leaves no theta."""
        from scipy.special import stdtrit

        lots, ranks = self.without.shape
        if lots < 2:
            return np.full((2, ranks), np.nan)
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(self.without)
            error = np.sqrt((lots - 1) / lots * ((logs - logs.mean(axis=0)) ** 2).sum(axis=0))
            reach = float(stdtrit(lots - 1, (1 + level) / 2)) * np.where(error > 0, error, np.nan)
            ends: np.ndarray = self.theta * np.exp(np.array([-reach, reach]))
        return ends


class Lots(NamedTuple):
    """A log whose rows have a ``lot``, of whole clusters, which are left out in turn; how many lots and clusters, and how many rows have none."""

    log: Log
    lots: int
    clusters: int
    alone: int

    @classmethod
    def of(cls, log: Log, column: str | None, seed: int) -> Lots:
        """Deal clusters to 100 lots at random, and rows without one by their number."""
        missing = pl.col(column or ROW).is_null().sum()
        rows, alone = log.columns(pl.len().alias("rows"), missing.alias("alone")).row(0)
        own = (
            pl.DataFrame()
            if column is None
            else log.columns(pl.col(column).drop_nulls().unique()).sort(column)
        )
        clusters = rows if column is None else len(own) + alone
        count = min(clusters, LOTS)
        lot = (_mixed(pl.col(ROW).cast(pl.UInt64) + seed) % count).cast(pl.Int64)
        frame = log.frame
        if column is not None:
            order = np.random.default_rng(seed).permutation(len(own)) % count
            frame = frame.join(own.lazy().with_columns(lot=pl.Series(order)), on=column, how="left")
            lot = pl.col("lot").fill_null(lot)
        return cls(replace(log, frame=frame.with_columns(lot=lot)), count, clusters, alone)


def _mixed(number: pl.Expr) -> pl.Expr:
    """Whole numbers mixed as by SplitMix64, so that lots have nothing to do with the order of the rows."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        number = (number ^ (number // 2**shift)) * factor
    return number ^ (number // 2**31)


def _swapped(lots: Lots) -> ThetaCurve:
    """Click rates at k and at 1 of impressions whose pair was swapped; of a shuffled log all of them."""
    log, has_swap = lots.log, "swap" in lots.log.words
    swap = log.keys("swap")[0].fill_null(0) if has_swap else pl.lit(0, pl.Int64).alias("swap")
    frame = log.tally("lot", *log.keys("rank"), swap)
    lot, at, pair, *both = (frame[name].to_numpy() for name in ("lot", "rank", "swap", "clicks", "rows"))
    ranks = int(at.max())
    # per lot: clicks and rows at k, and those at 1 beside which k is looked at
    table = np.zeros((lots.lots, 4, ranks))

    def add(place: int, of: np.ndarray, rank: np.ndarray) -> None:
        for more, values in enumerate(both):
            np.add.at(table[:, place + more], (lot[of], rank[of] - 1), values[of])

    if has_swap:
        first = (at == 1) & (pair > 1) & (pair <= ranks)
        add(0, first | ((at > 1) & (pair == at)), at)
        add(2, first, pair)
    else:
        add(0, at > 0, at)
        table[:, 2:] = table[:, :2, :1]
    total = table.sum(axis=0)
    return ThetaCurve(_rates(total[None])[0], _rates(total - table), total[1], total[0])


def _rates(table: np.ndarray) -> np.ndarray:
    """Theta of each rank from the clicks and rows there, and those at rank 1 beside it."""
    clicks, rows, first, shown = (table[:, place] for place in range(4))
    with np.errstate(divide="ignore", invalid="ignore"):
        theta: np.ndarray = (clicks / rows) / (first / shown)
    theta[:, 0] = 1.0
    return theta


def _harvested(lots: Lots) -> ThetaCurve:
    """AllPairs over query and item that stood at several ranks."""
    keys = ["query", "item", "rank"]
    log = replace(lots.log, frame=lots.log.frame.with_columns(lots.log.keys(*keys)))
    counted, is_deep = log.tally("lot", *keys), pl.col("rank") > DEEPEST
    cells = counted.group_by(keys).agg(pl.col("clicks", "rows").sum())
    last, deep = int(cells["rank"].max()), int(cells.filter(is_deep)["rows"].sum())  # type: ignore[arg-type]
    ranks = min(last, DEEPEST)
    # a pair that only ever stood at one rank tells nothing
    cells = (
        cells.filter(~is_deep).filter(pl.len().over("query", "item") > 1).sort(keys).with_row_index("cell")
    )
    pair = cells.select(pl.struct("query", "item").rle_id()).to_series().to_numpy().astype(np.int64)
    rank, whole = cells["rank"].to_numpy() - 1, cells.select("clicks", "rows").to_numpy().T.astype(np.float64)
    clicks, shown = (np.bincount(rank, values, ranks) for values in whole)
    if not clicks[0]:
        return ThetaCurve(np.full(ranks, np.nan), np.zeros((0, ranks)), shown, clicks, deep)
    counted = counted.join(cells.lazy().select(*keys, "cell").collect(), on=keys).sort("lot", "cell")

    rate = whole[0] / whole[1]
    total = _pairs_of_ranks(pair, rank, rate, ranks)
    theta, logs = all_pairs(total[0], total[1] - total[0])
    without = np.empty((lots.lots, ranks))
    for lot in range(lots.lots):
        own = counted.filter(pl.col("lot") == lot)
        at = own["cell"].to_numpy()
        # only pairs that the lot showed change
        is_shown = np.zeros(len(cells), bool)
        is_shown[pair[at]] = True
        of = np.flatnonzero(is_shown[pair])
        left = whole[:, of]
        left[:, np.searchsorted(of, at)] -= own.select("clicks", "rows").to_numpy().T
        stays = left[1] > 0
        kept, rate_left = of[stays], left[0, stays] / left[1, stays]
        without_pairs = total - _pairs_of_ranks(pair[of], rank[of], rate[of], ranks)
        clicked, number = without_pairs + _pairs_of_ranks(pair[kept], rank[kept], rate_left, ranks)
        without[lot] = all_pairs(clicked, number - clicked, logs)[0]
    # ranks below the last that is harvested have no theta
    more = (0, last - ranks)
    theta, shown, clicks = (
        np.pad(theta, more, constant_values=np.nan),
        np.pad(shown, more),
        np.pad(clicks, more),
    )
    without = np.pad(without, ((0, 0), more), constant_values=np.nan)
    return ThetaCurve(theta, without, shown, clicks, deep)


def _pairs_of_ranks(pair: np.ndarray, rank: np.ndarray, rates: np.ndarray, ranks: int) -> np.ndarray:
    """C and C + C̄ of cells that are sorted by pair: for ranks k and k' the click rates at k, and the number, of what stood at both."""
    begins = np.flatnonzero(np.diff(pair, prepend=-1))
    # few sets of ranks hold all pairs, so pairs are added up by the set that they stood at
    sets, which = np.unique(np.bitwise_or.reduceat(np.int64(1) << rank, begins), return_inverse=True)
    place = np.repeat(which, np.diff(begins, append=len(pair))) * ranks + rank
    stood = (sets[:, None] >> np.arange(ranks) & 1).astype(np.float64)
    tables = [np.bincount(place, values, stood.size) for values in (rates, np.ones(len(rates)))]
    found = np.array([table.reshape(stood.shape).T @ stood for table in tables])
    found[:, np.arange(ranks), np.arange(ranks)] = 0.0
    return found


def all_pairs(
    clicked: np.ndarray, passed: np.ndarray, start: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return theta from C and C̄ by AllPairs, NaN for ranks that no chain of pairs links to the first, and ln p (the diagonal) and ln r.

    ``start`` are such logarithms nearby. The likelihood is concave in these.
    """
    from scipy.optimize import minimize
    from scipy.sparse.csgraph import connected_components

    ranks = len(clicked)
    linked = (clicked > NEAR) & (clicked.T > NEAR)
    label = connected_components(linked, directed=False)[1]
    linked &= label[:, None] == label[0]
    theta = np.array([1.0] + [math.nan] * (ranks - 1))
    logs = np.full((ranks, ranks), np.log(0.3)) if start is None else start.copy()
    row, column = np.nonzero(linked)
    if not len(row):
        return theta, logs
    used = np.flatnonzero(label == label[0])
    place = np.searchsorted(used, row)
    upper, pair = np.unique(np.minimum(row, column) * ranks + np.maximum(row, column), return_inverse=True)
    c, rest, n = clicked[linked], passed[linked], len(used)

    def loss(point: np.ndarray) -> tuple[float, np.ndarray]:
        share = np.exp(np.minimum(point[place] + point[n + pair], -NEAR))
        slope = rest * share / (1 - share) - c
        gradient = np.concatenate([np.bincount(place, slope, n), np.bincount(pair, slope, len(upper))])
        return -float((c * np.log(share) + rest * np.log1p(-share)).sum()), gradient

    begin = np.concatenate([logs[used, used], logs.ravel()[upper]])
    options = {"maxiter": 5_000, "maxfun": 50_000, "ftol": 1e-13, "gtol": 1e-9}
    bounds = [(-30.0, 0.0)] * len(begin)
    found = minimize(loss, begin, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    theta[used] = np.exp(found.x[:n] - found.x[0])
    logs[used, used], logs.ravel()[upper] = found.x[:n], found.x[n:]
    return theta, logs


def thetas_of(value: Any) -> list[float]:
    """Return theta from rank 1 on, of ``Positions``, the path of saved ones, or a list; UsageError for anything else."""
    if isinstance(value, Positions):
        return value.theta
    if isinstance(value, str) or hasattr(value, "__fspath__"):
        return Positions.load(value).theta
    try:
        # the order of a dict or a set is not that of ranks
        theta = (
            []
            if isinstance(value, Mapping | AbstractSet)
            else [math.nan if each is None else float(each) for each in value]
        )
    except (TypeError, ValueError):
        theta = []
    if theta and theta[0] > 1:
        raise UsageError(
            f"positions: theta of rank 1 is {theta[0]:g}, but it is at most 1, as in [1, 0.5, 0.3]. Divide all of them by it."
        )
    if not theta or not all(math.isnan(each) or (each >= 0 and math.isfinite(each)) for each in theta):
        raise UsageError(
            f"positions: expected what rw.clicks.positions returns, the path of a saved one, or a list of theta from rank 1 on, such as "
            f"[1, 0.5, 0.3], not {brief(value)}."
        )
    return theta
