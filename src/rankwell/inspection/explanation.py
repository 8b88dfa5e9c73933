"""explain: the definition card of a metric, made from its docstring and fields, or the step-by-step computation for one query; the table of all metrics."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, Unpack, overload

import numpy as np

from rankwell.display.table import ARROWS, Cell, Column, Table, number
from rankwell.errors import UsageError, brief, nearest
from rankwell.evaluation import Evaluator
from rankwell.evaluation.inputs import read_inputs
from rankwell.evaluation.query import JudgedQuery, one_query
from rankwell.evaluation.request import Request, Words, read_with, reading_of
from rankwell.matching.budgets import FittingLists
from rankwell.matching.policy import Policy, policy_with
from rankwell.matching.spans import sizes_of
from rankwell.metrics import classes, metric_of
from rankwell.metrics.additive import Additive, RankWeighted, Terms
from rankwell.metrics.docstrings import sections, sentence
from rankwell.metrics.evidence.citations import OfCitations
from rankwell.metrics.evidence.nuggets import Nugget
from rankwell.metrics.evidence.sizes import OfSizes
from rankwell.metrics.evidence.spans import OfSpans
from rankwell.metrics.grammar import FOREIGN, foreign_name
from rankwell.metrics.metric import CorpusMetric, Metric, QueryMetric
from rankwell.records import record
from rankwell.tables.arguments import ordered

ALL_RANKS = 40  # in longer lists only ranks that add something are shown
ORDER = (
    "explain takes the metric, and the lists of a query by name: rw.explain('ndcg@10'), or "
    "rw.explain('ndcg@10', run=run, qrels=qrels, query=query)."
)
SECTIONS = ("Formula", "Edge cases", "Convention", "Parameters", "Example", "Reference")
BETTER = {"higher": "higher is better", "lower": "lower is better", "neither": "neither end is better"}
TABLES = {"catalogue": "items", "features": "items", "history": "train", "counts": "train"}
CUTS = {
    "required": "@k required",
    "optional": "@k optional (without it the whole list)",
    "none": "takes no @k",
}
UNDEFINED = {
    "judgements": "by the judgements (policy undefined=skip|zero|one|error)",
    "list": "by the list (left out of the mean and counted)",
    "never": "never",
}


@record
class Explanation:
    """The definition card of one metric; ``print`` it, or get its parts with ``to_dict``.

    Of a name that other tools give to what is no metric here, ``metric`` is None.
    """

    metric: Metric | None
    sentence: str
    sections: dict[str, str]

    def to_dict(self) -> dict[str, Any]:
        """Return the parts of the card, in display order."""
        if self.metric is None:
            return {
                "sentence": self.sentence,
                **{title.lower(): text for title, text in self.sections.items()},
            }
        cls = type(self.metric)
        low, high = self.metric.range
        return {
            "metric": str(self.metric),
            "signature": self.metric.signature,
            "names": [cls.name, *cls.aliases],
            "sentence": self.sentence,
            **{title.lower(): text for title, text in self.sections.items()},
            "range": f"{_end(low)} to {_end(high)}, {BETTER[self.metric.better]}",
            "cut-off": CUTS[cls.cut],
            "reads": ", ".join((["judgements"] if self.metric.judgements else ["lists"]) + sorted(cls.needs)),
            "undefined": _undefined(self.metric),
        }

    def to_json(self) -> str:
        """Return the card as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2)

    def to_text(self) -> str:
        """Return the card as text, one part below the other."""
        lines = []
        for name, value in self.to_dict().items():
            text = ", ".join(value) if isinstance(value, list) else value.replace("``", "")
            first, *others = text.splitlines() or [""]
            lines.append(f"{name:<12}{first}".rstrip())
            lines += [f"{'':<12}{line}".rstrip() for line in others]
        return "\n".join(lines)

    def to_markdown(self) -> str:
        """Return the card as Markdown."""
        blocks = []
        for name, value in self.to_dict().items():
            if name in ("metric", "signature", "names"):
                texts = value if isinstance(value, list) else [value]
                blocks.append(f"**{name}** " + ", ".join(f"`{text}`" for text in texts))
            elif name in ("formula", "example"):
                language = "python" if name == "example" else "text"
                blocks.append(f"**{name}**\n\n```{language}\n{value}\n```")
            elif name == "parameters":
                blocks.append("**parameters**\n\n" + re.sub(r"^(?=\S)", "- ", value, flags=re.MULTILINE))
            else:
                blocks.append(f"**{name}** {value}")
        # Markdown uses single backticks where docstrings use double ones; three would open a code block
        return re.sub(r"(?<!`)``(?!`)", "`", "\n\n".join(blocks)) + "\n"

    __str__, _repr_markdown_ = to_text, to_markdown


