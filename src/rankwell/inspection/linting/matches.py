"""Rules about what one side has and the other has not: queries, items, judgements, training data."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from rankwell.display.findings import Finding
from rankwell.errors import brief
from rankwell.inspection.linting.data import Data, QrelsData, RunData, common
from rankwell.inspection.linting.rules import rows_of
from rankwell.kernels import match
from rankwell.tables.ids import Ids, Known

FEW_JUDGED = 0.8


def queries(data: Data) -> Iterator[Finding]:
    """Queries that only one side has, and ids of different types."""
    if data.qrels is None:
        return
    known = data.qrels.queries
    for run in data.runs:
        found = common(run.lists.queries, known)
        if found is None or not (found >= 0).any():
            yield _nothing_in_common(run, data.qrels, "query", run.lists.queries, known.ids)
            continue
        extra = np.flatnonzero(found < 0)
        if len(extra):
            yield Finding(
                "unknown-queries", "note", run.lists.place(int(run.lists.offsets[extra[0]])),
                f"{len(extra):,} of {len(found):,} queries are not judged (such as {brief(run.lists.queries.one(int(extra[0])))})",
                "They count in no metric of relevance; remove them or complete the judgements.", len(extra),
            )  # fmt: skip
        missing = np.setdiff1d(np.arange(len(known)), found)
        if len(missing):
            effect = data.change(
                data.value(run, missing="empty"), data.value(run, missing="skip"), "with --missing skip"
            )
            yield Finding(
                "missing-queries", "warning", run.name,
                f"{len(missing):,} of {len(known):,} judged queries are not in the run (such as {brief(known.ids.one(int(missing[0])))})",
                "They count as empty lists. Complete the run, or say --missing skip and report it.", len(missing), effect,
            )  # fmt: skip


def items(data: Data) -> Iterator[Finding]:
    """Items of runs and judgements that the catalogue lacks, and runs in which nothing is judged."""
    if data.qrels is not None:
        for run in data.runs:
            judged = Known(_distinct(data.qrels.items))
            found = common(_distinct(run.lists.items), judged)
            if found is None or not (found >= 0).any():
                yield _nothing_in_common(run, data.qrels, "item", run.lists.items, data.qrels.items)
    if data.items is None:
        return
    catalogue = Known(data.items.item)
    sides = [(run.name, run.lists.items, run.lists.place) for run in data.runs]
    sides += [(data.qrels.name, data.qrels.items, data.qrels.place)] if data.qrels else []
    for name, ids, place in sides:
        found = common(ids, catalogue)
        outside = np.arange(len(ids)) if found is None else np.flatnonzero(found < 0)
        if len(outside):
            row = int(outside[0])
            yield Finding(
                "unknown-items", "error", place(row),
                f"item {brief(ids.one(row))} is not in the catalogue {data.items.name}; {rows_of(outside)} of {name}",
                "Complete the catalogue, or say --outside ignore.", len(outside),
            )  # fmt: skip


def _nothing_in_common(run: RunData, qrels: QrelsData, word: str, ours: Ids, theirs: Ids) -> Finding:
    """The finding of two sides that share no id, with a change that would make them meet."""
    left, right = ({str(each) for each in _distinct(ids)[:100_000].tolist()} for ids in (ours, theirs))
    changes: dict[str, Callable[[str], str]] = {
        "without white space around them": str.strip,
        "without leading zeros": lambda text: text.lstrip("0") or "0",
        "in lower case": str.lower,
        "without a prefix up to the last _, - or /": lambda text: (
            text.replace("-", "_").replace("/", "_").rpartition("_")[2]
        ),
    }
    hints = [
        f"{shared:,} would match {how}"
        for how, change in changes.items()
        if (shared := len({change(each) for each in left} & {change(each) for each in right}))
    ]
    return Finding(
        "nothing-in-common", "error", run.name,
        f"no {word} of the run is in {qrels.name}: {_first(ours)} here, {_first(theirs)} there"
        + (f"; {hints[0]}" if hints else ""),
        "Are the files of one collection and in the right order? Write the ids alike on both sides.",
    )  # fmt: skip


def unjudged(data: Data) -> Iterator[Finding]:
    """Lists whose first k items were mostly never judged."""
    if data.qrels is None or data.qrels.qrels.grade is None:
        return
    metric = f"judged@{data.settings.k}"
    for run in data.runs:
        share = data.value(run, metric, grades="judgements", missing="skip")
        if share is None:
            continue
        if share < FEW_JUDGED:
            effect = data.change(
                data.value(run), data.value(run, unjudged="condense"), "with --unjudged condense"
            )
            yield Finding(
                "unjudged", "note", run.name,
                f"only {share:.0%} of the first {data.settings.k} items are judged; the others count as not relevant",
                f"Report {metric} beside the metric, or use bpref or --unjudged condense.", 1, effect,
            )  # fmt: skip


def scale(data: Data) -> Iterator[Finding]:
    """Grades outside the declared scale."""
    if data.qrels is None or data.qrels.qrels.grade is None or data.settings.scale is None:
        return
    grade = data.qrels.qrels.grade
    rows = np.flatnonzero(~np.isin(grade, data.settings.scale))
    if len(rows):
        allowed = ", ".join(f"{each:g}" for each in data.settings.scale)
        yield Finding(
            "scale", "error", data.qrels.qrels.place(int(rows[0])),
            f"the grade {grade[rows[0]]:g} is not on the scale {allowed}; {rows_of(rows)}",
            "Mend the grades, or declare the scale that they have.", len(rows),
        )  # fmt: skip


def training_items(data: Data) -> Iterator[Finding]:
    """Items in the lists that the user has in the training data."""
    if data.train is None:
        return
    for run in data.runs:
        known = common(run.lists.queries, data.train.queries)
        if known is None or run.lists.items.is_text != data.train.items.is_text:
            continue
        nothing = np.zeros(run.lists.rows, np.uint8)
        _, rows, _, _ = match.hits(
            run.lists.offsets, run.lists.score, *run.lists.items.columns, known,
            data.train.offsets, *data.train.items.columns, nothing,
        )  # fmt: skip
        if len(rows):
            row = int(rows[0])
            yield Finding(
                "training-items", "warning", run.lists.place(row),
                f"query {brief(run.lists.queries.one(int(run.list_of[row])))} is shown item {brief(run.lists.items.one(row))}, which it "
                f"has in {data.train.name}; {rows_of(rows)}",
                "Leave out what the user has already, unless it may be shown again.", len(rows),
                data.change(data.value(run), data.value(run.without(rows)), "without them"),
            )  # fmt: skip


def _distinct(ids: Ids) -> Ids:
    return ids[ids.group()[1]]


RULES: tuple[Callable[[Data], Iterator[Finding]], ...] = (queries, items, unjudged, scale, training_items)


def _first(ids: Ids) -> str:
    return brief(ids.one(0)) if len(ids) else "none"
