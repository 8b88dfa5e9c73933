"""Estimated: metrics estimated from a sample of judgements, with the two variances of each mean."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from rankwell.display.result import Result
from rankwell.display.table import Cell, Column, Table, number
from rankwell.errors import UsageError, brief, one_of
from rankwell.judging.estimating.frame import Frame, Judged
from rankwell.judging.estimating.means import Mean, Other
from rankwell.judging.estimating.targets import RULES
from rankwell.matching.policy import Policy
from rankwell.metrics import metric_of

if TYPE_CHECKING:
    import polars as pl

BLIND = 0.02  # share of the items of a list


@dataclass(frozen=True, eq=False, repr=False)
class Estimated(Result):
    """Metrics of runs, estimated from a sample of judgements; made by ``estimate``."""

    _plural: ClassVar[str] = "estimates"

    rows: tuple[Mean, ...]
    beside: tuple[Other, ...]
    level: float
    frame: Frame
    judged: Judged
    counts: Counter[str]
    policy: Policy

    def __getitem__(self, key: tuple[Any, ...]) -> Mean:
        """Return the row of a run and a metric in any spelling, and perhaps an estimator; UsageError if it is not there."""
        if len(key) in (2, 3):
            run, metric, *estimator = key
            wanted = (run, str(metric_of(metric)), *estimator)
            for row in self.rows:
                if wanted == (row.run, row.metric, row.estimator)[: len(wanted)]:
                    return row
        named = [f"{row.run}, {row.metric}, {row.estimator}" for row in self.rows]
        raise UsageError(f"{brief(key)} is none of {one_of(named[:20])}.")

    @property
    def runs(self) -> tuple[str, ...]:
        """The runs, in the order in which they were given."""
        return tuple(dict.fromkeys(row.run for row in self.rows))

    @property
    def sampled(self) -> int:
        """The number of items that were drawn and judged."""
        return int((~np.isnan(self.judged.grade)).sum())

    @property
    def per_query(self) -> pl.DataFrame:
        """A frame with a row per query, run, metric and estimator: value, standard error, judged, in the frame, outside of it."""
        import polars as pl

        judged = np.array([int(part.judged.sum()) for part in self.judged.parts])
        sizes = np.array([int(part.sizes.sum()) for part in self.judged.parts])
        queries = self.frame.queries.tolist()
        kept = [
            pl.DataFrame({"query": queries, "value": row.values, "se": np.sqrt(row.variances)}).select(
                "query",
                run=pl.lit(row.run),
                metric=pl.lit(row.metric),
                estimator=pl.lit(row.estimator),
                value="value",
                se="se",
                judged=pl.Series(judged),
                frame=pl.Series(sizes),
                outside=pl.Series(row.outside),
            )
            for row in self.rows
        ]
        return pl.concat(kept).with_columns(pl.col("value", "se").fill_nan(None))

    @property
    def strata(self) -> pl.DataFrame:
        """A frame with a row per query and stratum: how many items it has, and how many of them are judged."""
        import polars as pl

        rows: list[dict[str, Any]] = []
        for at, part in enumerate(self.judged.parts):
            own = self.frame.stratum
            low = int(self.frame.offsets[at])
            codes = None if own is None else np.unique(own[low : int(self.frame.offsets[at + 1])])
            rows += [
                {
                    "query": self.frame.queries.one(at),
                    "stratum": None if codes is None else self.frame.strata[codes[code]],
                    "frame": int(size),
                    "judged": int(n),
                }
                for code, (size, n) in enumerate(zip(part.sizes, part.drawn, strict=True))
            ]
        return pl.DataFrame(rows, infer_schema_length=None)

    def to_frame(self) -> pl.DataFrame:
        """Return a frame with a row per mean."""
        import polars as pl

        return pl.DataFrame(self._plain(), infer_schema_length=None)

    def _plain(self) -> list[dict[str, Any]]:
        rows = []
        for row in self.rows:
            low, high = row.design_interval(self.level)
            low_queries, high_queries = row.query_interval(self.level)
            found = {
                "run": row.run, "metric": row.metric, "estimator": row.estimator, "value": row.value, "queries": row.queries,
                "undefined": row.undefined, "design_variance": row.design_variance, "low": low, "high": high,
                "query_variance": row.query_variance, "low_queries": low_queries, "high_queries": high_queries,
                "variance_unknown": row.unknown, "possible_bias": row.possible_bias, "unseen": row.unseen, "outside": int(row.outside.sum()),
            }  # fmt: skip
            rows.append({word: _defined(each) for word, each in found.items()})
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values; undefined is None."""
        strata = self.strata.to_dicts()
        return {
            "level": self.level,
            "sampled": self.sampled,
            "frame": int(sum(part.sizes.sum() for part in self.judged.parts)),
            "counts": dict(+self.counts),
            "policy": self.policy.to_dict(),
            "rows": self._plain(),
            "beside": [{word: _defined(each) for word, each in row._asdict().items()} for row in self.beside],
            "strata": strata,
            "per_query": self.per_query.to_dicts(),
        }

    def notes(self) -> list[str]:
        """Return what the numbers mean and what they lack, as sentences."""
        parts, frame = self.judged.parts, self.frame
        notes = [f"{name}: {RULES[name]}" for name in dict.fromkeys(row.estimator for row in self.rows)]
        notes += [
            "design variance: of the mean over samples of items, for these queries; its interval is for the value under all judgements",
            "query variance: of the mean over samples of queries; it holds the design variance already, so do not add the two",
            "drawn at random from strata"
            if frame.stratum is not None
            else "drawn independently, each item with its own propensity (Poisson)",
        ]
        sparse = [row for row in self.rows if row.is_sparse]
        if sparse:
            most = max(row.possible_bias / row.value for row in sparse)
            notes.append(
                f"WARNING: the numbers of relevant items are too uncertain for {len(sparse):,} of {len(self.rows):,} estimates: means can be too high by "
                f"up to about {100 * most:.0f} % of themselves, more than three standard errors, and the intervals for these queries do not hold the value. Judge more "
                f"items per query, or draw from shorter lists (depth)"
            )
        blind = max((row.unseen for row in self.rows if row.estimator == "infndcg"), default=0.0)
        if blind > BLIND:
            notes.append(
                f"up to {100 * blind:.0f} % of the items of a list within the cut-off are of strata of which none there is judged: infndcg gives them no gain, "
                f"and is too low"
            )
        undefined = max((row.undefined for row in self.rows), default=0)
        if undefined:
            what = {
                "skip": "left out of the means, which are too high for it",
                "zero": "counted as 0",
                "one": "counted as 1",
            }
            notes.append(
                f"{undefined:,} of {len(frame.queries):,} queries have no relevant item in the sample: {what[self.policy.undefined]}"
            )
        lonely, empty = sum(part.lonely for part in parts), sum(part.empty for part in parts)
        if lonely:
            notes.append(
                f"{lonely:,} strata have one judged item of several: two and more of a query are taken together for the variance, a single one has "
                f"that within the others"
            )
        if empty:
            notes.append(f"{empty:,} strata have no judged item, and add nothing: values are biased")
        unknown = max((row.unknown for row in self.rows), default=0)
        if unknown:
            notes.append(
                f"the design variance of {unknown:,} queries is not known; they are given the mean of the others'"
            )
        outside = {
            run: max(int(row.outside.sum()) for row in self.rows if row.run == run) for run in self.runs
        }
        listed = [f"{run} {n:,}" for run, n in outside.items() if n]
        if listed:
            notes.append(
                f"items of lists that are not in the frame, and count as not relevant: {', '.join(listed)}"
            )
        return notes + [f"{what}: {n:,}" for what, n in self.counts.items() if n]

    def tables(self) -> list[Table]:
        """Return the estimates, and what the same judgements give without an estimator."""
        percent = f"{self.level * 100:g} %"
        columns = [Column("run"), Column("metric"), Column("estimator"), Column("estimate", "value")]
        columns += [Column("design variance", "value", digits=6), Column(f"{percent}, these queries")]
        columns += [
            Column("query variance", "value", digits=6),
            Column(f"{percent}, new queries"),
            Column("n", "count"),
        ]
        rows: list[tuple[Cell, ...]] = [
            (
                row.run, row.metric, row.estimator, _defined(row.value), _defined(row.design_variance), _bounds(row.design_interval(self.level)),
                _defined(row.query_variance), _bounds(row.query_interval(self.level)), row.queries,
            )
            for row in self.rows
        ]  # fmt: skip
        size = int(sum(part.sizes.sum() for part in self.judged.parts))
        caption = f"Estimates from {self.sampled:,} judged items of {size:,} in the frame, {len(self.frame.queries):,} queries"
        tables = [Table(columns, rows, caption=caption, notes=self.notes(), labels=3)]
        if self.beside:
            columns = [
                Column("run"),
                Column("metric"),
                Column("unjudged items"),
                Column("value", "value"),
                Column("n", "count"),
            ]
            others = [(*row[:3], _defined(row.value), row.queries) for row in self.beside]
            notes = [
                "computed from the judged items alone, without regard to how they were drawn: these estimate nothing"
            ]
            tables.append(
                Table(
                    columns, others, caption="The same judgements without an estimator", notes=notes, labels=3
                )
            )
        return tables

    def table_per_query(self) -> Table:
        """Return a table of the estimates of each query."""
        columns = [
            Column("query"),
            Column("run"),
            Column("metric"),
            Column("estimator"),
            Column("estimate", "value"),
        ]
        columns += [
            Column("standard error", "value"),
            Column("judged", "count"),
            Column("in the frame", "count"),
        ]
        columns += [Column("not in it", "count")]
        rows = [(str(row[0]), *row[1:]) for row in self.per_query.iter_rows()]
        notes = [
            "standard error: over samples of items; for single queries intervals of it hold the value less often than they say",
            "not in it: items of the list, within the cut-off, that are not in the frame",
        ]
        return Table(columns, rows, caption="Estimates of each query", notes=notes, labels=4)


def _bounds(ends: tuple[float, float]) -> str:
    return " – ".join(map(number, ends)) if not math.isnan(ends[0]) else "–"


def _defined(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value
