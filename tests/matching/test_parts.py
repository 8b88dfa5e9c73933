"""Parts: a list for each part of a query, against plain lists of Python; and what is refused."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

import rankwell as rw
from rankwell.matching import Asked, judge, pool_of
from rankwell.matching.batch import Context
from rankwell.matching.policy import Asker, Policy
from rankwell.matching.scale import Scale
from rankwell.tables.ids import Ids, Known

ITEMS = "abcdefgh"
ASKER = Asker("a metric", "a metric")


def judged(run, *, needs=("shown", "parts"), items=ITEMS, **rules):
    """All lists of a run as metrics of parts see them, and the counts."""
    asked = Asked(Policy(**rules), frozenset(needs), dict.fromkeys(needs, ASKER), reads_judgements=False)
    lists = run.rows.table().lists()
    catalogue = Known(Ids.of(list(items)))
    return judge(lists, pool_of(None, asked)[0], asked, Context(Scale(), None, catalogue=catalogue))


def found(run, items=ITEMS, **options):
    """The items of each part of each query, in order, with empty parts."""
    lists, _ = judged(run, items=items, **options)
    shown = lists.shown
    rows = zip(shown.query, shown.extra["part"], shown.rank, shown.item, strict=True)
    tables = {
        query: [[] for _ in range(n)]
        for query, n in zip(lists.queries.tolist(), lists.parts.tolist(), strict=True)
    }
    names = lists.queries.tolist()
    for query, part, rank, item in rows:
        own = tables[names[query]][part - 1]
        assert rank == len(own) + 1
        own.append(items[item])
    assert lists.n_retrieved.tolist() == [sum(map(len, parts)) for parts in tables.values()]
    return tables


def expected(rows, by_score):
    """The same of rows (query, part, item, score), row by row."""
    tables = {}
    for query, part, item, score in rows:
        parts = tables.setdefault(query, {})
        if part is not None:
            parts.setdefault(part, [])
            if item is not None:
                parts[part].append((score, item))
    ordered = {}
    for query, parts in tables.items():
        are_numbers = all(isinstance(part, int) or str(part).isdecimal() for part in parts)
        names = sorted(parts, key=int) if are_numbers else list(parts)
        ordered[query] = [
            [item for _, item in (sorted(parts[name], reverse=True) if by_score else parts[name])]
            for name in names
        ]
    return ordered


def random_rows(draw, kind):
    """Rows of some queries: of each part some items once, parts that list nothing, and answers without parts; in any order."""
    rows = []
    for query in range(draw.randint(1, 6)):
        names = {
            "numbers": [1, 2, 3, 10, 20],
            "texts of numbers": ["1", "2", "3", "10", "20"],
            "names": ["b", "a", "10", "2", "c"],
        }[kind]
        for part in draw.sample(names, draw.randint(0, 5)):
            items = draw.sample(ITEMS, draw.randint(0, 4))
            rows += [(query, part, item, draw.choice([1.0, 2.0, 3.0])) for item in items] or [
                (query, part, None, 0.0)
            ]
        if not any(row[0] == query for row in rows):
            rows.append((query, None, None, 0.0))
    draw.shuffle(rows)
    return rows


@pytest.mark.parametrize("by_score", [True, False])
@pytest.mark.parametrize("kind", ["numbers", "texts of numbers", "names"])
def test_a_part_is_a_list_of_its_own(kind, by_score):
    draw = random.Random(f"{kind} {by_score}")
    for _ in range(300):
        rows = random_rows(draw, kind)
        query, part, item, score = (list(column) for column in zip(*rows, strict=True))
        run = rw.Run(query, item, score if by_score else None, part=part)
        assert found(run) == expected(rows, by_score)


def test_integers_are_items_and_parts_as_texts_are():
    run = rw.Run([1, 1, 1, 2], [5, 6, None, None], [1.0, 2.0, 0.0, 0.0], part=[-1, 3, 2, None])
    assert found(run, items=[5, 6]) == {1: [[5], [], [6]], 2: []}


def test_ranks_and_what_contradicts_them_are_those_of_a_part():
    run = rw.Run(
        ["q"] * 4, ["a", "b", "a", "c"], score=[1.0, 2.0, 9.0, 1.0], rank=[2, 1, 2, 1], part=[1, 1, 2, 2]
    )
    assert found(run) == {"q": [["b", "a"], ["c", "a"]]}
    assert judged(run)[1]["rows whose rank contradicts the score"] == 1
    with pytest.raises(rw.RankwellError, match="query 'q' gives a rank twice"):
        judged(rw.Run(["q", "q"], ["a", "b"], rank=[1, 1], part=[1, 1]))


def test_a_part_may_repeat_an_item_of_another_and_not_its_own():
    assert found(rw.Run(["q", "q"], ["a", "a"], [2.0, 1.0], part=[1, 2])) == {"q": [["a"], ["a"]]}
    twice = rw.Run(["q", "q"], ["a", "a"], [2.0, 1.0], part=[1, 1])
    with pytest.raises(
        rw.RankwellError, match=r"run, row 2: query 'q' lists item 'a' twice \(first: run, row 1\)"
    ):
        judged(twice)
    assert found(twice, duplicates="drop") == {"q": [["a"]]}


def test_rows_are_counted_without_those_that_say_that_nothing_is_listed():
    run = rw.Run(["q", "q", "p"], ["a", None, None], [1.0, 1.0, 1.0], part=["x", "y", None])
    assert judged(run)[1] == {"lists": 2, "rows": 1, "lists without judgements": 2}


def test_a_query_keeps_its_numbers_row_by_row():
    rows = list(itertools.product("qp", [2, 1], "ab"))
    query, part, item = map(list, zip(*rows, strict=True))
    support = [1.0, 0.5, 0.0, None] * 2
    lists, _ = judged(rw.Run(query, item, part=part, support=support), needs=("shown", "parts", "support"))
    assert lists.shown.extra["part"].tolist() == [1, 1, 2, 2] * 2
    np.testing.assert_array_equal(lists.shown.extra["support"], [0.0, np.nan, 1.0, 0.5] * 2)
    some = lists.take(np.array([1]), lists.found)
    np.testing.assert_array_equal(some.shown.extra["support"], [0.0, np.nan, 1.0, 0.5])
    assert some.parts.tolist() == [2]


@pytest.mark.parametrize(
    ("columns", "needs", "said"),
    [
        ({}, ("parts", "support"), r"or say which column it is: rw.read_run\(…, columns={'its name': 'part', 'another': 'support'}\)\."),
        ({}, ("parts",), "run, row 1: a metric reads the column part of a run, and this one was read without. Give the table or its file;"),
        ({"part": [1, 1]}, ("parts", "support"), "a metric reads the column support of a run"),
        ({"part": [1, 1]}, (), "the run was read with parts, such as the sentences of an answer, and this reads one list"),
        ({"part": [1, None]}, ("parts",), "run, row 2: item 'b' has no part"),
        ({"part": [1, 1], "support": [1, 0.7]}, ("parts",),
         "run, row 2: the support is 0.7; support is 1, 0.5, 0, or "),
    ],
)  # fmt: skip
def test_what_cannot_be_told_is_one_error(columns, needs, said):
    with pytest.raises(rw.RankwellError, match=said):
        judged(rw.Run(["q", "q"], ["a", "b"], **columns), needs=("shown", *needs))
