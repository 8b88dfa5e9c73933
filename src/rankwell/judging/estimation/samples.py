"""sample: the items to judge, drawn at random with known probabilities from the lists of runs, and the frame they were drawn from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Unpack

import numpy as np

from rankwell.comparison.fusion.candidates import PART_ROWS
from rankwell.display.output import save
from rankwell.display.result import Result
from rankwell.display.table import Column, Table
from rankwell.errors import UsageError
from rankwell.evaluation.request import Words, read_with, reading_of
from rankwell.judging.arguments import ordering_policy, runs_of
from rankwell.judging.estimation.frame import Frame
from rankwell.judging.pools import Pooled
from rankwell.matching.policy import Policy
from rankwell.statistics.draws import uniform
from rankwell.tables.arguments import checked
from rankwell.tables.ids import Ids, draws, fingerprints_of
from rankwell.tables.rows import cuts
from rankwell.tables.series import RowOf

if TYPE_CHECKING:
    import polars as pl


ARGUMENTS = ("budget", "design", "seed", "read")
BUDGET = 50


@checked
def sample(
    runs: Any,
    *,
    budget: int = BUDGET,
    design: Design = "rank",
    seed: int = 0,
    read: Mapping[str, Any] | None = None,
    policy: Policy | None = None,
    **rules: Unpack[Words],
) -> Sample:
    """Draw items to judge at random from the lists of runs, so that metrics can be estimated from their judgements.

    Formula
        ``rank``: strata by best rank in any run, 1-10, 11-30, 31-100 …, each drawn a third as densely as the one above it ·
        ``prior``: strata of equal sums of the prior (1/2n) (1 + 1/r + … + 1/n), averaged over the runs, as many items of each ·
        ``uniform``: one stratum · ``poisson``: each item independently, with a probability in proportion to the prior

    Parameters
    ----------
    runs
        The runs: by name, or a list; each in any form that ``read_run`` accepts. Their items, down to ``depth``, are the frame: what
        can be drawn.
    budget
        How many items to draw per query; of a query with fewer, all.
    design
        How to draw them.
    seed
        One seed, one sample: the draw of an item depends on the seed and its ids alone.
    read
        How files are read: arguments of ``read_run``.
    policy, rules
        The order of equal scores and ``depth``; as for ``evaluate``.

    Returns
    -------
    Sample
        Iterate over it, or ``save`` it for ``rankwell judging sheet`` and ``judging prompts``; ``estimate`` takes it as ``frame=``.

    Raises
    ------
    RankwellError
        For a budget below 1, or bad data.

    Notes
    -----
    There are no more strata than a fifth of the budget, and at least two items are drawn of each where it allows. The prior is that of
    J. Aslam, V. Pavlu and E. Yilmaz, A statistical method for system evaluation using incomplete judgments, SIGIR 2006. They and Pavlu
    and Aslam (2007) draw with it otherwise: from buckets, some of which may be drawn more than once; strata of equal sums, and the
    strata of ranks, are rankwell's.

    Examples
    --------
    >>> runs = {"bm25": {"q": [f"d{i}" for i in range(40)]}, "dense": {"q": [f"d{i}" for i in range(60, 0, -2)]}}
    >>> drawn = sample(runs, budget=20)
    >>> len(drawn), len(drawn.frame), {each.stratum: round(each.propensity, 3) for each in drawn}
    (20, 51, {'1-10': 0.65, '11-30': 0.192, '31-100': 0.4})
    """
    if budget < 1:
        raise UsageError(f"budget={budget}: must be at least 1.")
    read = read_with(read, rules)
    rule = ordering_policy(policy, rules, ARGUMENTS)
    opened = runs_of(runs, reading_of(read)[0])
    if not opened:
        raise UsageError("give at least one run.")
    pooled = Pooled.of([*opened], [*opened.values()], rule)
    # a number per item from its ids and the seed, so that a longer list or another run changes no draw of another item
    keys = uniform(
        draws(
            seed,
            fingerprints_of(pooled.queries)[pooled.query],
            fingerprints_of(pooled.catalogue)[pooled.item],
        )
    )
    prior = _prior(pooled)
    drawings = [
        draw_query(design, pooled.best_rank[own], prior[own], keys[own], budget)
        for own in map(pooled.of_query, range(len(pooled.queries)))
    ]
    frame = _frame(pooled, drawings)
    assert frame.drawn is not None
    rows = np.flatnonzero(frame.drawn)
    order = rows[np.lexsort((keys[rows], pooled.query[rows]))]
    return Sample(frame, design, budget, seed, tuple(opened), order)


def _prior(pooled: Pooled) -> np.ndarray:
    """The mean prior of each candidate over the runs; a run that lacks it gives 0."""
    prior, several = np.empty(len(pooled)), len(pooled.names)
    for low, high in cuts(pooled.row_offsets, PART_ROWS):
        rows, own = (slice(*ends[[low, high]].tolist()) for ends in (pooled.row_offsets, pooled.offsets))
        query = np.repeat(np.arange(high - low), np.diff(pooled.row_offsets[low : high + 1]))
        lists = query * several + pooled.run[rows]
        weight = prior_of(pooled.rank[rows].astype(np.int64), np.bincount(lists)[lists])
        prior[own] = np.bincount(pooled.candidate[rows] - own.start, weight, minlength=own.stop - own.start)
    return prior / several


def _frame(pooled: Pooled, drawings: list[Drawing]) -> Frame:
    names = {name: None for drawing in drawings for name in drawing.names}
    code = {name: at for at, name in enumerate(names)}
    stratum = None
    if names:
        stratum = np.concatenate(
            [np.array([code[name] for name in drawing.names])[drawing.stratum] for drawing in drawings]
        )
    return Frame(
        "the sample",
        pooled.queries,
        pooled.offsets,
        pooled.catalogue,
        pooled.item,
        tuple(names),
        stratum,
        np.concatenate([drawing.chance for drawing in drawings]),
        np.concatenate([drawing.drawn for drawing in drawings]),
        np.full(len(pooled), np.nan),
        RowOf("the sample"),
    )


class Drawn(NamedTuple):
    """An item to judge, its stratum (None without strata), and the probability with which it was drawn."""

    query: str | int
    item: str | int
    stratum: str | None
    propensity: float


@dataclass(frozen=True, eq=False, repr=False)
class Sample(Result):
    """A random sample of items to judge; made by ``sample``. ``frame`` holds all that could have been drawn."""

    _plural: ClassVar[str] = "samples"
    _texts: ClassVar[Mapping[str, str]] = {}  # estimates need the propensities, in a table

    frame: Frame
    design: str
    budget: int
    seed: int
    runs: tuple[str, ...]
    order: np.ndarray  # rows of the frame that were drawn, those of a query in random order

    def __len__(self) -> int:
        return len(self.order)

    def __iter__(self) -> Iterator[Drawn]:
        frame = self.frame
        assert frame.propensity is not None
        for row in self.order.tolist():
            stratum = None if frame.stratum is None else frame.strata[frame.stratum[row]]
            query = frame.queries.one(int(frame.query[row]))
            yield Drawn(
                query, frame.catalogue.one(int(frame.item[row])), stratum, float(frame.propensity[row])
            )

    def to_frame(self) -> pl.DataFrame:
        """Return the items to judge as a frame: query, item, stratum, propensity; without strata, drawn, which is true, in place of stratum."""
        import polars as pl

        table = self._table(self.order)
        # query, item and propensity alone are what interactions have, too
        return table.with_columns(drawn=pl.lit(value=True)) if self.frame.stratum is None else table

    def whole_frame(self) -> pl.DataFrame:
        """Return all items that could have been drawn: query, item, stratum, propensity, and whether each was drawn."""
        import polars as pl

        assert self.frame.drawn is not None
        return self._table(np.arange(len(self.frame))).with_columns(pl.Series("drawn", self.frame.drawn))

    def _table(self, rows: np.ndarray) -> pl.DataFrame:
        import polars as pl

        frame = self.frame
        assert frame.propensity is not None
        columns: dict[str, Any] = {
            "query": _gather(frame.queries, frame.query[rows]),
            "item": _gather(frame.catalogue, frame.item[rows]),
        }
        if frame.stratum is not None:
            columns["stratum"] = pl.Series(frame.strata).gather(frame.stratum[rows])
        return pl.DataFrame({**columns, "propensity": frame.propensity[rows]})

    def save(self, path: str | Path, frame: str | Path | None = None) -> Path:  # type: ignore[override]  # there are two files
        """Write the items to judge to a table and the whole frame to another, and return the name of the latter.

        Estimates need the frame. By default it stands beside the items: ``sample.tsv`` has ``sample.frame.tsv``. Both are tables
        (``.tsv``, ``.csv``, ``.parquet`` …), by the suffix.

        Raises
        ------
        RankwellError
            If a suffix is of no format, or a file cannot be written.
        """
        other = frame_beside(path) if frame is None else Path(frame)
        for name in (path, other):
            self.suffix_of(name)
        save(self.whole_frame(), other)
        save(self.to_frame(), path)
        return other

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the rest of the frame as plain values."""
        words = "design", "budget", "seed", "runs"
        return {
            **{word: getattr(self, word) for word in words},
            "frame": len(self.frame),
            "queries": len(self.frame.queries),
            "items": [drawn._asdict() for drawn in self],
        }

    def summary(self) -> Table:
        """Return a table of the strata: how many items they have, and how many are drawn."""
        frame = self.frame
        assert frame.drawn is not None
        codes = np.zeros(len(frame), np.int64) if frame.stratum is None else frame.stratum
        names = frame.strata or ("",)
        sizes, drawn = (
            np.bincount(codes, minlength=len(names)),
            np.bincount(codes[frame.drawn], minlength=len(names)),
        )
        per_query = np.bincount(frame.query * len(names) + codes, minlength=len(frame.queries) * len(names))
        queries = np.count_nonzero(per_query.reshape(-1, len(names)), axis=0).tolist()
        columns = [
            Column("stratum"),
            Column("queries", "count"),
            Column("in the frame", "count"),
            Column("to judge", "count"),
        ]
        columns += [Column("share", "value")]
        rows = [
            (name, q, int(size), int(n), float(n / size))
            for name, q, size, n in zip(names, queries, sizes, drawn, strict=True)
        ]
        return Table(
            columns,
            rows,
            caption=f"A random sample of the items of {len(self.runs)} runs",
            notes=self.notes(),
        )

    def notes(self) -> list[str]:
        """Return the design, and what to do with the sample, as sentences."""
        notes = [
            f"{self.design}: {RULES[self.design]}",
            f"{len(self):,} items of {len(self.frame.queries):,} queries, {self.budget:,} per query where there are as many; seed {self.seed}",
            "judge all of them: an item that is left out makes the sample another; keep the frame, which estimates need",
        ]
        if self.design == "poisson":
            notes[1] = (
                f"{len(self):,} items of {len(self.frame.queries):,} queries, {self.budget:,} per query on average; seed {self.seed}"
            )
        return notes

    def tables(self) -> list[Table]:
        """Return the table of the strata."""
        return [self.summary()]

    def to_table(self) -> Table:
        """Return a table of the items to judge."""
        rows = [(str(drawn.query), str(drawn.item), drawn.stratum, drawn.propensity) for drawn in self]
        columns = [Column("query"), Column("item"), Column("stratum"), Column("propensity", "value")]
        return Table(columns, rows, caption="Items to judge")


