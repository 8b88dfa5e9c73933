"""Results on their way out and back: JSON, Parquet, CSV, Markdown, LaTeX, HTML, data frames."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankwell import __version__
from rankwell.display.output import whole_file
from rankwell.errors import UsageError, one_of

if TYPE_CHECKING:
    import polars as pl

    from rankwell.display.table import Table

KEY = "rankwell"  # of the metadata in a Parquet file


class Exports:
    """What results can be turned into. Numbers are rounded only in what people read, never in data."""

    @property
    def _frame(self) -> pl.DataFrame:
        frame: pl.DataFrame = self.per_query  # type: ignore[attr-defined]
        return frame

    def to_dict(self, *, per_query: bool = False) -> dict[str, Any]:
        """Return everything as plain values, as ``to_json`` writes it."""
        res: Any = self  # Results, which adds what is told here
        ranges, undefined = res.tie_range, res.undefined
        data: dict[str, Any] = {
            "run": res.name,
            "mean": _plain_values(res.mean),
            **self._divided(),
            "metrics": [
                {
                    "metric": str(metric),
                    "signature": metric.signature,
                    "value": _plain(res.mean[str(metric)]),
                    "n": res.n[str(metric)],
                    "weighted": res.is_weighted[str(metric)],
                    "better": metric.better,
                    "range": [_plain(end) for end in metric.range],
                    "undefined": undefined.get(str(metric), {}),
                    "tie_range": list(ranges[str(metric)]) if str(metric) in ranges else None,
                    **(
                        {"diagnostics": _plain_values(known)}
                        if (known := res.diagnostics.get(str(metric)))
                        else {}
                    ),
                }
                for metric in res.metrics
            ],
            "grades": res.grades,
            "scale": {
                "rel": res.context.scale.rel,
                "negative": res.context.scale.negative,
                "grade_max": res.context.grade_max,
            },
            "policy": res.policy.to_dict(),
            "counts": res.counts,
        }
        if per_query:
            data["per_query"] = res.per_query.to_dicts()
        return data

    def _divided(self) -> dict[str, Any]:
        """Weights and segments as plain values, where there are any."""
        res: Any = self
        data: dict[str, Any] = {}
        if res.weights:
            data["weights"] = res.weights
            data["plain_mean"] = _plain_values(res.plain_mean)
        if res.slices:
            data["slices"] = {
                name: {
                    "mean": _plain_values(part.mean),
                    "n": part.n,
                    **({"plain_mean": _plain_values(part.plain_mean)} if part.weights else {}),
                }
                for name, part in res.slices.items()
            }
        if res.has_segments:
            data["by"] = list(res.segments.by)
            data["segments"] = [row | {"mean": _plain_values(row["mean"])} for row in res.segments.to_dicts()]
        return data

    def to_json(self, *, per_query: bool = False) -> str:
        """Return everything as JSON text, numbers in full precision; undefined is null.

        Examples
        --------
        >>> import json, rankwell as rw
        >>> res = rw.evaluate({"1": {"a": 2.0}}, {"1": {"a": 1}}, ["rr"])
        >>> json.loads(res.to_json())["mean"]
        {'rr': 1.0}
        """
        from rankwell.results.summary import SCHEMA

        data = {"rankwell": __version__, "schema": SCHEMA, **self.to_dict(per_query=per_query)}
        return json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False)

    def to_table(self, *, per_query: bool = False) -> Table:
        """Return the table that people read: each metric, or each query."""
        from rankwell.results import summary

        return summary.table_of([self], per_query=per_query)

    def to_markdown(self, *, per_query: bool = False) -> str:
        """Return the table as Markdown."""
        return self.to_table(per_query=per_query).to_markdown()

    def to_latex(self, *, per_query: bool = False) -> str:
        """Return the table as LaTeX with booktabs rules."""
        return self.to_table(per_query=per_query).to_latex()

    def to_html(self, *, per_query: bool = False) -> str:
        """Return the table as one HTML element."""
        return self.to_table(per_query=per_query).to_html()

    def _repr_html_(self) -> str:
        return self.to_html()

    def to_csv(self, *, per_query: bool = True) -> str:
        """Return the value of each query, or of each metric, as CSV in full precision."""
        from rankwell.results import summary

        return summary.csv_of([self], per_query=per_query)

    def to_pandas(self) -> Any:
        """Return the value of each query as a pandas frame.

        Raises
        ------
        UsageError
            If pandas (and pyarrow) are not installed.
        """
        try:
            return self._frame.to_pandas()
        except ImportError as error:
            raise UsageError(
                f"to_pandas needs pandas and pyarrow: pip install pandas pyarrow ({error})."
            ) from error

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Give the value of each query to whatever speaks Arrow."""
        return self._frame.__arrow_c_stream__(requested_schema)

    def log_to(self, tracker: str, *, step: int | None = None) -> None:
        """Hand the values to an experiment tracker: ``mlflow`` (``pip install 'rankwell[mlflow]'``).

        Metrics get names that trackers accept (``ndcg@10`` becomes ``ndcg_at_10``), with ``.n`` the number of queries
        behind them; signatures and policy become tags, the whole JSON an artifact. Undefined values are not logged. In
        an active run it goes there, else into a run of its own, named after the results.

        Raises
        ------
        UsageError
            If there is no such tracker, or it is not installed.
        """
        from rankwell.results import trackers

        trackers.log(self, tracker, step)

    def save(self, path: str | Path) -> None:
        """Write the results in the format of the file's name; the file appears when it is whole.

        ``.parquet`` and ``.json`` hold everything, values of queries, definitions and policy, and are what
        ``Results.load`` reads; ``.csv`` holds the values of queries; ``.md``, ``.tex`` and ``.html`` the table.

        Raises
        ------
        UsageError
            For a suffix that says no format.
        InputError
            If the file cannot be written.

        Examples
        --------
        >>> import rankwell as rw, tempfile, pathlib
        >>> res = rw.evaluate({"1": ["a", "b"]}, {"1": {"b": 1}}, ["rr", "ndcg@10"])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     res.save(pathlib.Path(folder) / "bm25.parquet")
        ...     again = rw.Results.load(pathlib.Path(folder) / "bm25.parquet")
        >>> again.mean == res.mean, again.per_query.equals(res.per_query)
        (True, True)
        """
        target = Path(path)
        texts = {
            ".json": lambda: self.to_json(per_query=True), ".csv": self.to_csv, ".md": self.to_markdown,
            ".tex": self.to_latex, ".html": self.to_html,
        }  # fmt: skip
        kind = target.suffix.lower()
        if kind == ".parquet":
            whole = self.to_json()
            with whole_file(target) as file:
                self._frame.write_parquet(file, metadata={KEY: whole})
        elif kind in texts:
            content = texts[kind]().rstrip("\n") + "\n"
            with whole_file(target) as file:
                file.write_text(content, encoding="utf-8")
        else:
            raise UsageError(f"{target}: the suffix says no format; it is {one_of(['.parquet', *texts])}.")


def _plain_values(values: Mapping[str, float]) -> dict[str, float | str | None]:
    return {name: _plain(value) for name, value in values.items()}


def _plain(value: float) -> float | str | None:
    """A number for JSON: NaN is null, infinity the word."""
    if math.isnan(value):
        return None
    return value if math.isfinite(value) else ("inf" if value > 0 else "-inf")
