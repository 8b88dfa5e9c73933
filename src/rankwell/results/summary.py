"""Results as text: tables of one run or of several side by side, the notes below them, CSV and JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rankwell.display.output import in_form
from rankwell.display.table import ARROWS, Cell, Column, Table, number
from rankwell.matching.policy import Policy, default
from rankwell.metrics.metric import Metric
from rankwell.results.results import SCHEMA, Results
from rankwell.tables.arguments import plain

if TYPE_CHECKING:
    import polars as pl

# longer names of counts, for printing
IN_WORDS = {"queries with R > k": "queries with more than k relevant items"}


def write_results(
    results: Sequence[Results],
    form: str,
    *,
    per_query: bool = False,
    full_policy: bool = False,
    words: bool = False,
    intervals: bool = False,
    states: bool = False,
    width: int | None = None,
    colour: bool = False,
) -> str:
    """Return results of one or several runs as text: table, markdown, latex, html, csv or json.

    With ``words``, a table that says what each metric measures is added, with ``intervals`` those of the means; with ``states``
    JSON holds what a sum needs.
    """
    if form == "json":
        return several_to_json(results, per_query=per_query, intervals=intervals, states=states)
    if form == "csv":
        return csv_of(results, per_query=per_query, intervals=intervals)
    tables = tables_of(
        results,
        per_query=per_query,
        full_policy=full_policy,
        words=words,
        intervals=intervals,
        hint=form == "text",
    )
    return in_form(tables, form, width, colour)


def tables_of(
    results: Sequence[Results],
    *,
    per_query: bool = False,
    full_policy: bool = False,
    words: bool = False,
    intervals: bool = False,
    hint: bool = False,
) -> list[Table]:
    """Return the tables that are printed of results: values, segments, slices, and what each metric measures if asked for."""
    tables = [table_of(results, per_query=per_query, full_policy=full_policy, hint=hint)]
    if intervals:
        from rankwell.results.intervals import with_intervals

        tables = [
            with_intervals(tables[0], results[0].metrics, {res.name: res.intervals() for res in results})
        ]
    tables += [res.segments.to_table() for res in results if res.has_segments]
    tables += [slices_of(res) for res in results if res.slices]
    return [*tables, *([words_of(results[0].metrics)] if words else [])]


def sheets_of(
    results: Sequence[Results], *, per_query: bool, intervals: bool = False, **shown: bool
) -> list[Table]:
    """Return the tables of a workbook: those that are printed, and intervals and the value of each query if asked for."""
    tables = tables_of(results, intervals=intervals, **shown)
    tables[0] = replace(tables[0], caption=tables[0].caption or "runs")
    rows: list[tuple[Cell, ...]]
    if intervals and len(results) > 1:  # one text beside each mean there; of one run they are numbers
        columns = [
            Column("run"),
            Column("metric"),
            Column("mean", "value"),
            Column("low", "value"),
            Column("high", "value"),
        ]
        rows = [
            (res.name, name, own.mean, own.low, own.high)
            for res in results
            for name, own in res.intervals().items()
        ]
        tables.append(Table(columns, rows, caption="intervals"))
    if per_query:
        names = results[0].per_query.columns[1:]
        columns = [Column("run"), Column("query"), *(Column(name, "value") for name in names)]
        rows = [(res.name, *row) for res in results for row in res.per_query.iter_rows()]
        tables.append(Table(columns, rows, caption="queries"))
    return tables


def table_of(
    results: Sequence[Results], *, per_query: bool = False, full_policy: bool = False, hint: bool = False
) -> Table:
    """Return a table with one row per metric for one run, one row per run for several, or one row per query."""
    plain("per_query", per_query, bool)
    if per_query:
        return _query_rows(results)
    notes = notes_of(results, full_policy=full_policy, hint=hint)
    table = _one_run(results[0], notes) if len(results) == 1 else _several(results, notes)
    if results[0].bounding is None:
        return table
    from rankwell.results.bounds import with_bounds

    return with_bounds(table, results[0].bounding, {res.name: res.bounds for res in results})


def _one_run(res: Results, notes: Sequence[str]) -> Table:
    columns = [Column("metric", "text"), Column("value", "value")]
    columns += [Column("unweighted", "value")] if res.weights else []
    columns.append(Column("n", "count"))
    ranges, undefined = res.tie_range, res.undefined
    if undefined:
        columns.append(Column("undefined", "count"))
    if ranges:
        columns += [Column("ties worst", "value"), Column("ties best", "value")]
    rows = []
    for metric in res.metrics:
        name = str(metric)
        row: list[Cell] = [f"{name} {ARROWS[metric.better]}", res.mean[name]]
        row += [res.plain_mean[name]] if res.weights else []
        row.append(res.n[name])
        row += [sum(undefined.get(name, {}).values())] if undefined else []
        row += ranges.get(name, (None, None)) if ranges else ()
        rows.append(tuple(row))
    return Table(columns, rows, caption=res.name, notes=notes)


def _several(results: Sequence[Results], notes: Sequence[str]) -> Table:
    first = results[0].metrics[0]
    ranked = sorted(results, key=lambda res: _place(res.mean[str(first)], first.better))
    columns, rows = _with_n(
        [Column("run", "text")],
        [Column(str(metric), "value", better=metric.better) for metric in results[0].metrics],
        [((res.name,), list(res.mean.values()), list(res.n.values())) for res in ranked],
    )
    order = [f"sorted by {first}, the best first"] if first.better != "neither" else []
    return Table(columns, rows, notes=[*notes, *order], mark_best=True)


def _place(value: float, better: str) -> tuple[bool, float]:
    """Return the sort key of a run: best first, undefined last, equal ones in the order given."""
    sign = {"higher": -1.0, "lower": 1.0}.get(better, 0.0)
    return math.isnan(value), 0.0 if math.isnan(value) else sign * value


def _with_n(
    labels: Sequence[Column],
    values: Sequence[Column],
    rows: Sequence[tuple[Sequence[Cell], Sequence[Cell], Sequence[int]]],
) -> tuple[list[Column], list[tuple[Cell, ...]]]:
    """Columns and rows with the number of queries behind each value, once for neighbours that share it in every row.

    Each row is its labels, its values and their n.
    """
    numbers = [tuple(n[at] for _, _, n in rows) for at in range(len(values))]
    columns: list[Column] = [*labels]
    places: list[int] = []
    for at, column in enumerate(values):
        columns.append(column)
        if at + 1 == len(values) or numbers[at] != numbers[at + 1]:
            columns.append(Column(f"n of {column.name}" if places else "n", "count"))
            places.append(at)
    cells = []
    for label, own, n in rows:
        row = [*label]
        for at, value in enumerate(own):
            row += [value, n[at]] if at in places else [value]
        cells.append(tuple(row))
    return columns, cells


def _query_rows(results: Sequence[Results]) -> Table:
    """Return one row per query, then one for the whole run; a corpus metric has a value only in the latter."""
    several = len(results) > 1
    corpus = [str(metric) for metric in results[0].metrics if metric not in results[0].part.values]
    names = [str(metric) for metric in results[0].metrics]
    if results[0].bounding is not None:
        names = [*results[0].per_query.columns[1:], *corpus]
    columns = [Column("run", "text")] if several else []
    columns += [Column("query", "text"), *(Column(name, "value") for name in names)]
    rows: list[tuple[Cell, ...]] = []
    for res in results:
        label = (res.name,) if several else ()
        frame = res.per_query
        cells = [frame[name].to_list() if name in frame.columns else [None] * len(frame) for name in names]
        rows += [(*label, *row) for row in zip(frame["query"].to_list(), *cells, strict=True)]
        means: dict[str, float | None] = {**res.mean}
        if res.bounding is not None:
            from rankwell.results.bounds import ends_by_name

            means |= ends_by_name(res.bounds)
        rows.append((*label, "mean", *(means[name] for name in names)))
    notes = [f"{name} has one value for all lists, in the last row" for name in corpus]
    return Table(columns, rows, notes=notes)


def slices_of(res: Results) -> Table:
    """Return a table of the values on all items and on each slice of them."""
    parts = [("all", res), *res.slices.items()]
    sliced = next(iter(res.slices.values())).metrics
    names = [str(metric) for metric in sliced]
    columns, rows = _with_n(
        [Column("items")],
        [Column(str(metric), "value", better=metric.better) for metric in sliced],
        [((name,), [part.mean[m] for m in names], [part.n[m] for m in names]) for name, part in parts],
    )
    notes = ["on a slice only its items are relevant; the lists and their ranks are the same"]
    others = [str(metric) for metric in res.metrics if metric not in sliced]
    notes += [f"left out, as not defined on a slice: {', '.join(others)}"] if others else []
    notes += [f"means are weighted by {res.weights}"] if res.weights else []
    return Table(columns, rows, caption=f"{res.name} by items", notes=notes)


def words_of(metrics: Sequence[Metric]) -> Table:
    """Return a table of what each metric measures and in which direction it improves."""
    from rankwell.metrics.docstrings import sentence

    ends = {"higher": "higher is better", "lower": "lower is better", "neither": "neither end is better"}
    rows = [(str(m), ends[m.better], sentence(type(m)).replace("``", "")) for m in metrics]
    return Table([Column("metric"), Column("direction"), Column("what it measures")], rows)


def csv_of(results: Sequence[Results], *, per_query: bool = False, intervals: bool = False) -> str:
    """Return CSV text in full precision, with one line per run and metric, or per run and query.

    Segments and slices have lines of their own. The columns of ``by`` and ``items`` name them, and are empty for the
    whole run. Only lines of the whole run have ``intervals``.
    """
    plain("per_query", per_query, bool)
    if per_query:
        import polars as pl

        frames = [
            res.per_query.select(
                pl.lit(res.name).alias("run"), pl.col("query").cast(pl.String), pl.exclude("query")
            )
            for res in results
        ]
        return pl.concat(frames).write_csv()
    first = results[0]
    by = [*(first.segments.by if first.has_segments else ()), *(["items"] if first.slices else [])]
    columns = [Column(name, "text") for name in ("run", *by, "metric")]
    columns += [Column("value", "value"), Column("n", "count"), Column("signature", "text")]
    rows: list[tuple[Cell, ...]] = []
    for res in results:
        signatures = {str(metric): metric.signature for metric in res.metrics}
        for labels, mean, n in _parts(res, len(by)):
            rows += [(res.name, *labels, name, mean[name], n[name], signatures[name]) for name in mean]
    table = Table(columns, rows)
    if intervals:
        from rankwell.results.intervals import with_bounds

        table = with_bounds(table, {res.name: res.intervals() for res in results})
    if results[0].bounding is not None:
        from rankwell.results.bounds import with_bound_lines

        table = with_bound_lines(table, {res.name: res.bounds for res in results})
    return table.to_csv()


def _parts(res: Results, width: int) -> list[tuple[list[str | None], dict[str, float], dict[str, int]]]:
    """The labels, values and numbers of queries of the whole run, each segment and each slice."""
    parts: list[tuple[list[str | None], dict[str, float], dict[str, int]]] = [
        ([None] * width, res.mean, res.n)
    ]
    for row in res.segments.to_dicts() if res.has_segments else ():
        labels = [row[column] for column in res.segments.by]
        parts.append((labels + [None] * (width - len(labels)), row["mean"], row["n"]))
    parts += [([None] * (width - 1) + [name], part.mean, part.n) for name, part in res.slices.items()]
    return parts


def notes_of(
    results: Sequence[Results],
    *,
    full_policy: bool = False,
    hint: bool = True,
    names: Sequence[str] | None = None,
) -> list[str]:
    """Return the notes below a table: definitions, policy, and how many rows each rule affected.

    Without ``hint`` they do not say how to see the whole policy. With ``names`` for the runs, what is true of
    each of them is said once.
    """
    first = results[0]
    notes = [f"{metric} is {text}" for metric in first.metrics if (text := metric.signature) != str(metric)]
    notes += [f"{metric}: {text}" for metric in first.metrics if (text := metric.caution())]
    sampled = [str(metric) for metric in first.metrics if metric.sampled is not None]
    if sampled:
        notes.append(
            f"{', '.join(sampled)}: of sampled candidates, not to be compared with values over all items"
        )
    notes.append(first.meaning)
    if first.weights:
        plain = [name for name, is_weighted in first.is_weighted.items() if not is_weighted]
        notes.append(
            f"means are weighted by {first.weights}" + (f" (but not {', '.join(plain)})" if plain else "")
        )
    if first.experiment:
        notes.append(f"experiment: {first.experiment}")
    notes.append(f"policy: {first.policy}" if full_policy else _policy_note(first.policy, hint=hint))
    if len(results) == 1:
        return [*notes, "; ".join(_counted(first))]
    facts = [[*_counted(res), *_ranges(res)] for res in results]
    if names is None:
        return notes + [f"{res.name}: {'; '.join(own)}" for res, own in zip(results, facts, strict=True)]
    shared = set(facts[0]).intersection(*facts)
    common = [fact for fact in facts[0] if fact in shared]
    notes += [f"each run: {'; '.join(common)}"] if common else []
    left = [[fact for fact in own if fact not in common] for own in facts]
    return notes + [f"{name}: {'; '.join(own)}" for name, own in zip(names, left, strict=True) if own]


def _policy_note(policy: Policy, *, hint: bool = True) -> str:
    """The policy fields that differ from the default."""
    plain = default().to_dict()
    changed = [f"{name}={value}" for name, value in policy.to_dict().items() if value != plain.get(name)]
    rest = "all others default" if changed else "all default"
    more = "; -v prints them" if hint else ""
    return f"policy: {' '.join([*changed, ''])}({rest}{more})"


def _counted(res: Results) -> list[str]:
    """In words the numbers of lists and rows behind the values, and how many rows each rule affected."""
    counts = res.counts
    lists, rows = counts.pop("lists", 0), counts.pop("rows", 0)
    words = [f"{rows:,} rows in {lists:,} lists"]
    if "judged queries" in counts:
        words.append(
            f"{counts.pop('judgements', 0):,} judgements of {counts.pop('judged queries'):,} queries"
        )
    words += [f"{IN_WORDS.get(what, what)}: {count:,}" for what, count in counts.items()]
    words += _diagnosed(res.diagnostics)
    alike: dict[tuple[str, int], list[str]] = {}
    for name, reasons in res.undefined.items():
        for reason, count in reasons.items():
            alike.setdefault((reason, count), []).append(name)
    return words + [f"{', '.join(names)} {why}: {count:,} queries" for (why, count), names in alike.items()]


def _diagnosed(diagnostics: Mapping[str, Mapping[str, float]]) -> list[str]:
    """Diagnostics in words, grouped by the metrics that share them."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for name, own in diagnostics.items():
        parts = (
            f"{what} {value:,}" if isinstance(value, int) else f"{what} {number(value)}"
            for what, value in own.items()
        )
        alike.setdefault(tuple(parts), []).append(name)
    return [f"{', '.join(names)}: {', '.join(parts)}" for parts, names in alike.items()]


