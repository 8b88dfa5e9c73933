"""Board: systems ranked over the tasks of a suite, with the interval of each rank; and how it is made."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from rankwell.display.page import PageStrings, words_of
from rankwell.display.result import TEXTS, Result, frame_of_rows
from rankwell.display.table import Column, Table
from rankwell.display.text import PRINTED, plain_row
from rankwell.errors import UsageError, few_of
from rankwell.statistics.effects import units_needed
from rankwell.statistics.families import Cell, Stratum, exact_max_t, max_t, max_t_of_strata
from rankwell.statistics.frequent import TIE
from rankwell.suites import Draw, Missing, RankBy
from rankwell.suites.suite import (
    NAMED,
    Suite,
    Tasks,
    draw_of,
    errors_of,
    key_of,
    means_of,
    metric_named,
    mixture_of,
    place_of,
    scale_of,
    student,
)
from rankwell.tables.arguments import refuse_level
from rankwell.tables.ids import Ids, fingerprints_of

if TYPE_CHECKING:
    import polars as pl

EXACT = 12  # tasks of which all patterns of signs are tried
SCORES = ("mean", "borda", "mean_rank")
ENDS = ("", "_low", "_high")  # of the names of a score and its interval
_quoted = partial(json.dumps, ensure_ascii=False)  # text as YAML has it, of which JSON is a part


class BoardRow(NamedTuple):
    """A system on a board; None and NaN are undefined.

    ``place`` is 1 + the number of systems with a better value, ``rank_low`` to ``rank_high`` the rank interval, ``place_low`` to ``place_high`` its
    places when any one task is left out. ``ahead`` is the difference to the next system of the board, ``p`` its p-value adjusted for all pairs,
    and ``needed`` the tasks, or queries of all tasks, that would tell the two apart.
    """

    system: str
    place: int
    mean: float
    mean_low: float
    mean_high: float
    borda: float
    borda_low: float
    borda_high: float
    mean_rank: float
    mean_rank_low: float
    mean_rank_high: float
    rank_low: int | None = None
    rank_high: int | None = None
    place_low: int | None = None
    place_high: int | None = None
    ahead: float = math.nan
    p: float = math.nan
    needed: int | None = None

    @property
    def is_tied(self) -> bool:
        """Whether the system may be the best: its rank interval holds 1."""
        return self.rank_low == 1


@dataclass(frozen=True, eq=False, repr=False)
class Board(Result):
    """Systems ranked over many tasks, made by ``Suite.board``.

    ``rows`` has a ``BoardRow`` per system, best first; ``values`` a row per row of these and a column per task. ``sizes`` has the numbers of
    sub-tasks of tasks that are groups, ``left_out`` names tasks that not all systems have, ``undefined`` counts queries that are undefined for a
    system, ``queries`` are those of all tasks.
    """

    _plural: ClassVar[str] = "boards"
    _kind: ClassVar[str] = "board"
    _printed: ClassVar[int | None] = PRINTED
    _texts: ClassVar[Mapping[str, str]] = TEXTS | {".md": "to_card"}

    metrics_of_tasks: tuple[str, ...]
    rank_by: RankBy
    draw: Draw
    level: float
    flips: int
    tasks: tuple[str, ...]
    values: np.ndarray
    rows: tuple[BoardRow, ...]
    sizes: Mapping[str, int]
    left_out: tuple[str, ...] = ()
    undefined: int = 0
    queries: int | None = None
    read: tuple[str, ...] = ()

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics of the tasks, each once; none where they have no name."""
        return tuple(dict.fromkeys(filter(None, self.metrics_of_tasks)))

    @property
    def best(self) -> list[str]:
        """The systems that are tied with the best: whose rank interval holds 1."""
        return [row.system for row in self.rows if row.is_tied]

    @property
    def has_ranks(self) -> bool:
        """Whether ranks have intervals: not those of a Borda count or a mean rank over queries drawn anew."""
        return self.draw == "tasks" or self.rank_by == "mean"

    @property
    def alpha(self) -> float:
        """1 − level, without what rounding adds to it."""
        return round(1 - self.level, 12)

    @property
    def needed_tasks(self) -> int:
        """The least number of tasks of which a draw could tell two systems apart at this level."""
        return math.floor(1 - math.log2(self.alpha) + TIE) + 1

    @property
    def is_hopeless(self) -> bool:
        """Whether so few tasks are drawn that no pair of systems could differ."""
        return self.draw == "tasks" and len(self.values) > 1 and len(self.tasks) < self.needed_tasks

    def __getitem__(self, system: str) -> BoardRow:
        """Return the row of a system; UsageError if there is none."""
        return self.rows[place_of(system, [row.system for row in self.rows])]

    def to_table(self, words: PageStrings | None = None) -> Table:
        """Return a row per system, best first, in English or other words."""
        words = words or words_of("en")
        better = {"mean": scale_of("".join(self.metrics[:1]))[0], "borda": "higher", "mean_rank": "lower"}
        columns: list[tuple[Column, list[Any]]] = [
            (Column(words("suites.place"), "count"), [row.place for row in self.rows]),
            (Column(words("page.system")), [row.system for row in self.rows]),
            (Column(words("suites.ranks")), [span(row.rank_low, row.rank_high) for row in self.rows]),
        ]
        for name in SCORES:
            own, low, high = ([getattr(row, f"{name}{end}") for row in self.rows] for end in ENDS)
            digits, head = 4 if name == "mean" else 2, words(f"suites.{name}")
            if not np.isnan(own).all():
                columns.append((Column(head, "value", better=better[name], digits=digits), own))
            if not np.isnan(low).all():
                ends = zip(low, high, strict=True)
                texts = [None if math.isnan(a) else f"{a:.{digits}f}–{b:.{digits}f}" for a, b in ends]
                columns.append((Column(words("suites.interval", of=head)), texts))
        columns += [
            (Column(words("suites.without")), [span(row.place_low, row.place_high) for row in self.rows]),
            (Column(words("suites.ahead"), "value"), [row.ahead for row in self.rows]),
            (Column("p", "value"), [row.p for row in self.rows]),
            (Column(words(f"suites.needed_{self.draw}"), "count"), [row.needed for row in self.rows]),
        ]
        heads, cells = zip(*columns, strict=True)
        tied = [] if self.is_hopeless else [at for at, row in enumerate(self.rows) if row.is_tied]
        notes, marks = self.notes(words), {(at, 2): " *" for at in tied}
        rows = [*zip(*cells, strict=True)]
        return Table(heads, rows, caption=self.caption(words), notes=notes, marks=marks, labels=2)

    def caption(self, words: PageStrings | None = None) -> str:
        """What is ranked, by what."""
        words = words or words_of("en")
        tasks, by = words("suites.n_tasks", n=len(self.tasks)), words(f"suites.{self.rank_by}")
        named = few_of(self.metrics, NAMED) or words("suites.values")
        return words("suites.caption", n=len(self.rows), tasks=tasks, by=by, metrics=named)

    title = caption  # of a report

    def notes(self, words: PageStrings | None = None) -> list[str]:
        """Return what was drawn, how ranks were found and how far they can be trusted, and what is left out."""
        words = words or words_of("en")
        level, n, told = f"{self.level * 100:g}", len(self.tasks), []
        unknown = [metric for metric in self.metrics if metric_named(metric) is None]
        if self.is_hopeless:
            few, short = words("suites.n_tasks", n=n), f"{self.level:g}".lstrip("0")
            told = [words("suites.hopeless", tasks=few, needed=self.needed_tasks, level=short)]
        elif not self.has_ranks:
            told = [words("suites.no_ranks", by=words(f"suites.{self.rank_by}"))]
        elif len(self.rows) > 1:
            how = words("suites.drawn", n=self.flips) if self.flips else words("suites.exact", n=n)
            told = [words("suites.rank_intervals", level=level, how=how)]
            told += [words("suites.coverage")] if self.draw == "tasks" else []
            told.append(words("suites.tied", names=_first(self.best, words), n=len(self.best)))
        return [
            words(f"suites.draw_{self.draw}", level=level, n=self.queries or 0),
            *told,
            words(f"suites.columns_{self.draw}", alpha=f"{self.alpha:g}"),
            *(words("suites.group", task=task, n=size) for task, size in self.sizes.items()),
            *([words("suites.left_out", names=_first(self.left_out, words), n=n)] if self.left_out else []),
            *([words("suites.undefined", n=self.undefined)] if self.undefined else []),
            *([words("suites.unknown", names=_first(unknown, words))] if unknown else []),
            *self.read,
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values; undefined is None."""
        rows = [plain_row(row) for row in self.rows]
        own = {"caption": self.caption(), **vars(self), "rows": rows, "values": self.values.tolist()}
        return own | {"notes": self.notes()}

    def to_frame(self) -> pl.DataFrame:
        """Return a frame with a row per system; undefined is null."""
        return frame_of_rows(BoardRow, self.rows)

    def to_card(self, system: str | None = None) -> str:
        """Return a model card: the values of a system, or of all, as ``model-index`` in YAML, and the board as Markdown."""
        wanted = {row.system for row in (self.rows if system is None else (self[system],))}
        lines = ["---", "model-index:"]
        for row, values in zip(self.rows, self.values, strict=True):
            if row.system not in wanted:
                continue
            lines += [f"- name: {_quoted(row.system)}", "  results:"]
            for task, metric, value in zip(self.tasks, self.metrics_of_tasks, values, strict=True):
                kind = "retrieval" if scale_of(metric)[2] < math.inf else "other"
                name, key = _quoted(metric or "value"), _quoted(key_of(metric) or "value")
                lines += [
                    f"  - task: {{type: {kind}}}",
                    f"    dataset: {{type: {_quoted(task)}, name: {_quoted(task)}}}",
                    f"    metrics: [{{type: {key}, name: {name}, value: {value:.10g}}}]",
                ]
        return "\n".join([*lines, "---", "", self.to_markdown()])

    def _page(self) -> str:
        from rankwell.reporting.report import report

        return report(self).to_html()

    def answer(self, words: PageStrings) -> dict[str, Any]:
        """Return the top of a report: what was compared, and which systems are tied with the best."""
        case = "tied" if len(self.best) > 1 else "alone" if len(self.rows) > 1 else "one"
        if self.is_hopeless or not self.has_ranks:
            case = "hopeless" if self.is_hopeless else "no_ranks"
        tasks, of = words("suites.n_tasks", n=len(self.tasks)), len(self.rows)
        said = words(f"suites.answer_{case}", first=self.rows[0].system, n=len(self.best), of=of, tasks=tasks)
        rows = [
            {"label": words("suites.of_systems"), "kind": "count", "value": of},
            {"label": words("suites.of_tasks"), "kind": "count", "value": len(self.tasks)},
            {"label": words("suites.of_draw"), "kind": "text", "value": words(f"suites.{self.draw}"), "more": ""},
        ]  # fmt: skip
        return {"compared": rows, "case": case, "sentence": said, "numbers": {}, "facts": [], "cases": []}


def _first(names: Sequence[str], words: PageStrings) -> str:
    """The first names, and how many more there are."""
    some = ", ".join(names[:NAMED])
    return some if len(names) <= NAMED else words("suites.and_more", names=some, n=len(names) - NAMED)


def span(low: int | None, high: int | None) -> str | None:
    """Return a range of places as text; None if there is none."""
    return None if low is None or high is None else str(low) if low == high else f"{low}–{high}"


def board_of(
    suite: Suite, rank_by: RankBy, draw: Draw | None, level: float, missing: Missing, flips: int, seed: int
) -> Board:
    """Return the systems of a suite ranked, as ``Suite.board`` documents it."""
    refuse_level(level)
    if flips < 1:
        raise UsageError(f"flips={flips}: must be at least 1; the default is 10000.")
    tasks = suite.kept(missing)
    how, n, of = draw_of(tasks, draw, rank_by), len(suite.systems), len(tasks)
    names, values = [parts[0].group for parts in tasks], means_of(tasks)
    turned = values * np.array([[parts[0].sign] for parts in tasks])
    borda = np.array([(n - 1 + places_of(-row) - places_of(row)) / 2 for row in turned])
    # what is averaged over tasks, turned so that larger is better
    chosen = {"mean": turned, "borda": borda, "mean_rank": borda - n}[rank_by]
    scores = chosen.mean(axis=0)
    order = np.argsort(places_of(scores), kind="stable")
    queries = [0 if part.units is None else len(part.units) for parts in tasks for part in parts]
    board = Board(
        metrics_of_tasks=tuple(parts[0].metric for parts in tasks), rank_by=rank_by, draw=how, level=level,
        flips=0 if how == "tasks" and of <= EXACT else flips, tasks=tuple(names), values=values.T[order], rows=(),
        sizes={name: len(parts) for name, parts in zip(names, tasks, strict=True) if len(parts) > 1},
        left_out=tuple(name for name in suite.tasks if name not in names),
        undefined=sum(part.left_out for parts in tasks for part in parts), queries=sum(queries) if all(queries) else None, read=suite.notes,
    )  # fmt: skip
    if board.flips and 1 / (flips + 1) >= board.alpha:
        least = math.floor(1 / board.alpha + TIE)
        raise UsageError(
            f"flips={flips}: no p-value is below {board.alpha:g} with so few; say flips={least} or more."
        )
    columns: dict[str, Any] = {"system": np.array(suite.systems, object), "place": places_of(scores)}
    p = _adjusted(tasks, chosen, board, seed)
    if board.has_ranks:
        columns["rank_low"], columns["rank_high"] = _ranks(p < board.alpha, scores)
    if of > 1:
        without = np.array([places_of(row) for row in (chosen.sum(axis=0) - chosen) / (of - 1)])
        columns["place_low"], columns["place_high"] = without.min(axis=0), without.max(axis=0)
    # of several metrics there is no mean; ranks on tasks have intervals where tasks are drawn
    averaged = np.full_like(values, math.nan) if mixture_of(tasks) else values
    for name, each, take, (lowest, highest), factor in (
        ("mean", averaged, np.asarray, scale_of(tasks[0][0].metric)[1:], 1),
        ("borda", borda, None, (0, n - 1), of),
        ("mean_rank", n - borda, None, (1, n), 1),
    ):
        mean = each.mean(axis=0)
        low, high = student(mean, *errors_of(tasks, how, each, take), level)
        bounds = mean, np.maximum(low, lowest), np.minimum(high, highest)
        columns |= {f"{name}{end}": factor * bound for end, bound in zip(ENDS, bounds, strict=True)}
    listed = {name: column[order].tolist() for name, column in columns.items()}
    ahead, needed = _neighbours(tasks, chosen, board, order)
    listed["ahead"] = [*ahead.tolist(), math.nan]
    listed["needed"] = [*(None if math.isnan(each) else int(each) for each in needed), None]
    if board.has_ranks and not board.is_hopeless:
        listed["p"] = [*p[order[:-1], order[1:]].tolist(), math.nan]
    rows = [BoardRow(**dict(zip(listed, row, strict=True))) for row in zip(*listed.values(), strict=True)]
    return replace(board, rows=tuple(rows))


def places_of(scores: np.ndarray) -> np.ndarray:
    """Return 1 + the number of larger scores; those within 1e-9 are ties."""
    return 1 + len(scores) - np.searchsorted(np.sort(scores), scores + TIE, side="right")


def _adjusted(tasks: Tasks, chosen: np.ndarray, board: Board, seed: int) -> np.ndarray:
    """The p-value of each pair of systems, adjusted for all; 1 where nothing can differ."""
    n = chosen.shape[1]
    found, pairs = np.ones((n, n)), np.array(np.triu_indices(n, 1))
    if n < 2 or board.is_hopeless or not board.has_ranks:
        return found
    if board.draw == "queries":
        strata = [
            Stratum(part.values * part.sign, part.units, 1 / len(parts))
            for parts in tasks
            for part in parts
            if part.values is not None and part.units is not None
        ]
        family = max_t_of_strata(strata, pairs, times=board.flips, seed=seed)
    else:
        cell = Cell(np.ascontiguousarray(chosen.T), pairs, fingerprints_of(Ids.of(list(board.tasks))))
        family = max_t([cell], times=board.flips, seed=seed) if board.flips else exact_max_t(cell)
    found[pairs[0], pairs[1]] = found[pairs[1], pairs[0]] = family.adjusted
    return found


def _ranks(differ: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rank intervals of systems, where pairs that differ are known."""
    above = scores[None, :] > scores[:, None]
    return 1 + (differ & above).sum(axis=1), len(scores) - (differ & above.T).sum(axis=1)


def _neighbours(
    tasks: Tasks, chosen: np.ndarray, board: Board, order: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """How far each system is ahead of the next, and the tasks or queries that would tell them apart; NaN where none would."""
    first, second = order[:-1], order[1:]
    apart = chosen[:, first] - chosen[:, second]
    ahead, n = apart.mean(axis=0), len(tasks)
    factor = n if board.rank_by == "borda" else 1
    if not len(ahead) or not board.has_ranks:
        return factor * ahead, np.full(len(ahead), math.nan)
    se, df = errors_of(tasks, board.draw, apart, lambda own: own[first] - own[second])
    units = n if board.draw == "tasks" else board.queries or 0
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(ahead > TIE, se * math.sqrt(units) / ahead, math.nan)
    needed = units_needed(ratio, np.nan_to_num(df) + 1, 1.0, alpha=board.alpha)
    return factor * ahead, np.maximum(needed, board.needed_tasks) if board.draw == "tasks" else needed
