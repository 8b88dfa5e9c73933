"""The ``agreement`` function: judgements against judgements, and leaderboards against leaderboards: the values of several systems with
replicates, and how far two orders of the same systems agree.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from rankwell.comparison.agreement.judgements import (
    AssessorPair,
    Assessors,
    Circular,
    Joint,
    Measures,
    compare_all,
    compare_two,
    find_circular,
)
from rankwell.comparison.compare.alignment import Aligned
from rankwell.display.result import Result
from rankwell.display.table import Cell, Column, Table, number
from rankwell.errors import UsageError
from rankwell.evaluation import Evaluator
from rankwell.evaluation.request import read_with, reading_of
from rankwell.matching.policy import Policy, pop_policy
from rankwell.metrics import Wanted, metrics_of
from rankwell.metrics.metric import Metric
from rankwell.readers import open_named, read_qrels
from rankwell.readers.formats.trec import tag_of
from rankwell.readers.sources import names_as_text, refuse_unnamed
from rankwell.records import record
from rankwell.results import Results
from rankwell.statistics.agreement import (
    Order,
    Ties,
    ap_correlation,
    ap_correlation_b,
    kendall,
    order_of,
    overlap,
    swapped_pairs,
)
from rankwell.statistics.bootstrap import Replicated, around, drawn_weights
from rankwell.tables.arguments import checked
from rankwell.tables.run_qrels import Assessor, Qrels

if TYPE_CHECKING:
    import polars as pl

SIGN = {"higher": 1.0, "lower": -1.0}


@record(eq=False)
class Leaderboard:
    """A leaderboard: the value of each system times ``sign``, so that higher is better, and its replicates (rows).

    ``replicates`` is None for a metric without a value per query. ``n`` is the largest number of queries behind a value.
    """

    label: str
    systems: tuple[str, ...]
    sign: float
    values: np.ndarray
    replicates: np.ndarray | None
    n: int


def make_boards(
    results: Mapping[str, Results], metrics: tuple[Metric, ...], judged_by: str, times: int, seed: int
) -> list[Leaderboard]:
    """Return a board per metric of systems that were evaluated against the same judgements."""
    aligned = Aligned.of(results, metrics)
    for metric in metrics:
        if metric.better not in SIGN:
            raise UsageError(f"{metric} orders no systems: neither higher nor lower values of it are better.")
    tables = {m: _Table.of(aligned.values(m)) for m in metrics if times and aligned.has_values(m)}
    # drawn for all metrics at once: the same queries in each, so that two leaderboards are compared on one draw
    drawn = _replicates(tables, aligned.units, times, seed)
    return [_board(aligned, metric, judged_by, drawn.get(metric)) for metric in metrics]


def _board(aligned: Aligned, metric: Metric, judged_by: str, drawn: np.ndarray | None) -> Leaderboard:
    label, sign = str(metric) + judged_by, SIGN[metric.better]
    means = np.array([res.mean[str(metric)] for res in aligned.results], np.float64)
    n = max(res.n[str(metric)] for res in aligned.results)
    return Leaderboard(label, aligned.names, sign, sign * means, None if drawn is None else sign * drawn, n)


class _Table(NamedTuple):
    """The values of each system (row) per query, 0 where there is none, and which are known; None if all are."""

    values: np.ndarray
    known: np.ndarray | None

    @classmethod
    def of(cls, values: np.ndarray) -> _Table:
        is_defined = ~np.isnan(values)
        return cls(
            np.where(is_defined, values, 0.0), None if is_defined.all() else is_defined.astype(np.float64)
        )

    def means(self, weights: np.ndarray) -> np.ndarray:
        """Return the mean of each system (column) under some weights (rows); NaN where none of its queries has one."""
        counts = weights.sum(axis=1, keepdims=True) if self.known is None else weights @ self.known.T
        with np.errstate(divide="ignore", invalid="ignore"):
            # one product of matrices for all replicates; undefined values are 0 here and not counted there
            return (weights @ self.values.T) / counts


def _replicates(
    tables: Mapping[Metric, _Table], units: np.ndarray, times: int, seed: int
) -> dict[Metric, np.ndarray]:
    """The means of each system (column) over resampled queries, the same queries for all systems and metrics."""
    parts: dict[Metric, list[np.ndarray]] = {metric: [] for metric in tables}
    for weights in drawn_weights(units, times, seed) if tables else ():
        for metric, table in tables.items():
            parts[metric].append(table.means(weights))
    return {metric: np.concatenate(own) for metric, own in parts.items()}


LIMITS = (-1, 1), (-1, 1), (-1, 1), (-1, 1), (0, 1)  # of the coefficients
# a few arrays of 16 MB each, which stay far below the memory of the values themselves
CELLS = 1 << 21  # pairs of systems times replicates worked on at a time


class Coefficients(NamedTuple):
    """How far two orders agree: 1 wholly, −1 reversed (RBO: 0).

    ``tau_ap`` takes the first order for the reference, ``tau_ap_reversed`` the second; ``tau_ap_b`` is symmetric.
    """

    tau_b: Replicated
    tau_ap: Replicated
    tau_ap_reversed: Replicated
    tau_ap_b: Replicated
    rbo: Replicated


class Swap(NamedTuple):
    """Two systems: ``better`` is above ``worse`` in the first order and below it in the second.

    ``first`` and ``second`` are the differences there, better less worse, turned so that higher is better. ``again`` is the
    share of replicates in which the pair is swapped in this way too; at ½ or less, queries like these do not decide it.
    """

    better: str
    worse: str
    first: float
    second: float
    again: float


@record
class OrderOptions:
    """The persistence and the ties of RBO, the number of systems at the top, and the level of intervals."""

    p: float = 0.9
    ties: Ties = "a"
    top: int = 10
    level: float = 0.95


@record(eq=False)
class Leaderboards:
    """Two leaderboards of ``systems``, best first by the first: their coefficients, those of the top apart, and swapped pairs.

    ``top`` is None where there are no more systems than those; ``undefined`` are systems without a value in one of them.
    """

    first: str
    second: str
    systems: tuple[str, ...]
    values: tuple[tuple[float, ...], tuple[float, ...]]
    n: tuple[int, int]
    whole: Coefficients
    top: Coefficients | None
    swaps: tuple[Swap, ...]
    undefined: tuple[str, ...]


def compare_boards(first: Leaderboard, second: Leaderboard, how: OrderOptions) -> Leaderboards:
    """Return how far two boards of the same systems agree."""
    has_both = ~(np.isnan(first.values) | np.isnan(second.values))
    rows = np.flatnonzero(has_both)
    # best first by the first board, so that its top is the beginning of every array
    rows = rows[np.lexsort((rows, -first.values[rows]))]
    x, y = first.values[rows], second.values[rows]
    drawn = None
    if first.replicates is not None and second.replicates is not None:
        drawn = first.replicates[:, rows], second.replicates[:, rows]
    few = None if drawn is None else (drawn[0][:, : how.top], drawn[1][:, : how.top])
    return Leaderboards(
        first=first.label,
        second=second.label,
        systems=tuple(first.systems[row] for row in rows),
        values=(tuple((first.sign * x).tolist()), tuple((second.sign * y).tolist())),
        n=(first.n, second.n),
        whole=_correlate(x, y, drawn, how),
        top=_correlate(x[: how.top], y[: how.top], few, how) if len(rows) > how.top else None,
        swaps=tuple(_swapped(x, y, drawn, [first.systems[row] for row in rows])),
        undefined=tuple(first.systems[row] for row in np.flatnonzero(~has_both)),
    )


def _values(x: Order, y: Order, how: OrderOptions) -> np.ndarray:
    taus = kendall(x, y), ap_correlation(x, y), ap_correlation(y, x), ap_correlation_b(x, y)
    return np.stack([*taus, overlap(x, y, how.p, how.ties)], axis=-1)


def _correlate(
    x: np.ndarray, y: np.ndarray, drawn: tuple[np.ndarray, np.ndarray] | None, how: OrderOptions
) -> Coefficients:
    values = _values(order_of(x), order_of(y), how)
    if drawn is None or len(x) < 2:
        return Coefficients(*(Replicated(value) for value in values.tolist()))
    # coefficients of pairs need n² cells a replicate; 100 systems and 2,000 replicates at once would need 20 million
    size = max(CELLS // len(x) ** 2, 1)
    parts = []
    for low in range(0, len(drawn[0]), size):
        left, right = drawn[0][low : low + size], drawn[1][low : low + size]
        replicates = _values(order_of(left), order_of(right), how)
        # a replicate in which a system has no value has no order of all systems
        replicates[np.isnan(left).any(axis=1) | np.isnan(right).any(axis=1)] = math.nan
        parts.append(replicates)
    columns = zip(values.tolist(), np.concatenate(parts).T, LIMITS, strict=True)
    return Coefficients(
        *(Replicated(value, *around(value, drawn, how.level, limits)) for value, drawn, limits in columns)
    )


def _swapped(
    x: np.ndarray, y: np.ndarray, drawn: tuple[np.ndarray, np.ndarray] | None, systems: list[str]
) -> list[Swap]:
    """The swapped pairs, those that are swapped most surely first."""
    worse, better = np.nonzero(swapped_pairs(x, y))
    again = np.full(len(worse), math.nan)
    if drawn is not None:
        left, right = (replicates[:, better] - replicates[:, worse] for replicates in drawn)
        has_both = ~np.isnan(left + right)
        # strictly: a replicate that ties the two does not swap them
        again = ((left > 0) & (right < 0) & has_both).sum(axis=0) / np.maximum(has_both.sum(axis=0), 1)
    # lexsort sorts by its last key first: by how sure the swap is, then by place
    order = np.lexsort((worse, better, -np.nan_to_num(again)))
    return [
        Swap(
            systems[better[at]],
            systems[worse[at]],
            float(x[better[at]] - x[worse[at]]),
            float(y[better[at]] - y[worse[at]]),
            float(again[at]),
        )
        for at in order
    ]


FEWEST = 99  # replicates: with fewer, the ends of a 95 % interval are the most extreme one or two


@checked
def agreement(
    qrels: Any,
    /,
    *others: Any,
    runs: Mapping[str, Any] | None = None,
    metrics: Iterable[Wanted] | Wanted | None = None,
    top: int = 10,
    p: float = 0.9,
    rbo_ties: Ties = "a",
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    policy: Policy | None = None,
    read: Mapping[str, Any] | None = None,
    **options: Any,
) -> Agreement:
    """Return how far judgements agree, of people or of models; and leaderboards, under several metrics or judgements.

    Parameters
    ----------
    qrels, others
        Judgements, in any form that ``read_qrels`` accepts: each two are compared on the pairs of query and item that both
        judge. One set alone is for leaderboards of several metrics. Who judged (``read_qrels(…, assessor=…)``) is printed.
    runs, metrics
        The systems by name, and what they are evaluated with, as for ``compare``: each metric's leaderboards under two sets of
        judgements are compared, or with one set those of each two metrics.
    top
        The number of systems at the top of the first leaderboard, whose order is also looked at apart.
    p, rbo_ties
        The persistence of RBO, and what it makes of equal values: ``a`` (the mean over all their orders), ``b`` (corrected so that
        an order agrees wholly with itself) or ``w`` (they share the first rank of their group).
    level, resamples, seed
        Of intervals: whole queries are resampled, the same for both sides.
    policy, read, options
        The rules for grades and everything else, also as fields by themselves (``rel=2``); how files are read; and other
        arguments of ``Evaluator``: ``train``, ``items``, ``threads`` …

    Returns
    -------
    Agreement
        Print it, or see ``found.judgements`` and ``found.leaderboards``.

    Raises
    ------
    RankwellError
        If there is nothing to compare, two judgements have no pair in common, values of a metric are not better or worse, or
        data are bad.

    Notes
    -----
    A system whose name, or tag in TREC text, names the family of a model that judged is warned of (``found.circular``).

    Quadratic weights and interval α take the grades for numbers: 3 is as far from 1 as 2 from 0. Grades below 0 are judgements
    only under ``negative="nonrelevant"``.

    τ_b counts pairs of systems alike; τ_AP and RBO weigh the top more. τ_AP takes the first leaderboard for the reference, the
    reversed one the second. Their intervals are of the coefficient that is expected of so many queries: percentiles of replicates,
    moved so that their mean is the value, since replicates are noisier than the sample, and noise lowers agreement. For the same
    reason the coefficient of many more queries may lie above. Those of judgements are percentiles as they are.

    Examples
    --------
    >>> import rankwell as rw
    >>> qrels = {str(q): {"a": 1, "b": 1} for q in range(8)}
    >>> runs = {"first": [["a", "x", "y"]] * 8, "both": [["x", "a", "b"]] * 8, "none": [["x", "y", "z"]] * 8}
    >>> runs = {name: dict(zip(qrels, lists)) for name, lists in runs.items()}
    >>> [found] = rw.agreement(qrels, runs=runs, metrics=["rr", "r@3"]).leaderboards
    >>> round(found.whole.tau_b.value, 4), [(swap.better, swap.worse) for swap in found.swaps]
    (0.3333, [('first', 'both')])
    >>> model = {str(q): {"a": 1, "b": q % 2} for q in range(8)}
    >>> [found] = rw.agreement(qrels, model).judgements
    >>> found.measures.exact.value, found.measures.over.value
    (0.75, -0.25)
    """
    read = read_with(read, options)
    of_runs, of_qrels = reading_of(read)
    judged = _read_judgements([qrels, *others], of_qrels)
    metrics_wanted = () if metrics is None else metrics_of(metrics)
    if runs is not None or metrics is not None or len(judged) == 1:
        _refuse(list(judged), runs, metrics_wanted)
    if not 0 < p < 1:
        raise UsageError(f"p={p:g}: must be above 0 and below 1.")
    if not 0 < level < 1:
        raise UsageError(f"level={level:g}: must be a share between 0 and 1, such as 0.95.")
    if top < 2:
        raise UsageError(f"top={top}: must be at least 2; one system has no order.")
    if resamples < FEWEST:
        raise UsageError(f"resamples={resamples}: at least {FEWEST} random replicates.")
    how = OrderOptions(p, rbo_ties, top, level)
    # taken out of the options: judgements are compared under the policy, without an evaluator
    policy_given = pop_policy(policy, options, ("runs", "metrics", "rbo_ties", "resamples"))
    assessors = {name: assessor_qrels.assessor for name, assessor_qrels in judged.items()}
    boards: list[Leaderboards] = []
    circular: tuple[Circular, ...] = ()
    if runs is not None:
        refuse_unnamed(runs, "agreement")
        read_runs = open_named(names_as_text(runs), of_runs)
        evaluated = {"read": read, "policy": policy_given, **options}
        boards = _compare_leaderboards(judged, read_runs, metrics_wanted, how, resamples, seed, evaluated)
        circular = find_circular({name: tag_of(run) for name, run in read_runs.items()}, assessors)
    elif options:
        raise UsageError(f"{next(iter(options))}= is for leaderboards; give runs and metrics too.")
    judgements, joint = _compare_judgements(judged, policy_given, level, resamples, seed)
    return Agreement(judgements, joint, tuple(boards), assessors, circular, how, resamples, seed)


def _compare_judgements(
    judged: Mapping[str, Qrels], policy: Policy, level: float, times: int, seed: int
) -> tuple[tuple[AssessorPair, ...], Joint | None]:
    """Each two judgements, and from three on all together."""
    if len(judged) < 2:
        return (), None
    assessors = Assessors.of(judged, policy)
    comparisons = tuple(
        compare_two(assessors, first, second, level=level, times=times, seed=seed)
        for first, second in combinations(range(len(judged)), 2)
    )
    whole = compare_all(assessors, level=level, times=times, seed=seed) if len(judged) > 2 else None
    return comparisons, whole


def _read_judgements(sources: list[Any], options: Mapping[str, Any]) -> dict[str, Qrels]:
    """The judgements by name; those that share one are numbered."""
    by_name: dict[str, Qrels] = {}
    for source in sources:
        qrels = read_qrels(source, **options)
        name, number = qrels.name, 1
        while name in by_name:
            number += 1
            name = f"{qrels.name} {number}"
        by_name[name] = qrels
    return by_name


def _refuse(judged: list[str], runs: Mapping[str, Any] | None, metrics: tuple[Metric, ...]) -> None:
    if runs is None and metrics:
        raise UsageError("metrics are for leaderboards; give runs too.")
    if runs is None:
        raise UsageError("agreement takes two: give other judgements, or runs and metrics.")
    if not metrics:
        raise UsageError("say which metrics order the systems: metrics=['ndcg@10', 'ap'].")
    if len(runs) < 2:
        raise UsageError(f"an order needs at least two systems, not {len(runs)}.")
    if len(judged) == 1 and len(metrics) == 1:
        raise UsageError(
            f"{metrics[0]} under {judged[0]} is one leaderboard; give a second metric, or other judgements."
        )


def _compare_leaderboards(
    judged: Mapping[str, Qrels],
    runs: Mapping[str, Any],
    metrics: tuple[Metric, ...],
    how: OrderOptions,
    times: int,
    seed: int,
    options: Mapping[str, Any],
) -> list[Leaderboards]:
    boards_by_judgements = []
    for name, qrels in judged.items():
        results = Evaluator(qrels, metrics, **options).results_of_sources(runs)
        by = f" by {name}" if len(judged) > 1 else ""
        boards_by_judgements.append(make_boards(results, metrics, by, times, seed))
    if len(boards_by_judgements) == 1:
        # under one set of judgements metrics are compared; under several, each metric with itself under the others
        pairs = list(combinations(boards_by_judgements[0], 2))
    else:
        pairs = [
            pair for boards in zip(*boards_by_judgements, strict=True) for pair in combinations(boards, 2)
        ]
    return [compare_boards(first, second, how) for first, second in pairs]


SCHEMA = 1
FEW = 50  # queries below which an interval is likely too short
MEASURES = {
    "exact": "same grade",
    "binary": "both or neither relevant",
    "kappa": "Cohen's κ",
    "kappa_binary": "Cohen's κ, relevant or not",
    "kappa_quadratic": "Cohen's κ, quadratic weights",
    "alpha_nominal": "Krippendorff's α, nominal",
    "alpha_ordinal": "Krippendorff's α, ordinal",
    "alpha_interval": "Krippendorff's α, interval",
}
# tau_ap_b is in to_dict() only: beside both directions of τ_AP it would say nothing new
SHOWN = {"tau_b": "τ_b", "tau_ap": "τ_AP", "tau_ap_reversed": "τ_AP reversed", "rbo": "RBO"}
MOST_SWAPS = 20  # rows of one pair of leaderboards; the others are in to_dict()
TIES = {
    "a": "the mean over all orders of equal values",
    "b": "equal values corrected for",
    "w": "equal values share a rank",
}


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Result):
    """How far judgements agree, each two of them and (``joint``, from three on) all; and leaderboards; made by ``agreement``.

    ``assessors`` are those who made the judgements, ``circular`` systems that may be favoured by a judge of their own kind.
    """

    _plural: ClassVar[str] = "agreements"
    _indent: ClassVar[int | None] = 1

    judgements: tuple[AssessorPair, ...]
    joint: Joint | None
    leaderboards: tuple[Leaderboards, ...]
    assessors: Mapping[str, Assessor | None]
    circular: tuple[Circular, ...]
    how: OrderOptions
    resamples: int
    seed: int

    def tables(self) -> list[Table]:
        """Return the tables: measures and grades of each two judgements, coefficients of leaderboards, the pairs that swap."""
        tables = [table for pair in self.judgements for table in (_measures(self, pair), _confusion(pair))]
        tables += [] if self.joint is None else [_joint(self, self.joint)]
        tables += [_coefficient_table(self), _swap_table(self)] if self.leaderboards else []
        return [table for table in tables if table.rows]

    def to_frame(self) -> pl.DataFrame:
        """Return a frame with a row per measure of each two judgements and coefficient of each two leaderboards.

        Its columns are first, second, n (pairs of query and item, or systems), measure, value, low and high.
        """
        import polars as pl

        own: list[tuple[str, str, int, Measures | Coefficients]] = [
            (comparison.first, comparison.second, comparison.n, comparison.measures)
            for comparison in self.judgements
        ]
        own += [
            (comparison.first, comparison.second, len(comparison.systems), comparison.whole)
            for comparison in self.leaderboards
        ]
        rows = [
            (first, second, n, name, *value)
            for first, second, n, values in own
            for name, value in values._asdict().items()
        ]
        columns = ["first", "second", "n", "measure", "value", "low", "high"]
        return pl.DataFrame(rows, schema=columns, orient="row").fill_nan(None)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values; undefined is None."""
        how = {**vars(self.how), "resamples": self.resamples, "seed": self.seed}
        return {
            "schema": SCHEMA,
            "how": how,
            "assessors": {
                name: None if each is None else vars(each) for name, each in self.assessors.items()
            },
            "circular": _plain(self.circular),
            "judgements": [_plain(vars(each)) for each in self.judgements],
            "joint": _plain(self.joint),
            "leaderboards": [_plain(vars(each)) for each in self.leaderboards],
        }


