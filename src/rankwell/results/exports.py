"""Exports of results: plain values, JSON, data frames and files, all in full precision; and the loading of such files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwell import __version__
from rankwell.display.output import whole_file
from rankwell.display.plain_values import plain_value
from rankwell.errors import UsageError, one_of
from rankwell.results import mean_intervals
from rankwell.tables.arguments import plain
from rankwell.tables.ids import Ids

if TYPE_CHECKING:
    from os import PathLike
    from pathlib import Path

    import polars as pl

    from rankwell.results.daily_files import Day
    from rankwell.results.results import Results

KEY = "rankwell"  # metadata key in Parquet files
SCHEMA = 1  # version of the JSON layout


def to_dict(
    res: Results, *, per_query: bool = False, intervals: bool = False, states: bool = False
) -> dict[str, Any]:
    """Return the results as plain Python values, as ``to_json`` writes them; with the ``intervals`` of means if asked for.

    With ``states`` there is also what the sum with other results needs, unless some segments are not to be shown.
    """
    plain("per_query", per_query, bool)
    found = mean_intervals.intervals_of(res) if intervals else {}
    ranges, undefined = res.tie_range, res.undefined
    data: dict[str, Any] = {
        "run": res.name,
        **({"experiment": res.experiment} if res.experiment else {}),
        "mean": _plain_values(res.mean),
        **_divided(res),
        **({} if res.bounding is None else {"bounds": res.bounding.to_dict()}),
        "metrics": [
            {
                "metric": str(metric),
                "signature": metric.signature,
                "value": plain_value(res.mean[str(metric)]),
                "n": res.n[str(metric)],
                "weighted": res.is_weighted[str(metric)],
                "better": metric.better,
                "range": [plain_value(end) for end in metric.range],
                "undefined": undefined.get(str(metric), {}),
                "tie_range": list(ranges[str(metric)]) if str(metric) in ranges else None,
                **({} if res.bounding is None else {"bounds": res.bounds[str(metric)].to_dict()}),
                **({"interval": found[str(metric)].to_dict()} if str(metric) in found else {}),
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
            "rel": res.conditions.scale.rel,
            "negative": res.conditions.scale.negative,
            "grade_max": res.conditions.grade_max,
        },
        "policy": res.policy.to_dict(),
        "counts": res.counts,
    }
    if states and not res.division.least:
        from rankwell.results.kept_parts import kept

        data["states"] = kept(res)
    if per_query:
        data["per_query"] = res.per_query.to_dicts()
    return data


def _divided(res: Results) -> dict[str, Any]:
    """Return weights, slices and segments as plain values, as far as there are any."""
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


def to_json(res: Results, *, per_query: bool = False, states: bool = False) -> str:
    """Return the results as JSON text."""
    head = {"rankwell": __version__, "schema": SCHEMA}
    return _text(res, head, per_query=per_query, states=states)


def several_to_json(
    results: Sequence[Results], *, per_query: bool = False, intervals: bool = False, states: bool = False
) -> str:
    """Return the results of one or several runs as JSON text, a list of them."""
    runs = [_text(res, {}, per_query=per_query, intervals=intervals, states=states) for res in results]
    listed = _inside("    ", ",\n".join(runs))
    head = _dumped({"rankwell": __version__, "schema": SCHEMA})
    return f'{_open(head)},\n  "runs": [\n{listed}\n  ]\n}}'


def _text(res: Results, head: Mapping[str, Any], *, per_query: bool, **wanted: bool) -> str:
    """JSON text with a line for each query: the encoder that indents is Python's own, and slow for a million of them."""
    plain("per_query", per_query, bool)
    text = _dumped({**head, **to_dict(res, **wanted)})
    if not per_query:
        return text
    rows = _lines(res.per_query)
    listed = f"[\n{_inside('    ', rows)}\n  ]" if rows else "[]"
    return f'{_open(text)},\n  "per_query": {listed}\n}}'


def _dumped(data: Mapping[str, Any]) -> str:
    import json

    return json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False)


def _open(text: str) -> str:
    """The text of an object without its end, for a member to follow."""
    return text.removesuffix("\n}")


def _inside(margin: str, text: str) -> str:
    """JSON text further to the right; ends of lines within strings are escaped."""
    return margin + text.replace("\n", f"\n{margin}")