def _gather(ids: Ids, rows: np.ndarray) -> pl.Series:
    """Some rows of ids as a column; of many rows each id is decoded once."""
    import polars as pl

    if len(rows) < len(ids):
        return pl.Series(ids[rows].tolist())
    return pl.Series(ids.tolist()).gather(rows)


def frame_beside(path: str | Path) -> Path:
    """Return the name of the frame beside a sample.

    >>> frame_beside("out/sample.tsv").as_posix()
    'out/sample.frame.tsv'
    """
    file = Path(path)
    return file.with_name(f"{file.stem}.frame{file.suffix}")


# Designs of samples: strata of the candidates of a query, how many to draw of each, and the probability of each
# item.


Design = Literal["rank", "prior", "uniform", "poisson"]
EDGES = np.array(
    [10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000]
)  # the deepest rank of each stratum but the last
THINNER = 3.0  # of each stratum of ranks, so many times fewer items are drawn than of the one above it
FEWEST = 5  # items drawn per stratum, on average
MOST = 10  # strata of a prior
RULES = {
    "rank": "strata by best rank in any run (1-10, 11-30, 31-100 …), each a third as dense as the one above it, at random within each",
    "prior": "strata of equal shares of statAP's prior, as many items of each, at random within each",
    "uniform": "all items alike, at random",
    "poisson": "each item independently, with a probability in proportion to statAP's prior",
}


