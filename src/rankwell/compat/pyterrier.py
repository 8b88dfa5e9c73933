"""The table of ``pt.Experiment`` as results, which ``rankwell.compare`` and others take."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from rankwell.compat.ir_measures import from_ir_measures
from rankwell.compat.pytrec_eval import metric_named
from rankwell.errors import DataError, UsageError, brief
from rankwell.matching.policy import Policy
from rankwell.matching.scale import Scale
from rankwell.metrics import metric_of
from rankwell.metrics.metric import Metric, QueryMetric
from rankwell.results import Results
from rankwell.results.conditions import Conditions
from rankwell.results.part import Part
from rankwell.tables.ids import Ids
from rankwell.tables.states import State

__all__ = ["from_experiment"]

COLUMNS = "name", "qid", "measure", "value"
# what ir_measures does for PyTerrier
POLICY = Policy(grades="judgements", undefined="zero")


def from_experiment(table: Any) -> dict[str, Results]:
    """Return the results of each system from the table that ``pt.Experiment(…, perquery=True)`` returns.

    The values are PyTerrier's, as they are. Measures are known by the names of trec_eval, of ir_measures and of rankwell.

    Parameters
    ----------
    table
        The table, with columns name, qid, measure and value; or the ``perquery.csv`` that PyTerrier saves, read as a frame; of pandas or Polars.

    Raises
    ------
    DataError, UsageError
        If a column is missing, a measure has no counterpart, or a system lacks a value or has two for one query.

    Examples
    --------
    >>> import polars as pl, rankwell as rw
    >>> rows = [("bm25", "1", 0.2), ("bm25", "2", 0.4), ("dense", "1", 0.5), ("dense", "2", 0.4)]
    >>> table = pl.DataFrame([(name, qid, "ndcg_cut_10", value) for name, qid, value in rows], COLUMNS, orient="row")
    >>> results = from_experiment(table)
    >>> rw.compare(results).difference("dense", "bm25", "ndcg@10").wins
    1
    """
    import polars as pl

    frame = (
        table
        if isinstance(table, pl.DataFrame)
        else pl.DataFrame({name: list(table[name]) for name in table.columns})
    )
    missing = [name for name in COLUMNS if name not in frame.columns]
    if missing:
        raise DataError(
            f"the table has no column {brief(missing[0])}, but {', '.join(map(brief, frame.columns))}. Say pt.Experiment(…, perquery=True): "
            f"means alone cannot be compared."
        )
    metrics = {name: _metric_of(name) for name in frame["measure"].unique(maintain_order=True)}
    found = {}
    for (name,), own in frame.group_by("name", maintain_order=True):
        if own.select("qid", "measure").is_duplicated().any():
            raise DataError(
                f"{name} has two values of a measure for one query; are two systems called so? Give names=."
            )
        wide = own.pivot("measure", index="qid", values="value", maintain_order=True)
        if lacking := [text for text in metrics if text not in wide.columns]:
            raise DataError(f"{name} has no value of {lacking[0]}, which others have.")
        columns = {
            metrics[text]: wide[text].fill_null(math.nan).to_numpy().astype(np.float64) for text in metrics
        }
        found[str(name)] = _results(str(name), wide["qid"].to_list(), columns)
    return found


def _metric_of(measure: str) -> QueryMetric:
    """The metric of a measure in any of the notations that PyTerrier takes."""
    for translate in (from_ir_measures, metric_named, metric_of):
        try:
            metric = translate(measure)
        except UsageError:
            continue
        if isinstance(metric, QueryMetric):
            return metric
    raise UsageError(
        f"the measure {brief(measure)} has no counterpart here; leave its rows out: table[table['measure'] != {brief(measure)}]."
    )


def _results(name: str, queries: list[Any], values: Mapping[QueryMetric, np.ndarray]) -> Results:
    """Results of values that were computed elsewhere."""
    columns: dict[Metric, np.ndarray] = {metric: own for metric, own in values.items()}  # noqa: C416 - of another type
    states: dict[Metric, State] = {
        metric: metric.summary(own[~np.isnan(own)]) for metric, own in values.items()
    }
    part = Part(Ids.of_column(queries, "qid"), np.arange(len(queries)), columns, states)
    return Results(name, tuple(values), Conditions(POLICY, Scale(), is_known=False), part)
