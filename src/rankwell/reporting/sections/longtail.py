"""The long tail of the training data, and which part of the catalogue each system recommends."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from rankwell.evaluation import Evaluator
from rankwell.evaluation.request import Request
from rankwell.matching import history_of
from rankwell.matching.batch import History
from rankwell.matching.policy import Policy
from rankwell.metrics.metric import Metric
from rankwell.prepare.longtail import LongTail
from rankwell.reporting.chart.charts import spec_of
from rankwell.reporting.material import Material
from rankwell.reporting.plots.calibration import column_name, draw_shares
from rankwell.reporting.plots.calibration import metrics_of as calibration_metrics
from rankwell.reporting.plots.calibration import rows_of as calibration_rows
from rankwell.reporting.plots.exposure import Slots, draw_exposure, history_in
from rankwell.reporting.plots.exposure import rows_of as exposure_rows
from rankwell.reporting.plots.long_tail import draw_long_tail, parts_of
from rankwell.reporting.section import Content, report_section
from rankwell.results import Results
from rankwell.tables.features import TOPICS
from rankwell.tables.ids import Known
from rankwell.tables.popularity import Cut

GROUPS = 10


@report_section(order=90)
def section(material: Material) -> Content | None:
    """Return the long tail of train, and the exposure, coverage and calibration of each system; None without train."""
    if material.train is None or not len(material.train):
        return None
    wanted = _metrics(material) if material.runs else ()
    history, results = _evaluate(material, wanted)
    # the tail is made of what is shown, so that no chart holds a true id
    ids = history.catalogue.ids
    shown = ids if material.redaction is None else material.redaction.ids("item", ids)
    tail = LongTail(shown, history.counts, history.users, Cut.of("volume", 0.8, None, "id"))
    if not tail.total:
        return None
    words, bright = material.words, material.highlighted
    charts = {"long_tail": spec_of(draw_long_tail(tail, words, texts=material.item_texts))}
    data: dict[str, Any] = {"parts": parts_of(tail), "items": len(tail.counts), "interactions": tail.total}
    data |= {
        "gini": None if math.isnan(tail.gini) else tail.gini,
        "systems": [],
        "k": material.depth,
    }
    if results and len(tail.counts) >= GROUPS:
        rows = exposure_rows(results, history, GROUPS, Slots(k=material.depth))
        data |= {"groups": rows["groups"], "exposure": rows["exposure"], "systems": _systems(rows)}
        charts["exposure"] = spec_of(draw_exposure(rows, words, highlight=bright))
    if results and len(wanted) > 1 and material.items is not None:
        names, column = (
            material.items.features("topics").names,
            column_name(material.items, "topics"),
        )
        of_topics = calibration_rows(results, names, wanted[1:])
        if of_topics["topics"]:
            data |= {"topics": of_topics["topics"], "divergence": of_topics["summary"], "column": column}
            charts["calibration"] = spec_of(draw_shares(of_topics, words, column=column, highlight=bright))
    return Content(data, charts)


def _metrics(material: Material) -> tuple[Metric, ...]:
    """The metrics whose states hold the numbers: of slots, and of topics if the items have some."""
    frame = None if material.items is None else material.items.frame
    has_topics = frame is not None and any(name in frame.columns for name in TOPICS)
    return Slots(k=material.depth), *(calibration_metrics(material.depth, "topics") if has_topics else ())


def _evaluate(material: Material, wanted: tuple[Metric, ...]) -> tuple[History, dict[str, Results]]:
    """The history of train, and what the metrics see of each run, one run after the other."""
    assert material.train is not None
    if not wanted:
        catalogue = None if material.items is None else Known(material.items.item)
        return history_of(material.train, catalogue, Policy(outside="ignore"))[0], {}
    policy = _policy(material)
    qrels = material.qrels if policy.population == "judged" else None
    request = Request(
        metrics=wanted, policy=policy, qrels=qrels, train=material.train, items=material.items, tie_ranges=False, per_query=False
    )  # fmt: skip
    evaluator = Evaluator.of(request)
    results = {name: evaluator.results_of(run) for name, run in material.runs.items()}
    return history_in(evaluator), results


def _policy(material: Material) -> Policy:
    """The policy of the evaluation, under which every list has one order and no item is an error."""
    policy = Policy() if material.evaluator is None else material.evaluator.policy
    # an expected value over orders has no list to look at
    ties = policy.ties if policy.ties in ("item-asc", "order") else "item-desc"
    return replace(policy, outside="ignore", ties=ties)


def _systems(rows: dict[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """A row per system: its coverage, and the shares of the slots for the most popular tenth and the less popular half."""
    systems = []
    for row in rows["summary"]:
        shares = [share["share"] for share in rows["exposure"] if share["system"] == row["system"]]
        is_known = None not in shares
        top, bottom = (shares[0], math.fsum(shares[GROUPS // 2 :])) if is_known else (None, None)
        systems.append({**row, "top": top, "bottom": bottom})
    return systems
