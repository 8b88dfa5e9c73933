"""The values of all measures for all topics, from judgements, judgements by group, or preferences."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from rankwell.compat.trec_eval.makers import Printed, Settings, judged_metrics
from rankwell.compat.trec_eval.options import Options
from rankwell.compat.trec_eval.special import GainRBP
from rankwell.errors import DataError, InputError, NothingInCommonError
from rankwell.evaluation import Evaluator
from rankwell.judge.policy import Policy
from rankwell.metrics import metric_of
from rankwell.metrics.metric import Metric
from rankwell.readers import read_qrels
from rankwell.results import Results
from rankwell.tables.run_qrels import Qrels, Run

Lines = Callable[[Settings], list[Printed]]
PREFERENCES = ("prefs", "qrels_prefs")
# the share of judgement groups with a relevant document retrieved: of all groups, and of those with a relevant document
OF_ALL, OF_THOSE = (metric_of(f"by_topic(metric=hit@1000000000,over={over})") for over in ("all", "defined"))


@dataclass
class Evaluated:
    """Per topic, sorted by bytes: the value of each line by name, texts, and the values for all topics."""

    topics: list[str]
    present: np.ndarray  # whether the topic is in the run
    lines: list[Printed] = field(default_factory=list)
    columns: dict[str, np.ndarray] = field(default_factory=dict)
    totals: dict[str, float] = field(default_factory=dict)
    texts: dict[str, list[str]] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)  # judged topics missing from the run
    notes: list[str] = field(default_factory=list)

    def add_means(self) -> None:
        """Add the missing values for all topics: a sum for counts, otherwise a mean."""
        for line in self.lines:
            if line.name in self.columns and line.name not in self.totals:
                total = math.fsum(self.columns[line.name])
                self.totals[line.name] = total if line.kind == "count" else total / max(len(self.topics), 1)


def evaluated(options: Options, path: str, run: Run, lines: Lines) -> Evaluated:
    """Evaluate against judgements, judgements by group, or preferences."""
    qrels = _judgements(options, path)
    printed = lines(_settings(options, qrels))
    extra = judged_metrics()
    wanted = [metric for line in printed for metric in (line.metric, *line.text) if metric is not None]
    fair = [line for line in printed if line.metric is not None and line.metric.name == "prefs_avgjg_rnonrel"]
    by_groups = [OF_ALL, OF_THOSE] if any(line.metric.needed() for line in fair if line.metric) else []
    res = _results(options, qrels, run, [*extra, *wanted, *by_groups])
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
    if by_groups:
        found.notes += _groups_without(fair, *(res.values(metric) for metric in by_groups))
    if fair and np.count_nonzero(np.unique(_grades(qrels)) <= 0) > 1:
        found.notes.append("Rnonrel with several nonrelevant levels")
    return found


def _groups_without(lines: Sequence[Printed], of_all: np.ndarray, of_those: np.ndarray) -> list[str]:
    """Name the measures that the program prints as 0 for a topic with a group that has nothing relevant (retrieved)."""
    has = {
        "prefs_avgjg_Rnonrel": (of_all != of_those).any(),
        "prefs_avgjg_Rnonrel_ret": ((of_all > 0) & (of_all < 1)).any(),
    }
    return [
        f"{line.name} of a topic with a group without a relevant document" for line in lines if has[line.name]
    ]


def _judgements(options: Options, path: str) -> Qrels:
    """Read the judgements: with integer grades, or the levels of preferences; topics only if they are groups."""
    try:
        read = read_qrels(path, format_in="prefs" if options.rel_format == "prefs" else "trec")
    except DataError as error:
        raise InputError(str(error)) from error
    rows = np.arange(len(read.item))
    if options.topic is not None:
        rows = np.flatnonzero([query == options.topic for query in read.query.tolist()])
    if not len(rows):
        raise NothingInCommonError(f"{path}: there are no judgements of topic {options.topic!r}.")
    topic, subgroup = (None if column is None else column[rows] for column in (read.topic, read.subgroup))
    grades = _grades(read)[rows]
    return Qrels(
        read.query[rows],
        read.item[rows],
        grades if options.rel_format in PREFERENCES else np.trunc(grades),
        topic if options.rel_format != "qrels" else None,
        subgroup=subgroup,
        name=read.name,
    )


def _grades(qrels: Qrels) -> np.ndarray:
    return np.ones(len(qrels.item)) if qrels.grade is None else qrels.grade


def _settings(options: Options, qrels: Qrels) -> Settings:
    has_gains = any("=" in text for text in options.measures)
    grades = tuple(np.unique(_grades(qrels)).tolist()) if has_gains else ()
    is_grouped = qrels.topic is not None and (qrels.subgroup is not None or len(qrels.topic.runs()) > 1)
    return Settings(
        options.level, options.version, options.collection, grades, "topic" if is_grouped else "query"
    )


def _results(options: Options, qrels: Qrels, run: Run, metrics: Sequence[Metric]) -> Results:
    is_prefs = options.rel_format in PREFERENCES
    policy = Policy(
        grades="judgements",
        undefined="zero",
        population="judged",
        # preferences order tied scores the other way round, and count every level
        ties="item-asc" if is_prefs else "item-desc",
        negative="nonrelevant" if is_prefs else "unjudged",
        scores="single" if options.version == 9 else "double",
        missing="empty" if options.complete else "skip",
        unjudged="condense" if options.judged_only and not is_prefs else "nonrelevant",
        depth=options.depth,
    )
    return Evaluator(qrels, list(dict.fromkeys(metrics)), policy=policy).evaluate(run)
