"""A list of items in one cell of text is read as a list, or asked about; it is never one id."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import rankwell as rw
from rankwell.cli import run as command
from rankwell.errors import DataError, UsageError

LISTS = [["d1", "d2", "d3"], ["d4", "d1", "d5"]]
QRELS = {"1": {"d2": 1}, "2": {"d4": 1}}
RIGHT = {"rr": 0.75}
CELLS = {
    "blank": [" ".join(each) for each in LISTS],
    "comma": [",".join(each) for each in LISTS],
    "semicolon": ["; ".join(each) for each in LISTS],
    "bar": ["|".join(each) for each in LISTS],
}
PRINTED = {
    "Python": [str(each) for each in LISTS],
    "JSON": [str(each).replace("'", '"').replace(" ", "") for each in LISTS],
    "NumPy": [str(np.array(each)) for each in LISTS],
    "plain": [f"[{', '.join(each)}]" for each in LISTS],
}
WRITERS = {
    ".csv": "write_csv",
    ".parquet": "write_parquet",
    ".arrow": "write_ipc",
    ".ndjson": "write_ndjson",
    ".json": "write_json",
}


def frame(cells, column="item"):
    return pl.DataFrame({"query": ["1", "2"], column: cells})


def sources(table, folder):
    yield table
    yield table.lazy()
    yield table.with_columns(pl.col("^item.*$").cast(pl.Categorical))
    yield table.to_pandas()
    yield table.to_dicts()
    yield table.to_dict(as_series=False)
    (folder / "columns.json").write_text(json.dumps(table.to_dict(as_series=False)))
    yield folder / "columns.json"
    for suffix, write in WRITERS.items():
        getattr(table, write)(folder / f"a{suffix}")
        yield folder / f"a{suffix}"


@pytest.mark.parametrize("kind", PRINTED)
@pytest.mark.parametrize("column", ["item", "items", "item_ids"])
def test_printed_lists_are_recognised_everywhere(tmp_path, kind, column):
    for source in sources(frame(PRINTED[kind], column), tmp_path):
        assert rw.evaluate(source, QRELS, "rr").mean == RIGHT, source
        assert len(rw.read_qrels(source)) == 6


@pytest.mark.parametrize("way", CELLS)
def test_signs_under_a_plural_name_are_recognised_everywhere(tmp_path, way):
    for source in sources(frame(CELLS[way], "items"), tmp_path):
        assert rw.evaluate(source, QRELS, "rr").mean == RIGHT, source


@pytest.mark.parametrize("way", CELLS)
@pytest.mark.parametrize("read", [rw.read_run, rw.read_qrels])
def test_signs_under_a_singular_name_are_asked_about_and_the_remedies_work(tmp_path, way, read):
    for source in sources(frame(CELLS[way]), tmp_path):
        with pytest.raises(DataError, match=f"in the column 'item' a list of items.*items_in='{way}'"):
            read(source)
        assert len(read(source, items_in=way)) == 6
        assert len(read(source, items_in="one")) == 2


@pytest.mark.parametrize("way", CELLS)
def test_the_remedies_work_on_the_command_line(tmp_path, capsys, way):
    frame(CELLS[way]).write_csv(tmp_path / "run.csv")
    (tmp_path / "qrels").write_text("1 0 d2 1\n2 0 d4 1\n")
    evaluate = ["evaluate", str(tmp_path / "qrels"), str(tmp_path / "run.csv"), "-m", "rr"]
    assert command(evaluate) == 3
    assert f"--items-in {way}" in capsys.readouterr().err
    assert command([*evaluate, "--items-in", way]) == 0
    assert "0.75" in capsys.readouterr().out
    evaluate = [
        "evaluate",
        str(tmp_path / "run.csv"),
        str(tmp_path / "run.csv"),
        "-m",
        "rr",
        "--items-in",
        way,
    ]
    assert command(evaluate) == 3
    assert f"--qrels-items-in {way}" in capsys.readouterr().err
    assert command([*evaluate, "--qrels-items-in", way]) == 0
    assert "1.0" in capsys.readouterr().out


@pytest.mark.parametrize("engine", [None, "stream"])
def test_lists_of_judgements_have_an_argument_of_their_own(tmp_path, engine):
    frame(CELLS["blank"]).write_csv(tmp_path / "judged.csv")
    for qrels in (frame(CELLS["blank"]), tmp_path / "judged.csv"):
        run = {"1": ["d2"], "2": ["d4"]}
        with pytest.raises(DataError, match="say qrels_items_in='blank'"):
            rw.evaluate(run, qrels, "rr", engine=engine)
        res = rw.evaluate(run, qrels, "rr", engine=engine, read={"qrels_items_in": "blank"})
        assert res.mean == {"rr": 1.0}
    with pytest.raises(UsageError, match="qrels_items_in= is for tables"):
        rw.evaluate(run, {"1": {"a": 1}}, "rr", read={"qrels_items_in": "blank"})
    (tmp_path / "qrels").write_text("1 0 d2 1\n")
    with pytest.raises(UsageError, match="qrels_items_in= is for tables"):
        rw.evaluate(run, tmp_path / "qrels", "rr", engine=engine, read={"qrels_items_in": "blank"})


def test_lists_of_scores_may_stand_beside(tmp_path):
    table = frame(CELLS["blank"], "items").with_columns(scores=pl.Series(["1 3 2", "5 6 7"]))
    for source in sources(table, tmp_path):
        assert rw.evaluate(source, {"1": {"d2": 1}, "2": {"d1": 1}}, "rr").mean == RIGHT
    uneven = table.with_columns(scores=pl.Series(["1 3", "5 6 7"]))
    uneven.write_csv(tmp_path / "b.csv")
    with pytest.raises(DataError, match=r"b.csv:2: 3 items in 'items', but 2 in 'scores'"):
        rw.read_run(tmp_path / "b.csv")


def test_ids_with_blanks_are_ids_where_a_query_has_several_rows_or_there_are_scores():
    titles = {"user": ["1", "1", "2"], "item": ["The Matrix", "Big", "The Sting"]}
    assert len(rw.read_qrels(titles)) == 3
    assert (
        len(rw.read_run({"user": ["1", "2"], "item": ["The Matrix", "The Sting"], "score": [1.0, 2.0]})) == 2
    )


def test_a_list_that_was_shortened_when_it_was_printed_is_refused(tmp_path):
    with pytest.raises(DataError, match=r"row 2: '\[1 2 \.\.\. 9\]' is no list of ids"):
        rw.read_run(frame(["[1 2]", "[1 2 ... 9]"]))


def test_another_sign_in_later_rows_is_asked_about():
    later = pl.DataFrame({"query": [str(n) for n in range(2_000)], "items": ["a b"] * 1_999 + ["a,b"]})
    with pytest.raises(DataError, match="row 2000: 'a,b' holds ',', while the first rows are lists by blank"):
        rw.read_run(later)


def test_items_in_is_refused_where_nothing_is_a_list_in_a_cell(tmp_path):
    (tmp_path / "a.run").write_text("1 Q0 a 1 2.0 t\n")
    for source in (tmp_path / "a.run", {"1": {"a": 1.0}}):
        with pytest.raises(UsageError, match="items_in= is for tables"):
            rw.read_run(source, items_in="blank")
    with pytest.raises(UsageError, match="items_in"):
        rw.read_run(frame(CELLS["blank"]), items_in="dash")


def test_a_cell_without_brackets_among_lists_is_asked_about():
    with pytest.raises(DataError, match=r"row 1: is \"\['d1', 'd2'\]\" .* say items_in='brackets'"):
        rw.read_run(frame(["['d1', 'd2']", "d3 d4"]))
    with pytest.raises(DataError, match=r"row 2: 'd3 d4' is no list of ids"):
        rw.read_run(frame(["['d1', 'd2']", "d3 d4"]), items_in="brackets")


@pytest.mark.parametrize("item", ["item", "items"])
def test_queries_of_several_types_beside_cells_of_lists_are_refused_as_such(item):
    run = {"query": [1, "x"], item: ["a b", "c"]}
    with pytest.raises(
        rw.RankwellError, match="query ids must be all str or all int, but there are int and str"
    ):
        rw.evaluate(run, {"x": ["c"]}, "rr")


SCORED = {
    "blank": ["a:9 x:5.5 b:3", "y:9 c:5"],
    "comma": ["a:9,x:5.5", "y:9, c:-5"],
    "one": ['{"a": 9, "x": 5.5}', "{'y': 9}"],
}


@pytest.mark.parametrize("way", SCORED)
@pytest.mark.parametrize("read", [rw.read_run, rw.read_qrels])
def test_items_with_their_scores_in_a_cell_are_asked_about_and_the_remedy_works(tmp_path, way, read):
    table = pl.DataFrame({"query": ["1", "2"], "items": SCORED[way]})
    table.write_csv(tmp_path / "t.csv")
    table.write_ndjson(tmp_path / "t.jsonl")
    for source in (
        table,
        table.rename({"items": "item"}),
        str(tmp_path / "t.csv"),
        str(tmp_path / "t.jsonl"),
    ):
        if way == "one" or "item" not in getattr(source, "columns", []):
            with pytest.raises(DataError, match=rf"items with scores\?.*a row of its own.*items_in='{way}'"):
                read(source)
        expected = 2 if way == "one" else sum(cell.count(":") for cell in SCORED[way])
        assert len(read(source, items_in=way)) == expected


def test_ids_with_a_colon_or_braces_in_a_cell_are_ids():
    lists = (
        ["doc:3 doc:1", "doc:2 doc:7"],
        ["a:x b:y", "c:z d:9"],
        ["{3F25-0C} {4A}", "{7}"],
        ["a:1 a:2", "b:1 c:2"],
    )
    for cells in lists:
        assert len(rw.read_run({"query": ["1", "2"], "items": cells})) == len(" ".join(cells).split())
    assert len(rw.read_run({"query": ["1", "2"], "item": ["{3F25-0C}", "{7}"]})) == 2
