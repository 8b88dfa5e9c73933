"""Lists of passages folded into lists of documents: worked numbers, every rule against plain loops, other engines, refusals."""

from __future__ import annotations

import random

import polars as pl
import pytest
from tests.cases import FEWER
from tests.definitions import reference
from tests.definitions.both import qrels_of, run_of, same, values_of
from tests.definitions.reference_policy import CHOICES

import rankwell as rw
from rankwell.errors import DataError
from rankwell.matching.groups import ids_before
from rankwell.tables.ids import Ids

FOLDED = "rows folded into the first of their group"
PASSAGES = ["d1#1", "d1#2", "d2#1", "d3#4", "d2#7"]
# plain code that knows no library, and ap of the first by hand: documents d1 d2 d3 with hits at 1 and 3 of 3: (1 + 2/3) / 3
WORKED = [
    (PASSAGES, {"d1": 1, "d3": 1, "d9": 1}, 2, {"r@3": 2 / 3, "ndcg@3": 0.7039180890341347, "ap": 0.5555555555555555}),
    (
        PASSAGES, {"d1#2": 1, "d3#4": 0, "d3#8": 2, "d9#9": 1, "d2#1": 0}, 2,
        {"r@1": 1 / 3, "ndcg@1": 0.5, "r@3": 2 / 3, "ndcg@3": 0.6387878864795979, "ap": 0.5555555555555555},
    ),
    (
        ["a#b#1", "x", "a#b#2", "a#c#1"], {"a#b": 1, "x": 0, "a#c": 2}, 1,
        {"r@2": 0.5, "ndcg@2": 0.38009376671593426, "r@3": 1.0, "ndcg@3": 0.7601875334318685, "ap": 0.8333333333333333},
    ),
]  # fmt: skip
METRICS = [
    "p@3", "r@2", "ap", "ap(denom=hits)@4", "rr", "ndcg@3", "ndcg(gain=exp2)", "err", "rbp", "bpref", "judged@3", "unj@4", "f@3", "rprec",
    "infap", "num_ret", "num_rel_ret@2", "q", "compat", "first_rank",
]  # fmt: skip


@pytest.mark.parametrize(("listed", "judged", "folded", "expected"), WORKED)
def test_worked_numbers(listed, judged, folded, expected):
    results = rw.evaluate({"q": listed}, {"q": judged}, list(expected), group="#")
    assert results.mean == pytest.approx(expected, abs=1e-12)
    assert results.counts[FOLDED] == folded


def test_an_item_counts_as_its_first_passage_and_without_groups_as_each():
    judged = {"q": dict.fromkeys(["d1#1", "d1#2", "d2#1", "d3#4", "d2#7"], 1)}
    each = rw.evaluate({"q": PASSAGES}, judged, ["num_rel_ret"])
    assert each["num_rel_ret"] == 5
    assert rw.evaluate({"q": PASSAGES}, judged, ["num_rel_ret"], group="#")["num_rel_ret"] == 3


def a_case(rng):
    """A run of passages, judgements of passages or of documents, a policy with groups, and how lists are ordered."""
    pool = [f"{name}#{number}" for name in ("a", "b", "a#b", "é", "") for number in range(3)] + ["alone", "a"]
    choices = CHOICES | {
        "ties": CHOICES["ties"] - {"expected"},
        "outside": {"error"},
        "duplicates": CHOICES["duplicates"] - {"each"},  # refused, as a group counts once
    }
    policy = {name: rng.choice(sorted(allowed)) for name, allowed in choices.items() if rng.random() < 0.3}
    policy |= {"group": "#", "judged": rng.choice(["items", "groups"])}
    if rng.random() < 0.25:
        policy["depth"] = rng.randint(1, 6)
    if rng.random() < 0.3 or policy.get("grades") == "ratings":
        policy["rel"] = rng.choice([1, 2])
    copies, order = rng.random() < 0.25, rng.choice(["score", "score", "rank", "list"])
    judgeable = pool if policy["judged"] == "items" else sorted({item.rsplit("#", 1)[0] for item in pool})
    run, qrels = {}, []
    for query in ("1", "2", "q", "ü"):
        size = rng.randint(1, 12)
        items = [rng.choice(pool) for _ in range(size)] if copies else rng.sample(pool, size)
        numbers = (
            rng.sample(range(1, 15), size) if order == "rank" else [rng.choice([1, 2, 2.5]) for _ in items]
        )
        if rng.random() < 0.85:
            run[query] = list(zip(items, numbers, strict=True))
        if rng.random() < 0.85:
            judged = rng.sample(judgeable, rng.randint(1, len(judgeable)))
            qrels += [(query, item, rng.choice([-1, 0, 0, 1, 2, 3]), None) for item in judged]
    return run, qrels, policy, order