def card(metric: Metric) -> Explanation:
    """Return the definition card of a metric."""
    cls = type(metric)
    return Explanation(metric, sentence(cls), sections(cls, SECTIONS))


def card_of_name(name: str) -> Explanation:
    """Return the card of a name of other tools: what each means by it, and the metric here."""
    meanings = [f"{tools}: {meaning}; here: {here}" for tools, meaning, here in FOREIGN[name]]
    sentence = (
        f"{name} is no metric here, but the name of other tools for what they compute each in its own way."
    )
    return Explanation(None, sentence, {"Meanings": "\n".join(meanings)})


def catalogue(words: Sequence[str] = ()) -> Table:
    """Return the table of all metrics, or of those that have all ``words``: names, what they measure, range and direction.

    Raises
    ------
    UsageError
        If no metric has the words.
    """
    wanted = [word.partition("@")[0].lower() for word in words]
    metrics = [cls for cls in classes() if all(word in _text(cls) for word in wanted)]
    if not metrics:
        names = [name for cls in classes() for name in (cls.name, *cls.aliases)]
        raise UsageError(
            f"no metric has {' and '.join(map(repr, words))} in its names or first sentence.{nearest(words[0], names)}"
        )
    metrics.sort(
        key=lambda cls: not {cls.name, *cls.aliases} & {*wanted}
    )  # a metric of that name comes first
    rows = [_row(cls) for cls in metrics]
    columns = [Column(name, "text") for name in ("metric", "range", "needs", "what it measures")]
    notes = ["`rankwell explain METRIC` prints formula, switches, edge cases and source."]
    notes.append("items, train: the tables of --items and --train")
    notes.append("size: the number of items that could be retrieved, as collection= or the rows of --items")
    return Table(columns, rows, notes=notes)


def _row(cls: type[Metric]) -> tuple[str, str, str, str]:
    cut = {"required": "@k", "optional": "[@k]", "none": ""}[cls.cut]
    metric = cls()
    low, high = metric.range
    tables = ["judgements" if metric.judgements else "lists"]
    tables += sorted({TABLES[need] for need in (cls.needs | metric.needed()) & TABLES.keys()})
    needed = [word for word in ("topics", "collection_size") if word in metric.needed()]
    needs = ", ".join([*tables, *(word.replace("collection_", "") for word in needed)])
    ends = f"{_end(low)}–{_end(high)} {ARROWS[metric.better]}"
    return f"{cls.name}{cut}", ends, needs, sentence(cls).replace("``", "")


def _text(cls: type[Metric]) -> str:
    """What a metric is found by, in lower case."""
    return " ".join((cls.name, *cls.aliases, sentence(cls))).lower()


def _undefined(metric: Metric) -> str:
    """When the metric has no value."""
    if isinstance(metric, CorpusMetric):
        return "as a whole, where the edge cases say so"
    return UNDEFINED[metric.undefined]


def _end(value: float) -> str:
    """One end of a range."""
    return f"{value:g}".replace("inf", "∞")


