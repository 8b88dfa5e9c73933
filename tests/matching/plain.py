"""Lists and judgements through rankwell's judge(), and once more in plain loops (tests/definitions/reference_policy.py)."""

from __future__ import annotations

import math
import random

from tests.definitions.both import qrels_of, run_of
from tests.definitions.reference_policy import complete, in_order, judged_items, seen_part

from rankwell.matching import Asked, judge, pool_of
from rankwell.matching.batch import Context
from rankwell.matching.policy import Policy

ITEMS = ["a", "b", "ab", "B", "é", "10", "9", "2"]


def a_case(seed, *, copies=False):
    """Rows of a run with many equal scores, and rows of judgements; one query is missing on each side."""
    rng = random.Random(seed)
    run, qrels = {}, []
    for query in ("1", "2", "3", "4"):
        if query != "4":
            size = rng.randint(1, len(ITEMS))
            items = rng.choices(ITEMS, k=size) if copies else rng.sample(ITEMS, size)
            run[query] = [(item, rng.choice([1.0, 2.0, 2.0 + 1e-9, 3.0])) for item in items]
        if query != "3":
            qrels += [(query, item, rng.choice([-1, 0, 1, 1, 2]), None) for item in rng.sample(ITEMS, 5)]
    return run, qrels


def judged_of(run, qrels, order="score", needs=("shown",), **policy):
    """What judge() makes of all lists at once, with the counts."""
    asked = Asked(Policy(grades="judgements", **policy), frozenset(needs))
    pool, _ = pool_of(qrels_of(qrels), asked)
    lists = next(run_of(run, order).rows.batches(1_000_000))()
    return judge(lists, pool, asked, Context(scale=pool.scale))


def rows_of(judged, table):
    """The judged rows of a table as (rank, grade), by query."""
    found = {query: [] for query in judged.queries.tolist()}
    names = list(found)
    for query, rank, grade in zip(
        table.query.tolist(), table.rank.tolist(), table.grade.tolist(), strict=True
    ):
        if not math.isnan(grade) and (grade >= 0 or judged.scale.negative == "nonrelevant"):
            found[names[query]].append((rank, grade))
    return found


def plain_rows(run, qrels, order="score", **policy):
    """By query the judged rows as (rank, grade), the first rank and the size of the tie group of each, and the length."""
    rules = complete({"grades": "judgements", **policy})
    judged = judged_items(qrels, rules, "judgements")
    rows, groups, lengths = {}, {}, {}
    for query, listed in run.items():
        known = judged.get(query, {})
        seen = seen_part(in_order(listed, order, rules, known), rules, query)
        graded = [(known.get(item) if is_first else None, group) for item, is_first, group in seen]
        if rules["unjudged"] == "condense":
            graded = [each for each in graded if each[0] is not None]
        ranked = list(enumerate(graded, start=1))
        rows[query] = [(rank, grade) for rank, (grade, _) in ranked if grade is not None]
        places = {}
        for rank, (_, group) in ranked:
            places.setdefault(group, []).append(rank)
        groups[query] = [
            (places[group][0], len(places[group])) for _, (grade, group) in ranked if grade is not None
        ]
        lengths[query] = len(graded)
    return rows, groups, lengths
