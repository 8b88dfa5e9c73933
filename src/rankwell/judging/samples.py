"""sample: the items to judge, drawn at random with known probabilities from the lists of runs, and the frame they were drawn from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Unpack

import numpy as np

from rankwell.comparison.fusion.candidates import PART_ROWS
from rankwell.display.output import save
from rankwell.display.result import Result
from rankwell.display.table import Column, Table
from rankwell.errors import DataError, UsageError, brief
from rankwell.evaluation.request import Words, read_with, reading_of
from rankwell.judging.pools import Pooled, ordering_policy, runs_of
from rankwell.matching.policy import Policy
from rankwell.matching.pool import Pool
from rankwell.readers.samples import SampleRows
from rankwell.records import Derived, cached_property, record
from rankwell.statistics.draws import uniform
from rankwell.statistics.samples import Variance, independent_variance, pair_factors, stratified_variance
from rankwell.tables.arguments import checked
from rankwell.tables.cells import MOST
from rankwell.tables.ids import Ids, Known, draws, fingerprints_of
from rankwell.tables.lists import offsets_of, owners
from rankwell.tables.rows import cuts
from rankwell.tables.run_qrels import Qrels
from rankwell.tables.series import Reordered, RowOf, StoredPlace, store_place

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
MOST_STRATA = 10  # of a prior
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
    n = min(most, MOST_STRATA)
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


# The frame: the items that could have been drawn for each query, how they were drawn, and what was judged of them.


Unanswered = Literal["error", "random"]
NEAR = 0.01  # how far, relatively, a propensity may be from drawn/size: files round it


@record(eq=False)
class Frame:
    """The rows of a frame, query by query: items by their number in ``catalogue``, strata in ``strata``; other columns NaN where unknown."""

    name: str
    queries: Ids
    offsets: np.ndarray
    catalogue: Ids
    item: np.ndarray
    strata: tuple[str, ...]
    stratum: np.ndarray | None
    propensity: np.ndarray | None
    drawn: np.ndarray | None
    grade: np.ndarray
    place: StoredPlace

    @classmethod
    def of(cls, rows: SampleRows) -> Frame:
        """Return the frame in the rows of a table.

        Raises
        ------
        DataError
            If there is no row, a query has an item twice, or a propensity is not above 0 and at most 1.
        """
        frame, place, name = rows
        if not len(frame):
            raise DataError(f"{name}: the frame holds no rows.")
        query = Ids.of_series(frame["query"], "query", place).owned()
        items = Ids.of_series(frame["item"], "item", place).owned()
        number, firsts = query.group()
        order = np.argsort(number, kind="stable")
        offsets = offsets_of(np.bincount(number))
        of_item, first_items = items.group()
        keys = number * len(items) + of_item
        _, first, times = np.unique(keys, return_index=True, return_counts=True)
        if (times > 1).any():
            row = int(np.flatnonzero(keys == keys[first[times > 1][0]])[1])
            raise DataError(
                f"{place(row)}: item {brief(items.one(row))} of query {brief(query.one(row))} is in the frame twice. Remove one row."
            )
        columns = {
            word: frame[word].to_numpy() for word in ("propensity", "drawn", "grade") if word in frame.columns
        }
        chance = columns.get("propensity")
        if chance is not None:
            # below the least one, 1/π is more items than any frame has, and at last infinite
            wrong = ~((chance >= 1 / MOST) & (chance <= 1)) & ~np.isnan(chance)
            if wrong.any():
                row = int(wrong.argmax())
                least = f" (at least 2^-53, {1 / MOST:.1e})" if chance[row] > 0 else ""
                raise DataError(
                    f"{place(row)}: the propensity is {chance[row]:g}; it must be above 0{least} and at most 1."
                )
        names: list[Any] = []
        codes = None
        if "stratum" in frame.columns:
            strata = Ids.of_series(frame["stratum"], "stratum", place)
            codes, first_strata = strata.group()
            names = strata[first_strata].tolist()
        grade = columns.get("grade", np.full(len(frame), np.nan))

        def sorted_by_query(column: np.ndarray | None) -> np.ndarray | None:
            return None if column is None else column[order]

        return cls(
            name, query[firsts], offsets, items[first_items], of_item[order], tuple(names), sorted_by_query(codes), sorted_by_query(chance),
            sorted_by_query(columns.get("drawn")), grade[order], Reordered(store_place(place, name), order),
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.item)

    @property
    def items(self) -> Ids:
        """The item of each row."""
        return self.catalogue[self.item]

    @cached_property
    def query(self) -> np.ndarray:
        """The query of each row."""
        return owners(self.offsets)

    @cached_property
    def _known(self) -> tuple[Known, Known, np.ndarray, np.ndarray]:
        keys = self.query * len(self.catalogue) + self.item
        order = np.argsort(keys)
        return Known(self.queries), Known(self.catalogue), keys[order], order

    def find(self, queries: Ids, items: Ids) -> np.ndarray:
        """Return the row of each pair of ids, -1 for those that are not in the frame, -2 for those of a query that is not."""
        known_queries, known_items, keys, order = self._known
        query, item = known_queries.rows_of(queries, "query"), known_items.rows_of(items, "item")
        pair_keys = query * len(known_items) + item
        place = np.minimum(np.searchsorted(keys, pair_keys), len(keys) - 1)
        rows = np.where((item >= 0) & (keys[place] == pair_keys), order[place], -1)
        return np.where(query < 0, -2, rows)

    def judgements(self) -> Qrels:
        """Return the grades that stand in the frame itself; DataError if there are none."""
        rows = np.flatnonzero(~np.isnan(self.grade))
        if not len(rows):
            raise DataError(f"{self.name}: no row has a grade, so nothing is judged.")
        return Qrels(
            self.queries[self.query[rows]], self.catalogue[self.item[rows]], self.grade[rows], name=self.name
        )

    @property
    def marks_undrawn(self) -> bool:
        """Whether grades below 0 mark what was not drawn."""
        return self.drawn is None and bool((self.grade < 0).any())

    @property
    def is_whole(self) -> bool:
        """Whether the frame holds what was not drawn, too: otherwise only what was drawn is known."""
        if self.drawn is not None:
            return not self.drawn.all() or self.propensity is None or bool((self.propensity == 1).all())
        return bool((np.isnan(self.grade) | (self.grade < 0)).any()) or (
            self.propensity is not None and bool((self.propensity == 1).all())
        )


@record(eq=False)
class JudgedRows:
    """The grades of a frame's rows that are drawn and judged, NaN for others; its parts, one per query; and what was met."""

    grade: np.ndarray
    parts: tuple[QueryFrame, ...]
    is_whole: bool
    counts: Counter[str]