@overload
def explain(metric: str | Metric | type[Metric]) -> Explanation: ...
@overload
def explain(
    metric: str | Metric | type[Metric],
    *,
    run: Any,
    qrels: Any,
    query: str | int | None = None,
    items: Any = None,
    train: Any = None,
    users: Any = None,
    policy: Policy = ...,
    read: Mapping[str, Any] | None = None,
    columns: Mapping[str, str] | None = None,
    **rules: Unpack[Words],
) -> Table: ...
@ordered(ORDER)
def explain(
    metric: str | Metric | type[Metric],
    *,
    run: Any = None,
    qrels: Any = None,
    query: Any = None,
    items: Any = None,
    train: Any = None,
    users: Any = None,
    policy: Policy = Policy(),  # noqa: B008 - a frozen value
    read: Mapping[str, Any] | None = None,
    columns: Mapping[str, str] | None = None,
    **rules: Unpack[Words],
) -> Explanation | Table:
    """Return the definition card of a metric; with a run, the worked table of one query.

    Parameters
    ----------
    metric
        Text such as ``"ndcg@10"``, a metric, or its class; for the card the cut-off is optional. Of ``context_precision``,
        ``context_recall`` and ``faithfulness`` the card says what other tools mean by them, and what is here.
    run, qrels
        The lists and the judgements, as for ``rankwell.evaluate``.
    query
        The query to work through; optional if the run holds only one.
    items, train, users, policy, read, columns, rules
        As for ``rankwell.evaluate``.

    Returns
    -------
    Explanation | Table
        The card: formula, edge cases, convention and alternatives, parameters, source. The worked table: what each rank adds,
        the running sum, the ideal list next to it if there is one, and the value below. Both can be printed with ``print``;
        the table has ``to_markdown``, ``to_latex`` and ``to_html``.

    Raises
    ------
    UsageError
        If there is no such metric or query, or the metric has one value for all lists.

    Examples
    --------
    >>> print(explain("hit@10"))  # doctest: +ELLIPSIS
    metric      hit@10
    signature   hit@10
    names       hit, hr, hit_rate, success
    sentence    Hit rate (success): 1 if at least one of the first k items is relevant, else 0.
    formula     hit@k = [ |{r ≤ k : relevant}| > 0 ]
    ...
    >>> print(explain("ap@3", run={"q": ["a", "b", "c"]}, qrels={"q": {"b": 1, "c": 1}}))
    ap(denom=min_rk)@3 for query 'q'
    <BLANKLINE>
    rank  item  grade  relevant     P@r  product     sum
    ────────────────────────────────────────────────────
       1  a     –             0       –   0.0000  0.0000
       2  b     1             1  0.5000   0.5000  0.5000
       3  c     1             1  0.6667   0.6667  1.1667
    <BLANKLINE>
    1.1667 ÷ min(R, k) = 1.1667 ÷ 2 = 0.5833
    """
    if run is None:
        if qrels is not None or query is not None:
            raise UsageError(f"a worked table needs a run as well: {ORDER}")
        name = foreign_name(metric) if isinstance(metric, str) else ""
        return card_of_name(name) if name else card(metric_of(metric, complete=False))
    of_runs, of_qrels = reading_of(read_with(read, rules), columns=columns)
    request = Request(
        metrics=(metric_of(metric),), policy=policy_with(policy, rules), qrels=qrels, items=items, train=train, users=users,
        of_runs=of_runs, of_qrels=of_qrels,
    )  # fmt: skip
    return worked_table(request, run, query)


