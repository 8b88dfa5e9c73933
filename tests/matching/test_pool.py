"""The judgements made ready, against plain loops: one grade per item, their meaning, the ideal lists."""

from __future__ import annotations

import random
import warnings

import numpy as np
import pytest
from tests.definitions.both import qrels_of
from tests.definitions.reference_policy import complete, judged_items, scale_of
from tests.every import every

import rankwell as rw
from rankwell.cli import run
from rankwell.errors import DataWarning
from rankwell.matching import Asked, pool_of
from rankwell.matching.policy import Policy
from rankwell.matching.pool import PART_ROWS
from rankwell.tables.ids import Ids, Known

ITEMS = ["a", "b", "c", "é", "10", "9"]


def pool(rows, rels=None, **policy):
    return pool_of(qrels_of(rows), Asked(Policy(**policy), rels=rels or {}))


def a_case(seed, *, copies=False, topics=False):
    """Rows of judgements, their queries mixed."""
    rng = random.Random(seed)
    rows = []
    for query in rng.sample(["1", "2", "10", "q"], 3):
        items = rng.choices(ITEMS, k=7) if copies else rng.sample(ITEMS, rng.randint(1, 6))
        rows += [
            (query, item, rng.choice([-1, 0, 1, 2]), rng.choice("xyz") if topics else None) for item in items
        ]
    rng.shuffle(rows)
    return rows


def content(made):
    """query -> item -> grade."""
    ends, items = made.offsets.tolist(), made.items.tolist()
    return {
        query: dict(zip(items[first:last], made.grades[first:last].tolist(), strict=True))
        for query, first, last in zip(made.queries.ids.tolist(), ends[:-1], ends[1:], strict=True)
    }


@every("seed", range(40))
def test_the_rows_of_a_query_stand_together_wherever_they_were(seed):
    rows = a_case(seed)
    made, counts = pool(rows, grades="judgements")
    assert content(made) == judged_items(rows, complete({"negative": "nonrelevant"}), "judgements")
    assert counts["judgements"] == len(rows)
    assert counts["judged queries"] == 3
    assert counts["negative grades"] == sum(grade < 0 for _, _, grade, _ in rows)


@every("seed", range(40))
@every("topics", [False, True])
@pytest.mark.parametrize("rule", ["max", "last"])
@pytest.mark.parametrize("part", [PART_ROWS, 8])
def test_an_item_judged_twice_has_the_grade_of_the_rule_and_the_highest_of_its_topics(
    monkeypatch, seed, topics, rule, part
):
    monkeypatch.setattr(
        "rankwell.matching.pool.PART_ROWS", part
    )  # many judgements are looked through by several threads
    rows = a_case(seed, copies=True, topics=topics)
    made, counts = pool(rows, grades="judgements", duplicate_grades=rule)
    rules = complete({"negative": "nonrelevant", "duplicate_grades": rule})
    assert content(made) == judged_items(rows, rules, "judgements")
    keys = [(query, item, topic) for query, item, _, topic in rows]
    assert counts["judgements given twice"] == len(keys) - len(set(keys))


def test_an_item_judged_twice_is_an_error_that_names_both_rows():
    rows = [("1", "a", 1, None), ("1", "b", 1, None), ("1", "a", 0, None)]
    with pytest.raises(rw.RankwellError, match=r"row 3: query '1' judges item 'a' twice \(first: .*row 1\)"):
        pool(rows)


@every("seed", range(200))
def test_what_grades_mean_is_seen_as_the_slow_definition_sees_it(seed):
    rng = random.Random(seed)
    levels = rng.choice([[1], [0, 1], [1, 2, 3], [1, 2, 3, 4], [0.5, 1.5, 2.5, 3.5], list(range(1, 11))])
    size = rng.choice([5, 150, 400])
    grades = [rng.choice(levels) for _ in range(size)]
    grades[: rng.choice([0, 1, 2, 4])] = [rng.choice([0, -1])] * rng.choice([0, 1, 2, 4])
    rows = [("q", f"i{place}", grade, None) for place, grade in enumerate(grades)]
    wanted = scale_of(rows, complete({}), rel_given=False)
    if wanted == "unclear":
        with pytest.raises(rw.RankwellError, match="grades look like ratings"):
            pool(rows, rels={"ndcg": None})
        assert pool(rows, rels={"ndcg(rel=2)": 2})[0].scale.kind == "ratings"
    else:
        assert pool(rows, rels={"ndcg": None})[0].scale.kind == wanted


def test_ratings_without_a_threshold_are_refused_with_shares_to_choose_from():
    rows = [("q", f"i{place}", 1 + place % 10, None) for place in range(1000)]
    with pytest.raises(
        rw.RankwellError,
        match=r"10 levels 1–10, 0 of rows at most 0; ap needs .*rel=4 \(70% of rows\), rel=7 \(40% of rows\)",
    ):
        pool(rows, rels={"p(rel=2)@1": 2, "ap": None})


