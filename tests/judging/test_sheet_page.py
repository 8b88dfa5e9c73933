"""What a sheet holds: texts, pictures, grades and guidelines; and one error for what cannot be one."""

from __future__ import annotations

import json
import re

import polars as pl
import pytest
from PIL import Image

import rankwell as rw
from rankwell.errors import RankwellError
from rankwell.judging.sheets import as_html

ITEMS = [{"item": each, "text": f"text of {each}"} for each in "abcd"]
PAIRS = {"1": {"a": 1, "b": 0}, "2": {"c": 2}}


def data_of(sheet):
    text = re.search(
        r'<script type="application/json" id="sheet-data">(.*?)</script>', sheet.to_html(), re.DOTALL
    )
    return json.loads(text[1])


def test_the_page_holds_the_pairs_and_neither_grades_nor_systems():
    sheet = rw.judging.sheet(PAIRS, items=ITEMS, queries={"1": "one", "2": "two"}, order="given")
    data = data_of(sheet)
    asked = [
        (data["queries"][pair["query"]], data["items"][pair["item"]])
        for pair in (data["pairs"][task["pair"]] for task in data["tasks"])
    ]
    assert asked == [
        ({"id": "1", "text": "one"}, {"id": "a", "text": "text of a"}),
        ({"id": "1", "text": "one"}, {"id": "b", "text": "text of b"}),
        ({"id": "2", "text": "two"}, {"id": "c", "text": "text of c"}),
    ]
    assert data.keys() == {"key", "name", "grades", "pairs", "tasks", "queries", "items", "pictures"}
    assert sheet.notes() == []


def test_what_next_chose_is_taken_as_it_is_and_as_its_file(tmp_path):
    runs = {"x": {"1": {"a": 2, "b": 1}}, "y": {"1": {"b": 2, "c": 1}}}
    chosen = rw.judging.next(runs, budget=3)
    chosen.save(tmp_path / "next.tsv")
    sheets = [
        rw.judging.sheet(each, items=ITEMS, order="given") for each in (chosen, str(tmp_path / "next.tsv"))
    ]
    assert len(sheets[0]) == 3
    assert sheets[0].to_dict() == sheets[1].to_dict()
    assert [sheets[0].items[sheets[0].pairs[task.pair][1]]["id"] for task in sheets[0].tasks] == [
        pick.item for pick in chosen
    ]


@pytest.mark.parametrize("column", ["id", "_id", "doc_id", "docid", "docno", "item"])
@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".tsv", ".parquet"])
def test_items_of_beir_and_ir_datasets_are_found_by_their_names_for_ids(tmp_path, column, suffix):
    rows = pl.DataFrame([{column: each["item"], "text": each["text"], "code": 7} for each in ITEMS])
    write = {".jsonl": rows.write_ndjson, ".csv": rows.write_csv, ".parquet": rows.write_parquet}
    path = tmp_path / f"docs{suffix}"
    write.get(suffix, lambda file: rows.write_csv(file, separator="\t"))(path)
    found = [rw.judging.sheet(PAIRS, items=each) for each in (str(path), rows, rows.to_dicts())]
    assert found[0].items == found[1].items == found[2].items
    assert found[0].items[0] == {"id": "a", "text": "text of a"}
    assert len(rw.judging.prompts(PAIRS, items=str(path), model="m", queries={"1": "one", "2": "two"})) == 3


@pytest.mark.parametrize("other", ["id", "docid", "product"])
def test_a_column_called_item_goes_before_other_names(other):
    for order in (["item", other, "text"], [other, "item", "text"]):
        rows = [{"item": each["item"], other: at, "text": each["text"]} for at, each in enumerate(ITEMS)]
        sheet = rw.judging.sheet(PAIRS, items=pl.DataFrame(rows).select(order))
        assert sheet.items[0] == {"id": "a", "text": "text of a"}


def test_items_without_ids_are_told_to_be_renamed(tmp_path):
    (tmp_path / "docs.jsonl").write_text('{"url": "a", "text": "x"}\n')
    with pytest.raises(
        RankwellError,
        match=r"columns are 'url', 'text'. Name it item \(or id, itemid, …\): rename the column",
    ) as told:
        rw.judging.sheet(PAIRS, items=str(tmp_path / "docs.jsonl"))
    assert "--columns" not in str(told.value)
    with pytest.raises(RankwellError, match="there is no column for the item; the columns are 'id', '_id'"):
        rw.judging.sheet(PAIRS, items=[{"id": "a", "_id": "b", "text": "x"}])


def test_the_key_is_of_tasks_texts_pictures_and_grades_alone(tmp_path):
    for colour in ("red", "blue"):
        Image.new("RGB", (8, 8), colour).save(tmp_path / f"{colour}.png")

    def key_of(pairs=PAIRS, items=ITEMS, queries=None, **other):
        table = pl.DataFrame(items, infer_schema_length=None)
        table.write_parquet(tmp_path / "items.parquet")
        found = rw.judging.sheet(pairs, items=str(tmp_path / "items.parquet"), queries=queries, **other)
        assert data_of(found)["key"] == found.key
        return found.key

    key = key_of()
    guide = tmp_path / "guide.md"
    guide.write_text("judge well")
    assert key_of(items=ITEMS[:3], lang="ko", title="x", scale="0-3", guidelines=guide) == key
    others = [
        key_of(scale="0-1"),
        key_of(repeats=0.5),
        key_of({"1": ["a", "b"], "2": ["d"]}),
        key_of(items=[*ITEMS[:2], {"item": "c", "text": "another text of c"}]),
        key_of(items=[*ITEMS[:2], {"item": "c", "title": "text of c", "text": None}]),
        key_of(queries={"1": "one", "2": "two"}),
        key_of(queries={"1": "two", "2": "one"}),
        *(key_of(items=[*ITEMS[:2], {**ITEMS[2], "image": f"{colour}.png"}]) for colour in ("red", "blue")),
    ]
    assert len({key, *others}) == 1 + len(others)


