"""The section ``explorer``: queries to search and sort, and the lists of two systems for one of them, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rankwell.comparison.query_diff import ranks_shown
from rankwell.display.text import plain_value
from rankwell.metrics.metric import QueryMetric
from rankwell.reporting.explorer import (
    LONGEST_NAME,
    Catalogue,
    Names,
    Shelf,
    SystemValues,
    choose_queries,
    pairs_of,
    room_for,
    short,
)
from rankwell.reporting.material import Material
from rankwell.reporting.section import Content, report_section
from rankwell.tables.ids import Ids


@report_section(order=100)
def section(material: Material) -> Content | None:
    """Return the queries that are kept, with values, differences and lists; None without a value per query."""
    metric = _metric(material) if material.results else None
    if metric is None:
        return None
    every = SystemValues.of(material, metric)
    systems = every.kept()
    queries = choose_queries(systems.values, systems.units, room_for(len(systems.names), ranks_shown(metric)))
    places, ids = _sort_by_text(material, systems.queries, np.concatenate(list(queries.values())))
    shown = systems.values[:, places]
    data = {
        "metric": str(metric),
        "better": metric.better,
        "systems": [short(name, LONGEST_NAME) for name in systems.names],
        "first": systems.first,
        "in_all": {
            "queries": len(systems.queries),
            "defined": int(np.count_nonzero(~np.isnan(systems.values).all(axis=0))),
            "systems": len(every.names),
        },
        "kept": {why: len(own) for why, own in queries.items()},
        "queries": _queries(material, ids, shown),
        "pairs": pairs_of(shown, -1 if metric.better == "lower" else 1),
    }
    if material.evaluator is not None and all(name in material.runs for name in systems.names):
        _add_lists(data, material, metric, systems.names, ids)
    return Content(data)


def _metric(material: Material) -> QueryMetric | None:
    """The metric that decides, or the first one with a value per query."""
    for metric in sorted(material.metrics, key=lambda metric: metric != material.primary):
        if isinstance(metric, QueryMetric) and all(
            metric in res.part.values for res in material.results.values()
        ):
            return metric
    return None


def _sort_by_text(material: Material, queries: Ids, places: np.ndarray) -> tuple[np.ndarray, Ids]:
    """The places of the queries kept and their ids, sorted by what is shown: redacted ids would else tell of the order of the true ones."""
    places = np.sort(places)
    ids = queries[places]
    if material.redaction is not None:
        order = material.redaction.ids("query", ids).order()
    else:
        # "10" comes after "9"
        numbers = ids.as_integers() if ids.is_text else None
        order = (ids if numbers is None else numbers).order()
    return places[order], ids[order]


def _queries(material: Material, ids: Ids, values: np.ndarray) -> list[dict[str, Any]]:
    """The queries with their values, in the order of the systems."""
    names = Names(material.redaction)
    listed = [ids.one(row) for row in range(len(ids))]
    texts: list[str | None] = [None] * len(ids)
    if material.query_texts is not None:
        texts = material.query_texts.of(listed)
    return [
        {
            "id": names.id("query", name),
            "text": names.text(text),
            "values": [plain_value(value) for value in own],
        }
        for name, text, own in zip(listed, texts, values.T.tolist(), strict=True)
    ]


def _add_lists(
    data: dict[str, Any], material: Material, metric: QueryMetric, names: Sequence[str], ids: Ids
) -> None:
    """Add the lists of all queries and systems, and the items in them."""
    assert material.evaluator is not None
    task = material.evaluator.of_other_metrics([metric]).task
    shelf = Shelf.of(metric, task, [material.runs[name] for name in names], ids)
    items = Catalogue.of(material, shelf.rows)
    grades = shelf.grades()
    data |= {
        "top": ranks_shown(metric),
        "cut": metric.k,
        "is_additive": shelf.is_additive,
        "has_grades": material.has_judged_items and bool(len(task.pool.queries)),
        "kind": task.context.scale.kind,
        "grades": grades,
        **items.to_dict(),
    }
    places = {grade["grade"]: place for place, grade in enumerate(grades)}
    for query, lists in zip(data["queries"], shelf.to_lists(items.numbers, places), strict=True):
        query["lists"] = lists
    for pair in data["pairs"]:
        pair["moves"] = shelf.moves(pair["a"], pair["b"])