@pytest.mark.parametrize(
    ("grades", "rels", "policy", "said"),
    [
        ([1, 2, 0], {"rr": 5, "p@1": 5, "ap": 2}, {"rel": 5}, "for rr, p@1: no grade reaches 5, the highest is 2. Set rel=2, or less."),
        ([1, 9, 3], {"ndcg": 80}, {"grades": "ratings", "rel": 80}, "for ndcg: no grade reaches 80, the highest is 9. Set rel=9, or less."),
        ([0, -1], {"rr": None}, {}, "for rr: no grade is above 0, the highest is 0."),
        ([1, 2, 0], {"rr": 2, "ap": None}, {}, None),
        ([1, 2, 0], {"rr": None}, {"grades": "interactions"}, None),
    ],
)  # fmt: skip
def test_a_threshold_that_no_grade_reaches_is_said_with_the_highest(grades, rels, policy, said):
    rows = [("q", f"i{place}", grade, None) for place, grade in enumerate(grades)]
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", DataWarning)
        pool(rows, rels, **policy)
    assert [str(each.message) for each in found] == (
        [] if said is None else [f"qrels: no item is relevant {said}"]
    )


@pytest.mark.parametrize("engine", ["memory", "stream"])
def test_every_engine_says_so_and_every_command_once(tmp_path, capsys, engine):
    for name in ("a", "b"):
        (tmp_path / f"{name}.run").write_text("u Q0 x 1 2.0 t\nv Q0 y 1 1.0 t\n")
    (tmp_path / "qrels.txt").write_text("u 0 x 1\nv 0 y 3\n")
    files = [str(tmp_path / each) for each in ("qrels.txt", "a.run", "b.run")]
    said = "no item is relevant for ndcg@10: no grade reaches 4, the highest is 3. Set --rel 3, or less."
    for command in (
        ["evaluate", "--engine", engine],
        ["compare"],
        ["report", "-o", str(tmp_path / "r.html")],
    ):
        assert run([command[0], *files, *command[1:], "-m", "ndcg@10", "--rel", "4"]) == 0
        assert capsys.readouterr().err.count(said) == 1
    assert run(["lint", *files, "--policy", "rel=4"]) == 1
    assert "error [scale] no grade reaches --policy rel=4, the highest is 3" in capsys.readouterr().out


def test_interactions_are_ones_and_need_no_grade():
    made, _ = pool([("q", "a", 7, None), ("q", "b", -2, None)], grades="interactions")
    assert content(made) == {"q": {"a": 1, "b": 1}}
    bare, _ = pool_of(rw.Qrels(["q"], ["a"]), Asked())
    assert (bare.scale.kind, content(bare)) == ("interactions", {"q": {"a": 1}})


def test_without_judgements_the_pool_is_empty():
    made, counts = pool_of(None, Asked(reads_judgements=False))
    assert (len(made.queries), len(made.grades), counts) == (0, 0, {})


@every("seed", range(40))
@every("rel", [None, 0, 1, 2])
@every("negative", ["unjudged", "nonrelevant"])
def test_the_relevant_items_of_each_query_are_counted(seed, rel, negative):
    made, _ = pool(a_case(seed), grades="judgements", negative=negative)
    least = -1 if negative == "nonrelevant" else 0
    wanted = [
        sum(grade > 0 if rel is None else grade >= max(rel, least) for grade in grades.values())
        for grades in content(made).values()
    ]
    assert made.relevant_counts(rel).tolist() == wanted


@every("seed", range(40))
@every("grades", ["judgements", "interactions"])
def test_the_ideal_list_of_each_query_is_its_grades_in_descending_order(seed, grades):
    made, _ = pool(a_case(seed), grades=grades)
    best, profile = made.ideals
    lists = [best.grade[best.query == query].tolist() for query in range(best.queries)]
    found = lists if profile is None else [lists[each] for each in profile]
    wanted = [sorted(each.values(), reverse=True) for each in content(made).values()]
    assert found == wanted
    assert [made.ideal.grade[made.ideal.query == query].tolist() for query in range(len(wanted))] == wanted


def test_a_part_of_the_pool_holds_the_judgements_of_some_items_of_every_query():
    made, _ = pool([("1", "a", 1, None), ("1", "b", 2, None), ("2", "c", 1, None)])
    part = made.only(Known(Ids.of_strings(["b", "x"])))
    assert content(part) == {"1": {"b": 2}, "2": {}}
    assert content(made) == {"1": {"a": 1, "b": 2}, "2": {"c": 1}}


def test_text_that_is_plain_numbers_is_read_as_integers_column_by_column():
    made, _ = pool([("1", "10", 1, None), ("2", "x", 1, None)])
    whole = made.in_integers()
    assert (whole.queries.ids.tolist(), whole.items.tolist()) == ([1, 2], ["10", "x"])
    np.testing.assert_array_equal(whole.grades, made.grades)


def test_grades_near_the_largest_number_are_whole_and_nothing_overflows():
    qrels = {"1": {"a": 1.0, "b": 0.0}, "2": {"a": 1.7e308, "b": 0.0}}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert rw.evaluate({"1": {"a": 1.0}, "2": {"b": 1.0, "a": 0.5}}, qrels, ["rr"])["rr"] == 0.75
