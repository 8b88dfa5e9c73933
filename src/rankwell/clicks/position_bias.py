"""The ``positions`` function: how likely a rank is looked at, and the click curve that it explains."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np

from rankwell.clicks.log import DEEPEST, ROW, Log
from rankwell.clicks.read import read_log
from rankwell.clicks.results import OfRows, heads
from rankwell.display.page import PageStrings, words_of
from rankwell.display.saved_files import LARGEST, ensure, is_count
from rankwell.display.table import Table
from rankwell.errors import DataError, UsageError, brief
from rankwell.tables.arguments import checked, refuse_level

if TYPE_CHECKING:
    import polars as pl

FEWEST = 30  # clicks of a rank, fewer of which are said
NEAR = 1e-12
LOTS = 100  # that clusters are dealt to where there are more


class PositionTheta(NamedTuple):
    """How likely a rank is looked at, relative to rank 1, with its interval; NaN is undefined. ``impressions`` and ``clicks`` tell of it."""

    rank: int
    impressions: int
    clicks: int
    theta: float
    low: float
    high: float


@dataclass(frozen=True, eq=False, repr=False)
class Positions(OfRows, kind="position bias", plural="position biases"):
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

    def title(self, words: PageStrings) -> str:
        """What the page of a report is called."""
        return words("plots.positions.title", log=self.log)

    def tables(self, words: PageStrings | None = None) -> list[Table]:
        """Return a row per rank, in English or other words."""
        words = words or words_of("en")
        columns = heads(words, count="rank impressions clicks", value="theta low high")
        marks = {(at, 2): " *" for at, row in enumerate(self.rows) if _is_rare(row)}
        return [Table(columns, self.rows, caption=self.title(words), notes=self.notes(words), marks=marks)]

    def _said(self, words: PageStrings) -> list[str]:
        notes = ["means", "shuffled" if self.shuffled else self.how]
        notes += ["interval"] * any(not math.isnan(row.low) for row in self.rows)
        notes += ["few"] * any(_is_rare(row) for row in self.rows)
        notes += [f"unlinked_{self.how}"] * any(math.isnan(row.theta) for row in self.rows)
        facts = {
            "level": f"{100 * self.level:g}",
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
        ensure(all(is_count(n, LARGEST) for row in rows for n in row[1:3]), "rows", "a number is no count")
        ensure(all(math.isnan(row.theta) or row.theta >= 0 for row in rows), "rows", "theta is below 0")


def _is_rare(row: PositionTheta) -> bool:
    """Whether a rank has too few clicks to be sure of."""
    return row.impressions > 0 and row.clicks < FEWEST


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
    found = (_swapped if is_swap else _harvested)(own, lots)
    if not found.clicks[0]:
        raise DataError(f"{own.name}: theta is relative to rank 1, which has no click.")
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
    """The rows of a log in lots of whole clusters, which are left out in turn; how many lots and clusters, and how many rows have none."""

    frame: pl.LazyFrame
    lots: int
    clusters: int
    alone: int

    @classmethod
    def of(cls, log: Log, column: str | None, seed: int) -> Lots:
        """Return the rows with a column ``lot``: clusters are dealt to 100 lots at random, and rows without one by their number."""
        import polars as pl

        missing = pl.col(column or ROW).is_null().sum()
        rows, alone = log.columns(pl.len().alias("rows"), missing.alias("alone")).row(0)
        own = None if column is None else log.columns(pl.col(column).drop_nulls().unique()).sort(column)
        clusters = rows if own is None else len(own) + alone
        count = min(clusters, LOTS)
        row = (_mixed(pl.col(ROW).cast(pl.UInt64) + seed) % count).cast(pl.Int64)
        if own is None:
            return cls(log.frame.with_columns(lot=row), count, clusters, 0)
        order = np.random.default_rng(seed).permutation(len(own))
        lots = own.with_columns(pl.Series("lot", order % count, pl.Int64))
        held = log.frame.join(lots.lazy(), on=column, how="left").with_columns(pl.col("lot").fill_null(row))
        return cls(held, count, clusters, alone)


def _mixed(number: pl.Expr) -> pl.Expr:
    """Whole numbers mixed as by SplitMix64, so that lots have nothing to do with the order of the rows."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        number = (number ^ (number // 2**shift)) * factor
    return number ^ (number // 2**31)


def _swapped(log: Log, lots: Lots) -> ThetaCurve:
    """Click rates at k and at 1 of impressions whose pair was swapped; of a shuffled log all of them."""
    import polars as pl

    has_swap = "swap" in log.words
    swap = log.number("swap").cast(pl.Int64).fill_null(0) if has_swap else pl.lit(0, pl.Int64)
    frame = log.tally(pl.col("lot"), *log.keys("rank"), swap.alias("swap"), frame=lots.frame)
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


def _harvested(log: Log, lots: Lots) -> ThetaCurve:
    """AllPairs over query and item that stood at several ranks."""
    import polars as pl

    keys = log.keys("query", "item", "rank")
    cells = log.tally(*keys)
    ranks = int(cells["rank"].max())  # type: ignore[arg-type]
    is_deep = pl.col("rank") > DEEPEST
    deep = int(cells.filter(is_deep)["rows"].sum())
    # a pair that only ever stood at one rank tells nothing
    cells = cells.filter(~is_deep).filter(pl.len().over("query", "item") > 1)
    cells = cells.sort("query", "item", "rank").with_row_index("cell")
    pair = cells.select(pl.struct("query", "item").rle_id()).to_series().to_numpy().astype(np.int64)
    rank, whole = cells["rank"].to_numpy() - 1, cells.select("clicks", "rows").to_numpy().T.astype(np.float64)
    clicks, shown = (np.bincount(rank, values, ranks) for values in whole)
    if not clicks[0]:
        return ThetaCurve(np.full(ranks, np.nan), np.zeros((0, ranks)), shown, clicks, deep)
    stood, rate = Stood.of(pair, rank, ranks), whole[0] / whole[1]
    total = stood.both(rate)
    theta, logs = all_pairs(total[0], total[1] - total[0])
    held = lots.frame.with_columns(keys).join(
        cells.lazy().select("query", "item", "rank", "cell"), on=["query", "item", "rank"]
    )
    counted = log.tally(pl.col("lot"), pl.col("cell"), frame=held).sort("lot")
    ends = counted["lot"].search_sorted(np.arange(lots.lots + 1)).to_numpy()
    cell, own = counted["cell"].to_numpy(), counted.select("clicks", "rows").to_numpy().T
    without = np.empty((lots.lots, ranks))
    for each in range(lots.lots):
        part = slice(ends[each], ends[each + 1])
        at, left = cell[part], whole[:, cell[part]] - own[:, part]
        # a pair that loses all rows at a rank is counted again; of others only rates change
        again = np.zeros(pair[-1] + 1, bool)
        again[pair[at[left[1] == 0]]] = True
        is_again = again[pair[at]]
        among = np.flatnonzero(again[pair])
        after = whole[:, among]
        after[:, np.searchsorted(among, at[is_again])] = left[:, is_again]
        kept = among[after[1] > 0]
        rate_left = after[0, after[1] > 0] / after[1, after[1] > 0]
        less, more = (
            Stood.of(pair[some], rank[some], ranks).both(rates)
            for some, rates in ((among, rate[among]), (kept, rate_left))
        )
        clicked, number = total - less + more
        at, left = at[~is_again], left[:, ~is_again]
        clicked += stood.sums(left[0] / left[1] - rate[at], at)
        without[each] = all_pairs(clicked, number - clicked, logs)[0]
    return ThetaCurve(theta, without, shown, clicks, deep)


class Stood(NamedTuple):
    """Which ranks a query and item stood at: for each cell (a query and item at a rank) its place in a table of sets of ranks and ranks, and
    the ranks of each set.
    """

    place: np.ndarray
    ranks: np.ndarray

    @classmethod
    def of(cls, pair: np.ndarray, rank: np.ndarray, ranks: int) -> Stood:
        """Return that of cells, given the number of their query and item, by which they are sorted, and their rank."""
        if not len(pair):
            return cls(rank, np.zeros((0, ranks)))
        begins = np.flatnonzero(np.diff(pair, prepend=-1))
        sets, which = np.unique(np.bitwise_or.reduceat(np.int64(1) << rank, begins), return_inverse=True)
        place = np.repeat(which, np.diff(begins, append=len(pair))) * ranks + rank
        return cls(place, (sets[:, None] >> np.arange(ranks) & 1).astype(np.float64))

    def sums(self, values: np.ndarray, among: Any = slice(None)) -> np.ndarray:
        """Return for ranks k and k' the sum of the values at k of what stood at both; ``among`` says of which cells they are."""
        table = np.bincount(self.place[among], values, self.ranks.size).reshape(self.ranks.shape)
        found: np.ndarray = table.T @ self.ranks
        np.fill_diagonal(found, 0.0)
        return found

    def both(self, rates: np.ndarray) -> np.ndarray:
        """Return the sums of the click rates of all cells, C, and their number, C + C̄."""
        return np.array([self.sums(rates), self.sums(np.ones(len(rates)))])


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
    theta, logs = (
        np.full(ranks, np.nan),
        np.full((ranks, ranks), np.log(0.3)) if start is None else start.copy(),
    )
    theta[0] = 1.0
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
    bounds, options = (
        [(-30.0, 0.0)] * len(begin),
        {"maxiter": 5_000, "maxfun": 50_000, "ftol": 1e-13, "gtol": 1e-9},
    )
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
        theta = [math.nan if each is None else float(each) for each in value]
    except (TypeError, ValueError):
        theta = []
    if not theta or not all(math.isnan(each) or (each >= 0 and math.isfinite(each)) for each in theta):
        raise UsageError(
            f"positions: expected what rw.clicks.positions returns, the path of a saved one, or a list of theta from rank 1 on, such as "
            f"[1, 0.5, 0.3], not {brief(value)}."
        )
    return theta
