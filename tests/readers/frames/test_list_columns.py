"""Tables with a list of items per query are read as the same table with a row per item, from every form of table."""

from __future__ import annotations

import random
from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rankwell as rw
from rankwell.readers.frames import list_columns

rng = random.Random(3)
QUERIES = [f"u{number}" for number in range(200)]
ITEMS = [rng.sample(range(1000), rng.choice([0, 1, 5, 30])) for _ in QUERIES]
SCORES = [[round(rng.random(), 3) for _ in items] for items in ITEMS]
ROWS = [
    (q, i, s)
    for q, items, scores in zip(QUERIES, ITEMS, SCORES, strict=True)
    for i, s in zip(items, scores, strict=True)
]
FOLDED = pl.DataFrame({"user_id": QUERIES, "item_ids": ITEMS, "scores": SCORES})
FORMS = {
    "polars": lambda frame, _: frame,
    "lazy": lambda frame, _: frame.lazy(),
    "pandas": lambda frame, _: frame.to_pandas(),
    "pandas lists": lambda frame, _: pd.DataFrame(frame.to_dict(as_series=False)),
    "pyarrow": lambda frame, _: frame.to_arrow(),
    "records": lambda frame, _: frame.to_dicts(),
    "parquet": lambda frame, folder: written(frame.write_parquet, folder / "some.parquet"),
    "arrow": lambda frame, folder: written(frame.write_ipc, folder / "some.arrow"),
    "json": lambda frame, folder: written(frame.write_json, folder / "some.json"),
    "ndjson": lambda frame, folder: written(frame.write_ndjson, folder / "some.jsonl"),
}  # fmt: skip


def written(write, path):
    write(path)
    return path


def columns(run):
    table = run.rows.table()
    return list(zip(table.query.tolist(), table.item.tolist(), table.key.tolist(), strict=True))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("text", [False, True])
def test_lists_of_items_and_scores_are_a_row_each(form, text, tmp_path):
    frame = FOLDED.with_columns(pl.col("item_ids").cast(pl.List(pl.String))) if text else FOLDED
    source = FORMS[form](frame, tmp_path)
    is_text = text or form == "ndjson"  # whose ids are always text
    expected = [(q, str(i) if is_text else i, s) for q, i, s in ROWS]
    assert columns(rw.read_run(source)) == expected
    qrels = rw.read_qrels(source)
    assert list(zip(qrels.query.tolist(), qrels.item.tolist(), qrels.grade.tolist(), strict=True)) == expected


@pytest.mark.parametrize("form", FORMS)
def test_without_scores_the_lists_are_best_first(form, tmp_path):
    plain = pl.DataFrame([row[:2] for row in ROWS], schema=["user_id", "item_id"], orient="row")
    qrels = plain.sample(fraction=0.4, seed=1)
    lists = FORMS[form](FOLDED.drop("scores"), tmp_path)
    ours, theirs = (rw.evaluate(run, qrels, ["ndcg@10", "p@3"]) for run in (lists, plain))
    assert ours.mean == theirs.mean
    assert ours.per_query.equals(theirs.per_query)


def test_small_pieces_are_the_same(tmp_path, monkeypatch):
    path = written(FOLDED.write_parquet, tmp_path / "some.parquet")
    monkeypatch.setattr(list_columns, "LISTED", 1 << 20)
    run = rw.read_run(FOLDED.lazy())
    assert columns(run) == ROWS
    assert columns(rw.read_run(path)) == ROWS


def test_arrays_of_a_fixed_size_and_other_names_are_read():
    frame = pl.DataFrame({"query": [1, 2], "recommendations": [[5, 6], [7, 5]]})
    fixed = frame.with_columns(pl.col("recommendations").cast(pl.Array(pl.Int64, 2)))
    named = frame.rename({"recommendations": "shown"})
    for run in (rw.read_run(frame), rw.read_run(fixed), rw.read_run(named, columns={"shown": "item"})):
        assert [row[:2] for row in columns(run)] == [(1, 5), (1, 6), (2, 7), (2, 5)]


