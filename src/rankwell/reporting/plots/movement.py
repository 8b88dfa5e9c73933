"""The plot of movement: the places of systems on two leaderboards, under two sets of judgements."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

import numpy as np

from rankwell.comparison.agreement.agreement import Leaderboards, OrderOptions, compare_boards, make_boards
from rankwell.display.page import PageStrings, words_of
from rankwell.display.table import count, number
from rankwell.display.text import display_width
from rankwell.errors import UsageError
from rankwell.evaluation import Evaluator
from rankwell.evaluation.request import reading_in
from rankwell.metrics import Wanted, metric_of
from rankwell.readers import read_qrels
from rankwell.reporting.chart.axes import row_height
from rankwell.reporting.chart.charts import Picture, altair, data, drawing, finish
from rankwell.reporting.chart.inputs import runs_of
from rankwell.reporting.chart.texts import shorten
from rankwell.statistics.agreement import order_of
from rankwell.tables.arguments import ordered
from rankwell.tables.run_qrels import Qrels

TENTH = 10
RESAMPLES = 2000
# pixels: the distance of the two sides, a letter of a name, the lines above
BETWEEN, LETTER, HEAD = 190, 6.2, 56
ALIGN, AWAY = ("right", "left"), (-10, 10)  # of the texts at either side
GAP = "\u2002"  # a space that SVG keeps


class Place(TypedDict):
    """A system on one of the two leaderboards: its value and rank there, and the row in which it is drawn."""

    system: str
    side: int
    value: float
    rank: int
    row: int
    moved: int


def places_of(boards: Leaderboards, sign: float) -> list[Place]:
    """Return the place of each system on both leaderboards; systems of equal value share a rank."""
    ranks = [order_of(sign * np.array(values)).top for values in boards.values]
    rows = [np.empty(len(boards.systems), np.int64) for _ in ranks]
    for row, own in zip(rows, ranks, strict=True):
        # equal ranks share a number and not a row
        row[np.argsort(own, kind="stable")] = np.arange(len(own))
    return [
        Place(
            system=name,
            side=side,
            value=boards.values[side][at],
            rank=int(ranks[side][at]),
            row=int(rows[side][at]),
            moved=int(ranks[0][at] - ranks[1][at]),
        )
        for side in (0, 1)
        for at, name in enumerate(boards.systems)
    ]


def least_move(systems: int) -> int:
    """Return by how many ranks a system moves at least to be coloured."""
    return 1 if systems <= TENTH else math.ceil(systems / TENTH)


ORDER = (
    "movement takes the runs, the judgements and the metric in this order, and the other judgements by name: "
    "rw.plot.movement(runs, qrels, 'ndcg@10', against=others)."
)


@drawing
@ordered(ORDER)
def movement(
    runs: Any,
    qrels: Any,
    metric: Wanted,
    *,
    against: Any,
    resamples: int = RESAMPLES,
    seed: int = 0,
    lang: str = "en",
    dark: bool = False,
    **options: Any,
) -> Any:
    """Draw how systems change places under other judgements.

    Systems that rise or fall are coloured; of more than ten systems those that move by a tenth of their number or more. Kendall's τ_b
    of the two orders is in the subtitle, with its interval over resampled queries.

    Parameters
    ----------
    runs
        Runs by the name of their system; at least two.
    qrels
        The judgements of the left leaderboard, in any form that ``read_qrels`` accepts.
    metric
        The metric that orders the systems.
    against
        The judgements of the right leaderboard.
    resamples
        The number of bootstrap replicates behind the interval of τ_b; 0 for no interval.
    seed
        Of what is drawn.
    lang, dark
        The language of the words, and whether the ground is dark.
    options
        Other arguments of ``Evaluator``, such as ``policy``.

    Returns
    -------
    altair.Chart
        The picture.

    Raises
    ------
    RankwellError
        If fewer than two systems have a value under both, or values of the metric are not better or worse.

    Examples
    --------
    >>> import rankwell as rw
    >>> runs = {"old": {"q": ["a", "b"]}, "new": {"q": ["b", "a"]}}
    >>> chart = rw.plot.movement(runs, {"q": {"a": 1}}, "rr", against={"q": {"b": 1}}, resamples=0)
    >>> chart.to_dict()["title"]["subtitle"][0]
    '2 systems · Kendall’s τ_b -1.00 · 1 of 1 pairs change places'
    """
    words, wanted, named = words_of(lang), metric_of(metric), runs_of(runs, reading_in(options))
    judged = [read_qrels(source) for source in (qrels, against)]
    boards = [
        make_boards(
            Evaluator(source, [wanted], **options).results_of_sources(named), (wanted,), "", resamples, seed
        )[0]
        for source in judged
    ]
    boards_compared = compare_boards(boards[0], boards[1], OrderOptions())
    if len(boards_compared.systems) < 2:
        raise UsageError(
            f"{wanted} has a value under both judgements for {len(boards_compared.systems)} systems; movement needs two."
        )
    places, least = places_of(boards_compared, boards[0].sign), least_move(len(boards_compared.systems))
    heads = [
        (name, words("page.queries", n=n)) for name, n in zip(_titles(judged), boards_compared.n, strict=True)
    ]
    title = words("plots.movement.title", metric=wanted)
    return finish(_drawn(words, places, heads, least), title, _said(words, boards_compared, least), dark=dark)


PICTURE = Picture(movement, in_python=("resamples", "seed"))


def _titles(judged: Sequence[Qrels]) -> list[str]:
    """The names of the judgements, told apart."""
    names = [qrels.name for qrels in judged]
    return list(
        shorten(
            names if len(set(names)) > 1 else [f"{name} ({at})" for at, name in enumerate(names, 1)]
        ).values()
    )


def _said(words: PageStrings, boards: Leaderboards, least: int) -> list[str]:
    """How far the orders agree, what is coloured, and what is left out."""
    tau, n = boards.whole.tau_b, len(boards.systems)
    # one query cannot be resampled
    agreed = words("plots.movement.tau", tau=number(tau.value, 2))
    if min(boards.n) > 1 and not math.isnan(tau.low):
        agreed += f" [{number(tau.low, 2)}, {number(tau.high, 2)}]"
    swapped = words("plots.movement.swaps", n=len(boards.swaps), of=count(math.comb(n, 2)))
    lines = [
        " · ".join([words("page.systems", n=n), agreed, swapped]),
        words("plots.movement.coloured", n=least),
    ]
    if boards.undefined:
        lines.append(words("plots.movement.undefined", n=len(boards.undefined)))
    return lines


def _drawn(words: PageStrings, places: Sequence[Place], heads: Sequence[tuple[str, str]], least: int) -> Any:
    """Lines from the left to the right leaderboard, with the names, ranks and values at both ends."""
    alt = altair()
    labels = shorten(dict.fromkeys(row["system"] for row in places))
    widest = max(display_width(text) for text in (*labels.values(), *(name for name, _ in heads)))
    room = (widest * LETTER + 105) / BETWEEN  # beside the lines, in units of the distance of the two sides
    x = alt.X("side:Q", axis=None, scale=alt.Scale(domain=[-room, 1 + room], nice=False))
    n = len(places) // 2
    above = HEAD / row_height(range(n))
    y = alt.Y("row:Q", axis=None, scale=alt.Scale(domain=[-above, n - 0.4], reverse=True, nice=False))
    parts: dict[str, list[Any]] = {"muted": [], "worse": [], "better": []}
    for row in places:
        parts["muted" if abs(row["moved"]) < least else "better" if row["moved"] > 0 else "worse"].append(
            {**row, "system": labels[row["system"]], "said": _label(row, labels[row["system"]])}
        )
    layers = [_lines(words, own, style, x, y) for style, own in parts.items() if own]
    for side, head in enumerate(heads):
        for dy, line in zip((-38, -22), head, strict=True):
            top = data([{"side": side, "row": 0, "said": line}]).encode(x=x, y=y, text=alt.Text("said:N"))
            weight = "bold" if dy < -22 else "normal"
            layers.append(top.mark_text(align=ALIGN[side], dx=AWAY[side], dy=dy, fontWeight=weight))
    height = row_height(range(n)) * (n - 0.4 + above)
    return alt.layer(*layers).properties(width=(1 + 2 * room) * BETWEEN, height=height)


def _lines(words: PageStrings, rows: Sequence[Mapping[str, Any]], style: str, x: Any, y: Any) -> Any:
    """The lines of some systems, with a text at each end."""
    alt = altair()
    base = data(rows).encode(x=x, y=y, detail=alt.Detail("system:N"), tooltip=_tooltip(words))
    ends = [base.transform_filter(alt.datum.side == side) for side in (0, 1)]
    text = "note" if style == "muted" else style
    said = [
        end.mark_text(style=text, align=align, dx=away).encode(text=alt.Text("said:N"))
        for end, align, away in zip(ends, ALIGN, AWAY, strict=True)
    ]
    return alt.layer(
        base.mark_line(style=style), base.mark_point(style=style, filled=True, opacity=1, size=40), *said
    )


def _label(row: Place, name: str) -> str:
    """The text beside an end of a line."""
    if row["side"] == 0:
        return GAP.join([name, number(row["value"]), str(row["rank"])])
    moved = [f"{'▲' if row['moved'] > 0 else '▼'} {abs(row['moved'])}"] if row["moved"] else []
    return GAP.join([str(row["rank"]), number(row["value"]), name, *moved])


def _tooltip(words: PageStrings) -> list[Any]:
    alt = altair()
    return [
        alt.Tooltip("system:N", title=words("page.system")),
        alt.Tooltip("rank:Q", title=words("plots.movement.rank")),
        alt.Tooltip("value:Q", title=words("plots.movement.value"), format=".4f"),
        alt.Tooltip("moved:Q", title=words("plots.movement.moved"), format="+d"),
    ]
