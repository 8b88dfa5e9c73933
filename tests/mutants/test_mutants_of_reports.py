"""A planted bug in each picture and each section of the report; each is caught by its second version in plain loops."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest
from tests.mutants.planting import fails
from tests.reporting.second import compare

from rankwell.faces import rooms, shared


def module(where):
    """A module of the reporting, or with the name of another room in front of that room."""
    return import_module(
        f"rankwell.{where}" if where.split(".")[0] in rooms() else f"rankwell.reporting.{where}"
    )


def put(where, name, value):
    """Return a mutant: ``name`` of a module of the reporting, or of a room that has a part in it, is something else."""
    return lambda patch: patch.setattr(module(where), name, value)


def around(where, name, change):
    """Return a mutant: ``change`` gets the original and what it was called with."""

    def plant(patch):
        original = getattr(module(where), name)
        put(where, name, lambda *given, **named: change(original, *given, **named))(patch)

    return plant


def rows(where, name, change):
    """Return a mutant: each row that ``name`` returns is changed."""
    return around(
        where, name, lambda original, *given, **named: [change(row) for row in original(*given, **named)]
    )


def swapped(one, other):
    """Return a change of a row: two of its values are swapped."""
    return lambda row: row | {one: row[other], other: row[one]}


def ties_for_losses(pair, sums):
    return pair._replace(lost=pair.tied, tied=pair.lost), sums


def jaccard(vectors):
    both = vectors @ vectors.T
    own = vectors.sum(axis=1)
    return both / (own[:, None] + own - both)


def shifted(original, *given):
    points = original(*given)
    return [(tail, points[min(at + 1, len(points) - 1)][1]) for at, (tail, _) in enumerate(points)]


def first_table(original, *given):
    rows = original(*given)
    return [row | {"mean": rows[0]["mean"]} for row in rows]


def upside_down(original, values, *axes):
    return original({name: tuple(-each for each in pair) for name, pair in values.items()}, *axes)


def curve_of_the_next_level(original, *given):
    found = original(*given)
    own = found["curve"]
    later = [
        row | {"precision": after["precision"]} for row, after in zip(own, [*own[1:], own[-1]], strict=True)
    ]
    return found | {"curve": later}


def reached_before(original, *given):
    points = original(*given)
    before = [0.0, *(each["cumulative"] for each in points[:-1])]
    return [row | {"cumulative": reached} for row, reached in zip(points, before, strict=True)]


def exchanged(original, material, x, y, at):
    return original(material, y, x, at) | {"x": str(x), "y": str(y)}


PICTURES = {
    "bounds: nothing is unjudged": ("bounds", rows("plots.bounds", "bounds_of", lambda row: row | {"highest": row["value"]})),
    "calibration: history and lists swapped": ("calibration", around("plots.calibration", "rows_of", lambda original, *given: (
        (found := original(*given)) | {"topics": [*map(swapped("history", "share"), found["topics"])]}))),
    "correlation: Pearson's for Kendall's": ("correlation", around("plots.correlation", "_square", lambda original, table, _: (
        original(table, "pearson")))),
    "costs: all are on the front": ("costs", put("efficiency.plots.costs", "on_front", lambda found, *_: [*found.values])),
    "curve: hits, not their share": ("curve", rows("plots.curve", "rows_of", lambda row: row | {"value": row["k"] * row["value"]})),
    "differences: the second minus the first": ("differences", around("plots.differences", "rows_of", (
        lambda original, values, pair, metric: original(values, pair[::-1], metric)))),
    "effort: the errors for the orders": ("effort", rows("judging.plots.effort", "rows_of", swapped("value", "error"))),
    "exposure: groups by turns": ("exposure", put("plots.exposure", "group_of", lambda history, groups: history.place % groups)),
    "forest: no sign": ("forest", rows("plots.forest", "rows_of", lambda row: row | {"mean": -row["mean"]})),
    "heatmap: the worst first": ("heatmap", rows("suites.plots.heatmap", "rows_of", lambda row: row | {"place": 5 - row["place"]})),
    "growth: the last repetition is left out": ("growth", around("efficiency.plots.growth", "points_of", lambda original, *given: (
        original(*given)[:-1]))),
    "judged: what is not judged": ("judged", rows("plots.judged", "shares_of", lambda row: row | {"share": 1 - row["share"]})),
    "latency: the next slower quantile": ("latency", around("efficiency.plots.latency", "curve_of", shifted)),
    "long_tail: the share above the item": ("long_tail", around("plots.long_tail", "points_of", reached_before)),
    "movement: the worst first": ("movement", around("plots.movement", "places_of", lambda original, found, sign: (
        original(found, -sign)))),
    "per_query: the lower quartile for the median": ("per_query", rows("plots.per_query", "boxes_of", swapped("p50", "p25"))),
    "positions: the upper end for theta": ("positions", rows("clicks.plots.positions", "rows_of", lambda row: row | {
        "theta": row["high"] or 0.5})),
    "preference: the share of the other team": ("preference", rows("clicks.plots.preference", "rows_of", lambda row: row | {
        "share": 100 - row["share"]})),
    "precision_recall: the next level": ("precision_recall", around("plots.precision_recall", "rows_of", curve_of_the_next_level)),
    "ranks: the lower end for both": ("ranks", rows("suites.plots.ranks", "rows_of", lambda row: row | {"high": row["low"] + 0.8})),
    "rel_sweep: all queries count": ("rel_sweep", rows("plots.rel_sweep", "points_of", lambda row: row | {"n": 12})),
    "scatter: the front of the worst": ("scatter", around("plots.scatter", "front_of", upside_down)),
    "segments: all have the mean of all queries": ("segments", around("plots.segments", "rows_of", first_table)),
    "similarity: Jaccard for cosine": ("similarity", put("plots.similarity", "cosines", jaccard)),
    "ties: best and worst swapped": ("ties", rows("plots.ties", "ranges_of", swapped("best", "worst"))),
    "trend: the lower bound for the mean": ("trend", rows("plots.trend", "rows_of", lambda row: row | {"mean": row["low"]})),
    "watch: what is expected for the mean": ("watch", rows("plots.watch", "rows_of", swapped("mean", "expected"))),
    "weights: what is missing from the share": ("weights", rows("clicks.plots.weights", "rows_of", lambda row: row | {
        "percent": 100 - row["percent"]})),
    "wins: wins and losses swapped": ("wins", rows("plots.wins", "rows_of", lambda row: row | {
        "outcome": {"better": "worse", "worse": "better"}.get(row["outcome"], row["outcome"])})),
}  # fmt: skip
SECTIONS = {
    "clicks: ties for losses": ("clicks", around("clicks.interleaving", "_pair", lambda original, *given: (
        ties_for_losses(*original(*given))))),
    "board: ranks for places": ("board", put("suites.board", "places_of", lambda scores: np.arange(len(scores)) + 1)),
    "answer: the systems for the queries": ("answer", put("sections.answer", "_queries", lambda material: len(material.names))),
    "leaderboard: the worst in bold": ("leaderboard", put("sections.leaderboard", "_best", lambda found, metric: (
        float(np.min(found.means[metric, 0].mean))))),
    "uncertainty: wins and losses swapped": ("uncertainty", around("sections.uncertainty", "_row", lambda original, *given: (
        swapped("wins", "losses")(original(*given))))),
    "trend: changes for means": ("trend", around("sections.trend", "_row", lambda original, *given: (
        swapped("mean", "change")(original(*given))))),
    "unjudged: low and high swapped": ("unjudged", around("sections.unjudged", "_means", lambda original, *given: (
        (table := original(*given)) | {"rows": [*map(swapped("low", "high"), table["rows"])]}))),
    "segments: the systems in another order": ("segments", around("sections.segments", "_table", lambda original, *given: (
        (table := original(*given)) | {"systems": table["systems"][::-1]}))),
    "curves: the cut-offs in another order": ("curves", rows("sections.curves", "_table", lambda row: (
        row | {"cells": row["cells"][::-1]}))),
    "tradeoffs: the axes exchanged": ("tradeoffs", around("sections.tradeoffs", "_picture", exchanged)),
    "costs: a miss for a hit": ("costs", around("efficiency.sections.costs", "_row", lambda original, *given: (
        (row := original(*given)) | {"mean": 1 - row["mean"]}))),
    "longtail: the tail for the head": ("longtail", rows("sections.longtail", "_systems", swapped("top", "bottom"))),
    "explorer: differences without a sign": ("explorer", rows("sections.explorer", "pairs_of", lambda pair: (
        pair | {"deltas": [abs(each) for each in pair["deltas"]]}))),
    "quality: what is not judged": ("quality", around("sections.quality", "_facts", lambda original, *given: (
        (facts := original(*given)) | {"rows": [row | {"judged": 1 - row["judged"]} for row in facts["rows"]]}))),
    "definitions: the systems in another order": ("definitions", rows("sections.definitions", "_touched", lambda row: (
        row | {"values": row["values"][::-1]}))),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "plant"), PICTURES.values(), ids=[*PICTURES])
def test_a_wrong_picture_is_caught(kind, plant, monkeypatch):
    plant(monkeypatch)
    assert fails(lambda: compare("plots", kind))


@pytest.mark.parametrize(("name", "plant"), SECTIONS.values(), ids=[*SECTIONS])
def test_a_wrong_section_is_caught(name, plant, monkeypatch):
    plant(monkeypatch)
    assert fails(lambda: compare("sections", name))


@pytest.mark.parametrize(("planted", "folder"), [(PICTURES, "plots"), (SECTIONS, "sections")])
def test_each_has_a_planted_bug(planted, folder):
    lacking = {*shared("reporting", folder)} - {name for name, _ in planted.values()}
    assert not lacking, f"plant a bug in {sorted(lacking)} here, and see that plain() of its test catches it"
