"""jackknife: intervals of corpus metrics, by leaving lists out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from rankwell.comparison.jackknife_groups import by_groups
from rankwell.comparison.sides import left_out, side_of, sizes_of, values_of
from rankwell.display.result import Result
from rankwell.display.table import Cell, Column, Table
from rankwell.errors import UsageError, nearest
from rankwell.evaluation import Evaluator
from rankwell.metrics import Wanted, metric_of
from rankwell.metrics.corpus_metric import CorpusMetric
from rankwell.metrics.metric import Metric
from rankwell.readers import read_run
from rankwell.records import record
from rankwell.tables.arguments import checked
from rankwell.tables.fingerprints import draws

MOST = 10_000  # up to this number, lists are left out one by one
GROUPS = 200
FEWEST_ITEMS = 50


@record
class Interval:
    """A value with its standard error and its interval."""

    value: float
    error: float
    low: float
    high: float


class Jackknife(Result):
    """Intervals of metrics: look one up by any spelling, or use ``to_table()`` or ``to_dict()`` for all.

    ``n`` is the number of lists, ``groups`` the number of parts left out in turn, ``items`` the number of distinct items in the
    lists, ``is_reliable`` whether those are enough to trust the intervals.
    """

    def __init__(
        self,
        name: str,
        intervals: Mapping[Metric, Interval],
        *,
        n: int,
        groups: int,
        items: int,
        level: float,
        seed: int,
    ) -> None:
        self.name, self._intervals, self.n, self.groups = name, dict(intervals), n, groups
        self.items, self.level, self.seed = items, level, seed

    @property
    def is_reliable(self) -> bool:
        """Whether the lists hold at least fifty distinct items."""
        return self.items >= FEWEST_ITEMS

    def __getitem__(self, metric: Wanted) -> Interval:
        wanted = metric_of(metric)
        if wanted not in self._intervals:
            names = [str(each) for each in self._intervals]
            raise UsageError(
                f"{wanted} was not asked for; the metrics are {', '.join(names)}.{nearest(str(wanted), names)}"
            )
        return self._intervals[wanted]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data; undefined values are None."""
        return {
            "name": self.name,
            "n": self.n,
            "groups": self.groups,
            "items": self.items,
            "reliable": self.is_reliable,
            "level": self.level,
            "seed": self.seed,
            "metrics": {
                str(metric): {
                    name: None if math.isnan(x) else x
                    for name, x in vars(found).items()
                }
                for metric, found in self._intervals.items()
            },
        }  # fmt: skip

    def to_table(self) -> Table:
        """Return a table for people."""
        columns = [Column("metric"), Column("value", "value"), Column("error", "value")]
        columns += [Column("low", "value"), Column("high", "value")]
        rows: list[tuple[Cell, ...]] = [
            (str(metric), found.value, found.error, found.low, found.high)
            for metric, found in self._intervals.items()
        ]
        how = (
            f"each of {self.n:,} lists left out in turn"
            if self.groups == self.n
            else f"{self.groups} groups of {self.n:,} lists left out in turn (seed {self.seed})"
        )
        notes = [
            f"low to high: jackknife, {self.level:.0%}, t with {self.groups - 1} degrees of freedom; {how}"
        ]
        if not self.is_reliable:
            notes.append(f"unreliable: the lists hold {self.items} distinct items, fewer than {FEWEST_ITEMS}")
        return Table(columns, rows, caption=self.name, notes=notes)