FINE = {"query": ["u", "v", "w"], "items": [["a", "b"], [], ["c"]], "scores": [[2.0, 1.0], [], [3.0]]}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"scores": [[2.0, 1.0], [], [3.0, 4.0]]}, "run, row 3: 1 items in 'items', but 2 in 'scores'. Give each item one score."),
        ({"scores": [[2.0, 1.0], [1.0], [3.0]]}, "run, row 2: 0 items in 'items', but 1 in 'scores'"),
        ({"items": [["a", "b"], None, ["c"]]}, "run, row 2: the list of the item is missing (null)"),
        ({"scores": [[2.0, 1.0], [], None]}, "run, row 3: the list of the score is missing (null)"),
        ({"items": [["a", "b"], [], [None]]}, "run, row 3: the item is missing"),
        ({"scores": [[2.0, 1.0], [], [None]]}, "run, row 3: the score is missing"),
        ({"items": [[["a"], ["b"]], [], [["c"]]]}, "run, row 1: item ids must be text or integers, not List(String)"),
        ({"score": [2.0, 1.0, 3.0]}, "run: the items are lists, but 'score' is Float64, one score for a whole list"),
        (
            {"items": [[{"item": "a", "rating": 2.0}], [], []]},
            "run: 'items' holds lists of structs with the fields 'item', 'rating'. Write a list of each field",
        ),
        ({"items": [["a", "b"], [], [""]], "query": [["u"], ["v"], ["w"]]}, "query ids must be text or integers, not List"),
        ({"items": [["a", "a"], [], ["c"]]}, "run, row 1: query 'u' lists item 'a' twice (first: run, row 1)"),
    ],
)  # fmt: skip
def test_what_is_no_list_per_query_is_told_with_its_row(change, words):
    with pytest.raises(rw.RankwellError) as error:
        rw.evaluate(pl.DataFrame(FINE | change), {"u": {"a": 1}}, "ndcg")
    assert words in str(error.value)


IDS = {
    "numpy": np.array(["a", "b"]),
    "objects": np.array(["a", "b"], dtype=object),
    "pandas": pd.Series(["a", "b"]),
    "index": pd.Index(["a", "b"]),
    "categories": pd.Series(["a", "b"], dtype="category"),
    "polars": pl.Series(["a", "b"]),
    "pyarrow": pa.array(["a", "b"]),
    "chunks": pa.chunked_array([["a"], ["b"]]),
    "list": ["a", "b"],
    "tuple": ("a", "b"),
    "set": {"a", "b"},
}


@pytest.mark.parametrize("kind", IDS)
def test_a_column_of_ids_is_a_catalogue_and_a_slice(kind):
    run, qrels = {"u": ["a", "c"]}, {"u": {"a": 1, "c": 1}}
    assert rw.evaluate({"u": ["a"]}, metrics="coverage@1", items=IDS[kind]).mean == {"coverage@1": 0.5}
    assert (
        rw.evaluate(run, qrels, "rr", slices={"some": IDS[kind]}).slices["some"].counts["judged items found"]
        == 1
    )


TWICE = {"user": ["1", "2", "1"], "items": [["a", "b"], ["x"], ["c", "d"]]}
CELLS = {
    "blank.csv": "user,items\n1,a b\n2,x\n1,c d\n",
    "brackets.csv": "user,item\n1,\"['a', 'b']\"\n2,['x']\n1,\"['c', 'd']\"\n",
    "text.jsonl": '{"user":"1","items":"a b"}\n{"user":"2","items":"x"}\n{"user":"1","items":"c d"}\n',
}


@pytest.mark.parametrize("engine", ["memory", "stream"])
@pytest.mark.parametrize("form", [*FORMS, *CELLS])
def test_two_lists_of_a_query_are_joined_in_judgements_and_asked_about_in_a_run(form, engine, tmp_path):
    if form in CELLS:
        source = tmp_path / form
        source.write_text(CELLS[form])
    else:
        source = FORMS[form](pl.DataFrame(TWICE), tmp_path)
    qrels = {"1": {"c": 1}}
    with pytest.raises(
        rw.errors.DataError,
        match=r"(row 3|:[34]): query '1' has another list, after that of .*(row 1|:[12])\.",
    ):
        rw.evaluate(source, qrels, "rr", engine=engine)
    assert rw.evaluate(source, qrels, "rr", engine=engine, order="rows").mean["rr"] == 1 / 3
    judged = rw.evaluate({"1": ["x", "d"]}, source, ["rr", "num_rel"], engine=engine)
    assert judged.per_query.row(0) == ("1", 0.5, 4.0)  # a, b, c and d are relevant