class Drawing(NamedTuple):
    """What is drawn of one query: the stratum of each candidate (None without strata), their names, probabilities, and a mask."""

    stratum: np.ndarray | None
    names: tuple[str, ...]
    chance: np.ndarray
    drawn: np.ndarray


def draw_query(
    design: Design, best_rank: np.ndarray, prior: np.ndarray, keys: np.ndarray, budget: int
) -> Drawing:
    """Draw a number of candidates of a query by random numbers from 0 to 1, ``keys``; all if there are no more than that."""
    if design == "poisson":
        chance = scale_to_budget(prior, budget)
        return Drawing(None, (), chance, keys < chance)
    stratum, names, shares = _strata(design, best_rank, prior, budget)
    sizes = np.bincount(stratum, minlength=len(names))
    n = allocate(sizes, shares, budget)
    drawn = np.zeros(len(keys), np.bool_)
    for code, number in enumerate(n.tolist()):
        own = np.flatnonzero(stratum == code)
        if number < len(own):  # only what has the smallest keys is sorted
            own = own[keys[own] <= np.partition(keys[own], number)[number]]
        drawn[own[np.argsort(keys[own], kind="stable")[:number]]] = True
    return Drawing(stratum, names, (n / sizes)[stratum], drawn)


def _strata(
    design: Design, best_rank: np.ndarray, prior: np.ndarray, budget: int
) -> tuple[np.ndarray, tuple[str, ...], np.ndarray]:
    """The stratum of each candidate, their names, and the shares of the budget in which they are drawn."""
    most = max(budget // FEWEST, 1)
    if design == "uniform":
        return np.zeros(len(prior), np.int64), ("all",), np.ones(1)
    if design == "rank":
        levels, stratum = np.unique(
            np.minimum(np.searchsorted(EDGES, best_rank), most - 1), return_inverse=True
        )
        names = tuple(_ranks(level, is_last=level == most - 1) for level in levels.tolist())
        return stratum, names, np.bincount(stratum) / THINNER ** levels.astype(np.float64)
    order = np.argsort(-prior, kind="stable")
    mass = np.cumsum(prior[order]) / prior.sum()
    n = min(most, MOST)
    level = np.empty(len(prior), np.int64)
    level[order] = np.minimum((mass - prior[order] / prior.sum() / 2) * n, n - 1).astype(np.int64)
    levels, stratum = np.unique(level, return_inverse=True)
    return stratum, tuple(f"prior {number}" for number in (levels + 1).tolist()), np.bincount(stratum, prior)


def _ranks(level: int, *, is_last: bool) -> str:
    """The name of a stratum of ranks; the last one goes to the end of the lists."""
    low = 1 if level == 0 else int(EDGES[level - 1]) + 1
    return f"{low}+" if is_last or level == len(EDGES) else f"{low}-{EDGES[level]}"


def allocate(sizes: np.ndarray, shares: np.ndarray, budget: int) -> np.ndarray:
    """Return how many to draw of each stratum: in proportion to the shares, at least two and no more than there are.

    Two are needed to see a variance. What a stratum cannot take goes to the others, in proportion.

    >>> allocate(np.array([10, 20, 70]), np.array([10.0, 10.0, 10.0]), 36).tolist()
    [10, 13, 13]
    >>> allocate(np.array([3, 50]), np.array([1.0, 100.0]), 10).tolist()
    [2, 8]
    """
    budget = min(budget, int(sizes.sum()))
    least = np.minimum(sizes, 2)
    if budget < least.sum():
        least = np.zeros(len(sizes))
    low, high = 0.0, 1.0
    while np.clip(high * shares, least, sizes).sum() < budget:
        high *= 2
    # halving: the total grows with the factor, but has corners where strata are full
    for _ in range(100):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (middle, high) if np.clip(middle * shares, least, sizes).sum() < budget else (low, middle)
    exact = np.clip(high * shares, least, sizes)
    whole = np.floor(exact + 1e-9).astype(np.int64)
    # what rounding down left goes to the largest remainders
    rest = np.argsort(-(exact - whole), kind="stable")[: max(budget - int(whole.sum()), 0)]
    whole[rest] += 1
    return np.minimum(whole, sizes)


def scale_to_budget(prior: np.ndarray, budget: int) -> np.ndarray:
    """Return probabilities in proportion to a prior, none above 1, that add up to the budget.

    >>> scale_to_budget(np.array([6.0, 2.0, 1.0, 1.0]), 2).tolist()
    [1.0, 0.5, 0.25, 0.25]
    """
    if budget >= len(prior):
        return np.ones(len(prior))
    order = np.argsort(-prior, kind="stable")
    left = np.cumsum(prior[order][::-1])[::-1]  # of each and all below
    # the highest priors are drawn for certain until the scaled rest has none above 1
    certain = int(np.argmax((budget - np.arange(len(prior))) * prior[order] < left))
    scale = (budget - certain) / left[certain]
    chances: np.ndarray = np.minimum(prior * scale, 1.0)
    chances[order[:certain]] = 1.0
    return chances


def prior_of(rank: np.ndarray, length: np.ndarray) -> np.ndarray:
    """Return statAP's prior of ranks in lists of these lengths: (1/2n) (1 + 1/r + 1/(r + 1) + … + 1/n), which adds up to 1.

    It is the share of AP's weight that falls on a rank, over all pairs of ranks.

    >>> prior_of(np.array([1, 2]), np.array([2, 2])).tolist()
    [0.625, 0.375]
    """
    n = np.maximum(length, rank)  # ranks with gaps may be beyond the length
    sums = np.append(0.0, np.cumsum(1.0 / np.arange(1, int(n.max(initial=1)) + 1)))
    prior: np.ndarray = (1.0 + sums[n] - sums[rank - 1]) / (2 * n)
    return prior
