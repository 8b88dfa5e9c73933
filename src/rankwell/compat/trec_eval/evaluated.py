"""The values of all measures for all topics, from judgements, judgements by group, or preferences."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from rankwell.base import Metric
from rankwell.compat.trec_eval import preferences
from rankwell.compat.trec_eval.makers import Printed, Settings, judged_metrics
from rankwell.compat.trec_eval.options import Options
from rankwell.compat.trec_eval.special import GainRBP
from rankwell.errors import DataError, InputError, NothingInCommonError
from rankwell.evaluation import Evaluator
from rankwell.ids import Ids, Known
from rankwell.policy import Policy
from rankwell.readers import read_qrels
from rankwell.results import Results
from rankwell.tables import Qrels, Run

Lines = Callable[[Settings], list[Printed]]
NOWHERE = "rel_info_format not {}: {} cannot be calculated"


@dataclass
class Evaluated:
    """Per topic, sorted by its bytes: the value of each line by its name, texts, and the values for all topics."""

    topics: list[str]
    present: np.ndarray  # whether the run has the topic
    lines: list[Printed] = field(default_factory=list)
    columns: dict[str, np.ndarray] = field(default_factory=dict)
    totals: dict[str, float] = field(default_factory=dict)
    texts: dict[str, list[str]] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)  # judged topics that the run lacks
    notes: list[str] = field(default_factory=list)

    def add_means(self) -> None:
        """Make the value for all topics of every line that has none: a sum of counts, or a mean."""
        for line in self.lines:
            if line.name in self.columns and line.name not in self.totals:
                total = math.fsum(self.columns[line.name])
                self.totals[line.name] = total if line.kind == "count" else total / max(len(self.topics), 1)


def by_judgements(options: Options, path: str, run: Run, lines: Lines) -> Evaluated:
    """Evaluate against judgements."""
    qrels = _judgements(options, path)
    printed = lines(_settings(options, qrels))
    extra = judged_metrics()
    wanted = [metric for line in printed for metric in (line.metric, *line.text) if metric is not None]
    res = _results(options, qrels, run, [*extra, *wanted])
    found = Evaluated([str(query) for query in res.queries], res.values(extra[0]) > 0, printed)
    for line in printed:
        if line.text:
            pieces = [[piece.text(number) for number in res.values(piece)] for piece in line.text]
            found.texts[line.name] = ["".join(parts) for parts in zip(*pieces, strict=True)]
        elif line.metric is not None:
            found.columns[line.name] = line.values(res)
            found.totals[line.name] = res.mean[str(line.metric)]
    if res.counts.get("judged queries missing from the run"):
        judged = qrels.query[qrels.query.group()[1]].tolist()
        here = {topic for topic, is_here in zip(found.topics, found.present, strict=True) if is_here}
        found.missing = sorted({str(query) for query in judged} - here)
    retrieved, *known = (res.values(metric) for metric in extra)
    highest = res.context.grade_max or 0.0
    names = {line.metric.name for line in printed if line.metric is not None}
    has_gains = any(isinstance(line.metric, GainRBP) for line in printed)
    found.notes += ["rbp with gains"] if has_gains else []
    found.notes += ["rbp of grades above 1"] if "rbp" in names and highest > 1 and not has_gains else []
    found.notes += ["rbp_resid where nothing is unjudged"] if (
        any(line.name == "rbp_resid" for line in printed) and (found.present & (retrieved == sum(known))).any()
    ) else []  # fmt: skip
    found.notes += (
        ["bpref of a level above all grades"] if "bpref" in names and options.level > highest + 1 else []
    )
    return found


def by_groups(options: Options, path: str, run: Run, lines: Lines) -> Evaluated:
    """Evaluate against the judgements of each group; a topic's value is the mean over its groups."""
    qrels = _judgements(options, path, with_topics=True)
    printed = lines(_settings(options, qrels))
    assert qrels.topic is not None
    retrieved = judged_metrics()[0]
    sums: dict[str, np.ndarray] = {}
    names = sorted({str(query) for query in qrels.query.tolist()})
    place = {query: row for row, query in enumerate(names)}
    counts, present = np.zeros(len(names)), np.zeros(len(names), np.bool_)
    code = qrels.topic.group()[0]
    for group in np.unique(code):
        rows = np.flatnonzero(code == group)
        part = Qrels(qrels.query[rows], qrels.item[rows], _grades(qrels)[rows], name=qrels.name)
        res = _results(
            options,
            part,
            run,
            [retrieved, *(line.metric for line in printed if line.metric is not None)],
            missing="empty",
        )
        at = np.array([place[str(query)] for query in res.queries])
        counts[at] += 1
        present[at] |= res.values(retrieved) > 0
        for line in printed:
            if line.metric is not None:
                sums.setdefault(line.name, np.zeros(len(names)))[at] += res.values(line.metric)
    kept = np.arange(len(names)) if options.complete else np.flatnonzero(present)
    found = Evaluated([names[row] for row in kept], present[kept], printed)
    found.missing = [name for row, name in enumerate(names) if not present[row]]
    found.columns = {name: (values / counts)[kept] for name, values in sums.items()}
    found.add_means()
    return found