def test_lists_with_scores_and_lists_of_one_item_go_together(tmp_path):
    scored = pl.DataFrame(TWICE | {"scores": [[0.2, 0.1], [1.0], [0.9, 0.8]]})
    assert rw.evaluate(scored, {"1": {"c": 1}}, "rr").mean["rr"] == 1.0
    single = pl.DataFrame({"user": ["1", "1"], "items": ["a", "c"]})  # a row per item under the name of lists
    assert rw.evaluate(single, {"1": {"c": 1}}, "rr").mean["rr"] == 0.5
    empty = pl.DataFrame({"user": ["1", "1"], "items": [[], ["a", "c"]]})
    assert rw.evaluate(empty, {"1": {"c": 1}}, "rr").mean["rr"] == 0.5


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"user":1,"item":[4,true]}', ":1: the item True is not an id"),
        ('{"user":1,"item":[4,5]}\n{"user":1,"item":[4,{"a":1}]}', ":2: the item {'a': 1} is not an id"),
        ('{"user":1,"item":[4,[5]]}', r":1: the item \[5\] is not an id"),
        ('{"user":1,"item":[4,5]}\n{"user":2,"item":6}', ":2: 'item' is 6, where the first line has a list"),
        ('{"user":1,"item":4}\n{"user":2,"item":[6]}', r":2: the item \[6\] is not an id"),
        ('{"user":1,"item":[4,5],"score":[3,"x"]}', ":1: the score 'x' is not a number"),
        ('{"user":1,"item":[4,5],"score":[3]}', ":1: 2 items in 'item', but 1 in 'score'"),
        ('{"user":1,"item":[4,5]}\n{"user":2,"item":null}', ":2: the list of the item is missing"),
    ],
)
def test_lines_of_json_whose_lists_are_not_alike_are_named(text, said, tmp_path):
    for name in ("lists.jsonl", "lists"):  # by its suffix, and by what it holds
        path = tmp_path / name
        path.write_text(text + "\n")
        with pytest.raises(rw.RankwellError, match=name + said):
            rw.evaluate(path, {"1": {"4": 1}}, "rr")


EMPTY = {"a": [7, 3], "b": [], "c": [3, 9], "d": []}
FILLED_CELLS = {"lists.csv": 'user,items\na,7 3\nb,""\nc,3 9\nd,""\n', "lists.tsv": "user\titems\na\t[7 3]\nb\t[]\nc\t[3, 9]\nd\t[]\n"}  # fmt: skip


def unlike(lists):
    """1 minus the mean cosine of two lists, pair by pair; an empty one has nothing in common with any."""
    pairs = [(set(one), set(other)) for one, other in combinations(lists, 2)]
    cosines = [len(one & other) / max(len(one) * len(other), 1) ** 0.5 for one, other in pairs]
    return 1 - sum(cosines) / len(cosines)