def _lines(frame: pl.DataFrame) -> str:
    """The rows of a frame as JSON objects, a line each."""
    import json

    columns = []
    for name in frame.columns if len(frame) else ():
        values = json.dumps(
            frame[name].to_list(), ensure_ascii=False, allow_nan=False, separators=("\n", ":")
        )
        key = json.dumps(name, ensure_ascii=False)
        columns.append([f"{key}: {value}" for value in values[1:-1].split("\n")])
    return ",\n".join([f"{{{', '.join(cells)}}}" for cells in zip(*columns, strict=True)])


def frame_of(res: Results) -> pl.DataFrame:
    """Return a frame with one row per query and one column per metric with per-query values; undefined is null."""
    import polars as pl

    kind = pl.String if res.part.queries.is_text else pl.Int64
    columns = [pl.Series("query", res.queries, kind)]
    for metric in res.part.values:
        columns.append(pl.Series(str(metric), res.values(metric), nan_to_null=True))
        if res.bounding is not None:
            from rankwell.results.bounds import columns_of

            ends = columns_of(res.part, metric, res.bounding)
            columns += [pl.Series(name, own[res._rows], nan_to_null=True) for name, own in ends.items()]  # noqa: SLF001 - the same package
    return pl.DataFrame(columns)


def to_pandas(res: Results) -> Any:
    """Return the per-query values as a pandas frame; needs pandas and pyarrow."""
    try:
        return res.per_query.to_pandas()
    except ImportError as error:
        raise UsageError(
            f"to_pandas needs pandas and pyarrow: pip install pandas pyarrow ({error})."
        ) from error


def save(res: Results, path: str | PathLike[str]) -> None:
    """Write results in the format given by the file's suffix."""
    from pathlib import Path

    target = Path(path)
    texts: dict[str, Callable[[], str]] = {
        ".json": lambda: to_json(res, per_query=True, states=True), ".csv": res.to_csv, ".md": res.to_markdown,
        ".tex": res.to_latex, ".html": lambda: res.to_html(full=True),
    }  # fmt: skip
    kind = target.suffix.lower()
    if kind == ".parquet":
        whole = to_json(res, states=True)
        with whole_file(target) as file:
            res.per_query.write_parquet(file, metadata={KEY: whole})
    elif kind in texts:
        content = texts[kind]().rstrip("\n") + "\n"
        with whole_file(target) as file:
            file.write_text(content, encoding="utf-8")
    else:
        raise UsageError(f"{target}: unknown suffix; use {one_of(['.parquet', *texts])}.")


def load(_kind: type[Results], path: str | Path, *, since: Day = None, until: Day = None) -> Results:
    """Return results that ``save`` wrote as Parquet or JSON, with all that a sum needs.

    ``path`` is a file; or a folder, a window of its days (``days/2026-11-01..2026-11-07``) or a pattern, whose files are added:
    those from ``since`` to ``until``, by the one date in the name of each.

    Examples
    --------
    >>> import pathlib, rankwell as rw, tempfile; folder = pathlib.Path(tempfile.mkdtemp())
    >>> for day, items in (("2026-11-01", ["a", "b"]), ("2026-11-02", ["b", "a"])):
    ...     rw.evaluate({day: items}, {day: {"b": 1}}, ["rr"]).save(folder / f"{day}.parquet")
    >>> rw.Results.load(folder)["rr"], rw.Results.load(folder, since="2026-11-02")["rr"]
    (0.75, 1.0)
    """
    from rankwell.results.loading import loaded

    return loaded(path, since, until)


def _plain_values(values: Mapping[str, float]) -> dict[str, Any]:
    return {name: plain_value(value) for name, value in values.items()}


def collected(self: Results) -> Results:
    """Return the same results with the values of each query held here, which those of Spark are not before (``spark_rows``)."""
    if self.spark_rows is None:
        return self
    kept = vars(self)
    if "_collected" not in kept:  # once for all that ask
        kept["_collected"] = _collected(self)
    found: Results = kept["_collected"]
    return found


def _collected(res: Results) -> Results:
    import polars as pl

    frame = pl.from_arrow(res.spark_rows.toArrow())
    assert isinstance(frame, pl.DataFrame)
    names = {str(metric): metric for metric in res.metrics}
    values = {
        names[name]: frame[name].fill_null(float("nan")).to_numpy() for name in frame.columns if name in names
    }
    queries = Ids.of_series(frame["query"], "query") if len(frame) else Ids.of([])
    part = replace(res.part, queries=queries, pool_row=np.arange(len(frame)), values=values)
    return replace(res, part=part, spark_rows=None)


def with_values(res: Results, per_query: object) -> Results:
    """Return results to be shown, with the values of each query if these are wanted; UsageError unless ``per_query`` is true or false."""
    return res.collected() if plain("per_query", per_query, bool) else res
