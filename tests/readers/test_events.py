"""What happened is no relevance: words of views and skips, rows of the training data, and lists of numbers written as text are asked about;
padding is no item.

The run has b before a; only a counts, so that b, taken for relevant, gives another number. The values are those of the rows left by hand.
"""

from __future__ import annotations

import json
import re
import warnings

import pandas as pd
import polars as pl
import pytest
from tests.every import every
from tests.readers.test_columns import SOME, mean, qrels_with, table

import rankwell as rw

RUN = {"u": ["b", "a"], "v": ["c"]}
VIEWED = {"event": ("view", "purchase"), "behavior_type": ("pv", "buy")}  # which many take for hits
EVENTS = {
    "event": ("impression", "click"), "action": ("Skip ", "play"), "status": ("returned", "delivered"),
    "reaction": ("not interested", "saved"), "passend": ("nein", "ja"), "es_relevante": ("no", "sí"), "pertinent": ("Faux", "Vrai"),
    "opinion": ("Irrelevant", "exact"), "judged": ("somewhat relevant", "highly relevant"), "mark": ("✗", "✓"), "thumb": ("👎", "👍"),
    "outcome": ("incorrect", "correct"),
}  # fmt: skip


@every("name", EVENTS)
@every("kind", SOME)
def test_words_for_less_than_a_hit_are_asked_about(tmp_path, kind, name):
    less, more = EVENTS[name]
    log = table(kind, tmp_path, qrels_with(**{name: [less, more, more]}))
    with pytest.raises(
        rw.RankwellError,
        match=rf"there is no grade, so every row is relevant; is one whose '{re.escape(name)}' is",
    ) as caught:
        mean(RUN, log)
    assert mean(RUN, log, grades="interactions") == 1.0
    frame = pd.DataFrame(qrels_with(**{name: [less.strip().lower(), more.lower(), more.lower()]}))
    kept = eval(re.search(r"frame\[frame\[.*?\]\.isin\(\[.*?\]\)\]", str(caught.value))[0], {"frame": frame})
    assert mean(RUN, kept) == 0.75


@every("name", VIEWED)
@every("kind", SOME)
def test_views_beside_purchases_are_warned_of(tmp_path, kind, name):
    log = table(kind, tmp_path, qrels_with(**{name: [*VIEWED[name], VIEWED[name][1]]}))
    with pytest.warns(
        rw.errors.DataWarning, match=f"is one whose '{name}' is '{VIEWED[name][0]}' as relevant as"
    ):
        assert mean(RUN, log) == 1.0
    assert mean(RUN, log, grades="interactions") == 1.0


@every(
    "words",
    [
        ("click", "buy"),
        ("view", "view"),
        ("Drama", "Comedy"),
        ("F", "M"),
        ("NO", "SE"),
        ("home", "search"),
        ("pass", "fail"),
    ],
)
@every("kind", SOME)
def test_other_words_are_those_of_a_plain_log(tmp_path, kind, words):
    log = table(kind, tmp_path, qrels_with(what=[words[0], words[1], words[1]]))
    assert mean(RUN, log) == 1.0
    assert mean(RUN, RUN, "epc@2", train=table(kind, tmp_path, qrels_with(event=["view", "buy", "buy"]))) >= 0


def test_a_log_in_two_files_is_asked_about_as_in_one(tmp_path):
    for number, (user, item, event) in enumerate([("u", "b", "skip"), ("u", "a", "buy"), ("v", "c", "buy")]):
        (tmp_path / f"{number}.csv").write_text(f"user,item,event\n{user},{item},{event}\n")
    with pytest.raises(rw.RankwellError, match="is 'skip' as relevant as one with 'buy'"):
        mean(RUN, [tmp_path / f"{number}.csv" for number in range(3)])


def test_events_beside_grades_are_passed(tmp_path):
    log = qrels_with(event=["view", "buy", "buy"], grade=[0, 1, 1])
    assert mean(RUN, pd.DataFrame(log)) == 0.75


@every("words", [("train", "test"), ("Training", "Validation"), ("train", "dev")])
@every("graded", [False, True])
@every("kind", SOME)
def test_rows_of_the_training_data_among_judgements_are_asked_about(tmp_path, kind, graded, words):
    grades = {"grade": [1, 1, 1]} if graded else {}
    rows = qrels_with(split=[words[0], words[1], words[1]], **grades)
    with pytest.warns(rw.errors.DataWarning, match="by 'split' it holds rows of") as caught:
        assert mean(RUN, table(kind, tmp_path, rows)) == 1.0
    frame = pd.DataFrame(rows)
    kept = eval(re.search(r"frame\[frame\[.*?\] == '\w+'\]", str(caught[0].message))[0], {"frame": frame})
    assert mean(RUN, kept) == 0.75
    # of queries that are of one split each, and of several splits to be judged by, all rows are judgements
    for split in ([words[0], words[0], words[1]], [words[1], "private", words[1]], [0, 1, 1]):
        assert mean(RUN, table(kind, tmp_path, rows | {"split": split})) == 1.0


LISTS = {"user": ["u", "v"], "items": [["b", "a"], ["c", "d"]], "probs": [[0.1, 0.9], [0.8, 0.2]]}