@checked
def jackknife(
    run: Any,
    metrics: Iterable[Wanted] | Wanted,
    qrels: Any = None,
    *,
    against: Any = None,
    level: float = 0.95,
    groups: int | None = None,
    seed: int = 0,
    **options: Any,
) -> Jackknife:
    """Return intervals of corpus metrics (coverage, Gini, personalization …) by leaving lists out.

    Formula
        se² = (1/G) Σ_g (θ̃_g − Σ_g m_g θ̃_g / n)² / (h_g − 1), θ̃_g = h_g θ − (h_g − 1) θ_(g), h_g = n / m_g, θ_(g) the value without
        group g, of m_g of the n lists; for groups of one size (G − 1) / G · Σ_g (θ_(g) − mean θ)². value ± t_(G−1) · se

    Parameters
    ----------
    run, metrics, qrels
        As for ``evaluate``; the metrics must have one value for all lists, not a value per query.
    against
        A second run: values are ``run`` minus ``against``, and each group of users is left out of both.
    level
        The share of intervals that should contain the true value.
    groups
        How many parts to leave out in turn; default: one per list, for more than 10,000 lists 200 parts, drawn at random. With
        ``engine="stream"`` and on Spark always parts, 200 unless said otherwise, drawn by a hash of the query.
    seed
        For drawing the groups.
    options
        Other arguments of ``evaluate``: ``items``, ``train``, ``policy``.

    Returns
    -------
    Jackknife
        Look up values with ``found["coverage@10"].low`` and so on, or print it as a table.

    Raises
    ------
    RankwellError
        For a metric with a value per query, fewer than two lists, or runs of different users (``against``).

    Notes
    -----
    There is no bootstrap: a sample of users drawn with replacement holds fewer distinct items, so its interval would miss the
    value itself. Only lists are left out; judgements, training data and catalogue stay. Values of this kind grow with the number
    of lists: the interval holds for runs of the same number of lists. Source: B. Efron and C. Stein, The jackknife estimate of
    variance, Annals of Statistics 9(3), 1981; for groups of different sizes F. Busing, E. Meijer and R. van der Leeden, Delete-m
    jackknife for unequal m, Statistics and Computing 9, 1999.

    Examples
    --------
    >>> found = jackknife({"u": ["a", "b"], "v": ["a", "c"], "w": ["d", "e"]}, "coverage@2", items=list("abcdefgh"))
    >>> found["coverage@2"].value, found.n, found.is_reliable
    (0.625, 3, False)
    """
    evaluator = Evaluator(qrels, metrics, **options)
    plain = next((m for m in evaluator.metrics if not isinstance(m, CorpusMetric)), None)
    if plain is not None:
        raise UsageError(
            f"{plain} has a value per query, and its mean needs another kind of interval; jackknife is for metrics of all "
            f"lists together, such as coverage@10."
        )
    if not 0 < level < 1:
        raise UsageError(f"level={level:g}: must be a share between 0 and 1, such as 0.95.")
    if evaluator.plan.is_streamed:
        if groups is not None and groups < 2:
            raise UsageError(f"groups={groups}: must be at least 2.")
        given = [run] if against is None else [run, against]
        told = by_groups(evaluator, given, groups or GROUPS, seed)
        return Jackknife(
            told.name,
            _intervals(evaluator.metrics, told.value, told.without, told.sizes, level),
            n=int(told.sizes.sum()),
            groups=len(told.sizes),
            items=told.items,
            level=level,
            seed=seed,
        )
    runs = [read_run(run)] if against is None else [read_run(run), read_run(against, name="against")]
    sides = [side_of(evaluator.task, read) for read in runs]
    if against is not None:
        sides[1] = sides[1].beside(sides[0])
    n = len(sides[0].judged)
    parts = groups or (n if n <= MOST else GROUPS)
    if not 1 < parts <= n:
        raise UsageError(f"groups={parts}: must be from 2 to the number of lists, {n:,}." if groups else
                         f"{runs[0].name}: an interval needs at least two lists, not {n}.")  # fmt: skip
    wholes = [side.whole() for side in sides]
    value = values_of(wholes)
    order = np.argsort(draws(seed, sides[0].judged.queries), kind="stable")
    without = np.array(list(left_out([side.take(order) for side in sides], wholes, parts)))
    intervals = _intervals(evaluator.metrics, value, without, np.array(sizes_of(n, parts)), level)
    name = runs[0].name if against is None else f"{runs[0].name} less {runs[1].name}"
    items = min(side.distinct() for side in sides)
    return Jackknife(name, intervals, n=n, groups=parts, items=items, level=level, seed=seed)


def _intervals(
    metrics: Iterable[Metric], value: Sequence[float], without: np.ndarray, sizes: np.ndarray, level: float
) -> dict[Metric, Interval]:
    return {metric: _interval(value[at], without[:, at], sizes, level) for at, metric in enumerate(metrics)}


def _interval(value: float, without: np.ndarray, sizes: np.ndarray, level: float) -> Interval:
    from scipy.special import stdtrit

    groups, n = len(without), int(sizes.sum())
    if (sizes == sizes[0]).all():
        spread = float(np.sum((without - without.mean()) ** 2)) * (groups - 1) / groups
    else:  # values that grow with the number of lists would differ by the sizes of groups alone
        times = n / sizes
        pseudo = times * value - (times - 1) * without
        spread = float(np.mean((pseudo - np.average(pseudo, weights=sizes)) ** 2 / (times - 1)))
    error = math.sqrt(spread)
    reach = float(stdtrit(groups - 1, 0.5 + level / 2)) * error
    return Interval(value, error, value - reach, value + reach)
