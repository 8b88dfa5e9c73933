"""Second versions of pictures and sections: what each shows, computed once more in plain loops; and data to compare on.

The test of a picture or a section has a function ``plain`` that returns two dicts with the same keys: what is shown, and the same
from the lists and judgements, written from the definition and not from the code.
"""

from __future__ import annotations

import importlib
import math
import random
from functools import cache
from pathlib import Path

import polars as pl
import pytest
from tests.reporting.plots.drawing import fields_without_data, rows_in
from tests.reporting.sections.made import material_of

import rankwell as rw
from rankwell.faces import shared
from rankwell.reporting.section import section_kinds

HERE = Path(__file__).parents[1]
draw = random.Random(7)
QUERIES = [f"q{n}" for n in range(12)]
CATALOGUE = [f"d{n}" for n in range(24)]
# of 24 items ten or eleven are judged for a query; the lists have eight
QRELS = {
    q: {item: draw.choice([0, 0, 1, 2]) for item in draw.sample(CATALOGUE, 10)} | {"d0": 1} for q in QUERIES
}
LISTS = {name: {q: draw.sample(CATALOGUE, 8) for q in QUERIES} for name in ("bm25", "dense", "both")}
RUNS = {
    name: {q: dict(zip(listed, range(8, 0, -1), strict=True)) for q, listed in own.items()}
    for name, own in LISTS.items()
}
TRAIN = {q: draw.sample(CATALOGUE, 3 + n) for n, q in enumerate(QUERIES)}
TOPICS = {item: draw.sample(["war", "love", "work"], 1 + n % 2) for n, item in enumerate(CATALOGUE)}
ITEMS = pl.DataFrame({"item": CATALOGUE, "topics": [TOPICS[item] for item in CATALOGUE]})
HALF = {q: str(n % 2) for n, q in enumerate(QUERIES)}
USERS = pl.DataFrame({"query": QUERIES, "half": [HALF[q] for q in QUERIES]})
QUICK = {"flips": 99, "resamples": 99}


def compare(folder, name):
    """Compare what a picture or a section shows with its second version; return how many numbers were compared."""
    shown, expected = plain_of(folder, name)()
    assert shown.keys() == expected.keys(), shown.keys() ^ expected.keys()
    for key, value in expected.items():
        assert shown[key] == pytest.approx(value, abs=1e-9), key
    numbers = sum(not isinstance(value, str | bool | None) for value in _flat(expected))
    assert numbers, f"{name}: the second version has no number"
    return numbers


def plain_of(folder, name):
    """The second version of a picture (of ``plots``) or a section (of ``sections``), which its test holds."""
    # what an optional room draws is tested in that room
    room = shared("reporting", folder).get(name, "rankwell.reporting").split(".")[1]
    file = HERE / room / folder / f"test_{name}.py"
    module = importlib.import_module(f"tests.{room}.{folder}.test_{name}") if file.exists() else None
    door = {"plots": "Add a picture", "sections": "Add a section to the report"}[folder]
    assert hasattr(module, "plain"), (
        f"write tests/{room}/{folder}/test_{name}.py with a function plain() that returns two dicts with the same keys: "
        f"the numbers that {name} shows, and the same from lists and judgements in plain loops; see {door} in CONTRIBUTING.md"
    )
    return module.plain


def _flat(values):
    for value in values.values():
        yield from value if isinstance(value, tuple) else (value,)


def shown_in(chart, keys, fields):
    """The rows of a chart that have some fields: of each key the values of the others; and whatever it draws is in its data."""
    assert not (lost := fields_without_data(chart)), (
        f"the picture draws {sorted(lost)}, which no row of its data has"
    )
    rows = rows_in(chart, *keys, *fields)
    return {tuple(row[key] for key in keys): tuple(row[each] for each in fields) for row in rows}


def results(metrics=("rr", "p@3"), **options):
    """The results of the three systems."""
    return {name: rw.evaluate(run, QRELS, list(metrics), **options) for name, run in RUNS.items()}


def compared(metrics=("rr", "p@3")):
    """Their comparison."""
    return rw.compare(RUNS, QRELS, list(metrics), **QUICK)


GIVEN = {"train": TRAIN, "items": ITEMS, "users": USERS, "by": "half", "baseline": "bm25", "bounds": True}


def data_of(name, **options):
    """The data of a section of the report of the three systems."""
    (part,) = [each for each in section_kinds() if each.name == name]
    return part(material_of(RUNS, QRELS, ["rr", "p@3"], **QUICK, **GIVEN, **options)).data


@cache
def whole_report():
    """The page of a report with whatever can be given, and that of a trend."""
    weeks = {f"2026-11-{2 + at:02}": res for at, res in enumerate(results().values())}
    pages = rw.report(RUNS, QRELS, ["rr", "p@3"], **QUICK, **GIVEN), rw.report(rw.trend(weeks))
    return "".join(page.to_html() for page in pages)


def mean(values):
    """The mean."""
    values = list(values)
    return math.fsum(values) / len(values)


def hits(listed, judged, least=1):
    """Whether each item of a list is relevant."""
    return [judged.get(item, 0) >= least for item in listed]


def rr(listed, judged):
    """The reciprocal rank."""
    return next((1 / rank for rank, hit in enumerate(hits(listed, judged), start=1) if hit), 0.0)


def p(listed, judged, k=3, least=1):
    """Precision at k."""
    return sum(hits(listed, judged, least)[:k]) / k


PLAIN = {"rr": rr, "p@3": p}


def value(metric, system, query):
    """The value of a metric for a query."""
    return PLAIN[metric](LISTS[system][query], QRELS[query])


def mean_of(metric, system, queries=QUERIES):
    """The mean of a metric over queries."""
    return mean(value(metric, system, query) for query in queries)


def outcomes(metric, first, second):
    """On how many queries the first system is better, both are equal, and the second one is better."""
    deltas = [value(metric, first, query) - value(metric, second, query) for query in QUERIES]
    return sum(d > 1e-9 for d in deltas), sum(abs(d) <= 1e-9 for d in deltas), sum(d < -1e-9 for d in deltas)


def bounds(metric, system, query):
    """The lowest and the highest value of a query over all grades that its unjudged items could have."""
    listed, judged = LISTS[system][query], QRELS[query]
    best = judged | {item: 1 for item in listed if item not in judged}
    return PLAIN[metric](listed, judged), PLAIN[metric](listed, best)


def shares(items):
    """The share of each topic in a list of items, each of which counts as one."""
    found = dict.fromkeys(("war", "love", "work"), 0.0)
    for item in items:
        for topic in TOPICS[item]:
            found[topic] += 1 / len(TOPICS[item]) / len(items)
    return found


def groups(catalogue, size=10):
    """The tenth of each item of a catalogue, by its popularity in the training data; of equal ones by its id."""
    users = {item: sum(item in own for own in TRAIN.values()) for item in catalogue}
    order = sorted(catalogue, key=lambda item: (-users[item], item))
    return {item: place * size // len(order) + 1 for place, item in enumerate(order)}


def kendall(x, y):
    """Kendall's τ-b by looking at all pairs."""
    signs = [
        ((x[a] > x[b]) - (x[a] < x[b]), (y[a] > y[b]) - (y[a] < y[b]))
        for a in range(len(x))
        for b in range(a)
    ]
    untied = math.prod(sum(each[side] != 0 for each in signs) for side in (0, 1))
    return sum(one * other for one, other in signs) / math.sqrt(untied)
