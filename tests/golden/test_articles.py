"""Errors of well-known articles about these metrics: what they print, and what is right, side by side.

Each row was recomputed by hand or by a second program (the specification's list of errata); the values of ours are
computed here and compared with that. ``pytest -s`` prints the table, which is kept in expected/.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import rankwell as rw
from rankwell.display.table import Column, Table

FILE = Path(__file__).parent / "articles.txt"


def graded(listed, judged=None):
    """A list of grades as run and qrels; further judged items are not retrieved."""
    run = {"q": {f"i{place}": float(-place) for place in range(len(listed))}}
    left = list(judged or listed)
    for grade in listed:
        left.remove(grade) if grade in left else None
    qrels = {f"i{place}": grade for place, grade in enumerate(listed)}
    return run, {"q": qrels | {f"x{place}": grade for place, grade in enumerate(left)}}


def binary(listed, relevant):
    """A list of hits and misses, with so many relevant items in all."""
    return graded(listed, [*listed, *[1] * (relevant - sum(listed))])


FILMS = [3, 3, 3, 4, 2, 2]
TEN = [1, 0, 1, 0, 0, 1, 0, 0, 0, 0]

# where · what it is about · what the article says · the metric · the data · what is right
ERRORS = [
    ("001", "DCG with log2(i + 1)", "9.59 (terms rounded first)", "dcg", graded(FILMS), 9.601615481693072),
    ("001", "said to equal the line above", "9.59", "dcg(discount=jk)", graded(FILMS), 11.527847991330242),
    ("001", "ideal DCG", "10.03 (rank 5's discount at rank 4)", "dcg", graded(sorted(FILMS)[::-1]), 10.170938923619678),
    ("001", "nDCG", "0.95 (9.59/10.03 = 0.9561)", "ndcg", graded(FILMS), 0.9440244950636285),
    ("001", "linear DCG over exponential ideal", "0.3410 taken literally", "ndcg(gain=exp2)", graded(FILMS), 0.8382628220086332),
    ("001", "ideal of all relevant items, two missed", "0.9440 (the list re-sorted)", "ndcg@6",
        graded(FILMS, [*FILMS, 4, 3]), 0.8316738677968404),
    ("002", "AP: '÷ the number of relevant items'", "0.5 by its prose (÷ hits)", "ap(denom=R)@5", binary([0, 1, 0, 1, 0], 3), 1 / 3),
    ("002", "AP@5 of one item, 3 relevant", "1.0 by its code (÷ min(R, n))", "ap@5", binary([1], 3), 1 / 3),
    ("002", "a list that repeats its item three times", "3.0 by its code", "ap@3", None, 1.0),
    ("004", "recall of 5 hits, 5 missed, 975 others left out", "5/980 (FN and TN swapped)", "set_r",
        binary([1] * 5 + [0] * 15, 10), 0.5),
    ("004", "accuracy of the same", "10/1000 (FN and TN swapped)", "accuracy(collection=1000)",
        binary([1] * 5 + [0] * 15, 10), 0.98),
    ("004", "F, weight of precision .8, P = .5, R = .25", "0.8333 (above both)", "set_f(c=.8)", binary([1, 0], 4), 0.4166666666666667),
    ("004", "F, weight of precision .2", "0.2083", "set_f(c=.2)", binary([1, 0], 4), 0.2777777777777778),
    ("004", "AP of [1, 0, 0], one relevant", "0.6111 (mean of all precisions)", "ap", binary([1, 0, 0], 1), 1.0),
    ("004", "AP of [1, 0, 1, 0, 0], two relevant", "0.6133 (mean of all precisions)", "ap", binary([1, 0, 1, 0, 0], 2), 5 / 6),
    ("004", "the same, its formula by its own name", "AP", "mean_precision@5", binary([1, 0, 1, 0, 0], 2), 0.6133333333333333),
    ("004", "AP 'got more easily' by eleven points", "the same number", "avg11", binary(TEN, 3), 8 / 11),
    ("004", "AP of that list", "the same number", "ap", binary(TEN, 3), 0.7222222222222222),
    ("004", "precision at recall 0.3, loop R += 0.1", "0.7143 (0.30000000000000004)", "iprec(level=.3)",
        binary([1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1], 10), 1.0),
    ("000", "AP@3 of [0, 0, 1], three relevant", "0.11 (1/9, right)", "ap@3", binary([0, 0, 1], 3), 1 / 9),
]  # fmt: skip


def value(metric, data):
    if data is None:
        run = rw.Run(query=["q"] * 3, item=["B"] * 3, score=[3.0, 2.0, 1.0])
        return rw.evaluate(run, {"q": {"B": 1}}, metric, policy=rw.Policy(duplicates="first"))[metric]
    return rw.evaluate(*data, metric, policy=rw.Policy(grades="judgements"))[metric]


@pytest.mark.parametrize(("article", "what", "says", "metric", "data", "right"), ERRORS)
def test_an_error_of_an_article_is_not_ours(article, what, says, metric, data, right):
    assert value(metric, data) == pytest.approx(right, abs=1e-12)


def test_the_articles_and_we_stand_side_by_side():
    columns = [Column(name) for name in ("article", "about", "it says", "metric")] + [
        Column("right", "value")
    ]
    rows = [
        (article, what, says, metric, value(metric, data)) for article, what, says, metric, data, _ in ERRORS
    ]
    printed = Table(columns, rows, caption="Errors of articles").to_text() + "\n"
    tables = [
        (
            "001, DCG and its ideal: the ideal's fourth term is 1.2920 there, the article prints 1.16",
            "ndcg",
            graded(FILMS),
        ),
        ("002, the first list: right in the article", "ap@5", binary([0, 1, 0, 1, 0], 3)),
        ("002, the second list: right in the article", "ap@5", binary([0, 0, 0, 1, 1], 3)),
        ("000, the list [0, 0, 1]: right in the article", "ap@3", binary([0, 0, 1], 3)),
        ("004, the list of the mean of all precisions", "ap", binary([1, 0, 1, 0, 0], 2)),
    ]
    for title, metric, (run, qrels) in tables:
        printed += f"\n{title}\n\n{rw.explain(metric, run=run, qrels=qrels)}\n"
    print(printed)
    if os.environ.get("RANKWELL_GOLDEN") == "write":
        FILE.write_text(printed, encoding="utf-8")
    assert printed == FILE.read_text(encoding="utf-8")
