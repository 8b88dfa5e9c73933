"""Side by side: both lists of one query, with what each rank contributed to a metric."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwell.comparison.one_list import Found, OneList, Row
from rankwell.comparison.shown import Shown
from rankwell.comparison.texts import Texts
from rankwell.display.output import in_form
from rankwell.display.plain_values import plain_value
from rankwell.errors import UsageError
from rankwell.evaluation.one_query import One, one_query
from rankwell.evaluation.task import Task
from rankwell.inspection.explaining import has_contributions
from rankwell.metrics.metric import Metric
from rankwell.records import record
from rankwell.tables.ids import Ids, Known
from rankwell.tables.redaction import Redaction
from rankwell.tables.run_qrels import Run

if TYPE_CHECKING:
    import polars as pl

    from rankwell.display.table import Table

SHOWN = 20  # ranks of a list, where the metric reads all of it or more than MOST
MOST = 40


@record(eq=False)
class Lists:
    """The lists of one run, and how they are judged; a run in a file is read when it is looked at, and not kept."""

    task: Task
    run: Run

    def lacks(self, queries: Ids) -> np.ndarray:
        """Return whether the run has no list for each query."""
        return Known(self.run.rows.table().queries).rows_of(queries, "query") < 0

    def one(self, query: str | int) -> One | None:
        """Return the judged list of a query; None if neither the run nor the judgements have it."""
        wanted, table = Ids.of([query]), self.run.rows.table()
        if all(
            each.rows_of(wanted, "query")[0] < 0 for each in (Known(table.queries), self.task.pool.queries)
        ):
            return None
        return one_query(self.task, table, query)


@dataclass(frozen=True, eq=False, repr=False)
class QueryDiff(Shown):
    """Both lists of one query, whole; ``rows[0]`` is the list of A. ``top`` ranks of them are shown.

    ``place`` is the query's place among those that differ, 0 if it does not, and their number.
    """

    query: str | int
    text: str | None
    names: tuple[str, str]
    metric: Metric
    values: tuple[float, float]
    place: tuple[int, int]
    rows: tuple[tuple[Row, ...], tuple[Row, ...]]
    found: tuple[Found, Found]
    has_grades: bool
    is_additive: bool
    top: int

    @classmethod
    def of(
        cls,
        query: str | int,
        *,
        names: tuple[str, str],
        metric: Metric,
        values: tuple[float, float],
        place: tuple[int, int],
        lists: tuple[Lists, Lists],
        query_texts: Texts | None,
        item_texts: Texts | None,
        top: int | None,
    ) -> QueryDiff:
        """Return the lists of a query in two runs."""
        if top is not None and top < 1:
            raise UsageError(f"top={top}: must be at least 1.")
        task = lists[0].task
        is_additive = has_contributions(metric, task.asked.policy.ties)
        a, b = (OneList(each.one(query), metric, is_additive) for each in lists)
        return cls(
            query,
            None if query_texts is None else query_texts.of([query])[0],
            names,
            metric,
            values,
            place,
            (a.rows(b, item_texts), b.rows(a, item_texts)),
            (a.found, b.found),
            has_grades=bool(len(task.pool.queries)),
            is_additive=is_additive,
            top=top or ranks_shown(metric),
        )

    @property
    def delta(self) -> float:
        """B less A; NaN if one of them has no value."""
        return self.values[1] - self.values[0]

    def redacted(self, redaction: Redaction) -> QueryDiff:
        """Return the same lists with ids as hashes, and without texts."""
        a, b = (
            tuple(row._replace(item=redaction.of("item", row.item), text=None) for row in own)
            for own in self.rows
        )
        return replace(self, query=redaction.of("query", self.query), text=None, rows=(a, b))

    def to_table(self, *, longest: int | None = None) -> Table:
        """Return both lists side by side; with ``longest``, texts are cut to as many characters."""
        from rankwell.comparison.side_tables import list_table

        return list_table(self, longest)

    def to_item_table(self) -> Table:
        """Return the items whose contribution differs, the greatest difference first."""
        from rankwell.comparison.side_tables import item_table

        return item_table(self)

    def to_tables(self, *, longest: int | None = None) -> list[Table]:
        """Return the two tables; only the lists if the metric is no sum over ranks."""
        from rankwell.comparison.side_tables import tables_of

        return tables_of(self, longest)

    def to_frame(self) -> pl.DataFrame:
        """Return a frame with a row per item of each list, whole: run, rank, item, grade, score, added, other, text."""
        import polars as pl

        kinds = {
            "run": pl.String, "rank": pl.Int64, "item": pl.String, "grade": pl.Float64, "score": pl.Float64,
            "added": pl.Float64, "other": pl.Int64, "text": pl.String,
        }  # fmt: skip
        rows = [
            (name, row.rank, str(row.item), *row[2:])
            for name, own in zip(self.names, self.rows, strict=True)
            for row in own
        ]
        return pl.DataFrame(rows, schema=kinds, orient="row")

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values; undefined and unjudged are None."""
        return {
            "query": self.query,
            "text": self.text,
            "metric": str(self.metric),
            "a": self.names[0],
            "b": self.names[1],
            "values": dict(
                zip(("a", "b", "delta"), map(plain_value, (*self.values, self.delta)), strict=True)
            ),
            "found": {letter: each._asdict() for letter, each in zip("ab", self.found, strict=True)},
            "lists": {
                letter: [{word: plain_value(each) for word, each in row._asdict().items()} for row in own]
                for letter, own in zip("ab", self.rows, strict=True)
            },
        }

    def to_text(self, width: int | None = None) -> str:
        """Return the tables as text, with long texts cut; lists that do not fit a width stand one below the other."""
        from rankwell.comparison.side_tables import LONGEST, is_wider, tables_of

        tables = self.to_tables(longest=LONGEST)
        if width is not None and is_wider(tables[0], width):
            tables = tables_of(self, LONGEST, is_narrow=True)
        return in_form(tables, "text", width)

    def to_csv(self) -> str:
        """Return both whole lists as CSV in full precision."""
        return self.to_frame().write_csv()

    __repr__ = to_text


def ranks_shown(metric: Metric) -> int:
    """Return how many ranks of a list are shown: those that the metric reads, unless it reads all or very many."""
    return metric.k if metric.k is not None and metric.k <= MOST else SHOWN