def outcome_of(run, qrels, metric, policy, order):
    """The reference's outcome; None if it refuses."""
    try:
        return reference.evaluate(run, qrels, metric, policy=policy, order=order)
    except reference.ReferenceRefusal:
        return None


def results_of(run, qrels, metric, policy, order):
    """rankwell's results; None if it refuses."""
    try:
        return rw.evaluate(run_of(run, order), qrels_of(qrels), [metric], policy=rw.Policy(**policy))
    except rw.RankwellError:
        return None


def test_random_lists_under_random_policies_have_the_values_of_plain_loops():
    compared = refused = 0
    for seed in range(2000 // FEWER):
        rng = random.Random(seed)
        run, qrels, policy, order = a_case(rng)
        if not set(run) & {row[0] for row in qrels}:
            continue
        for metric in rng.sample(METRICS, 5):
            theirs = outcome_of(run, qrels, metric, policy, order)
            ours = results_of(run, qrels, metric, policy, order)
            if theirs is None or ours is None:
                assert theirs is ours, (theirs, ours, seed, metric)
                refused += 1
                continue
            shown = (seed, metric, policy, order, run, qrels)
            assert same(ours[metric], theirs.mean), (ours[metric], theirs.mean, *shown)
            values = values_of(ours, metric)
            for query, value in theirs.values.items():
                assert same(values[query], value), (query, values[query], value, *shown)
                compared += 1
    assert compared > 10_000 / FEWER
    assert refused > 100 / FEWER


def drawn(seed, queries=60):
    """A table of passages with few scores, shuffled, judgements of documents, and the documents of the passages."""
    rng = random.Random(seed)
    rows = [
        (f"q{q}", f"d{document}#{passage}", float(rng.randrange(4)))
        for q in range(queries) for document in range(6) for passage in rng.sample(range(9), rng.randrange(4))
    ]  # fmt: skip
    rng.shuffle(rows)
    judged = [(f"q{q}", f"d{document}", rng.randrange(3)) for q in range(queries) for document in range(8)]
    run, qrels = (
        pl.DataFrame(part, schema=["query", "item", last], orient="row")
        for part, last in ((rows, "score"), (judged, "grade"))
    )
    items = run.select("item").unique(maintain_order=True)
    return run, qrels, items.with_columns(document=pl.col("item").str.split("#").list.first())


def test_a_column_of_the_items_is_the_same_as_what_the_ids_say():
    run, qrels, items = drawn(1)
    metrics = ["ndcg@3", "ap", "judged@2"]
    by_ids = rw.evaluate(run, qrels, metrics, group="#")
    by_column = rw.evaluate(run, qrels, metrics, group="document", items=items)
    assert by_column.per_query.equals(by_ids.per_query)
    numbers = {name: number for number, name in enumerate(items["document"].unique().sort())}
    numbered = items.with_columns(pl.col("document").replace_strict(numbers))
    judged = qrels.filter(pl.col("item").is_in(list(numbers))).with_columns(
        pl.col("item").replace_strict(numbers)
    )
    few = qrels.filter(pl.col("item").is_in(list(numbers)))
    ours = rw.evaluate(run, judged, metrics, group="document", items=numbered)
    assert ours.per_query.equals(rw.evaluate(run, few, metrics, group="#").per_query)


def test_every_item_a_group_of_its_own_is_no_group():
    run, _, items = drawn(2)
    qrels = run.with_columns(grade=pl.col("score").cast(int) % 3).select("query", "item", "grade")
    metrics = ["ndcg@3", "ap", "rr", "bpref", "num_ret"]
    own = items.with_columns(document=pl.col("item"))
    for policy in ({}, {"ties": "best"}, {"depth": 4}, {"unjudged": "condense"}):
        plain = rw.evaluate(run, qrels, metrics, **policy)
        for judged in ("items", "groups", None):
            grouped = rw.evaluate(run, qrels, metrics, group="document", items=own, judged=judged, **policy)
            assert grouped.per_query.equals(plain.per_query)


@pytest.mark.parametrize(
    "rules",
    [{}, {"ties": "worst"}, {"depth": 5}, {"unjudged": "condense"}, {"population": "listed"}],
    ids=str,
)
@pytest.mark.parametrize("judged", ["documents", "passages"])
@pytest.mark.parametrize("group", ["#", "document"])
def test_the_engines_agree_to_the_last_bit(rules, judged, group):
    run, qrels, items = drawn(3)
    tables = {"items": items} if group == "document" else {}
    options = {"group": group, **tables, **rules}
    if judged == "passages":
        qrels = run.with_columns(grade=pl.col("score").cast(int) % 3).select("query", "item", "grade")
        options["judged"] = "items"
    metrics = ["ndcg@3", "ap", "rbp", "gmap"]
    whole = rw.evaluate(run, qrels, metrics, **options)
    parted = rw.evaluate(run, qrels, metrics, engine=rw.Stream(part_rows=40), **options)
    assert parted.mean == whole.mean
    assert parted.counts == whole.counts
    assert parted.policy == whole.policy
    assert parted.per_query.sort("query").equals(whole.per_query.sort("query"))


def test_where_the_ids_do_not_tell_a_streamed_evaluation_asks():
    run = {"q": PASSAGES}
    with pytest.raises(
        rw.RankwellError,
        match=r"judged ids such as 'd1#1' may be items or groups.*judged='items' or judged='groups'",
    ):
        rw.evaluate(run, {"q": {"d1#1": 1}}, ["rr"], group="#", engine="stream")
    for judged, expected in (("items", 1.0), ("groups", 0.0)):
        assert (
            rw.evaluate(run, {"q": {"d1#1": 1}}, ["rr"], group="#", judged=judged, engine="stream")["rr"]
            == expected
        )


def test_judgements_of_both_kinds_are_asked_about_and_one_kind_can_be_said():
    both = {"q": {"d1": 1, "d3#4": 1}}
    with pytest.raises(
        rw.RankwellError,
        match=r"of groups \('d1'\) and of items \('d3#4'\).*judged='groups' or judged='items'",
    ):
        rw.evaluate({"q": PASSAGES}, both, ["r@3"], group="#")
    assert rw.evaluate({"q": PASSAGES}, both, ["r@3"], group="#", judged="groups")["r@3"] == 0.5
    # d1 is then an item without a separator, and so its own group
    assert rw.evaluate({"q": PASSAGES}, both, ["r@3"], group="#", judged="items")["r@3"] == 1.0


def test_judgements_of_nothing_in_the_run_are_taken_as_of_groups_and_that_is_said():
    with pytest.warns(rw.errors.DataWarning, match="no judged item is in any list"):
        results = rw.evaluate({"q": PASSAGES}, {"q": {"d7": 1, "d8": 1}}, ["r@3"], group="#")
    assert results["r@3"] == 0
    assert (
        results.counts["judgements taken as of groups, as no judged id is an item or a group of the run"] == 2
    )
    assert "taken as of groups" in results.to_table().to_text()


def test_items_without_a_group_are_refused_or_counted():
    run, judged, items = (
        {"q": ["p1", "d5", "p2"]},
        {"q": {"d1": 1, "d5": 1}},
        pl.DataFrame({"item": ["p1", "p2"], "document": ["d1", "d1"]}),
    )
    with pytest.raises(rw.RankwellError, match=r"query 'q': item 'd5' has no document.*outside='ignore'"):
        rw.evaluate(run, judged, ["r@2"], group="document", items=items)
    results = rw.evaluate(run, judged, ["r@2"], group="document", items=items, outside="ignore")
    assert results["r@2"] == 1.0
    assert (results.counts["rows of items without a group"], results.counts[FOLDED]) == (1, 1)
    of_items = {"q": {"p1": 0, "p2": 2, "p9": 1}}
    with pytest.raises(rw.RankwellError, match=r"the judgements: item 'p9' has no document"):
        rw.evaluate({"q": ["p1", "p2"]}, of_items, ["r@2"], group="document", items=items)
    results = rw.evaluate(
        {"q": ["p1", "p2"]}, of_items, ["r@2"], group="document", items=items, outside="ignore"
    )
    assert results["r@2"] == 0.5
    assert results.counts["judged items without a group"] == 1


def test_a_repeated_item_is_an_error_still_and_a_second_passage_is_none():
    judged = {"q": {"d1": 1}}
    repeated = rw.Run(["q"] * 3, ["d1#1", "d1#2", "d1#1"], [3.0, 2.0, 1.0])
    with pytest.raises(rw.RankwellError, match=r"lists item 'd1#1' twice \(first: .*row 1\)"):
        rw.evaluate(repeated, judged, ["rr"], group="#")
    for rule in ("first", "drop"):
        results = rw.evaluate(repeated, judged, ["num_ret"], group="#", duplicates=rule)
        assert results["num_ret"] == 1
        assert results.counts["rows that repeat an item"] == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"group": 3}, r"group must be a column of items=, such as 'document', or rw.before\('#'\)"),
        ({"group": ""}, "group must be a column of items="),
        ({"group": "document"}, r"group='document' is a column of items=, which is not given.*: group='#'\."),
        ({"group": "document", "items": ["d1#1"]}, "items has no column 'document'"),
        ({"group": "part", "items": pl.DataFrame({"item": ["a"], "part": [0.5]})}, "'part' is Float64; groups must be text or whole numbers"),
        ({"judged": "items"}, "give group= too"),
        ({"group": "#", "judged": "documents"}, "judged must be groups or items"),
        ({"group": "#", "ties": "expected"}, "which of several tied items is the first of its group is undecided"),
        ({"group": "#", "bounds": True}, "bounds= are of single items"),
        ({"group": "#", "slices": {"head": ["d1#1"]}}, "slices= is of single items"),
        ({"group": "#", "metrics": ["coverage@5"], "items": ["d1#1"]}, "looks at single items"),
        ({"group": "#", "metrics": ["epc@5"], "train": {"q": ["d1#1"]}}, "looks at single items"),
    ],
)  # fmt: skip
def test_what_has_no_meaning_with_groups_is_one_clear_error(options, message):
    options = {"metrics": ["rr"], **options}
    with pytest.raises(rw.RankwellError, match=message):
        rw.evaluate({"q": PASSAGES}, {"q": {"d1": 1}}, **options)


