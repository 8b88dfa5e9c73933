"""The plot of exposure: which share of the recommended slots goes to popular and to unpopular items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from rankwell.display.page import PageStrings, words_of
from rankwell.errors import DataError, UsageError
from rankwell.evaluation import Evaluator
from rankwell.evaluation.request import Request
from rankwell.matching.batch import Context, History, Judged
from rankwell.matching.policy import Policy
from rankwell.metrics.graded.gain_functions import discount
from rankwell.metrics.metric import CorpusMetric, definition
from rankwell.readers import read_items, read_qrels
from rankwell.records import record
from rankwell.reporting.chart.axes import percent_axis
from rankwell.reporting.chart.charts import Picture, add_texts, altair, data, drawing, finish
from rankwell.reporting.chart.inputs import runs_of
from rankwell.reporting.chart.systems import SystemColours, system_lines
from rankwell.reporting.chart.texts import exact, percent
from rankwell.results import Results
from rankwell.tables.arguments import checked
from rankwell.tables.states import WHOLE, ItemSums, amounts_of

View = Literal["cut", "log2p1"]
Row = Mapping[str, Any]
WIDTH, HEIGHT = 520, 320


def history_in(evaluator: Evaluator) -> History:
    """Return the training history of an evaluator whose metrics need one."""
    history = evaluator.task.context.train
    assert history is not None
    return history


def group_of(history: History, groups: int) -> np.ndarray:
    """Return the group of each item: so many groups of equally many items, 0 the most popular ones.

    Raises
    ------
    DataError
        If there are fewer items than groups.
    """
    size = len(history.catalogue)
    if size < groups:
        raise DataError(f"{size:,} items cannot be divided into {groups} groups; set groups= to fewer.")
    # places begin at 1; whole numbers make groups whose sizes differ by at most one
    return (history.place - 1) * groups // size


def rows_of(
    results: Mapping[str, Results], history: History, groups: int, wanted: Slots
) -> dict[str, list[dict[str, Any]]]:
    """Return plain rows: what each of the ``groups`` has, its ``exposure`` per system, and a ``summary`` per system."""
    group = group_of(history, groups)
    rows: dict[str, list[dict[str, Any]]] = {
        "groups": _groups(history, group),
        "exposure": [],
        "summary": [],
    }
    for name, res in results.items():
        state: ItemSlots = res.part.states[wanted]  # type: ignore[assignment]
        items, numbers = state.sums.shown()
        amounts = np.bincount(group[items], weights=amounts_of(numbers), minlength=groups)
        total = amounts.sum()
        for nth, amount in enumerate(amounts.tolist(), start=1):
            # a system without a slot has no shares, rather than shares of 0
            share = float(amount / total) if total else None
            rows["exposure"].append({"system": name, "group": nth, "share": share})
        counts = {"items": len(items), "catalogue": state.sums.size, "slots": state.slots, "lists": state.n}
        coverage = len(items) / state.sums.size
        rows["summary"].append({"system": name, "coverage": coverage, **counts, "outside": state.outside})
    return rows


def _groups(history: History, group: np.ndarray) -> list[dict[str, Any]]:
    sizes, volumes = np.bincount(group).tolist(), np.bincount(group, weights=history.counts).tolist()
    return [
        {
            "group": nth,
            "items": size,
            "items_share": size / len(group),
            "interactions_share": volume / history.total if history.total else None,
        }
        for nth, (size, volume) in enumerate(zip(sizes, volumes, strict=True), start=1)
    ]


@record(eq=False)
class ItemSlots:
    """How often each item is recommended, in exact halves; the slots of the catalogue and others, in n lists."""

    sums: ItemSums
    slots: int
    outside: int
    n: int

    def __add__(self, other: ItemSlots) -> ItemSlots:
        slots, outside = self.slots + other.slots, self.outside + other.outside
        return ItemSlots(self.sums + other.sums, slots, outside, self.n + other.n)


@definition
class Slots(CorpusMetric):
    """The slots that each item of the catalogue gets in the lists, each as much as it is seen; its value is coverage."""

    needs: ClassVar[frozenset[str]] = frozenset({"shown", "item", "counts"})

    view: View = "cut"

    def state(self, judged: Judged, context: Context) -> ItemSlots:
        """The slots of a batch."""
        rows = judged.shown.top(self.k)
        assert rows.item is not None
        assert context.catalogue is not None
        # items out of the catalogue have no group
        inside = np.flatnonzero(rows.item >= 0)
        seen = discount("none" if self.view == "cut" else self.view, 2.0, rows.rank[inside])
        # whole numbers, whose sums do not depend on the order of batches
        wholes = np.rint(WHOLE * seen).astype(np.int64)
        sums = ItemSums.in_halves(rows.item[inside], wholes, len(context.catalogue))
        return ItemSlots(sums, len(inside), len(rows) - len(inside), len(judged))

    def value(self, state: ItemSlots) -> float:
        """The share of the catalogue that is recommended."""
        return len(state.sums.shown()[0]) / state.sums.size


@drawing
@checked
def exposure(
    runs: Any,
    train: Any,
    items: Any = None,
    *,
    k: int | None = None,
    view: View = "cut",
    groups: int = 10,
    highlight: Iterable[str] | str | None = None,
    read: Mapping[str, Any] | None = None,
    lang: str = "en",
    dark: bool = False,
) -> Any:
    """Draw the share of recommended slots by popularity of the items, beside their share of the interactions.

    The items are ordered by their number of training users and divided into ten groups of equally many items; equally popular ones
    are divided by id. Recommended items that are not in the catalogue are left out.

    Parameters
    ----------
    runs
        Runs by name, or one run.
    train
        What the systems learned from, in any form that ``rankwell.read_qrels`` reads.
    items
        The catalogue; default: the items of ``train``.
    k
        Only the first k items of each list; by default all.
    view
        ``cut``: every slot counts the same; ``log2p1``: a slot at rank r counts 1 / log2(r + 1), as much as it is seen.
    groups
        The number of groups.
    highlight
        The systems in colour; of more than eight, default: the three that spread their slots most.
    read
        How runs are read: arguments of ``rankwell.read_run``.
    lang, dark
        The language of the words, and whether the ground is dark.

    Raises
    ------
    RankwellError
        If there are fewer items than groups, or the runs or the log cannot be read.

    Examples
    --------
    >>> log = {"ann": ["a", "b", "c", "d"], "bob": ["a", "b"], "cid": ["a"]}
    >>> exposure({"top": {"u": ["a", "b"], "v": ["a", "c"]}}, log, groups=2).title.text
    'What is recommended: popular and unpopular items'
    """
    if groups < 2:
        raise UsageError(f"groups={groups}: must be at least 2.")
    log, catalogue = read_qrels(train), None if items is None else read_items(items)
    slots = Slots(k=k, view=view)
    evaluator = Evaluator.of(
        Request(
            metrics=(slots,), policy=Policy(outside="ignore"), train=log, items=catalogue, tie_ranges=False
        )
    )
    results = {name: evaluator.results_of(run) for name, run in runs_of(runs, read).items()}
    rows = rows_of(results, history_in(evaluator), groups, slots)
    return draw_exposure(rows, words_of(lang), view=view, highlight=highlight, dark=dark)


PICTURE = Picture(exposure, in_python=("groups", "highlight", "view"))


def draw_exposure(
    rows: Mapping[str, Sequence[Row]],
    words: PageStrings,
    *,
    view: View = "cut",
    highlight: Iterable[str] | str | None = None,
    dark: bool = False,
) -> Any:
    """Return the chart of the rows of ``rows_of``."""
    alt = altair()
    first = {row["system"]: row["share"] or 0.0 for row in rows["exposure"] if row["group"] == 1}
    colours = SystemColours.of(list(first), highlight, sorted(first, key=lambda name: first[name]))
    shown = add_texts((row for row in rows["exposure"] if row["share"] is not None), share=exact)
    x = alt.X(
        "group:O",
        title=words("plots.exposure.x", n=len(rows["groups"])),
        axis=alt.Axis(labelAngle=0),
    )
    y = alt.Y(
        "share:Q", title=words(f"plots.exposure.y_{view}"), axis=percent_axis(), scale=alt.Scale(domainMin=0)
    )
    tooltip = [
        alt.Tooltip("system:N", title=words("page.system")),
        alt.Tooltip("group:O", title=words("plots.exposure.group")),
        alt.Tooltip("share_text:N", title=words("plots.exposure.share")),
    ]
    layers = [_bars(rows["groups"], x, words), _even(len(rows["groups"]))]
    layers += system_lines(shown, colours, x, y, tooltip, legend=words("page.system"))
    chart = alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)
    return finish(chart, words("plots.exposure.title"), _subtitle(rows, colours, words), dark=dark)


def _bars(groups: Sequence[Row], x: Any, words: PageStrings) -> Any:
    """The share of the interactions of each group."""
    alt = altair()
    tips = [
        alt.Tooltip("group:O", title=words("plots.exposure.group")),
        alt.Tooltip("items:Q", title=words("plots.exposure.items"), format=","),
        alt.Tooltip("interactions_share_text:N", title=words("plots.exposure.interactions")),
    ]
    shown = add_texts(groups, interactions_share=exact)
    mark = data(shown).mark_bar(style="muted", opacity=0.3)
    return mark.encode(x=x, y=alt.Y("interactions_share:Q"), tooltip=tips)


def _even(groups: int) -> Any:
    """The share of the catalogue that each group is: what it gets where all items are shown alike."""
    alt = altair()
    rule = data([{"share": 1 / groups}]).mark_rule(style="reference")
    return rule.encode(y=alt.Y("share:Q"))


def _subtitle(rows: Mapping[str, Sequence[Row]], colours: SystemColours, words: PageStrings) -> list[str]:
    items = sum(row["items"] for row in rows["groups"])
    lists = max(row["lists"] for row in rows["summary"])
    outside = sum(row["outside"] for row in rows["summary"])
    groups, counted = len(rows["groups"]), words("plots.exposure.lists", n=lists)
    lines = [words("plots.exposure.of", items=words("page.items", n=items), groups=groups, lists=counted)]
    lines.append(words("plots.exposure.bars", even=percent(1 / groups)))
    lines += [words("plots.exposure.outside", n=outside)] if outside else []
    return lines + colours.note(words)
