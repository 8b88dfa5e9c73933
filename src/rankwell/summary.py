"""Results as tables: one run in full, several runs side by side, or every query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rankwell.display import ARROWS, Cell, Column, Table, number
from rankwell.policy import Policy
from rankwell.results import Results

SHORT_CUT = 0.05


def table_of(results: Sequence[Results], *, per_query: bool = False, full_policy: bool = False) -> Table:
    """Return the table that people read: metrics by rows for one run, runs by rows for several."""
    if per_query:
        return per_query_table(results[0]) if len(results) == 1 else _query_rows(results)
    notes = notes_of(results, full_policy=full_policy)
    return _one_run(results[0], notes) if len(results) == 1 else _several(results, notes)


def _one_run(res: Results, notes: Sequence[str]) -> Table:
    columns = [Column("metric", "text"), Column("value", "value"), Column("n", "count")]
    ranges = res.tie_range
    if ranges:
        columns += [Column("ties worst", "value"), Column("ties best", "value")]
    rows = []
    for metric in res.metrics:
        name = str(metric)
        row = [f"{name} {ARROWS[metric.better]}", _finite(res.mean[name]), res.n[name]]
        rows.append(tuple(row + list(ranges.get(name, (None, None)) if ranges else ())))
    return Table(columns, rows, caption=res.name, notes=notes)


def _several(results: Sequence[Results], notes: Sequence[str]) -> Table:
    columns = [Column("run", "text")]
    columns += [Column(str(metric), "value", better=metric.better) for metric in results[0].metrics]
    rows: list[tuple[Cell, ...]] = [
        (res.name, *(_finite(res.mean[str(metric)]) for metric in res.metrics)) for res in results
    ]
    return Table(columns, rows, notes=notes, mark_best=True)


def per_query_table(res: Results) -> Table:
    """Return one row per query, and the mean below."""
    return _query_rows([res])


def _query_rows(results: Sequence[Results]) -> Table:
    several = len(results) > 1
    metrics = results[0].metrics
    frames = [res.per_query for res in results]
    with_values = [str(m) for m in metrics if str(m) in frames[0].columns]
    columns = [Column("run", "text")] if several else []
    columns += [Column("query", "text"), *(Column(name, "value") for name in with_values)]
    rows: list[tuple[Cell, ...]] = []
    for res, frame in zip(results, frames, strict=True):
        label = (res.name,) if several else ()
        rows += [
            (*label, str(query), *values)
            for query, *values in frame.select("query", *with_values).iter_rows()
        ]
        rows.append((*label, "mean", *(_finite(res.mean[name]) for name in with_values)))
    return Table(columns, rows)


def csv_of(results: Sequence[Results]) -> str:
    """Return one line per run and metric, numbers in full precision."""
    columns = [Column(name, "text") for name in ("run", "metric")]
    columns += [Column("value", "value"), Column("n", "count"), Column("signature", "text")]
    rows = [
        (res.name, str(metric), _finite(res.mean[str(metric)]), res.n[str(metric)], metric.signature)
        for res in results
        for metric in res.metrics
    ]
    return Table(columns, rows).to_csv()


def notes_of(results: Sequence[Results], *, full_policy: bool = False) -> list[str]:
    """Return what a reader of the table should know: definitions, policy, what each rule touched."""
    first = results[0]
    notes = [f"{metric} is {metric.signature}" for metric in first.metrics if str(metric) != metric.signature]
    notes.append(first.meaning)
    notes.append(f"policy: {first.policy}" if full_policy else policy_note(first.policy))
    for res in results:
        label = f"{res.name}: " if len(results) > 1 else ""
        notes.append(label + "; ".join(counted(res)))
    return notes


def policy_note(policy: Policy) -> str:
    """Return the fields of a policy that differ from the default."""
    plain = Policy().to_dict()
    changed = [f"{name}={value}" for name, value in policy.to_dict().items() if value != plain[name]]
    rest = "all others default" if changed else "all default"
    return f"policy: {' '.join([*changed, ''])}({rest}; -v prints them)"


def counted(res: Results) -> list[str]:
    """Return in words how many lists and rows the values rest on, and what each rule touched."""
    counts = dict(res.counts)
    lists, rows = counts.pop("lists", 0), counts.pop("rows", 0)
    words = [f"{rows:,} rows in {lists:,} lists"]
    if "judged queries" in counts:
        words.append(
            f"{counts.pop('judgements', 0):,} judgements of {counts.pop('judged queries'):,} queries"
        )
    words += [f"{what}: {count:,}" for what, count in counts.items()]
    for name, reasons in res.undefined.items():
        words += [f"{name} {reason} in {count:,} queries" for reason, count in reasons.items()]
    for name, (low, high) in res.tie_range.items():
        words.append(f"{name} is {number(low)} to {number(high)}, depending on the order of equal scores")
    return words


def warnings_of(res: Results) -> list[str]:
    """Return what deserves a word beside the table: data that do not mean what they seem to."""
    counts: Mapping[str, int] = res.counts
    found = []
    if counts.get("queries with R > k", 0) > SHORT_CUT * counts.get("judged queries", 0):
        found.append(
            f"{res.name}: {counts['queries with R > k']:,} queries have more than k relevant items; AP ÷ R and "
            f"AP ÷ min(R, k) differ there, so say which one you report."
        )
    against = counts.get("rows whose rank contradicts the score", 0)
    if against:
        found.append(
            f"{res.name}: {against:,} rows stand below a row with a lower score; the rank column decides."
        )
    converted = ("run ids read as integers", "judgement ids read as integers")
    found += [f"{res.name}: {what}, as the other side has them." for what in converted if counts.get(what)]
    return found


def _finite(value: float) -> float | None:
    return None if value != value else value  # noqa: PLR0124 - nan