def test_passages_held_against_judged_documents_are_an_error_that_says_group():
    passages = {f"q{q}": [f"d{q}#{p}" for p in range(3)] for q in range(12)}
    judged = {f"q{q}": {f"d{q}": 1} for q in range(12)}
    for engine in ("memory", "stream"):
        with pytest.raises(
            rw.RankwellError,
            match=r"12 of 12 judged ids are what ids of the run say before '#'.*set group='#'",
        ):
            rw.evaluate(passages, judged, ["rr"], engine=engine)
    assert rw.evaluate(passages, judged, ["rr"], group="#")["rr"] == 1.0
    few = {f"q{q}": {f"d{q}": 1} for q in range(3)}  # may be chance
    with pytest.warns(
        rw.errors.DataWarning, match="3 of 3 judged ids are what ids of the run say before '#'"
    ):
        assert rw.evaluate(passages, few, ["rr"])["rr"] == 0
    with pytest.warns(rw.errors.DataWarning, match=r"no judged item is in any list\. Is it the run"):
        rw.evaluate(passages, {"q1": {"x": 1}}, ["rr"])


def test_a_run_that_finds_nothing_is_no_run_of_passages_where_its_ids_are_those_of_the_judgements():
    """Each list holds what is judged for other queries, so that no part of an id explains the 0."""
    qrels = {f"q{i}": {f"d{i}": 1} for i in range(30)}
    run = {f"q{i}": [f"d{(i + 1) % 30}", f"d{(i + 2) % 30}"] for i in range(30)}
    with pytest.warns(
        rw.errors.DataWarning, match="no judged item is in any list. Is it the run of these judgements"
    ) as told:
        assert rw.evaluate(run, qrels, ["rr"])["rr"] == 0.0
    assert "group" not in str(told[0].message)