def worked_table(request: Request, run: Any, query: str | int | None) -> Table:
    """Return the worked table of one query, by the one metric that is asked for."""
    (metric,), policy = request.metrics, request.policy
    if not isinstance(metric, QueryMetric):
        raise UsageError(f"{metric} has one value for all lists, so there is no table of one query.")
    if policy.ties == "expected" and not isinstance(metric, RankWeighted):
        raise UsageError(
            f"{metric}: ties=expected averages over orders, so there is no single list; use ties='item-desc'."
        )
    inputs = read_inputs(request, [run])
    task = Evaluator.of(request, inputs).task.of_groups(inputs.runs[0])
    task.require_fit(inputs.runs[0])
    chosen = one_query(task, inputs.runs[0].rows.table(), query)
    value = float(task.measure(chosen.judged, Counter()).values[metric][0])
    if metric.budget is not None:
        return _at_budget(metric, chosen, value)
    terms, ideal_terms, notes = (
        _added(metric, chosen, value) if isinstance(metric, Additive) else (None, None, [])
    )
    left_out = sum(1 for rank in chosen.grades if metric.k is None or rank <= metric.k)
    if isinstance(metric, OfCitations):
        columns, rows = _citations(chosen)
        left_out, notes = 0, [metric.division(chosen.judged)]
    else:
        columns, rows = _chunks(chosen) if isinstance(metric, OfSpans) else _listed(chosen, terms)
        left_out -= len(rows)
    if isinstance(metric, Nugget):
        notes = [metric.division(chosen.judged)]
    if isinstance(metric, OfSpans) and not math.isnan(value):
        notes = [metric.division(chosen.judged, task.context)]
    if left_out:
        notes.append(f"{left_out:,} ranks that add nothing are left out")
    if ideal_terms is not None:
        ideal_columns, ideal_rows = _ideal(chosen, ideal_terms)
        if len(ideal_rows) > max(len(rows), ALL_RANKS):
            notes.append(f"the ideal list has {len(ideal_rows):,} items; the first are shown")
            ideal_rows = ideal_rows[: max(len(rows), ALL_RANKS)]
        blank: list[Cell] = [None] * len(columns)
        rows += [[place + 1, *blank[1:]] for place in range(len(rows), len(ideal_rows))]
        ideal_rows += [[None] * len(ideal_columns)] * (len(rows) - len(ideal_rows))
        columns, rows = (
            columns + ideal_columns,
            [[*row, *side] for row, side in zip(rows, ideal_rows, strict=True)],
        )
    # both halves have a column of grades and a sum: those of the ideal list say so
    names = [column.name for column in columns]
    columns = [
        replace(column, name=f"ideal {column.name}") if column.name in names[:at] else column
        for at, column in enumerate(columns)
    ]
    if not notes:
        is_defined = not math.isnan(value)
        notes = [f"{metric} = {number(value)}" if is_defined else f"{metric} is undefined for this query"]
    notes += [f"{metric} is {metric.signature}"] if str(metric) != metric.signature else []
    return Table(columns, rows, caption=f"{metric} for query {brief(chosen.query)}", notes=notes)


def _at_budget(metric: QueryMetric, one: JudgedQuery, value: float) -> Table:
    """The rows of a list down to the end of the budget: what each costs, at which rank it is kept, and what it adds."""
    context, rows, budget = one.task.context, one.sized, metric.budget
    assert context.sizes is not None
    assert budget is not None
    kept = context.sizes.kept(one.judged, budget)
    shown, places, part = kept.longer.shown, kept.rows.tolist(), float(kept.share[0])
    columns = [Column("rank", "count"), Column("item"), Column("grade"), Column("size"), Column("kept at")]
    cells: list[list[Cell]] = []
    at = {place: str(rank) for place, rank in zip(places, shown.rank.tolist(), strict=True)}
    if part:
        at[places[-1]] += f", {part:.4g} of it"
    # nothing below the last row that is kept fits: the first of these shows it
    last = 0 if rows is None else min(max(places, default=-1) + 1 + (part == 0), len(rows))
    for place in range(last):
        assert rows is not None
        assert rows.item is not None
        item, rank, size = (
            str(one.items.ids.one(int(rows.item[place]))),
            int(rows.rank[place]),
            rows.extra["size"][place],
        )
        cells.append([rank, item, _grade(float(rows.grade[place])), f"{size:g}", at.get(place)])
    used = float(shown.extra["size"].sum())
    left = (0 if rows is None else len(rows)) - len(places)
    end = "the whole list fits"
    if part:
        end = f"it ends within the row at rank {cells[-1][0]}"
    elif left:
        end = (
            f"{left:,} of {left + len(places):,} rows do not fit"
            if context.sizes.fill == "skip"
            else f"it ends before rank {cells[-1][0]}"
        )
    notes = [f"{used:g} of the budget of {budget:g} are used: {end}"]
    if isinstance(metric, Additive):
        terms = metric.terms(kept.longer, context)
        by_rank = {rank: place for place, rank in enumerate(terms.rows.rank.tolist())}
        columns += [Column(metric.words[0], _kind(terms.gain)), Column(metric.words[1], "value")]
        columns += [Column("product", "value"), Column("sum", "value")]
        total = 0.0
        for place, row in zip(range(last), cells, strict=True):
            found = None if place not in at else by_rank.get(int(shown.rank[places.index(place)]))
            gain, weight = (
                (0.0, None) if found is None else (float(terms.gain[found]), float(terms.weight[found]))
            )
            # of sizes, the part of a row is its size already
            is_part = part and place == places[-1] and not isinstance(metric, OfSizes)
            product = gain * (weight or 0.0) * (part if is_part else 1.0)
            total += product
            row += [int(gain) if columns[5].kind == "count" else gain, weight, product, total]
        below = float(metric.divisor(kept.longer, context)[0])
        notes.append(_division(metric, total, below, value))
    elif not math.isnan(value):
        notes.append(
            metric.division(kept.lists, context)
            if isinstance(metric, OfSpans)
            else f"{metric} = {number(value)}"
        )
    else:
        notes.append(f"{metric} is undefined for this query")
    if len(cells) > ALL_RANKS:
        notes.append(f"{len(cells) - ALL_RANKS:,} more rows down to there are left out")
    return Table(columns, cells[:ALL_RANKS], caption=f"{metric} for query {brief(one.query)}", notes=notes)