def _plain(value: Any) -> Any:
    """A value with named tuples as dicts, tuples as lists, and NaN as None."""
    # before the test for tuples, which named tuples are too
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, dict):
        return {str(word): _plain(part) for word, part in value.items()}
    if isinstance(value, (tuple, list)):
        return [_plain(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _measures(agreement: Agreement, pair: AssessorPair) -> Table:
    """The measures of one pair of assessors with their intervals."""
    words = MEASURES | {
        "over": f"mean grade of {pair.second} less {pair.first}",
        "higher": f"graded higher by {pair.second}",
        "lower": f"graded lower by {pair.second}",
        "prevalence_first": f"relevant by {pair.first}",
        "prevalence_second": f"relevant by {pair.second}",
    }
    rows = [_measure_row(word, getattr(pair.measures, name)) for name, word in words.items()]
    alone = f"{pair.first} {pair.only_first:,}, {pair.second} {pair.only_second:,}"
    # from the grades seen, not from the policy: with rel=2 and grades 0, 1 and 3 it is 3 that counts
    lowest = [grade for grade, is_relevant in zip(pair.grades, pair.relevant, strict=True) if is_relevant]
    notes = [
        f"{pair.n:,} pairs of query and item, of {pair.queries:,} queries, judged by both; judged by one alone: {alone}",
        f"relevant: grade {min(lowest):g} or higher" if lowest else "no grade counts as relevant",
    ]
    who = [
        f"{name} is {agreement.assessors[name]}"
        for name in (pair.first, pair.second)
        if agreement.assessors[name]
    ]
    notes += [f"judged by: {'; '.join(who)}"] if who else []
    if any(pair.negative):
        left = " and ".join(f"{count:,}" for count in pair.negative)
        notes.append(f"grades below 0 are no judgements (negative='unjudged'): {left} are left out")
    caption = f"{pair.second} against {pair.first}: the same items judged by both"
    return Table(
        _columns(agreement), rows, caption=caption, notes=[*notes, *_measure_notes(agreement, pair.queries)]
    )


def _joint(agreement: Agreement, joint: Joint) -> Table:
    """Krippendorff's α of all assessors together."""
    names = ("alpha_nominal", "alpha_ordinal", "alpha_interval")
    rows = [_measure_row(MEASURES[name], getattr(joint, name)) for name in names]
    notes = [f"{joint.n:,} pairs of query and item, of {joint.queries:,} queries, judged by at least two"]
    caption = f"All {len(joint.names)} together: {', '.join(joint.names)}"
    return Table(
        _columns(agreement), rows, caption=caption, notes=[*notes, *_measure_notes(agreement, joint.queries)]
    )


def _confusion(pair: AssessorPair) -> Table:
    """How many pairs each grade of the first has under each grade of the second."""
    columns = [Column(f"{pair.first} ↓ {pair.second} →")]
    columns += [Column(f"{grade:g}", "count") for grade in pair.grades] + [Column("all", "count")]
    rows: list[tuple[Cell, ...]] = [
        (f"{grade:g}", *row, sum(row)) for grade, row in zip(pair.grades, pair.confusion, strict=True)
    ]
    sums = [sum(column) for column in zip(*pair.confusion, strict=True)]
    return Table(columns, [*rows, ("all", *sums, pair.n)], caption="Grades of the same pairs")


def _columns(agreement: Agreement) -> list[Column]:
    return [Column("measure"), Column("value", "value"), Column(f"{agreement.how.level * 100:g} %")]


def _measure_row(word: str, value: Replicated) -> tuple[Cell, ...]:
    return word, None if math.isnan(value.value) else value.value, _bounds(value)


def _measure_notes(agreement: Agreement, queries: int) -> list[str]:
    how = f"percentiles of {agreement.resamples:,} bootstrap replicates of whole queries (seed {agreement.seed})"
    few = f"; of {queries:,} queries they are likely too short" if queries < FEW else ""
    return [f"intervals: {how}{few}"]


def _coefficient_table(agreement: Agreement) -> Table:
    """A row per pair of leaderboards, and one for the top apart."""
    columns = [Column("first"), Column("second"), Column("systems", "count")]
    level = f"{agreement.how.level * 100:g} %"
    for name in SHOWN.values():
        columns += [Column(name, "value"), Column(f"{name} {level}")]
    columns += [Column("swapped", "text"), Column("queries")]
    rows: list[tuple[Cell, ...]] = []
    for boards in agreement.leaderboards:
        rows.append(_order_row(boards, len(boards.systems), boards.whole, _count_swaps(boards)))
        if boards.top is not None:
            rows.append(_order_row(boards, agreement.how.top, boards.top, ""))
    return Table(columns, rows, caption="Agreement of leaderboards", notes=_order_notes(agreement), labels=2)


def _order_row(boards: Leaderboards, systems: int, values: Coefficients, swapped: str) -> tuple[Cell, ...]:
    cells: list[Cell] = [boards.first, boards.second, systems]
    for word in SHOWN:
        value: Replicated = getattr(values, word)
        cells += [None if math.isnan(value.value) else value.value, _bounds(value)]
    # two metrics may be defined for different numbers of queries
    n = sorted(set(boards.n))
    return (*cells, swapped, " / ".join(f"{one:,}" for one in n))


def _bounds(value: Replicated) -> str:
    return "" if math.isnan(value.low) else f"{number(value.low)} – {number(value.high)}"


def _count_swaps(boards: Leaderboards) -> str:
    return f"{len(boards.swaps):,} of {math.comb(len(boards.systems), 2):,}"


def _order_notes(agreement: Agreement) -> list[str]:
    how = f"p = {agreement.how.p:g}, {TIES[agreement.how.ties]}"
    notes = [
        "τ_b: all pairs of systems alike",
        "τ_AP: the top weighs most; the first leaderboard is the reference (reversed: the second)",
        f"RBO: the top weighs most; {how}",
        f"intervals: of so many queries, by {agreement.resamples:,} bootstrap replicates, the same for both (seed {agreement.seed})",
        "noise lowers agreement: with more queries a coefficient may lie above its interval",
    ]
    if any(boards.top for boards in agreement.leaderboards):
        notes.append(f"rows of {agreement.how.top} systems: the top of the first leaderboard apart")
    notes += [
        f"{boards.first}, {boards.second}: no value of {', '.join(boards.undefined)}; left out"
        for boards in agreement.leaderboards
        if boards.undefined
    ]
    who = [f"{name} is {assessor}" for name, assessor in agreement.assessors.items() if assessor]
    notes += [f"judged by: {'; '.join(who)}"] if who else []
    return [*notes, *map(str, agreement.circular)]


def _swap_table(agreement: Agreement) -> Table:
    """A row per pair of systems that two leaderboards order differently, the surest first."""
    columns = [
        Column("first"),
        Column("second"),
        Column("better by the first"),
        Column("better by the second"),
    ]
    columns += [Column("Δ first", "value"), Column("Δ second", "value"), Column("again", "value", digits=2)]
    rows: list[tuple[Cell, ...]] = []
    more = 0
    for boards in agreement.leaderboards:
        for swap in boards.swaps[:MOST_SWAPS]:
            head = (boards.first, boards.second, swap.better, swap.worse)
            again = None if math.isnan(swap.again) else swap.again
            rows.append((*head, swap.first, swap.second, again))
        more += len(boards.swaps[MOST_SWAPS:])
    notes = [
        "Δ: the third column's system less the fourth's, turned so that higher is better",
        "again: share of replicates in which the pair is swapped in the same way; at .5 or less the queries do not decide it",
    ]
    if more:
        notes.append(f"{more:,} more pairs are in to_dict() and in JSON")
    return Table(columns, rows, caption="Pairs of systems that swap", notes=notes)