@pytest.mark.parametrize("separator", [None, "", 3])
def test_a_separator_is_text(separator):
    with pytest.raises(rw.RankwellError, match=r"such as before\('#'\)"):
        rw.before(separator)


def test_a_policy_says_its_groups_and_is_read_again():
    policy = rw.Policy(group="#", judged="items")
    assert policy == rw.Policy(group=rw.before("#"), judged="items")
    assert str(policy).endswith("group=before('#') judged=items")
    assert rw.Policy(**policy.to_dict() | {"depth": None}) == policy
    assert rw.Policy(group=rw.before("'")).group == 'before("\'")'
    assert "group" not in rw.Policy().to_dict()


def test_fuse_and_rbo_and_judging_leave_single_items_alone():
    run = {"q": PASSAGES}
    for call in (
        lambda: rw.fuse([run, run], "rrf", group="#"),
        lambda: rw.rbo(run, run, group="#"),
        lambda: rw.judging.next({"a": run, "b": run}, budget=2, method="mtf", group="#"),
    ):
        with pytest.raises(rw.RankwellError, match=r"single items, so group="):
            call()


def test_the_last_separator_parts_an_id_whatever_stands_around_it():
    ids = ["a#b#1", "x", "", "#", "#a", "a#", "a##b", "é#é", "日本#語#1"]
    for separator in ("#", "##", "é", "#é"):
        found = ids_before(Ids.of(ids), separator.encode()).tolist()
        assert found == [each.rsplit(separator, 1)[0] for each in ids]
    rng = random.Random(5)
    ids = ["".join(rng.choice("ab:/") for _ in range(rng.randrange(9))) for _ in range(3000)]
    for separator in (":", "::", "/:", "ab"):
        column = Ids.of(ids)
        rows = list(range(0, 3000, 7))
        for part, own in ((column, ids), (column[rows], ids[::7]), (column[2900:], ids[2900:])):
            assert ids_before(part, separator.encode()).tolist() == [
                each.rsplit(separator, 1)[0] for each in own
            ]