def as_text(way, cell):
    return {
        "JSON": json.dumps(cell),
        "Python": str(cell),
        "NumPy": "[" + " ".join(map(str, cell)) + "]",
        "blanks": " ".join(map(str, cell)),
    }[way]


@every("way", ["JSON", "Python", "NumPy", "blanks", "lists"])
@every("end", ["csv", "jsonl"])
def test_numbers_beside_lists_in_text_are_asked_about(tmp_path, way, end):
    if (way, end) == ("lists", "csv"):
        return
    path = tmp_path / f"lists.{end}"
    frame = pl.DataFrame(LISTS)
    if way != "lists":
        frame = pl.DataFrame(
            {
                "user": LISTS["user"],
                **{name: [as_text(way, cell) for cell in LISTS[name]] for name in ("items", "probs")},
            }
        )
    getattr(frame, "write_csv" if end == "csv" else "write_ndjson")(path)
    with pytest.raises(rw.RankwellError, match="is 'probs' the score"):
        mean(path, {"u": {"a": 1}})
    assert mean(path, {"u": {"a": 1}}, columns={"probs": "score"}) == 1.0
    assert mean(path, {"u": {"a": 1}}, order="rows") == 0.5
    path.write_text(
        path.read_text().replace("0.1", "0").replace("0.9", "1").replace("0.8", "0").replace("0.2", "1")
    )
    with pytest.raises(rw.RankwellError, match="is 'probs', which holds 0, 1, the grade"):
        mean(RUN, path)
    assert mean(RUN, path, qrels_columns={"probs": "grade"}) == 0.25  # a at rank 2; v's d is not shown


def test_other_lists_in_text_are_passed(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text('user,item,helpful,genres\nu,a,"[0, 1]",1|2\nv,c,"[0, 0]",0|3\n')
    assert mean(RUN, path) == 0.75


PADDED = {"user": ["u", "v"], "items": [["2", "3", "-1"], ["1", "-1", "-1"]]}


@every("way", ["JSON", "Python", "NumPy", "blanks", "lists", "numbers"])
@every("end", ["csv", "jsonl", "json", "parquet"])
def test_padding_is_no_item_in_text_either(tmp_path, way, end):
    if way in ("lists", "numbers") and end == "csv":
        return
    lists = PADDED["items"] if way == "lists" else [list(map(int, items)) for items in PADDED["items"]]
    cells = lists if way in ("lists", "numbers") else [as_text(way, items) for items in lists]
    frame, path = pl.DataFrame({"user": PADDED["user"], "items": cells}), tmp_path / f"lists.{end}"
    write = {
        "csv": frame.write_csv,
        "jsonl": frame.write_ndjson,
        "json": frame.write_json,
        "parquet": frame.write_parquet,
    }[end]
    write(path)
    assert mean(path, {"u": {"3": 1}, "v": {"9": 1}}, "num_ret") == 3
    # beside ids that are no numbers it is an id
    write = {
        "csv": pl.DataFrame.write_csv,
        "jsonl": pl.DataFrame.write_ndjson,
        "json": pl.DataFrame.write_json,
        "parquet": pl.DataFrame.write_parquet,
    }[end]
    if way in ("JSON", "Python", "lists"):
        texts = [["d2", "-1"], ["d1", "-2", "-1"]]
        write(
            pl.DataFrame(
                {
                    "user": ["u", "v"],
                    "items": texts if way == "lists" else [as_text(way, each) for each in texts],
                }
            ),
            path,
        )
        assert mean(path, {"u": {"d2": 1}, "v": {"9": 1}}, "num_ret") == 5


def test_padding_is_no_item_in_memory_as_in_files():
    for kind in (int, str):
        lists = {"u": [*map(kind, [2, 3, -1])], "v": [*map(kind, [1, -1, -1])]}
        assert mean(lists, {"u": {kind(3): 1}, "v": {kind(9): 1}}, "num_ret") == 3
    assert mean({"u": ["d2", "-1"], "v": ["d1", "-2", "-1"]}, {"u": {"d2": 1}, "v": {"9": 1}}, "num_ret") == 5


def test_padding_that_is_judged_is_asked_about():
    for item in (-1, "-1"):
        with pytest.warns(rw.errors.DataWarning, match="item -1 is judged, but at the end of a list"):
            mean({"u": [3, -1]}, {"u": {item: 1, type(item)(3): 0}})


@every("kind", SOME)
@every("name", ["rank", "Ranking"])
def test_a_ranked_list_in_place_of_judgements_is_asked_about(tmp_path, kind, name):
    """Each of its rows would be relevant; where a click fell is no rank of a run."""
    log = qrels_with(**{name: [1, 2, 1]})
    with pytest.warns(
        rw.errors.DataWarning, match=rf"no grade, but a column '{name}', as runs have\. Are the run and"
    ):
        assert mean(RUN, table(kind, tmp_path, log)) == 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert mean(RUN, table(kind, tmp_path, log), grades="interactions") == 1.0
        assert mean(RUN, table(kind, tmp_path, log | {"rel": [0, 1, 1]})) == 0.75
        assert mean(RUN, table(kind, tmp_path, qrels_with(position=[1, 2, 1]))) == 1.0