@pytest.mark.parametrize("engine", ["memory", "stream"])
@pytest.mark.parametrize("is_text", [False, True])
@pytest.mark.parametrize("with_scores", [False, True])
@pytest.mark.parametrize("form", [*FORMS, *FILLED_CELLS, "dict", "matrix", "lists by row"])
def test_an_empty_list_is_a_query_with_an_empty_list(form, with_scores, is_text, engine, tmp_path):
    lists = {query: [str(item) if is_text else item for item in items] for query, items in EMPTY.items()}
    columns = {"user": list(lists), "items": list(lists.values())}
    if with_scores:
        columns["scores"] = [[2.0, 1.0][: len(items)] for items in lists.values()]
    if form in FORMS:
        source = FORMS[form](pl.DataFrame(columns), tmp_path)
    elif form in FILLED_CELLS:
        source = tmp_path / form
        source.write_text(FILLED_CELLS[form])
    else:
        rows = [[*items, *([-1] * (2 - len(items)))] for items in EMPTY.values()]
        source = {"dict": lists, "matrix": np.array(rows), "lists by row": rows}[form]
    res = rw.evaluate(source, None, ["personalization"], engine=engine)
    assert res.mean["personalization"] == pytest.approx(unlike(EMPTY.values()), abs=1e-15)
    assert (res.counts["lists"], res.counts["rows"]) == (4, 4)
    queries = list(range(4)) if form in ("matrix", "lists by row") else list(EMPTY)
    qrels = {query: [3 if form in ("matrix", "lists by row") else "3"] for query in queries}
    judged = rw.evaluate(source, qrels, ["rr"], engine=engine, missing="skip")  # none is missing
    assert judged.per_query["rr"].to_list() == [0.5, 0, 1, 0]
    run = rw.read_run(source)
    assert len(run) == 4
    assert sorted(map(str, run.queries)) == sorted(map(str, queries))


def test_an_empty_list_in_one_part_of_a_run_says_nothing_of_its_list_in_another(tmp_path):
    parts = {"u": [["x", "y"], []], "v": [[], []], "w": [[], ["y"]]}
    for part in (0, 1):
        frame = pl.DataFrame({"user": list(parts), "items": [lists[part] for lists in parts.values()]})
        frame.write_parquet(tmp_path / f"{part}.parquet")
    res = rw.evaluate([tmp_path / "0.parquet", tmp_path / "1.parquet"], None, ["personalization"])
    assert res.mean["personalization"] == pytest.approx(unlike([["x", "y"], [], ["y"]]), abs=1e-15)


PRINTED = {  # the list b, a as a program or a person writes it, and whether a run and judgements are read from it
    "a tuple of Python": (("('b', 'a')", "('c',)"), True, True),
    "an array of PostgreSQL": (("{b,a}", "{c}"), True, True),
    "one with quotation marks": (('{"b",a}', '{"c"}'), False, False),
    "a set of Python": (("{'b', 'a'}", "{'c'}"), False, True),
    "Spark before 3": (("WrappedArray(b, a)", "WrappedArray(c)"), False, False),
    "NumPy's repr": (("array(['b', 'a'])", "array(['c'])"), False, False),
    "an index of pandas": (("Index(['b', 'a'])", "Index(['c'])"), False, False),
    "angles": (("<b, a>", "<c>"), False, False),
    "semicolons in brackets": (("[b; a]", "[c]"), False, False),
    "arrows": (("b > a", "c"), False, False),
    "long arrows": (("b -> a", "c -> d"), False, False),
    "slashes": (("b / a", "c / d"), False, False),
}  # fmt: skip


@pytest.mark.parametrize("form", ["polars", "pandas", "parquet", "ndjson", "csv"])
@pytest.mark.parametrize("what", PRINTED)
def test_a_list_that_was_printed_is_read_or_refused_and_no_sign_of_it_is_part_of_an_id(what, form, tmp_path):
    """By hand: b stands before a, which alone counts; judgements of b, a and c for the lists [a], [c] are 1 each."""
    cells, is_run, is_judged = PRINTED[what]
    frame = pl.DataFrame({"user": ["u", "v"], "items": cells})
    source = FORMS.get(form, lambda frame, folder: written(frame.write_csv, folder / "some.csv"))(
        frame, tmp_path
    )
    for run, qrels, is_read, value in (
        (source, {"u": {"a": 1}, "v": {"c": 1}}, is_run, 0.75),
        ({"u": ["a"], "v": ["c"]}, source, is_judged, 1.0),
    ):
        if is_read:
            assert rw.evaluate(run, qrels, ["rr"]).mean == {"rr": value}
        else:
            said = r"is no list of ids|is a set, which has no order|stand between two items\?"
            with pytest.raises(rw.RankwellError, match=said):
                rw.evaluate(run, qrels, ["rr"])
