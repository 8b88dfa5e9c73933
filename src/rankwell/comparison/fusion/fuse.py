"""The ``fuse`` function: one run made of several, with how it was made, what each run gave, and how it is shown and saved."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np

from rankwell.comparison.fusion.candidates import FusionCandidates, candidates_of, lists_of, split_lists
from rankwell.comparison.fusion.lessons import Learned, lesson_of
from rankwell.comparison.fusion.methods import FusionMethod, FusionSetting, Norm, Recipe
from rankwell.display.output import WRITERS, save, whole_file
from rankwell.display.result import Result
from rankwell.display.table import Cell, Column, Table
from rankwell.errors import DataError, DataWarning, UsageError, brief, nearest, one_of
from rankwell.evaluation.request import READING, Words, read_with, reading_of
from rankwell.kernels import order
from rankwell.matching.policy import Policy, policy_with, refuse_groups
from rankwell.metrics import Wanted
from rankwell.readers import open_several
from rankwell.readers.sources import names_as_text, refuse_one_list, refuse_unnamed
from rankwell.records import record
from rankwell.tables.arguments import UNFIT, checked, fit_kind
from rankwell.tables.ids import NO_TEXT, Ids, own_text
from rankwell.tables.lists import offsets_of, owners, places_of, spread
from rankwell.tables.machine import on_all_cores
from rankwell.tables.rows import Columns, Lists
from rankwell.tables.run_qrels import Run
from rankwell.tables.series import RowOf, by_index

if TYPE_CHECKING:
    import polars as pl


# fuse: one run made of several.


FOLDS = 5
# rows of all runs that one thread fuses at a time: what it makes of them stays in a processor's cache
PART_ROWS = 1 << 17
MOST_LOOKED_AT = 5_000  # rows of a run whose ids meet those of no other one
ARGUMENTS = (
    "method", "norm", "weights", "k", "phi", "gamma", "sigma", "top", "name", "qrels", "metric", "learn", "folds", "seed", "read",
    *READING,
)  # fmt: skip
TREC = (".run", ".trec", ".txt")
SUFFIXES = (*TREC, *WRITERS)
BREAKS = r"\s|^$"  # what an id of TREC text cannot hold


def refuse_suffix(path: str | Path) -> None:
    """Raise UsageError if a file name does not end in the suffix of a format of runs."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise UsageError(
            f"{path}: runs are written as {one_of(TREC)} (TREC text) or {one_of(WRITERS)}, by the suffix of the name."
            f"{nearest(suffix, SUFFIXES)}"
        )


def save_run(table: pl.DataFrame, path: str | Path, tag: str) -> None:
    """Write a run: columns query, item, rank and score, or TREC text with the tag in its last column.

    Raises
    ------
    RankwellError
        If the suffix is of no format, an id cannot stand in TREC text, or the file cannot be written.
    """
    refuse_suffix(path)
    if Path(path).suffix.lower() not in TREC:
        save(table, path)
        return
    import polars as pl

    for word in ("query", "item"):
        column = table[word].cast(pl.String)
        broken = column.filter(column.str.contains(BREAKS))
        if len(broken):
            raise DataError(
                f"{path}: the {word} id {brief(broken[0])} is empty or has white space, which separates the columns of TREC "
                f"text. Choose another format, such as .parquet or .csv."
            )
    lines = table.select(
        "query", pl.lit("Q0"), "item", "rank", "score", pl.lit("_".join(tag.split()) or "fused").alias("tag")
    )
    with whole_file(path) as whole:
        # quotes would become part of the ids: TREC text has none
        lines.write_csv(whole, separator=" ", include_header=False, quote_style="never")


LETTERS = {
    "N": "the number of lists that have the item",
    "w": "the weight of the run",
    "r": "its rank",
    "s": "its score",
    "n": "the length of the list",
    "c": "the number of items of the query in all lists",
}


@record
class FusedSource:
    """A run that was fused: how many queries it has and lacks, its rows, and its items that no other run has for their query."""

    name: str
    weight: float | None
    queries: int
    missing: int
    rows: int
    alone: int


