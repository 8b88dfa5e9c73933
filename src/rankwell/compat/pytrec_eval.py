"""pytrec_eval's interface: code written for it runs with ``import rankwell.compat.pytrec_eval as pytrec_eval``.

Values are those of trec_eval 9, on which pytrec_eval is based: 32-bit scores, ties broken by descending document id, topics
in both run and judgements, 0 for undefined values. Unlike pytrec_eval, an evaluator can be reused and shared between
threads, ids and numbers may be NumPy's, and an invalid parameter is an error instead of ending the process.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from rankwell.compat.trec_eval import measures
from rankwell.errors import DataError, UsageError, brief, nearest
from rankwell.evaluation import Evaluator
from rankwell.matching.policy import Policy
from rankwell.metrics.metric import Metric
from rankwell.results import Results

__all__ = [
    "RelevanceEvaluator",
    "compute_aggregated_measure",
    "parse_qrel",
    "parse_run",
    "supported_measures",
    "supported_nicknames",
]

supported_measures = {
    name
    for name in measures.measures_of_version(9)
    if name not in ("yaap", *measures.NAMES, *measures.BY_GROUP)
}
supported_nicknames = {
    name: {each for each in members if each in measures.measures_of_version(9)}
    for name, members in measures.NICKNAMES.items()
}
PARAMETERS = re.compile(r"[._](\d+(?:\.\d+)?(?:,\d+(?:\.\d+)?)*)$")
RETRIEVED = measures.judged_metrics()[0]  # an evaluation needs at least one metric
NOT_PRINTED = {"runid": 0.0, "relstring": 0.0, "num_q": 1.0}


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """Parse a run from lines of six words, as ``{query: {document: score}}``.

    Raises
    ------
    DataError
        If a line has a different number of words, a score is not a number, or a document is repeated.

    Examples
    --------
    >>> parse_run(["1 Q0 a 1 2.5 tag"])
    {'1': {'a': 2.5}}
    """
    return _parse_lines(f_run, "query Q0 document rank score tag", 4, float)


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """Parse judgements from lines of four words, as ``{query: {document: grade}}``.

    Raises
    ------
    DataError
        If a line has a different number of words, a grade is not a whole number, or a document is repeated.

    Examples
    --------
    >>> parse_qrel(["1 0 a 2"])
    {'1': {'a': 2}}
    """
    return _parse_lines(f_qrel, "query 0 document grade", 3, int)


def _parse_lines(lines: Iterable[str], form: str, column: int, kind: Any) -> dict[str, dict[str, Any]]:
    rows: dict[str, dict[str, Any]] = defaultdict(dict)
    for number, line in enumerate(lines, start=1):
        words = line.split()
        try:
            query, document, value = words[0], words[2], kind(words[column])
        except (ValueError, IndexError):
            raise DataError(f"line {number}: {line.strip()[:60]!r} does not have the form: {form}.") from None
        if len(words) != len(form.split()):
            raise DataError(f"line {number}: {len(words)} words; the form is: {form}.")
        if document in rows[query]:
            raise DataError(f"line {number}: document {brief(document)} of query {brief(query)} is repeated.")
        rows[query][document] = value
    return dict(rows)


def compute_aggregated_measure(measure: str, values: Sequence[float]) -> float:
    """Return a measure's value for all queries: a sum for counts, a geometric mean for ``gm_``, otherwise a mean.

    >>> compute_aggregated_measure("num_ret", [3.0, 4.0]), compute_aggregated_measure("map", [0.5, 1.0])
    (7.0, 0.75)
    """
    total = math.fsum(values)
    if measure.startswith("num_"):
        return total
    if not len(values):
        return math.nan
    mean = total / len(values)
    return math.exp(mean) if measure.startswith("gm_") else mean


class RelevanceEvaluator:
    """Evaluates runs against judgements, which are read once.

    Parameters
    ----------
    query_relevance
        ``{query: {document: grade}}``; queries without judgements are left out.
    measures
        Names such as ``map``, ``P.5,10``, ``ndcg_cut_10``, or nicknames such as ``all_trec``.
    relevance_level
        The lowest grade at which a document is relevant.
    judged_docs_only_flag
        Remove unjudged documents from the lists.

    Raises
    ------
    UsageError
        For an unknown measure (it is also a ValueError, as in pytrec_eval).

    Examples
    --------
    >>> evaluator = RelevanceEvaluator({"q": {"a": 1, "b": 0}}, {"map", "P.1,2"})
    >>> evaluator.evaluate({"q": {"a": 0.5, "b": 1.5}})
    {'q': {'map': 0.5, 'P_1': 0.0, 'P_2': 0.5}}
    """

    def __init__(
        self,
        query_relevance: Any,
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,
    ) -> None:
        if not isinstance(query_relevance, Mapping) or not all(
            isinstance(row, Mapping) for row in query_relevance.values()
        ):
            raise TypeError(f"judgements are a dict of dicts, not {brief(query_relevance)}")
        self._queries = frozenset(query for query, row in query_relevance.items() if row)
        judged = {
            q: {item: _whole(q, item, g) for item, g in query_relevance[q].items()} for q in self._queries
        }
        self.measures = _merge_parameters(measures)
        self._lines = _lines(self.measures, relevance_level)
        metrics = [line.metric for line in self._lines if line.metric is not None]
        policy = Policy(
            grades="judgements",
            undefined="zero",
            population="judged",
            scores="single",
            missing="skip",
            unjudged="condense" if judged_docs_only_flag else "nonrelevant",
        )
        evaluated = list(dict.fromkeys([RETRIEVED, *metrics]))
        self._evaluator = Evaluator(judged, evaluated, policy=policy) if judged else None

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """Return ``{query: {measure: value}}`` for the queries in both run and judgements.

        Raises
        ------
        DataError
            For a score that is not a number.
        TypeError
            For what is no dict.
        """
        if not isinstance(scores, Mapping):
            raise TypeError(f"a run is a dict of dicts, not {brief(scores)}")
        shared = {query: row for query, row in scores.items() if query in self._queries}
        if not shared or self._evaluator is None:
            return {}
        res = self._evaluator.evaluate(shared)
        columns = {line.name: _column(line, res).tolist() for line in self._lines}
        rows = [{name: column[row] for name, column in columns.items()} for row in range(len(res.queries))]
        by_query = dict(zip(res.queries, rows, strict=True))
        return {query: by_query[query] for query in shared}  # in the order of the run, as in pytrec_eval


def _lines(names: Iterable[str], level: int) -> list[measures.PrintedLine]:
    return measures.lines_of(
        measures.select_measures(list(names), 9), measures.Settings(level=level, version=9)
    )


def metric_named(measure: str) -> Metric | None:
    """Return the metric of one measure as it is printed; None if it is a number of another kind. UsageError if there is no such measure.

    >>> metric_named("map_cut_10"), metric_named("num_q")
    (ap(denom=R)@10, None)
    """
    return _lines(_merge_parameters([measure]), 1)[0].metric


def _whole(query: Any, item: Any, grade: Any) -> int:
    """A grade, which pytrec_eval takes as a whole number."""
    if isinstance(grade, int | float | np.integer | np.floating) and grade == grade // 1:
        return int(grade)
    raise TypeError(f"the grade of {brief(item)} for {brief(query)} is a whole number, not {brief(grade)}")


def _merge_parameters(texts: Iterable[str]) -> set[str]:
    """Merge the parameters of each measure: ``P_5`` and ``P.10`` become ``P.10,5``."""
    names = {name for text in texts for name in supported_nicknames.get(text, {text})}
    parameters: dict[str, set[str]] = {}
    for text in sorted(names):
        match = None if text in supported_measures else PARAMETERS.search(text)
        name = text[: match.start()] if match else text
        if name not in supported_measures:
            raise UsageError(f"unsupported measure {text}.{nearest(name, supported_measures)}")
        parameters.setdefault(name, set()).update(match.group(1).split(",") if match else ())
    return {f"{name}.{','.join(sorted(given))}" if given else name for name, given in parameters.items()}


def _column(line: measures.PrintedLine, res: Results) -> np.ndarray:
    if line.metric is None and line.kind == "real":
        return np.zeros(len(res.queries))
    if line.metric is None:
        return np.full(len(res.queries), NOT_PRINTED[line.name.partition("_")[0] if line.text else line.name])
    return line.values(res)