def _ranges(res: Results) -> list[str]:
    """In words how far tie order can move each value; a table of one run has columns for this."""
    return [
        f"{name} is {number(low)} to {number(high)}, depending on the order of equal scores"
        for name, (low, high) in res.tie_range.items()
    ]


def several_to_json(
    results: Sequence[Results], *, per_query: bool = False, intervals: bool = False, states: bool = False
) -> str:
    """Return the results of one or several runs as JSON text, a list of them."""
    from rankwell import __version__

    runs = [
        json_of(res.to_dict(intervals=intervals, states=states), res.per_query if per_query else None)
        for res in results
    ]
    head = _to_json_text({"rankwell": __version__, "schema": SCHEMA})
    listed = _inside("    ", ",\n".join(runs))
    return f'{_open(head)},\n  "runs": [\n{listed}\n  ]\n}}'


def json_of(data: Mapping[str, Any], per_query: pl.DataFrame | None) -> str:
    """Return plain values as JSON text, with the rows of a frame as their last field if there is one."""
    text = _to_json_text(data)
    if per_query is None:
        return text
    rows = _lines(per_query)
    listed = f"[\n{_inside('    ', rows)}\n  ]" if rows else "[]"
    return f'{_open(text)},\n  "per_query": {listed}\n}}'


def _to_json_text(data: Mapping[str, Any]) -> str:
    import json

    return json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False)


def _open(text: str) -> str:
    """The text of an object without its end, for a member to follow."""
    return text.removesuffix("\n}")


def _inside(margin: str, text: str) -> str:
    """JSON text further to the right; ends of lines within strings are escaped."""
    return margin + text.replace("\n", f"\n{margin}")


def _lines(frame: pl.DataFrame) -> str:
    """The rows of a frame as JSON objects, a line each, column by column: Python's own encoder with an indent is slow for a million."""
    import json

    columns = []
    # each column is dumped at once, with ends of lines between its values, which within them are escaped
    for name in frame.columns if len(frame) else ():
        values = json.dumps(
            frame[name].to_list(), ensure_ascii=False, allow_nan=False, separators=("\n", ":")
        )
        key = json.dumps(name, ensure_ascii=False)
        columns.append([f"{key}: {value}" for value in values[1:-1].split("\n")])
    return ",\n".join([f"{{{', '.join(cells)}}}" for cells in zip(*columns, strict=True)])
