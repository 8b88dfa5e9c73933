"""Random data, rules, metrics and tables: part by part the same comes out as in memory, or the same kind of error."""

from __future__ import annotations

import json
import os
import random

import polars as pl
import pytest
from tests.cases import seeds
from tests.evaluation.engines.stream.test_stream import said

import rankwell as rw

CASES = 120
PLAIN = [
    "ndcg@10", "ap", "rr", "p@5", "bpref", "infap", "judged@5", "rbp", "err", "set_f", "gmap", "num_ret", "rprec", "ap(denom=min_rk)@5",
    "personalization@5", "compat", "q", "auc", "hit@3", "dcg@5", "nerr",
]  # fmt: skip
TOPICAL = [
    "alpha_ndcg@5",
    "s_recall@5",
    "err_ia",
    "ap_ia",
    "alpha_ndcg(universe=catalogue)@5",
    "d_ndcg@5",
    "rbu",
    "nrbp",
]
TRAINED = [
    "msi@5", "arp@5", "epc@5", "coverage@5", "gini@5", "aplt@5", "test_share@3", "pop_reo@3", "entropy@5", "serendipity@5", "ab_ndcg@5",
    "calibration@5",
]  # fmt: skip
RULES = [
    {}, {"missing": "skip"}, {"undefined": "zero"}, {"duplicates": "first"}, {"duplicates": "drop"}, {"ties": "worst"}, {"ties": "order"},
    {"depth": 3}, {"ranks": "closed"}, {"scores": "single"}, {"population": "judged"}, {"population": "listed"}, {"unjudged": "condense"}, {"ties": "expected"},
    {"undefined": "error"}, {"drop_own_query": True}, {"drop_own_query": True, "depth": 3},
    {"group": "before('é')", "judged": "items"}, {"group": "before('é')", "judged": "groups", "ties": "best"},
]  # fmt: skip


def drawn(rng):
    """A run, judgements, metrics and other arguments."""
    queries, items, kind = (
        rng.choice([1, 3, 12, 40]),
        rng.choice([5, 30]),
        rng.choice(["text", "integers", "digits"]),
    )
    query = {"text": "q{:02}".format, "integers": lambda n: 3 * n, "digits": str}[kind]
    item = {"text": "é{}".format, "integers": lambda n: n + 100, "digits": lambda n: str(n + 7)}[kind]
    rows, judged = [], []
    base, levels = (
        rng.choice([0, 1]),
        rng.choice([[0, 1], [-1, 0, 1, 2], [1, 2, 3, 4, 5, 6, 7], [0.5, 1, 1.5, 0]]),
    )
    has_topics = rng.random() < 0.4
    for q in range(queries):
        listed = rng.sample(range(items), rng.randint(1, 5)) if rng.random() < 0.85 else []
        listed += listed[:1] * (rng.random() < 0.05)
        rows += [
            (query(q), item(i), rng.choice([rng.random(), 0.5, 1.0]), base + n) for n, i in enumerate(listed)
        ]
        for i in rng.sample(range(items), rng.randint(1, 5)) if rng.random() < 0.85 else []:
            topics = rng.sample("abcd", rng.randint(1, 2)) if has_topics else ["0"]
            topics += topics[:1] * (rng.random() < 0.03)
            judged += [(query(q), item(i), rng.choice(levels), topic) for topic in topics]
    run = pl.DataFrame(
        rows or [(query(0), item(0), 1.0, 1)], schema=["query", "item", "score", "rank"], orient="row"
    )
    qrels = pl.DataFrame(
        judged or [(query(0), item(0), 1, "a")],
        schema=["query", "item", "grade", "topic"],
        orient="row",
        strict=False,
    )
    run = run.drop(rng.choice([["score"], ["rank"], []]))
    order = rng.choice([
        lambda table: table.sort("query", maintain_order=True),
        lambda table: table,
        lambda table: table.sample(fraction=1, shuffle=True, seed=7),
    ])  # fmt: skip
    metrics = rng.sample(PLAIN, 5) + rng.sample(TOPICAL, 2) * has_topics
    options = dict(rng.choice(RULES)) | {"outside": rng.choice(["ignore", "ignore", "error"])}
    options |= {
        "grades": rng.choice(["judgements", "interactions", "auto"]),
        "duplicate_grades": rng.choice(["error", "max", "last"]),
    }
    options |= {"rel": 1} if rng.random() < 0.3 else {}
    if rng.random() < 0.4:
        train = [
            (query(q), item(rng.randrange(items)), rng.choice([1, 2, 0.1]))
            for q in range(queries + 2)
            for _ in range(rng.randint(0, 3))
        ]
        train = train or [(query(0), item(0), 1.0)]
        options["train"] = order(
            pl.DataFrame(train, schema=["query", "item", "grade"], orient="row", strict=False)
        )
        options["items"] = pl.DataFrame(
            {
                "item": [item(i) for i in range(items)],
                "topics": [rng.choice(["x", "x|y", None]) for _ in range(items)],
            }
        )
        metrics += rng.sample(TRAINED, 3)
    if rng.random() < 0.3:
        columns = {
            "query": [query(q) for q in range(queries + 3)],
            "tier": [rng.choice("ab") for _ in range(queries + 3)],
        }
        options |= {"users": pl.DataFrame(columns | {"w": [rng.random() for _ in range(queries + 3)]})}
        options |= rng.choice([{}, {"by": "tier"}, {"weights": "w"}, {"by": "tier", "weights": "w"}])
    if rng.random() < 0.2 and "unjudged" not in options:
        options["slices"] = {
            "head": [item(i) for i in range(items // 2)],
            "tail": [item(i) for i in range(items // 2, items)],
        }
    return order(run), order(qrels), metrics, options


def outcome(run, qrels, metrics, options, **engine):
    try:
        data = said(rw.evaluate(run, qrels, metrics, **options, **engine))
        return json.dumps(data, sort_keys=True)  # nan equals itself as text
    except rw.RankwellError as error:
        return type(error)


@pytest.mark.parametrize("case", seeds(CASES))
@pytest.mark.filterwarnings("ignore")
def test_any_data_under_any_rules(case):
    rng = random.Random(f"{os.environ['RANKWELL_SEED']} anything {case}")
    given = drawn(rng)
    whole = outcome(*given)
    for rows in (1, rng.choice([2, 5, 17]), 1000):
        assert str(outcome(*given, engine=rw.Stream(part_rows=rows))) == str(whole), (
            rows
        )  # nan equals itself as text