def by_preferences(options: Options, path: str, run: Run, lines: Lines) -> Evaluated:
    """Evaluate against preferences, or against what judgements say of preferences."""
    if options.rel_format == "prefs":
        topics = preferences.read(path)
    else:
        qrels = _judgements(options, path)
        topics = {}
        for query, item, grade in zip(qrels.query.tolist(), qrels.item.tolist(), _grades(qrels), strict=True):
            topics.setdefault(str(query), []).append(("0", "0", str(item), float(grade)))
    topics = {name: rows for name, rows in topics.items() if options.topic in (None, name)}
    ranked = _rankings(run, sorted(topics), options)
    names = sorted(topics) if options.complete else sorted(ranked)
    found = Evaluated(
        names, np.array([name in ranked for name in names], np.bool_), lines(_settings(options))
    )
    found.missing = sorted(set(topics) - set(ranked))
    values = [preferences.values(preferences.count(topics[name], ranked.get(name, ()))) for name in names]
    for line in found.lines:
        if line.name in preferences.NAMES:
            found.columns[line.name] = np.array([each[line.name] for each in values], np.float64)
    found.add_means()
    return found


def _rankings(run: Run, topics: Sequence[str], options: Options) -> dict[str, list[str]]:
    """The documents of each topic in order; here equal scores are in the order of their ids."""
    table = run.rows.table()
    rows = np.flatnonzero(Known(Ids.of(list(topics))).find(table.query) >= 0)
    lists: dict[str, list[tuple[float, str]]] = {}
    scores = table.key[rows].astype(np.float32 if options.version == 9 else np.float64)
    for query, item, score in zip(
        table.query[rows].tolist(), table.item[rows].tolist(), scores.tolist(), strict=True
    ):
        lists.setdefault(str(query), []).append((-score, str(item)))
    return {query: [item for _, item in sorted(members)][: options.depth] for query, members in lists.items()}


def _judgements(options: Options, path: str, *, with_topics: bool = False) -> Qrels:
    """The judgements with whole grades."""
    try:
        read = read_qrels(path, format_in="trec")
    except DataError as error:
        raise InputError(str(error)) from error
    rows = np.arange(len(read.item))
    if options.topic is not None:
        rows = np.flatnonzero([query == options.topic for query in read.query.tolist()])
    if not len(rows):
        raise NothingInCommonError(f"{path}: there are no judgements of topic {options.topic!r}.")
    topic = read.topic[rows] if with_topics and read.topic is not None else None
    return Qrels(read.query[rows], read.item[rows], np.trunc(_grades(read)[rows]), topic, name=read.name)


def _grades(qrels: Qrels) -> np.ndarray:
    return np.ones(len(qrels.item)) if qrels.grade is None else qrels.grade


def _settings(options: Options, qrels: Qrels | None = None) -> Settings:
    has_gains = qrels is not None and any("=" in text for text in options.measures)
    grades = tuple(np.unique(_grades(qrels)).tolist()) if qrels is not None and has_gains else ()
    return Settings(options.level, options.version, options.collection, grades)


def _results(
    options: Options, qrels: Qrels, run: Run, metrics: Sequence[Metric], *, missing: str | None = None
) -> Results:
    policy = Policy(
        grades="judgements",
        undefined="zero",
        population="judged",
        scores="single" if options.version == 9 else "double",
        missing=missing or ("empty" if options.complete else "skip"),  # type: ignore[arg-type]
        unjudged="condense" if options.judged_only else "nonrelevant",
        depth=options.depth,
    )
    return Evaluator(qrels, list(dict.fromkeys(metrics)), policy=policy).evaluate(run)