def match_judgements(frame: Frame, pool: Pool, unanswered: Unanswered, *, own: bool) -> JudgedRows:
    """Return what is judged of a frame, whose rows ``drawn`` says were drawn; without it those that are judged were.

    ``own`` is whether the judgements are those of the frame itself.

    Raises
    ------
    DataError
        If drawn items are not judged and ``unanswered`` is ``"error"``, or the frame does not say how they were drawn.
    """
    counts: Counter[str] = Counter()
    grade = np.full(len(frame), np.nan)
    row = frame.find(pool.queries.ids[owners(pool.offsets)], pool.items)
    is_judged = pool.scale.judged(pool.grades)
    counts["judged items of queries that are not in the frame"] = int((is_judged & (row == -2)).sum())
    counts["judged items that are not in the frame"] = int((is_judged & (row == -1)).sum())
    in_frame = is_judged & (row >= 0)
    grade[row[in_frame]] = pool.grades[in_frame]
    drawn = ~np.isnan(grade) if frame.drawn is None else frame.drawn
    counts["judged items that were not drawn"] = int((~np.isnan(grade) & ~drawn).sum())
    # a judgement of what was not drawn was chosen by somebody, and would make the sample another
    grade[~drawn] = np.nan
    missing = np.flatnonzero(drawn & np.isnan(grade))
    if len(missing) and unanswered == "error":
        at = int(missing[0])
        raise DataError(
            f"{frame.place(at)}: {len(missing):,} drawn items have no judgement, such as {brief(frame.catalogue.one(int(frame.item[at])))} of query "
            f"{brief(frame.queries.one(int(frame.query[at])))}. Judge them; or, if it depends on nothing which are missing, say "
            f"unanswered='random': the others of their stratum then stand for them."
        )
    counts["drawn items without a judgement"] = len(missing)
    if np.isnan(grade).all():
        raise DataError(
            f"{frame.name}: none of the drawn items is judged. Do the ids of the judgements fit those of the frame?"
        )
    parts = tuple(
        _query_frame(frame, slice(int(low), int(high)), drawn, ~np.isnan(grade), own=own)
        for low, high in zip(frame.offsets[:-1], frame.offsets[1:], strict=True)
    )
    return JudgedRows(grade, parts, frame.is_whole, +counts)


