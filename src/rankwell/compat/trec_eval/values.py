"""The values of all measures for all topics, from judgements, judgements by group, or preferences."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from rankwell.compat.trec_eval.judgements import Judgements, grades_of
from rankwell.compat.trec_eval.measures import GainRBP, PrintedLine, Settings, judged_metrics
from rankwell.compat.trec_eval.options import PREFERENCES, Options
from rankwell.errors import NothingInCommonError
from rankwell.evaluation import Evaluator
from rankwell.evaluation.request import Request
from rankwell.matching.policy import Policy
from rankwell.metrics import metric_of, metrics_of
from rankwell.metrics.metric import Metric
from rankwell.metrics.parameters import named_gains
from rankwell.results import Results
from rankwell.tables.lists import distinct
from rankwell.tables.run_qrels import Qrels, Run

Lines = Callable[[Settings], list[PrintedLine]]
# the share of judgement groups with a relevant document retrieved: of all groups, and of those with a relevant document
OF_ALL, OF_THOSE = (metric_of(f"by_topic(metric=hit@1000000000,over={over})") for over in ("all", "defined"))
NO_DOCUMENT = "(no document)"  # no line of a file can name it, as it has a space
LEAST_LOG = math.log(1e-5)


@dataclass
class TopicTable:
    """Per topic, sorted by bytes: the value of each line by name, texts, and the values for all topics.

    ``topics`` are the topics evaluated, ``n`` the number that means are taken over, ``relevant`` the documents with a grade
    above 0 in all judgements.
    """

    topics: list[str]
    n: int
    lines: list[PrintedLine] = field(default_factory=list)
    columns: dict[str, np.ndarray] = field(default_factory=dict)
    totals: dict[str, float] = field(default_factory=dict)
    texts: dict[str, list[str]] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)  # judged topics missing from the run
    relevant: int | None = None  # with -c, the number that the program prints as num_rel of all topics
    notes: list[str] = field(default_factory=list)

    def add_totals(self) -> None:
        """Add the values for all topics: a sum for counts, otherwise a mean.

        The program adds the values topic after topic, so the same is done here; an exact sum would now and then round to
        another fourth digit.
        """
        for line in self.lines:
            if line.name not in self.columns:
                continue
            total = float(np.add.accumulate(np.append(0.0, self.columns[line.name]))[-1])
            if line.kind == "log":
                # a topic that is not there counts as the least value of a geometric mean, 1e-5
                total = math.exp((total + (self.n - len(self.topics)) * LEAST_LOG) / self.n)
            elif line.kind != "count":
                total /= self.n
            self.totals[line.name] = total
        if self.relevant is not None:
            self.totals["num_rel"] = self.relevant


class _Parts:
    """The results of several runs of different topics, as if they were one; topics sorted by bytes."""

    def __init__(self, parts: Sequence[Results]) -> None:
        self._parts = parts
        topics = [str(query) for part in parts for query in part.queries]
        self._rows = np.array(sorted(range(len(topics)), key=lambda row: topics[row].encode()), np.int64)
        self.topics = [topics[row] for row in self._rows]

    def values(self, metric: Metric) -> np.ndarray:
        """Return the value of each topic, 0 where it is undefined."""
        return np.nan_to_num(np.concatenate([part.values(metric) for part in self._parts])[self._rows])

    @property
    def highest(self) -> float:
        """The highest grade."""
        return max(part.conditions.grade_max or 0.0 for part in self._parts)


def evaluate_lines(options: Options, judgements: Judgements, run: Run, lines: Lines) -> TopicTable:
    """Evaluate against judgements, judgements by group, or preferences."""
    printed = lines(_settings(options, judgements.qrels))
    line_metrics = [metric for line in printed for metric in (line.metric, *line.text) if metric is not None]
    fair = [line for line in printed if line.metric is not None and line.metric.name == "prefs_avgjg_rnonrel"]
    by_groups = [OF_ALL, OF_THOSE] if any(line.metric.needed() for line in fair if line.metric) else []
    metrics = [*judged_metrics(), *line_metrics, *by_groups]
    of_run = _evaluate_listed(options, judgements, run, metrics)
    topics = {str(query) for part in of_run for query in part.queries}
    missing = sorted(set(judgements.topics) - topics, key=str.encode)
    of_missing = _evaluate_unlisted(options, judgements, missing, metrics)
    res = _Parts([*of_run, *of_missing])
    n = (
        judgements.all_topics if options.complete else len(res.topics)
    )  # -c takes the mean over all judged topics
    table = TopicTable(res.topics, n, printed, missing=missing)
    for line in printed:
        if line.text:
            pieces = [[piece.text(number) for number in res.values(piece)] for piece in line.text]
            table.texts[line.name] = ["".join(parts) for parts in zip(*pieces, strict=True)]
        elif line.kind == "text" and not line.is_summary:
            table.texts[line.name] = [""] * len(res.topics)
        elif line.metric is not None:
            table.columns[line.name] = line.values(res)
        elif line.kind == "real":
            table.columns[line.name] = np.zeros(len(res.topics))
    if of_missing:
        _clear(table)
    if options.complete and any(line.name == "num_rel" for line in printed):
        table.relevant = judgements.relevant
    table.add_totals()
    table.notes += _notes(options, table, _Parts(of_run or of_missing), judgements.qrels)
    if by_groups:
        table.notes += _groups_without(fair, *(res.values(metric) for metric in by_groups))
    return table


def _evaluate_listed(
    options: Options, judgements: Judgements, run: Run, metrics: Sequence[Metric]
) -> list[Results]:
    """Evaluate the topics that the run has; with -M 0 their lists are empty."""
    try:
        res = _results(options, judgements.qrels, run, metrics)
    except NothingInCommonError:
        if options.version == 9 or not options.complete:
            raise
        return []
    if options.depth != 0:
        return [res]
    topics = [str(query) for query in res.queries]
    return [_results(replace(options, judged_only=True), judgements.qrels, _nothing(topics), metrics)]


def _evaluate_unlisted(
    options: Options, judgements: Judgements, missing: list[str], metrics: Sequence[Metric]
) -> list[Results]:
    """With -c, version 10 evaluates a list of one unjudged document for each topic that the run lacks."""
    if not missing or not options.complete or options.version == 9:
        return []
    emptied = replace(options, judged_only=options.judged_only or options.depth == 0)
    return [_results(emptied, judgements.qrels, _nothing(missing), metrics)]


def _nothing(topics: list[str]) -> Run:
    return Run(topics, [NO_DOCUMENT] * len(topics), [1.0] * len(topics))


def _clear(table: TopicTable) -> None:
    """Remove what the list of one document adds to a missing topic, where the program does: by the name of the line."""
    rows = np.isin(table.topics, table.missing)
    for name, column in table.columns.items():
        if name in ("num_ret", "utility", "rbp_resid") or name.startswith("unj"):
            column[rows] = 0.0
    if "relstring" in table.texts:
        texts = table.texts["relstring"]
        table.texts["relstring"] = ["" if row else text for row, text in zip(rows, texts, strict=True)]


def _notes(options: Options, table: TopicTable, results: _Parts, qrels: Qrels) -> list[str]:
    """Name the values that are not those of the program."""
    retrieved, *counts = (results.values(metric) for metric in judged_metrics())
    names = {line.metric.name for line in table.lines if line.metric is not None}
    names_given = {text.partition(".")[0] for text in options.measures}
    has_gains = any(isinstance(line.metric, GainRBP) for line in table.lines)
    notes = ["gains less than 1 apart"] if _are_close(table.lines, grades_of(qrels)) else []
    notes += ["rbp with gains"] if has_gains else []
    if "rbp" in names_given and results.highest > 1 and not has_gains:
        notes.append("rbp of grades above 1")
    if "rbp_resid" in names_given and (retrieved == sum(counts)).any():
        notes.append("rbp_resid where nothing is unjudged")
    if "bpref" in names and options.level > results.highest + 1:
        notes.append("bpref of a level above all grades")
    if "prefs_avgjg_rnonrel" in names and np.count_nonzero(distinct(grades_of(qrels)) <= 0) > 1:
        notes.append("Rnonrel with several nonrelevant levels")
    return notes


def _are_close(lines: Sequence[PrintedLine], grades: np.ndarray) -> bool:
    """Whether a table gives two grades gains that differ by less than 1; a grade that it does not name gains itself."""
    # rbp has no ideal list, which is what the program sorts wrongly
    tables = [
        named_gains(gain)[0]
        for line in lines
        if not isinstance(gain := getattr(line.metric, "gain", ""), str)
        and not isinstance(line.metric, GainRBP)
    ]
    own = {grade: grade for grade in distinct(grades[grades >= 0]).tolist()} if tables else {}
    return any(
        0 < high - low < 1 for table in tables for low, high in pairwise(sorted((own | dict(table)).values()))
    )


def _groups_without(lines: Sequence[PrintedLine], of_all: np.ndarray, of_those: np.ndarray) -> list[str]:
    """Name the measures that the program prints as 0 for a topic with a group that has nothing relevant (retrieved)."""
    has = {
        "prefs_avgjg_Rnonrel": (of_all != of_those).any(),
        "prefs_avgjg_Rnonrel_ret": ((of_all > 0) & (of_all < 1)).any(),
    }
    return [
        f"{line.name} of a topic with a group without a relevant document" for line in lines if has[line.name]
    ]


def _settings(options: Options, qrels: Qrels) -> Settings:
    is_grouped = qrels.topic is not None and (qrels.subgroup is not None or len(qrels.topic.runs()) > 1)
    return Settings(options.level, options.version, options.collection, "topic" if is_grouped else "query")


def _results(options: Options, qrels: Qrels, run: Run, metrics: Sequence[Metric]) -> Results:
    is_prefs = options.rel_format in PREFERENCES
    policy = Policy(
        grades="judgements",
        undefined="zero",
        population="judged",
        # preferences order tied scores the other way round, and count every level
        ties="item-asc" if is_prefs else "item-desc",
        negative="nonrelevant" if is_prefs else "unjudged",
        scores="single" if options.is_single else "double",
        missing="skip",
        unjudged="condense" if options.judged_only and not is_prefs else "nonrelevant",
        depth=options.depth or None,
    )
    # the program prints no range of what ties could change
    request = Request(metrics=metrics_of(metrics), policy=policy, qrels=qrels, tie_ranges=False)
    return Evaluator.of(request).results_of(run)