def _added(metric: Additive, one: JudgedQuery, value: float) -> tuple[Terms, Terms | None, list[str]]:
    """The terms of the list, those of the ideal list, and the division in words."""
    context = one.task.context
    left, right = metric.terms(one.judged, context), metric.ideal_terms(one.judged, context)
    total, below = float(left.sum()[0]), float(metric.divisor(one.judged, context)[0])
    return left, right, [_division(metric, total, below, value)]


def _division(metric: Additive, total: float, below: float, value: float) -> str:
    if math.isnan(below) or below == 0:
        counted = "" if math.isnan(value) else f"; it counts as {value:g}"
        return f"{metric} is undefined: no judged item could be found{counted}"
    word = metric.words[2] if metric.budget is None else re.sub(r"\bk\b", "rows kept", metric.words[2])
    divisor = f"{below:g}" if float(below).is_integer() else number(below)
    if not word:
        return f"{metric} = {number(total)}"
    return f"{number(total)} ÷ {word} = {number(total)} ÷ {divisor} = {number(total / below)}"


def _listed(one: JudgedQuery, terms: Terms | None) -> tuple[list[Column], list[list[Cell]]]:
    """The ranks of the list, with what each adds."""
    columns = [Column("rank", "count"), Column("item"), Column("grade")]
    metric = one.task.metrics[0]
    ranks = sorted(rank for rank in one.grades if metric.k is None or rank <= metric.k)
    added: dict[int, tuple[float, float]] = {}
    if terms is not None:
        assert isinstance(metric, Additive)
        columns += [Column(metric.words[0], _kind(terms.gain)), Column(metric.words[1], "value")]
        columns += [Column("product", "value"), Column("sum", "value")]
        pairs = zip(terms.gain.tolist(), terms.weight.tolist(), strict=True)
        added = dict(zip(terms.rows.rank.tolist(), pairs, strict=True))
        if len(ranks) > ALL_RANKS:
            ranks = [rank for rank in ranks if rank in added]
    rows: list[list[Cell]] = []
    total, names = 0.0, one.names(max(ranks, default=0))
    for rank in ranks:
        row: list[Cell] = [rank, str(names[rank]), _grade(one.grades[rank])]
        if terms is not None:
            gain, weight = added.get(rank, (0.0, None))
            product = 0.0 if weight is None else gain * weight
            total += product
            row += [int(gain) if columns[3].kind == "count" else gain, weight, product, total]
        rows.append(row)
    return columns, rows


def _chunks(one: JudgedQuery) -> tuple[list[Column], list[list[Cell]]]:
    """The ranks of the list, with how many characters of gold spans each adds to those above it."""
    metric, context = one.task.metrics[0], one.task.context
    assert isinstance(metric, OfSpans)
    ranks = sorted(rank for rank in one.grades if metric.k is None or rank <= metric.k)[:ALL_RANKS]
    names, before = one.names(max(ranks, default=0)), 0
    rows: list[list[Cell]] = []
    for rank in ranks:
        found = int(sizes_of(one.judged, context, rank, metric.rel).both[0])
        rows.append([rank, str(names[rank]), found - before, found])
        before = found
    return [
        Column("rank", "count"),
        Column("item"),
        Column("new gold characters", "count"),
        Column("sum", "count"),
    ], rows