def _query_frame(
    frame: Frame, rows: slice, drawn: np.ndarray, judged: np.ndarray, *, own: bool
) -> QueryFrame:
    """The part of one query."""
    drawn, judged = drawn[rows], judged[rows]
    chance = None if frame.propensity is None else frame.propensity[rows]
    if chance is not None and np.isnan(chance[drawn]).any():
        at = rows.start + int((drawn & np.isnan(chance)).argmax())
        raise DataError(f"{frame.place(at)}: the item was drawn, and its propensity is missing.")
    if chance is not None and frame.drawn is not None and ((chance == 1) & ~drawn).any():
        at = rows.start + int(((chance == 1) & ~drawn).argmax())
        raise DataError(
            f"{frame.place(at)}: the propensity is 1, so every draw takes the item, but drawn is false. Correct one of the two."
        )
    if frame.stratum is None:
        assert chance is not None  # a frame has one or the other
        # of independently drawn items the share that was judged scales the probability: missing at random, others stand
        # for them
        answered = judged.sum() / max(drawn.sum(), 1)
        return QueryFrame(
            np.zeros(len(drawn), np.int64), judged, np.array([len(drawn)]), chance * (answered or 1.0)
        )
    codes, stratum = np.unique(frame.stratum[rows], return_inverse=True)
    sizes = np.bincount(stratum)
    n = np.bincount(stratum[drawn], minlength=len(sizes))
    if not frame.is_whole:
        sizes = _sizes_of_strata(frame, rows, stratum, n, own=own)
    elif chance is not None:
        expected = (n / sizes)[stratum]
        # of a stratum of which nothing was drawn only a larger sample could tell
        off = (expected > 0) & (
            np.abs(chance - expected) > NEAR * expected
        )  # NaN is not known, and never off
        if off.any():
            at = int(off.argmax())
            raise DataError(
                f"{frame.place(rows.start + at)}: the propensity is {chance[at]:g}, but {n[stratum[at]]} of the {sizes[stratum[at]]} items of "
                f"stratum {brief(frame.strata[codes[stratum[at]]])} were drawn. Strata are drawn at random, all items alike: leave the column "
                f"stratum out if items were drawn independently, each with its own propensity."
            )
    return QueryFrame(stratum, judged, sizes)


def _sizes_of_strata(
    frame: Frame, rows: slice, stratum: np.ndarray, n: np.ndarray, *, own: bool
) -> np.ndarray:
    """The numbers of items of strata of which only drawn items are known, from their propensities."""
    if frame.propensity is None:
        hint = (
            ""
            if own
            else " It should hold all items that could have been drawn, with drawn = false for those that were not."
        )
        raise DataError(
            f"{frame.name}: every row was drawn, so how many could have been is not known.{hint} Keep the rows that were not drawn (grade "
            f"-1, or empty), or give the propensities."
        )
    chance = frame.propensity[rows]
    low, high = (np.full(len(n), fill) for fill in (np.inf, 0.0))
    np.minimum.at(low, stratum, chance)
    np.maximum.at(high, stratum, chance)
    if (high > low * (1 + NEAR)).any():
        at = rows.start + int((high > low * (1 + NEAR))[stratum].argmax())
        raise DataError(
            f"{frame.place(at)}: items of one stratum have different propensities. Strata are drawn at random, all items alike: leave the "
            f"column stratum out if items were drawn independently."
        )
    # the propensity is n / N, rounded in the file
    sizes = np.round(n / low)
    if (sizes > MOST).any():
        at = rows.start + int((sizes > MOST)[stratum].argmax())
        raise DataError(
            f"{frame.place(at)}: the propensity is {frame.propensity[at]:g}, so its stratum would have {sizes.max():.0e} items; at most 2^53 "
            f"can be counted."
        )
    return np.maximum(sizes.astype(np.int64), n)


