"""The results of parts add up to those of all, for every registered metric, also after they were saved and loaded."""

from __future__ import annotations

import os
import random
from dataclasses import replace

import pytest
from tests.cases import FEWER
from tests.laws.test_laws import METRICS

import rankwell as rw
from rankwell import testing
from rankwell.testing.data import JUDGED, QUERIES, Data, tables_of

EMPTY = rw.Policy(grades="judgements", missing="empty", outside="ignore")
SHOWN = "disliked items that count at least as much as unrated ones (alpha ≤ beta·rating)"  # by the lowest grade of all
REFUSED = ("highest grades", "lowest grades", "different judgements")


def parts_of(given, rng):
    """Three parts of the queries, each with at least one list that is judged; None if there are too few."""
    both = sorted(given.run.keys() & given.qrels.keys())
    rest = [query for query in QUERIES if query not in both]
    if len(both) < 3:
        return None
    rng.shuffle(both)
    parts = [[query] for query in both[:3]]
    for query in both[3:] + rest:
        rng.choice(parts).append(query)
    return parts


def days_of(given, parts):
    """The same data by part, each with its own lists and judgements."""
    return [
        Data(
            {q: given.run[q] for q in part if q in given.run},
            {q: given.qrels[q] for q in part if q in given.qrels},
            given.seed,
        )
        for part in parts
    ]


def evaluated(metric):
    """Results of all data and of three parts of them, each of its own judgements; other data in each run of the tests."""
    rng = random.Random(f"{os.environ['RANKWELL_SEED']} addition {metric}")
    for _ in range(200):
        given = testing.example(rng.randrange(1000)).fit(metric)
        parts = parts_of(given, rng)
        if parts is not None:
            try:
                return given, parts, *results_of(metric, given, parts)
            except rw.RankwellError as error:
                if "max_grade" not in str(error):  # of grades that are all equal
                    raise
    raise AssertionError(f"no data fit {metric}")


def results_of(metric, given, parts):
    tables = [{}] * len(parts)
    if (
        metric.sees_missing and not metric.judgements
    ):  # it counts the users that have neither lists nor judgements
        users = tables_of()["users"]
        tables = [{"users": [row for row in users if row["query"] in part] or None} for part in parts]
    whole = given.results(metric, policy=EMPTY)
    days = zip(days_of(given, parts), tables, strict=True)
    return whole, [
        day.new_evaluator([metric], policy=EMPTY, **own).evaluate(day.lists([metric])) for day, own in days
    ]


def saved(res, folder, suffix):
    path = folder / f"kept{suffix}"
    res.save(path)
    return rw.Results.load(path)


def said(res):
    """All that results say, but for the name of the run; and a count that depends on the judgements of all days."""
    data = res.to_dict(per_query=True) | {"run": ""}
    data["counts"].pop(SHOWN, None)
    return data


def refusal(found):
    """The reason why the results of parts with judgements of their own cannot be added; empty if they can."""
    try:
        rw.Results.sum(found)
    except rw.RankwellError as error:
        if not any(reason in str(error) for reason in REFUSED):
            raise
        return str(error)
    return ""


def variants_to_try():
    """Variants of every metric, one of each drawn by RANKWELL_SEED; all with RANKWELL_CASES=all."""
    if FEWER == 1:
        return METRICS
    by_name = {}
    for metric in METRICS:
        by_name.setdefault(metric.name, []).append(metric)
    rng = random.Random(f"{os.environ['RANKWELL_SEED']} variants")
    return [rng.choice(variants) for variants in by_name.values()]


@pytest.mark.parametrize("metric", variants_to_try(), ids=str)
def test_parts_add_up_to_the_whole_in_any_order_also_from_files(metric, tmp_path):
    given, parts, whole, found = evaluated(metric)
    if refusal(found):  # then of the lists of each part, and all judgements
        whole = given.results(metric, policy=JUDGED)
        lists = [tuple(query for query in part if query in given.run) for part in parts]
        found = [given.results(metric, given.some_lists(each), policy=JUDGED) for each in lists]
        # the counts are of all judgements, once per part
        whole, *found = (replace(res, part=replace(res.part, counts={})) for res in (whole, *found))
    kept = [
        saved(res, tmp_path, suffix)
        for res, suffix in zip(found, (".parquet", ".json", ".parquet"), strict=True)
    ]
    a, b, c = found
    assert said(whole) == said(a + b + c) == said(c + (a + b)) == said(rw.Results.sum([b, c, a]))
    a, b, c = kept
    assert said(whole) == said(b + (c + a)) == said(saved(found[2] + a, tmp_path, ".json") + b)