def _citations(one: JudgedQuery) -> tuple[list[Column], list[list[Cell]]]:
    """The sentences with what each cites, how far that supports it, and what of it counts."""
    metric, shown = one.task.metrics[0], one.judged.shown
    assert isinstance(metric, OfCitations)
    support, counted = shown.extra["support"], metric.counted(one.judged).tolist()
    worth = dict(zip(counted, metric.worth(support[counted]).tolist(), strict=True))
    cited: dict[int, list[list[Cell]]] = {}
    for row, (part, item) in enumerate(zip(shown.extra["part"].tolist(), one.ids().tolist(), strict=True)):
        cited.setdefault(part, []).append([str(item), _grade(float(support[row])), worth.get(row)])
    rows: list[list[Cell]] = []
    for number_of_part, name in enumerate([] if one.parts is None else one.parts.tolist(), 1):
        nothing: list[list[Cell]] = [[None, None, None]]
        rows += [[str(name), *cells] for cells in cited.get(number_of_part, nothing)]
    return [Column("part"), Column("item"), Column("support"), Column("counts", "value")], rows


def _ideal(one: JudgedQuery, terms: Terms) -> tuple[list[Column], list[list[Cell]]]:
    """The ranks of the ideal list, with what each adds."""
    metric = one.task.metrics[0]
    assert isinstance(metric, Additive)
    columns = [Column("ideal item"), Column("grade")]
    columns.append(Column(metric.words[0], _kind(terms.gain)))
    columns += [Column(name, "value") for name in (metric.words[1], "product", "sum")]
    rows: list[list[Cell]] = []
    total = 0.0
    ids, items = (one.pooled, terms.rows.pool_row) if terms.ids is None else (terms.ids, terms.rows.item)
    assert items is not None
    for place, item in enumerate(items.tolist()):
        gain, weight = float(terms.gain[place]), float(terms.weight[place])
        total += gain * weight
        name = str(ids.one(item))
        gain_cell = int(gain) if columns[2].kind == "count" else gain
        rows.append([name, _grade(float(terms.rows.grade[place])), gain_cell, weight, gain * weight, total])
    return columns, rows


def _kind(gains: np.ndarray) -> Literal["count", "value"]:
    return "count" if np.array_equal(gains, np.round(gains)) else "value"


def _grade(grade: float) -> str | None:
    return None if math.isnan(grade) else f"{grade:g}"


def has_contributions(metric: Metric, ties: str) -> bool:
    """Whether a metric's value is a sum over the ranks of one list; with ``ties=expected`` only weights of ranks are."""
    kind = RankWeighted if ties == "expected" else Additive
    return isinstance(metric, kind) and metric.of_list


def contributions(one: JudgedQuery) -> dict[int, float]:
    """Return what each rank adds to the value, divided as the value is; ranks that add nothing may be left out.

    A query without a divisor has none. Several gains at one rank, as of topics, are added up. At a budget the rows that it keeps add,
    each at the rank that it has in the whole list; a row that fits in part adds that part of the difference that it makes.
    """
    metric, context = one.task.metrics[0], one.task.context
    assert isinstance(metric, Additive)
    parts, at = [(one.judged, 1.0)], {}
    if metric.budget is not None and one.sized is not None:
        kept, ranks = kept_ranks(one, metric.budget)
        at = dict(zip(kept.longer.shown.rank.tolist(), ranks, strict=True))
        share = float(kept.share[0])
        parts = [(kept.lists, 1 - share), (kept.longer, share)]
        if not share or isinstance(
            metric, OfSizes
        ):  # for these, a row that fits in part has the size of that part
            parts = [(kept.longer, 1.0)]
    added: dict[int, float] = {}
    for judged, part in parts:
        terms = metric.terms(judged, context)
        below = float(metric.divisor(judged, context)[0])
        if math.isnan(below) or below == 0:
            continue
        values = part * terms.gain * terms.weight / below
        # an item of several topics has several terms at one rank
        for rank, value in zip(terms.rows.rank.tolist(), values.tolist(), strict=True):
            added[at.get(rank, rank)] = added.get(at.get(rank, rank), 0.0) + value
    return added


def kept_ranks(one: JudgedQuery, budget: float) -> tuple[FittingLists, list[int]]:
    """Return the rows of a list that a budget keeps, and the rank of each in the whole list; a row of a group has that of the group."""
    assert one.task.context.sizes is not None
    assert one.sized is not None
    kept = one.task.context.sizes.kept(one.judged, budget)
    rows = one.sized
    ranks = rows.rank if one.task.context.groups is None else one.first_ranks[rows.item]
    return kept, ranks[kept.rows].tolist()