def test_other_verbs_take_groups():
    run, qrels, _ = drawn(4)
    other = run.with_columns(score=-pl.col("score"))
    comparison = rw.compare({"a": run, "b": other}, qrels, ["ndcg@3"], group="#")
    one = rw.evaluate(run, qrels, ["ndcg@3"], group="#")
    assert comparison.mean("a", "ndcg@3").mean == one["ndcg@3"]
    difference = rw.diff({"a": run, "b": other}, qrels, "ndcg@3", group="#")
    assert difference.results[0]["ndcg@3"] == one["ndcg@3"]
    query = next(iter(one.per_query["query"]))
    table = rw.explain("ndcg@3", run=run, qrels=qrels, query=query, policy=rw.Policy(group="#")).to_text()
    assert "d1" in table or "d2" in table
    assert "#" not in table.split("÷")[0]


@pytest.mark.parametrize("engine", ["memory", rw.Stream(part_rows=1)])
def test_judgements_of_items_with_topics_are_not_folded_on_any_engine(engine):
    qrels = {
        "query": ["1", "1", "2"],
        "item": ["a#1", "b#1", "a#2"],
        "grade": [1, 1, 1],
        "topic": ["x", "y", "x"],
    }
    run = {"1": {"a#1": 2.0, "b#1": 1.0}, "2": {"a#2": 1.0}, "3": {"c#1": 1.0}}
    with pytest.raises(
        DataError, match="with topics or propensities cannot be folded; give the judgements of the groups"
    ):
        rw.evaluate(pl.DataFrame([(q, i, s) for q, own in run.items() for i, s in own.items()], ["query", "item", "score"], orient="row"),
                    pl.DataFrame(qrels), ["alpha_ndcg"], group="#", judged="items", engine=engine)  # fmt: skip