@record(eq=False)
class FusionRecord:
    """How a run was made: method, normalisation (None for methods of ranks), the method's number, policy, and the runs."""

    method: FusionMethod
    norm: Norm | None
    number: float | None
    policy: Policy
    sources: tuple[FusedSource, ...]
    learned: Learned | None = None

    def notes(self) -> list[str]:
        """Return the definitions as sentences."""
        parameter = self.method.parameter
        number = f"; {parameter.name}={self.number:g}" if parameter and self.number is not None else ""
        notes = [f"{self.method.name}: {self.method.formula}{number}"]
        notes += [] if self.norm is None else [f"v: norm={self.norm.name}: {self.norm.formula}"]
        used = {*re.findall(r"\b[a-zA-Z]\b", " ".join(notes))}
        notes += ["; ".join(f"{letter}: {meaning}" for letter, meaning in LETTERS.items() if letter in used)]
        rules = self.policy.to_dict()
        words = ("ties", "ranks", "scores", "depth", "duplicates", "drop_own_query")
        return [*notes, "policy: " + " ".join(f"{word}={rules[word]}" for word in words if word in rules)]


class Fused(Result, Run):
    """A run made of other runs: it can be evaluated and saved, and prints how it was made.

    ``how`` holds the method, its settings, and what each run gave; ``learned`` what was learned from judgements, or None.
    """

    how: FusionRecord

    @classmethod
    def of(cls, rows: Columns, name: str, how: FusionRecord) -> Fused:
        """Return a run of these rows, in rank order."""
        run = cls.__new__(cls)
        run.name, run.rows, run.how = name, rows, how
        return run

    @property
    def learned(self) -> Learned | None:
        """What was learned from judgements, None if nothing was."""
        return self.how.learned

    @property
    def weights(self) -> dict[str, float] | None:
        """The weight of each run, as given; None if weights were learned (``learned.fits`` holds them) or the method has none."""
        weight_of = {source.name: source.weight for source in self.how.sources}
        return {name: weight for name, weight in weight_of.items() if weight is not None} or None

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the rows and how they were made."""
        return super().__getstate__() | {"how": self.how}

    def to_frame(self) -> pl.DataFrame:
        """Return the rows as a frame: query, item, rank, score."""
        import polars as pl

        from rankwell.readers.frames.in_memory import series_of_ids

        lists = self.rows.table().lists()
        queries = pl.Series(lists.queries.tolist()).gather(owners(lists.offsets))
        ranks = places_of(lists.offsets[1:] - lists.offsets[:-1])
        return pl.DataFrame(
            {"query": queries, "item": series_of_ids(lists.items), "rank": ranks, "score": lists.score}
        )

    def save(self, path: str | Path) -> None:
        """Write the run to a file: TREC text (``.run``, ``.trec``, ``.txt``) or a table (``.parquet``, ``.csv`` …), by its suffix.

        Raises
        ------
        RankwellError
            If the suffix is of no format, an id cannot stand in TREC text, or the file cannot be written.
        """
        save_run(self.to_frame(), path, self.name)

    def tables(self) -> list[Table]:
        """Return tables for people: what each run gave, and what was learned."""
        how = self.how
        columns = [Column("run"), Column("weight", "value")]
        columns += [
            Column(name, "count") for name in ("queries", "missing queries", "rows", "items of it alone")
        ]
        rows: list[tuple[Cell, ...]] = [
            (source.name, source.weight, source.queries, source.missing, source.rows, source.alone)
            for source in how.sources
        ]
        lists = len(self.rows.table().queries)
        caption = f"{self.name}: {len(self):,} items of {lists:,} queries, from {len(rows)} runs"
        tables = [Table(columns, rows, caption=caption, notes=how.notes())]
        return tables if how.learned is None else [*tables, how.learned.to_table()]


@checked
def fuse(
    runs: Any,
    method: str = "rrf",
    *,
    norm: str | None = None,
    weights: Any = None,
    k: float | None = None,
    phi: float | None = None,
    gamma: float | None = None,
    sigma: float | None = None,
    top: int | None = None,
    name: str | None = None,
    qrels: Any = None,
    metric: Wanted | None = None,
    learn: Literal["weights", "k", "phi", "gamma", "sigma"] | None = None,
    folds: int = FOLDS,
    seed: int = 0,
    read: Mapping[str, Any] | None = None,
    policy: Policy | None = None,
    columns: Mapping[str, str] | None = None,
    qrels_columns: Mapping[str, str] | None = None,
    format_in: str | None = None,
    qrels_format: str | None = None,
    encoding: str | None = None,
    order: Literal["rows"] | None = None,
    **rules: Unpack[Words],
) -> Fused:
    """Make one run of several.

    Formula
        The score of an item is made of its scores or ranks in the lists that have it; an item that a list lacks gets nothing
        from it (``borda`` and ``condorcet`` say otherwise). v is a normalised score, r a rank, w the weight of a run, N the
        number of lists that have the item, c the number of items of a query in all lists, n the length of a list.

        ``comb_sum`` Σ v · ``comb_mnz`` N Σ v · ``comb_anz`` Σ v / N · ``comb_gmnz`` N^gamma Σ v · ``comb_min``, ``comb_max``,
        ``comb_med`` the least, greatest, median v · ``weighted`` Σ w v
        ``rrf`` Σ w / (k + r) · ``isr`` N Σ w / r² · ``log_isr`` ln N Σ w / r² · ``logn_isr`` ln(N + sigma) Σ w / r² ·
        ``rbc`` Σ w (1 − phi) phi^(r − 1)
        ``borda`` the first item of a list gets c points, the next c − 1 …, each that it lacks (c − n + 1)/2 ·
        ``condorcet`` how many others it beats, being higher in more lists; ½ for each with which it ties

    Parameters
    ----------
    runs
        Two or more runs: by name, or a list; each in any form that ``read_run`` accepts.
    method
        One of the names above.
    norm
        What makes the scores of a list comparable, for methods that read scores: ``min-max`` (the default), ``max``, ``sum``,
        ``z``, ``rank``, ``borda``, ``none``.
    weights
        A number of at least 0 per run, in order or by name; default 1 each. ``comb_…`` other than ``comb_mnz`` and
        ``comb_gmnz`` take none.
    k, phi, gamma, sigma
        The number of ``rrf`` (default 60), ``rbc`` (0.8), ``comb_gmnz`` (1) and ``logn_isr`` (0.01).
    top
        How many items of each query to keep; default all.
    name
        The name of the fused run; default that of the method.
    qrels, metric
        Judgements to learn from, and the metric whose mean over their queries is made as good as possible.
    learn
        What to learn: ``weights``, or the number of the method; by default the number where there is one.
    folds
        Each judged query is fused with what was learned from the other folds of the judged queries, so that the fused run may
        be evaluated on them; queries without judgements, with what was learned from all. 1: no folds, and judged queries are
        fused with what they taught themselves.
    seed
        For dealing the queries to folds.
    columns, qrels_columns, format_in, qrels_format, encoding, order, read
        How runs and judgements are read; as for ``evaluate``.
    policy, rules
        The order of equal scores, ``depth`` (only the first items of each list count), repeated items; as for ``evaluate``.

    Returns
    -------
    Fused
        A run, which prints how it was made and what each run gave; ``save`` writes it, ``learned`` holds what was learned.

    Raises
    ------
    RankwellError
        If a run cannot be read, an argument does not fit, or a method of scores gets a run that has none.

    Notes
    -----
    A query that a run lacks is fused from the others, and counted. Fused items of equal score are in the order of their ids,
    highest first. Sources: E. Fox and J. Shaw, Combination of multiple searches, TREC-2, 1994 (Comb…); J. H. Lee, Analyses of
    multiple evidence combination, SIGIR 1997 (min-max, gamma); J. Aslam and M. Montague, Models for metasearch, SIGIR 2001
    (Borda); M. Montague and J. Aslam, Condorcet fusion for improved retrieval, CIKM 2002, and Relevance score normalization
    for metasearch, CIKM 2001 (sum, z); M. E. Renda and U. Straccia, Web metasearch: rank vs. score based rank aggregation
    methods, SAC 2003 (rank, borda); G. Cormack et al., Reciprocal rank fusion outperforms Condorcet and individual rank
    learning methods, SIGIR 2009; A. Mourão et al., Inverse square rank fusion for multimodal search, CBMI 2014; P. Bailey et
    al., Retrieval consistency in the presence of query variations, SIGIR 2017 (rbc).

    Examples
    --------
    >>> fused = fuse({"bm25": {"q": ["a", "b", "c"]}, "dense": {"q": ["b", "d"]}})
    >>> fused.to_frame().rows()
    [('q', 'b', 1, 0.03252247488101534), ('q', 'a', 2, 0.01639344262295082), ('q', 'd', 3, 0.016129032258064516), ('q', 'c', 4, 0.015873015873015872)]
    >>> scored = {"bm25": {"q": {"a": 9.0, "b": 5.0, "c": 1.0}}, "dense": {"q": {"b": 0.9, "d": 0.4}}}
    >>> fuse(scored, "weighted", weights={"bm25": 0.75, "dense": 0.25}, top=2).to_frame().rows()
    [('q', 'a', 1, 0.75), ('q', 'b', 2, 0.625)]
    """
    read = read_with(read, rules)
    recipe, rule = Recipe.of(method, norm), policy_of(policy, rules, ARGUMENTS)
    number = number_of({"k": k, "phi": phi, "gamma": gamma, "sigma": sigma}, recipe.method)
    if top is not None and top < 1:
        raise UsageError(f"top={top}: must be at least 1, or None for all items.")
    run_options, qrels_options = reading_of(
        read, columns=columns, qrels_columns=qrels_columns, format_in=format_in, qrels_format=qrels_format,
        encoding=encoding, order=order,
    )  # fmt: skip
    opened = runs_of(runs, run_options)
    names = names_of(runs, opened)
    weights_given = weights_of(weights, names, recipe.method)
    lesson = lesson_of(
        recipe.method, qrels, metric, learn, replace(rule, depth=top), qrels_options, folds=folds, seed=seed
    )
    what = None if lesson is None else lesson.what
    _refuse_settled(recipe, what, weights_given, number)
    own = recipe.method.parameter
    default = 1.0 if own is None else float(own.default)
    setting = FusionSetting(weights_given or (1.0,) * len(names), default if number is None else number)
    lists = lists_of(opened, by_score=recipe.reads_scores)
    learned: Learned | None = None
    if lesson is not None:
        candidates = candidates_of(lists, rule, by_score=recipe.reads_scores)
        learned = lesson.learned(recipe, candidates, setting, names)
        pieces = [_Piece.of(candidates, _learned_scores(recipe, candidates, learned), rule, top)]
    else:

        def fused(part: Callable[[], list[Lists]]) -> _Piece:
            candidates = candidates_of(part(), rule, by_score=recipe.reads_scores)
            votes = recipe.votes(candidates, setting.number)
            return _Piece.of(candidates, recipe.scores(votes, candidates, setting), rule, top)

        pieces = on_all_cores(fused, split_lists(lists, PART_ROWS))
    weight = setting.weights if recipe.method.is_weighted and what != "weights" else None
    sources = _sources(pieces, names, weight)
    if any(source.alone == source.rows for source in sources):
        _warn_of_strangers(sources, opened, lists)
    number_shown = None if own is None or what == own.name else setting.number
    how = FusionRecord(recipe.method, recipe.norm, number_shown, rule, sources, learned)
    return Fused.of(_rows(pieces, name or method), name or method, how)


def _refuse_settled(
    recipe: Recipe, what: str | None, weights: tuple[float, ...] | None, number: float | None
) -> None:
    """Refuse to learn what is given, and to weight without weights."""
    method = recipe.method
    if what is not None and (weights if what == "weights" else number) is not None:
        raise UsageError(f"{what}= is given, and would be learned from qrels=; leave one of them out.")
    if method.needs_weights and weights is None and what is None:
        raise UsageError(
            f"method='{method.name}' needs weights=, one for each run, or qrels= and metric= to learn them; method='comb_sum' is "
            f"the sum without weights."
        )


def _learned_scores(recipe: Recipe, candidates: FusionCandidates, learned: Learned) -> np.ndarray:
    """The fused score of each candidate: each fold is fused with its own setting."""
    score = np.empty(len(candidates))
    for fit in learned.fits:
        part = candidates.of_queries(fit.used_for)
        rows, _ = spread(candidates.offsets, fit.used_for)
        score[rows] = recipe.scores(recipe.votes(part, fit.setting.number), part, fit.setting)
    return score


@record(eq=False)
class _Piece:
    """Fused lists of some queries, and of each run the number of its lists, rows, and items that no other run has."""

    queries: Ids
    counts: np.ndarray
    items: Ids
    score: np.ndarray
    given: tuple[tuple[int, int, int], ...]

    @classmethod
    def of(cls, candidates: FusionCandidates, score: np.ndarray, policy: Policy, top: int | None) -> _Piece:
        """Return the candidates of each query in the order of their scores, down to a rank; of equal ones in that of the items."""
        rule = order.TIE_RULES["item-asc" if policy.ties == "item-asc" else "item-desc"]
        items, most = candidates.items, len(candidates) if top is None else top
        rows, counts = order.tops(candidates.offsets, score, *items.columns, rule, NO_TEXT, most)
        voices = candidates.voices
        sources = tuple(
            (len(run.heads), len(run.query), int(np.count_nonzero(voices[run.candidate] == 1)))
            for run in candidates.runs
        )
        return cls(candidates.queries, counts, items[rows], score[rows], sources)


def _rows(pieces: Sequence[_Piece], name: str) -> Columns:
    """The rows of all pieces."""
    queries, items = (
        Ids.concatenate([getattr(piece, of) for piece in pieces]) for of in ("queries", "items")
    )
    counts, score = (np.concatenate([getattr(piece, of) for piece in pieces]) for of in ("counts", "score"))
    return Columns(None, items, score, place=RowOf(name), lists=(queries, offsets_of(counts)))


def _sources(
    pieces: Sequence[_Piece], names: Sequence[str], weights: tuple[float, ...] | None
) -> tuple[FusedSource, ...]:
    """What each run gave."""
    every = sum(len(piece.queries) for piece in pieces)
    totals = np.sum([piece.given for piece in pieces], axis=0).tolist()
    return tuple(
        FusedSource(name, None if weights is None else weights[at], lists, every - lists, rows, alone)
        for at, (name, (lists, rows, alone)) in enumerate(zip(names, totals, strict=True))
    )


def _warn_of_strangers(sources: Sequence[FusedSource], runs: Sequence[Run], lists: Sequence[Lists]) -> None:
    """Warn of the last run of which no item stands in the list of another run, with the change of its ids with which some would."""
    from rankwell.matching.mismatch import MOST_TRIED, IdSource, find_mismatch

    own = max(at for at, source in enumerate(sources) if source.alone == source.rows)
    others = [at for at, source in enumerate(sources) if at != own and source.rows]
    if not sources[own].rows or not others:
        return
    other = others[0]
    ids = [
        {"query": lists[at].queries, "item": own_text(lists[at].items[:MOST_LOOKED_AT]).distinct()}
        for at in (own, other)
    ]
    found = (find_mismatch(word, ids[0][word], ids[1][word], MOST_TRIED) for word in ("query", "item"))
    advice = " Are ids written alike?"
    if change := next(filter(None, found), None):
        advice = (
            f" With {change.word} ids {change.how} some would ({brief(change.ours)} here, {brief(change.theirs)} in {sources[other].name}): "
            f"{change.remedy(*(IdSource.of(runs[at]) for at in (own, other)))}"
        )
    warnings.warn(
        f"{sources[own].name}: none of its items is in a list of another run.{advice}",
        DataWarning,
        stacklevel=3,
    )


def runs_of(runs: Any, read: Mapping[str, Any]) -> list[Run]:
    """Return the runs to fuse; UsageError if there are fewer than two."""
    if not isinstance(runs, (list, tuple)):
        refuse_unnamed(runs, "fuse")
        opened = open_several([(run, name) for name, run in names_as_text(runs).items()], read)
    else:
        refuse_one_list(runs)
        opened = open_several([(run, None) for run in runs], read)
    if len(opened) < 2:
        raise UsageError(f"fuse needs at least two runs, and this is {'one' if opened else 'none'}.")
    return opened


def names_of(runs: Mapping[Any, Any] | Sequence[Any], opened: Sequence[Run]) -> list[str]:
    """Return a name for each run: its key, or that of the run itself, numbered where several have the same.

    >>> names_of([], [Run(["q"], ["a"], name=name) for name in ("bm25", "run", "run")])
    ['bm25', 'run 1', 'run 2']
    """
    own_names = [*names_as_text(runs)] if isinstance(runs, Mapping) else [run.name for run in opened]
    seen: dict[str, int] = {}
    names = []
    for name in own_names:
        seen[name] = seen.get(name, 0) + 1
        names.append(name if own_names.count(name) == 1 else f"{name} {seen[name]}")
    return names


def policy_of(policy: Policy | None, rules: Mapping[str, Any], others: Sequence[str]) -> Policy:
    """Return the policy; UsageError for rules under which lists cannot be fused."""
    policy_given = refuse_groups(policy_with(policy, rules, others), "fuse joins lists of")
    if policy_given.ties in ("best", "worst", "expected"):
        raise UsageError(
            f"ties={brief(policy_given.ties)} orders by grades, and the lists to fuse have none; use ties='item-desc'."
        )
    if policy_given.duplicates in ("first", "each"):
        raise UsageError(
            f"duplicates='{policy_given.duplicates}' keeps copies, which cannot be fused; use duplicates='drop'."
        )
    return policy_given


def weights_of(weights: Any, names: Sequence[str], method: FusionMethod) -> tuple[float, ...] | None:
    """Return the weight of each run, None if none were given.

    Raises
    ------
    UsageError
        For a method without weights, a number of weights other than that of the runs, or a weight below 0.
    """
    if weights is None:
        return None
    if not method.is_weighted:
        raise UsageError(f"weights=: {method.name} has none; method='weighted' is a sum with weights.")
    weights = by_index(weights)
    listed = _by_name(weights, names) if isinstance(weights, Mapping) else weights
    try:
        weights_given = tuple(fit_kind(weight, float) for weight in listed)
    except TypeError:
        weights_given = (UNFIT,)
    if (
        len(weights_given) != len(names)
        or UNFIT in weights_given
        or min(weights_given) < 0
        or max(weights_given) == 0
    ):
        raise UsageError(
            f"weights= must be {len(names)} numbers, one for each run, none below 0 and not all 0, not {brief(weights)}."
        )
    return weights_given


def _by_name(weights: Mapping[Any, Any], names: Sequence[str]) -> list[Any]:
    for name in weights:
        if name not in names:
            raise UsageError(
                f"weights=: {brief(name)} is no run.{nearest(name, names)} The runs are {', '.join(names)}."
            )
    for name in names:
        if name not in weights:
            raise UsageError(f"weights=: the weight of {brief(name)} is missing; give each run one.")
    return [weights[name] for name in names]


def number_of(numbers: Mapping[str, float | None], method: FusionMethod) -> float | None:
    """Return the number of a method that was given by its name, None if none was; UsageError if it does not fit."""
    own, found = method.parameter, None
    for name, value in numbers.items():
        if value is None:
            continue
        if own is None or name != own.name:
            raise UsageError(
                f"{name}={value:g}: {method.name} has no {name}{f', but {own.name}=' if own else ''}; leave it out."
            )
        if not own.is_valid(value):
            raise UsageError(f"{name}={value:g}: must be {own.range}.")
        found = float(value)
    return found