@record(eq=False)
class QueryFrame(Derived):
    """The items that could have been drawn for one query, end to end.

    ``stratum`` is the number of each item's stratum, ``judged`` whether it is in the sample and has a grade. ``chance`` is the
    probability of each item to be drawn if items are drawn independently, and None if they are drawn stratum by stratum, at
    random without replacement: ``sizes`` are then the numbers of items N of the strata and ``drawn`` those judged, n.
    """

    stratum: np.ndarray
    judged: np.ndarray
    sizes: np.ndarray
    chance: np.ndarray | None = None

    lifetime: ClassVar[int] = 0

    @cached_property
    def drawn(self) -> np.ndarray:
        """The number of judged items of each stratum."""
        return np.bincount(self.stratum[self.judged], minlength=len(self.sizes))

    @cached_property
    def weight(self) -> np.ndarray:
        """How many items of the frame each judged item stands for, 1/π; 0 for the others."""
        if self.chance is not None:
            return np.where(self.judged, 1.0 / self.chance, 0.0)
        per_stratum = self.sizes / np.maximum(self.drawn, 1)
        return np.where(self.judged, per_stratum[self.stratum], 0.0)

    @cached_property
    def scaled(self) -> np.ndarray:
        """The weights over their mean in the stratum: 1 for each judged item of a stratum drawn at random."""
        if self.chance is None:
            return self.judged.astype(np.float64)
        sums = np.bincount(self.stratum, self.weight, minlength=len(self.sizes))
        means = sums / np.maximum(self.drawn, 1)
        return self.weight / np.where(means > 0, means, 1.0)[self.stratum]

    @cached_property
    def pair_factors(self) -> np.ndarray:
        """π_i π_j / π_ij for two items of each stratum; those of two strata are drawn independently."""
        if self.chance is not None:
            return np.ones(len(self.sizes))
        return pair_factors(self.sizes, self.drawn)

    @cached_property
    def factors_without_one(self) -> np.ndarray:
        """The factors of pairs if one judged item of the stratum were not judged."""
        if self.chance is not None:
            return np.ones(len(self.sizes))
        return pair_factors(self.sizes, self.drawn - 1)

    @cached_property
    def growth(self) -> np.ndarray:
        """How much more the other judged items of a stratum stand for if one were not judged: n/(n − 1); 1 if none is left."""
        if self.chance is not None:
            return np.ones(len(self.sizes))
        return np.where(self.drawn > 1, self.drawn / np.maximum(self.drawn - 1, 1), 1.0)

    def variance(self, estimate: Estimate) -> Variance:
        """Return the design variance of an estimate, by the jackknife: from its values without each judged item.

        In a stratum of N items of which n are judged, item j moves the value by (n − 1)/N (θ − θ without j) per item that it stands
        for; the variance is that of the total of these. Independently drawn items move it by π (θ − θ without j), and so does an
        item that is alone in its stratum. NaN if it is not known, as ``stratified_variance`` says.
        """
        step = estimate.value - estimate.without
        if self.chance is not None:
            chance = self.chance[self.judged]
            return independent_variance(chance * step, chance)
        stratum = self.stratum[self.judged]
        drawn, sizes = self.drawn[stratum], self.sizes[stratum]
        return stratified_variance(np.maximum(drawn - 1, 1) / sizes * step, stratum, self.sizes, self.drawn)

    @property
    def lonely(self) -> int:
        """The number of strata of which one item of several is judged."""
        return 0 if self.chance is not None else int(((self.drawn == 1) & (self.sizes > 1)).sum())

    @property
    def empty(self) -> int:
        """The number of strata of which no item is judged."""
        return int(((self.drawn == 0) & (self.sizes > 0)).sum()) if self.chance is None else 0


@record(eq=False)
class Estimate:
    """An estimated value, and what it would be without each judged item, 0 where no relevant item would be left."""

    value: float
    without: np.ndarray
