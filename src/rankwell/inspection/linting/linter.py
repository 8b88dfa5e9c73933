"""What is wrong with these files: each finding with its place, what it does to the numbers, and the remedy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from numbers import Real
from pathlib import Path
from typing import Any, Literal, Unpack

from rankwell.display.findings import Finding, Findings
from rankwell.evaluation.inputs import needing
from rankwell.evaluation.request import Words, beside, read_with, reading_of
from rankwell.inspection.linting.copies import write_copies
from rankwell.inspection.linting.data import (
    LintData,
    LintSettings,
    Rule,
    RunData,
    fits,
    qrels_data,
    run_data,
    try_reading,
    try_reading_chunks,
)
from rankwell.inspection.linting.matches import RULES as MATCH_RULES
from rankwell.inspection.linting.rules import RANK_RULES, RULES
from rankwell.matching.policy import Policy, policy_with, separator_of
from rankwell.readers import read_items
from rankwell.readers.frames.in_memory import is_frame
from rankwell.readers.items_users import read_catalogue
from rankwell.readers.sources import PATHS, is_one_run, names_as_text
from rankwell.tables.arguments import as_list, checked, plain
from rankwell.tables.ids import Known
from rankwell.tables.run_qrels import Run

__all__ = ["Finding", "Findings", "lint"]

EVERY_RULE: Sequence[Rule] = (*RULES, *RANK_RULES, *MATCH_RULES)


@checked
def lint(
    runs: Any,
    qrels: Any = None,
    metric: str = "ndcg@10",
    *,
    items: Any = None,
    train: Any = None,
    k: int = 10,
    scale: Iterable[float] | None = None,
    policy: Policy = Policy(),  # noqa: B008 - a frozen value
    cleaned_copies: str | Path | None = None,
    columns: Mapping[str, str] | None = None,
    qrels_columns: Mapping[str, str] | None = None,
    format_in: str | None = None,
    qrels_format: str | None = None,
    encoding: str | None = None,
    order: Literal["rows"] | None = None,
    read: Mapping[str, Any] | None = None,
    **words: Unpack[Words],
) -> Findings:
    """Say what is wrong with runs and judgements, what it does to a metric, and what to do.

    Parameters
    ----------
    runs
        A run, a list of runs, or a dict of runs by name: whatever ``rankwell.read_run`` reads. A list of plain values is one run.
    qrels
        The judgements; without them only the runs are looked at.
    metric
        The metric whose change is shown, where one can be computed. With one of spans, such as ``span_r@10``, the judgements are of
        spans, and ``items`` are the chunks.
    items, train
        The catalogue, and what the system learned from (a table of queries and items).
    k
        The depth at which unjudged items are counted.
    scale
        The grades that are allowed.
    policy
        The policy under which it is computed, as far as the data allow it.
    cleaned_copies
        A folder for cleaned copies of the runs and the judgements; the originals stay as they are. Of repeated items and
        judgements the one with the best score, rank or grade is kept, white space around ids is removed, and lists are in
        order, with ranks from 1 if they had ranks. A note names each copy. Columns that rankwell does not read, such as times and
        tags, are left out. Of a file with lines that cannot be read there is no copy.
    columns, qrels_columns, format_in, qrels_format, order, read, words
        How runs and judgements are read; as for ``evaluate``.
    encoding
        The encoding of all files that are text, if it is not UTF-8; copies are UTF-8.

    Returns
    -------
    Findings
        The findings, errors first; a sequence, with ``is_wrong``, ``to_dicts()`` and ``to_github()``.

    Raises
    ------
    UsageError
        If a source is of no known kind, or the encoding is unknown. What is wrong *in* a source is a finding.

    Examples
    --------
    >>> run = {"1": {"a": 3.0, "b": 2.0}, "2": {"a": 1.0}}
    >>> print(lint(run, {"1": {"a": 2, "b": 5}, "3": {"c": 1}}, scale=[0, 1, 2, 3]))
    qrels, query '1': error [scale] the grade 5 is not on the scale 0, 1, 2, 3; 1 row
        remedy: Mend the grades, or declare the scale that they have.
    run: warning [missing-queries] 1 of 2 judged queries are not in the run (such as '3')
        effect: ndcg@10 0.4116 → 0.8232 with --missing skip
        remedy: They count as empty lists. Complete the run, or say --missing skip and report it.
    run, query '2': note [unknown-queries] 1 of 2 queries are not judged (such as '2')
        remedy: They count in no metric of relevance; remove them or complete the judgements.
    1 error, 1 warning, 1 note
    """
    read, findings = read_with(read, words), list[Finding]()
    policy = policy_with(policy, words)
    sources = _by_name(runs)
    of_runs, of_qrels = reading_of(
        read, columns=columns, qrels_columns=qrels_columns, format_in=format_in, qrels_format=qrels_format,
        encoding=encoding, order=order,
    )  # fmt: skip
    of_train, of_items = (beside(of_runs, of_qrels, table)["columns"] for table in ("train", "items"))
    encoding = of_qrels.pop("encoding", None)  # files are opened in it
    of_runs.pop("encoding", None)
    needs = LintSettings(metric=metric).needs
    of_spans = "spans" in needs
    of_qrels, of_runs = (
        dict(needing(words, needs, table, policy.sizes))
        for words, table in ((of_qrels, "qrels"), (of_runs, "run"))
    )
    others = list[Finding]()  # those of the runs come first
    judged = None if qrels is None else try_reading(partial(qrels_data, **of_qrels), qrels, others, encoding)
    history = (
        None if train is None else try_reading(partial(qrels_data, columns=of_train), train, others, encoding)
    )
    has_columns = policy.sizes is not None or (
        policy.group is not None and separator_of(policy.group) is None
    )
    catalogue = None
    if items is not None and of_spans:
        catalogue = try_reading_chunks(items, others, encoding, of_items)
    elif items is not None:
        read_table = read_catalogue if has_columns else read_items
        catalogue = try_reading(partial(read_table, columns=of_items), items, others, encoding)
    known = None if catalogue is None else Known(catalogue.item)
    allowed = (
        None if scale is None else tuple(plain("scale", grade, float) for grade in as_list("scale", scale))
    )
    settings = LintSettings(k, allowed, metric, policy)

    def ask(run: RunData) -> None:
        data = LintData((run,), judged, catalogue, known, history, settings)
        for rule in EVERY_RULE:
            list(rule(data))  # what it asks of the run is answered as it is read

    tables = [
        try_reading(partial(run_data, ask=ask, name=name, **of_runs), source, findings, encoding)
        for name, source in sources
    ]
    findings += others
    readable = [run for run in tables if run is not None and fits(run.run, judged, findings)]
    data = LintData(tuple(readable), judged, catalogue, known, history, settings)
    if cleaned_copies is not None:
        findings += write_copies(data, Path(cleaned_copies))
    return Findings(list(dict.fromkeys(findings + _found(data))))


def _found(data: LintData) -> list[Finding]:
    """What all rules find; a rule whose question has no answer yet is asked again after another pass over the runs."""
    found: dict[Rule, list[Finding]] = {}
    waiting: Sequence[Rule] = EVERY_RULE
    while waiting:
        again = []
        for rule in waiting:
            missed = data.missed
            found[rule] = list(rule(data))
            if data.missed > missed:
                again.append(rule)
        for run in data.runs:
            run.read()
        waiting = again
    return [finding for rule in EVERY_RULE for finding in found[rule]]


def _by_name(runs: Any) -> list[tuple[str | None, Any]]:
    """Runs with the names that they were given, or none."""
    if isinstance(runs, Mapping) and runs and all(map(_is_run, runs.values())):
        return [*names_as_text(runs).items()]
    several = runs if isinstance(runs, (list, tuple)) and all(map(_is_source, runs)) else [runs]
    return [(None, run) for run in several]


def _is_run(value: Any) -> bool:
    """Whether a value of a dict is a run, and not the list of a query."""
    if isinstance(value, Mapping):
        return is_one_run(value) and not isinstance(next(iter(value.values())), Real)
    return isinstance(value, (Run, *PATHS)) or is_frame(value)


def _is_source(value: Any) -> bool:
    return isinstance(value, Run) or not isinstance(value, (list, tuple, int, float))