def test_the_key_tells_apart_texts_that_are_alike_when_joined():
    keys = {
        rw.judging.sheet({"1": ["a"]}, items=[{"item": "a", "title": title, "text": text}]).key
        for title, text in (("x", "yz"), ("xy", "z"), ('x", "text": "y', "z"))
    }
    assert len(keys) == 3


def test_titles_texts_and_pictures_come_from_columns_of_usual_or_given_names(tmp_path):
    Image.new("RGB", (1000, 500), "red").save(tmp_path / "red.png")
    (tmp_path / "items.csv").write_text(
        "id,item,title,abstract,poster,year\n1,a,A,about a,red.png,1999\n2,b,B,,https://a.b/c.png,2000\n3,c,,,no.png,\n"
    )
    items = str(tmp_path / "items.csv")
    sheet = rw.judging.sheet(PAIRS, items=items, read={}, order="given")
    data = data_of(sheet)
    assert data["items"] == [
        {"id": "a", "title": "A", "text": "about a", "picture": 0}, {"id": "b", "title": "B"}, {"id": "c"},
    ]  # fmt: skip
    assert data["pictures"][0].startswith("data:image/webp;base64,")
    assert sheet.notes() == [
        "2 of the queries have no text, and are shown by their id",
        "1 of the items have no text, and are shown by their id",
        "1 pictures are addresses on the network, which the page never asks, and are left out",
        "1 pictures cannot be read, and are left out",
    ]
    own = data_of(rw.judging.sheet(PAIRS, items=items, text=["year", "title"], order="given"))["items"]
    assert own[:2] == [
        {"id": "a", "title": "1999", "text": "A", "picture": 0},
        {"id": "b", "title": "2000", "text": "B"},
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scale": "0-10"}, "no grade with a label"),
        ({"scale": "1"}, "no grade with a label"),
        ({"scale": "3-3"}, "at least two grades"),
        ({"scale": "0=a,0=b"}, "0 is given twice"),
        ({"scale": {0: "a", 12: "b"}}, "12 cannot be a grade"),
        ({"scale": {0: "a", 1: "b" * 61}}, "say more in the guidelines"),
        ({"repeats": 1.5}, "a share from 0 to 1"),
        ({"repeats": float("nan")}, "a finite number"),
        ({"order": "rnd"}, "query, given or random"),
        ({"seed": -1}, "0 or more"),
        ({"lang": "fr"}, "must be en or ko"),
        ({"text": "txt"}, "Did you mean text?"),
        ({"text": []}, "must be a column of items="),
        ({"text": [3]}, "must be a column of items="),
        ({"image": "picture"}, "has no column 'picture'"),
        ({"items": [{"item": "z", "text": "z"}]}, "any of the 3 items to judge, such as 'a'"),
        ({"queries": {"z": "z"}}, "any of the 2 queries to judge, such as '1'"),
        ({"guidelines": "no.md"}, "no.md: cannot be read"),
    ],
)
def test_what_cannot_be_a_sheet_is_one_error(options, message):
    with pytest.raises(RankwellError, match=re.escape(message)):
        rw.judging.sheet(PAIRS, **{"items": ITEMS, **options})


def test_nothing_to_judge_is_an_error():
    with pytest.raises(RankwellError, match="no pair of query and item to judge"):
        rw.judging.sheet({}, items=ITEMS)


def test_a_label_may_hold_a_comma_and_guidelines_are_read_as_utf8(tmp_path):
    (tmp_path / "guide.md").write_bytes("\ufeff# 지침\n".encode())
    sheet = rw.judging.sheet(
        PAIRS, items=ITEMS, scale="0=no, or hardly,1=yes", guidelines=tmp_path / "guide.md"
    )
    assert [tuple(each) for each in sheet.grades] == [(0, "no, or hardly"), (1, "yes")]
    assert "<h3>지침</h3>" in sheet.to_html()
    (tmp_path / "guide.md").write_bytes("지침".encode("cp949"))
    with pytest.raises(RankwellError, match="in UTF-8"):
        rw.judging.sheet(PAIRS, items=ITEMS, guidelines=tmp_path / "guide.md")


@pytest.mark.parametrize(
    "text", ["<b>x</b>", "[x](javascript:alert(1))", "![x](http://a.b/c)", "<!-- x", "| a |\n|:-:|\n| b |"]
)
def test_guidelines_bring_no_markup_of_their_own(text):
    found = as_html(text)
    assert not re.search(r"<(?!/?(p|a|table|thead|tbody|tr|th|td)\b)", found)
    assert not re.search(r"javascript:[^<]*\"|style=|src=", found)
