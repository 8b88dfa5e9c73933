"""The section ``explorer``: queries to search and sort, and the lists of two systems for one of them, side by side."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankwell.comparison.aligned import Aligned
from rankwell.comparison.side_by_side import ranks_shown
from rankwell.display.plain_values import plain_value
from rankwell.metrics.metric import QueryMetric
from rankwell.reporting.explorer.choosing import chosen, room_for, systems_kept
from rankwell.reporting.explorer.items import Catalogue
from rankwell.reporting.explorer.lists import Shelf, pairs_of
from rankwell.reporting.explorer.names import LONGEST_NAME, Names, short
from rankwell.reporting.material import Material
from rankwell.reporting.section import Section
from rankwell.tables.ids import Ids


def section(material: Material) -> Section | None:
    """Return the queries that are kept, with values, differences and lists; None without a value per query."""
    metric = _metric(material) if material.results else None
    if metric is None:
        return None
    aligned = Aligned.of(material.results, [metric])
    systems = _systems(material, metric)
    names = [aligned.names[row] for row in systems]
    values = aligned.values(metric)[systems]
    kept = chosen(values, aligned.units, room_for(len(systems), ranks_shown(metric)))
    places, ids = _sorted(material, aligned.queries, np.concatenate(list(kept.values())))
    shown = values[:, places]
    data = {
        "metric": str(metric),
        "better": metric.better,
        "systems": [short(name, LONGEST_NAME) for name in names],
        "first": _first(material, metric, names),
        "in_all": {
            "queries": len(aligned.queries),
            "defined": int(np.count_nonzero(~np.isnan(values).all(axis=0))),
            "systems": len(aligned.names),
        },
        "kept": {why: len(own) for why, own in kept.items()},
        "queries": _queries(material, ids, shown),
        "pairs": pairs_of(shown, -1 if metric.better == "lower" else 1),
    }
    if material.evaluator is not None and all(name in material.runs for name in names):
        _add_lists(data, material, metric, names, ids)
    return Section("explorer", material.words("report.explorer.title"), data)


def _metric(material: Material) -> QueryMetric | None:
    """The metric that decides, or the first one with a value per query."""
    for metric in sorted(material.metrics, key=lambda metric: metric != material.primary):
        if isinstance(metric, QueryMetric) and all(
            metric in res.part.values for res in material.results.values()
        ):
            return metric
    return None


def _best_first(material: Material, metric: QueryMetric) -> list[str]:
    """The systems, best first; those without a value last."""
    sign = {"higher": -1, "lower": 1, "neither": 0}[metric.better]
    means = {name: sign * res.mean[str(metric)] for name, res in material.results.items()}
    return sorted(means, key=lambda name: (np.isnan(means[name]), means[name]))


def _baseline(material: Material) -> str | None:
    return None if material.comparison is None else material.comparison.baseline


def _systems(material: Material, metric: QueryMetric) -> list[int]:
    """The rows of the systems that are kept."""
    names, baseline = list(material.results), _baseline(material)
    order = [names.index(name) for name in _best_first(material, metric)]
    return systems_kept(order, names.index(baseline) if baseline in names else None)


def _first(material: Material, metric: QueryMetric, names: list[str]) -> list[int]:
    """The systems that are shown at first: the baseline and the best other one, or the two best in the order given."""
    best = [name for name in _best_first(material, metric) if name in names]
    baseline = _baseline(material)
    if baseline in names:
        return [names.index(name) for name in [baseline, *(each for each in best if each != baseline)][:2]]
    return sorted(names.index(name) for name in best[:2])


def _sorted(material: Material, queries: Ids, places: np.ndarray) -> tuple[np.ndarray, Ids]:
    """The places of the queries kept and their ids, sorted by what is shown: redacted ids would else tell of the order of the true ones."""
    places = np.sort(places)
    ids = queries[places]
    if material.redaction is not None:
        order = material.redaction.ids("query", ids).order()
    else:
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
            "id": names.id("query", known),
            "text": names.text(text),
            "values": [plain_value(value) for value in own],
        }
        for known, text, own in zip(listed, texts, values.T.tolist(), strict=True)
    ]


def _add_lists(
    data: dict[str, Any], material: Material, metric: QueryMetric, names: list[str], ids: Ids
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
        "has_grades": bool(len(task.pool.queries)),
        "kind": task.context.scale.kind,
        "grades": grades,
        **items.to_dict(),
    }
    places = {each["grade"]: place for place, each in enumerate(grades)}
    for query, lists in zip(data["queries"], shelf.to_lists(items.numbers, places), strict=True):
        query["lists"] = lists
    for pair in data["pairs"]:
        pair["moves"] = shelf.moves(pair["a"], pair["b"])
