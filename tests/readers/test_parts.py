"""Columns that a run has only for some metrics: read from every form of a table, cut, pickled and sent, and by nobody else."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

import rankwell as rw
from rankwell.readers.frames.columns import Given
from rankwell.readers.frames.pieces import pieces_of
from rankwell.readers.frames.tables import open_table
from rankwell.tables.columns import EXTRA
from rankwell.tables.rows import NO_ID

NEEDED = Given(needs=frozenset({"parts", "support", "sizes"}))
QUERY, ITEM, PART = ["q", "q", "q", "p", "q"], ["a", "b", None, None, "a"], [1, 1, 2, None, 3]
SUPPORT, SIZE = [1.0, 0.5, None, None, 0.0], [10.0, 5.0, None, None, 3.5]
FRAME = pl.DataFrame({"query": QUERY, "part": PART, "item": ITEM, "support": SUPPORT, "size": SIZE})
WORDS = ["support", "partial_support", None, None, "Not_Support"]


def files(frame, folder):
    """A frame in every format that has columns."""
    paths = {
        suffix: folder / f"run.{suffix}" for suffix in ("csv", "tsv", "jsonl", "json", "parquet", "arrow")
    }
    frame.write_csv(paths["csv"])
    frame.write_csv(paths["tsv"], separator="\t")
    frame.write_ndjson(paths["jsonl"])
    paths["json"].write_text(json.dumps(frame.to_dicts()))
    frame.write_parquet(paths["parquet"])
    frame.write_ipc(paths["arrow"])
    return paths


def in_memory(frame):
    """A frame as the other tables in memory."""
    pandas = {} if pytest.importorskip("pandas", reason="pandas") is None else {"pandas": frame.to_pandas()}
    return pandas | {
        "polars": frame,
        "lazy": frame.lazy(),
        "pyarrow": frame.to_arrow(),
        "records": frame.to_dicts(),
        "columns": frame.to_dict(as_series=False),
    }


def rows_of(run):
    """The rows of a run as plain values: parts and items as text, missing ones None."""
    table = run.rows.table()
    columns = [[None if id_ in ("", NO_ID) else str(id_) for id_ in table.extra["part"].tolist()]]
    columns += [[None if np.isnan(x) else x for x in table.extra[word]] for word in ("support", "size")]
    items = [item or None for item in table.item.tolist()]
    return [*zip(table.query.tolist(), items, *columns, strict=True)]


ROWS = [*zip(QUERY, ITEM, [part and str(part) for part in PART], SUPPORT, SIZE, strict=True)]


@pytest.mark.parametrize("support", [SUPPORT, WORDS], ids=["numbers", "words"])
def test_every_table_gives_the_same_rows(tmp_path, support):
    frame = FRAME.with_columns(support=pl.Series(support))
    for name, source in (files(frame, tmp_path) | in_memory(frame)).items():
        run = rw.read_run(source, columns=NEEDED)
        assert rows_of(run) == ROWS, name
        assert not run.unread, name
        assert rows_of(pickle.loads(pickle.dumps(run))) == ROWS, name
    parts = rw.read_run([tmp_path / "run.csv", tmp_path / "run.jsonl"], columns=NEEDED)
    assert rows_of(parts) == ROWS * 2
    assert rows_of(rw.Run(QUERY, ITEM, part=PART, support=SUPPORT, size=SIZE)) == ROWS


def test_a_column_may_have_any_name():
    names = {"query": "q", "part": "self", "item": "exprs", "support": "word", "size": "s"}
    run = rw.read_run(FRAME.rename(names), columns={name: word for word, name in names.items()})
    assert rows_of(run) == ROWS


@pytest.mark.parametrize("parts", [["x", "x", "y", None, "z"], [1.0, 1.0, 2.0, None, 3.0]])
def test_parts_are_text_or_whole_numbers(tmp_path, parts):
    frame = FRAME.with_columns(part=pl.Series(parts))
    plain = [part if part is None or isinstance(part, str) else f"{part:.0f}" for part in parts]
    for name, source in in_memory(frame).items():
        assert [row[2] for row in rows_of(rw.read_run(source, columns=NEEDED))] == plain, name
    with pytest.raises(rw.RankwellError, match="part ids must be text or integers, not Float64"):
        rw.read_run(frame.with_columns(part=0.5), columns=NEEDED)


def test_lists_in_cells_are_of_one_part(tmp_path):
    lists = pl.DataFrame({
        "query": ["q", "q", "p"], "part": [1, 2, 1], "items": [["a", "b"], [], ["c"]], "support": [[1.0, 0.5], [], [None]],
        "size": [[1.0, 2.0], [], [3.0]],
    })  # fmt: skip
    expected = [("q", "a", "1", 1.0, 1.0), ("q", "b", "1", 0.5, 2.0), ("q", None, "2", None, None), ("p", "c", "1", None, 3.0)]  # fmt: skip
    lists.write_parquet(tmp_path / "run.parquet")
    lists.write_ndjson(tmp_path / "run.jsonl")
    for source in (lists, tmp_path / "run.parquet", tmp_path / "run.jsonl"):
        assert rows_of(rw.read_run(source, columns=NEEDED)) == expected
    wrong = lists.with_columns(support=pl.Series([[1.0, 0.5], [], [0.7]]))
    run = open_table(wrong, "run", "lists", NEEDED).run("lists").rows.table()
    assert [run.place(row) for row in range(4)] == [
        "lists, row 1",
        "lists, row 1",
        "lists, row 2",
        "lists, row 3",
    ]


@pytest.mark.parametrize("word", ["score", "rank"])
def test_a_row_without_an_item_needs_no_score_and_no_rank(tmp_path, word):
    frame = FRAME.with_columns(pl.Series(word, [1.0, 2.0, None, None, 1.0]))
    for name, source in (files(frame, tmp_path) | in_memory(frame)).items():
        assert rows_of(rw.read_run(source, columns=NEEDED)) == ROWS, name
    frame = FRAME.with_columns(pl.Series(word, [1.0, None, None, None, 1.0]))
    for name, source in (files(frame, tmp_path) | in_memory(frame)).items():
        with pytest.raises(rw.RankwellError, match=f"the {word} is missing|is not a number \\(nan\\)"):
            rw.read_run(source, columns=NEEDED)
        assert name


def test_a_support_that_is_no_number_and_no_word_is_named_with_its_place(tmp_path):
    frame = FRAME.with_columns(support=pl.Series(["support", None, None, None, "perhaps"]))
    for suffix, line in {"csv": "run.csv:6", "jsonl": "run.jsonl:5", "parquet": "run.parquet, row 5"}.items():
        with pytest.raises(rw.RankwellError, match=f"{line}: the support 'perhaps' is not a number"):
            rw.read_run(files(frame, tmp_path)[suffix], columns=NEEDED)


def test_columns_of_these_names_mean_nothing_to_others(tmp_path):
    frame = FRAME.with_columns(item=pl.col("item").fill_null("z"), score=pl.Series([5.0, 4, 3, 2, 1])).head(3)
    plain = frame.select("query", "item", "score")
    for source, without in zip(
        (files(frame, tmp_path) | in_memory(frame)).values(),
        (files(plain, tmp_path / "plain" if (tmp_path / "plain").mkdir() is None else tmp_path) | in_memory(plain)).values(),
        strict=True,
    ):  # fmt: skip
        run = rw.read_run(source)
        assert run.rows.table().extra == {}
        assert {column.name for column in run.unread} == {"part", "support", "size"}
        res, other = (rw.evaluate(each, {"q": {"b": 1}}, ["rr", "ap"]) for each in (source, without))
        assert res.per_query.equals(other.per_query)
    with pytest.raises(rw.RankwellError, match="the item is missing"):
        rw.read_run(FRAME, order="rows")


def test_a_column_is_read_if_somebody_names_it():
    frame = FRAME.rename({"part": "sentence"}).with_columns(score=pl.Series([5.0, 4, 3, 2, 1]))
    run = rw.read_run(frame, columns={"sentence": "part"})
    assert run.rows.table().extra.keys() == {"part"}
    assert {column.name for column in run.unread} == {"support", "size"}
    for metrics in (["p@5"], ["p@5", "coverage@10"]):
        with pytest.raises(
            rw.RankwellError,
            match="the run was read with parts, such as the sentences of an answer, and p reads one list",
        ):
            rw.evaluate(frame, {"q": {"a": 1}}, metrics, columns={"sentence": "part"}, items=["a", "b"])
    with pytest.raises(rw.RankwellError, match="was read with parts"):
        rw.fuse({"a": run, "b": {"q": {"a": 1.0}}})


def test_an_unknown_column_of_a_run_is_refused():
    with pytest.raises(
        rw.RankwellError, match=r"Run has no argument parts=; further columns are .* Did you mean part\?"
    ):
        rw.Run(["q"], ["a"], parts=[1])
    with pytest.raises(rw.RankwellError, match="the query column has 1 rows, part has 2"):
        rw.Run(["q"], ["a"], part=[1, 2])
    with pytest.raises(rw.RankwellError, match="support"):
        rw.Run(["q"], ["a"], part=[1], support=["much"])


def test_files_of_one_run_have_the_same_columns(tmp_path):
    first = files(FRAME, tmp_path)["csv"]
    other = tmp_path / "other.csv"
    FRAME.drop("size").write_csv(other)
    with pytest.raises(
        rw.RankwellError,
        match=r"other.csv: it has part and support, while .*run.csv has part and size and support",
    ):
        rw.read_run([first, other], columns=NEEDED)


@pytest.mark.parametrize("size", [2, 100])
def test_rows_of_scattered_queries_are_brought_together_with_their_columns(tmp_path, size):
    frame = pl.DataFrame({
        "query": [n % 7 for n in range(70)], "item": [f"i{n}" for n in range(70)], "score": [float(n) for n in range(70)],
        "part": [f"{n % 3}" for n in range(70)], "support": [None if n % 5 == 0 else 0.5 for n in range(70)], "size": [n / 2 for n in range(70)],
    })  # fmt: skip
    expected = {row["item"]: row for row in frame.to_dicts()}
    # rows that say that a part lists nothing, and one that an answer is empty
    frame = pl.concat([frame, pl.DataFrame({"query": [3, 9], "part": ["7", None]})], how="diagonal_relaxed")
    frame.write_csv(tmp_path / "run.csv")
    frame.write_parquet(tmp_path / "run.parquet")
    for source in (frame, tmp_path / "run.csv", tmp_path / "run.parquet", frame.rechunk().to_pandas()):
        empty = 0
        for make in open_rows(source).batches(size):
            lists = make()
            parts, support, sizes = (lists.extra[word] for word in ("part", "support", "size"))
            for row, item in enumerate(lists.items.tolist()):
                if not item:
                    empty += 1
                    assert parts.one(row) in ("7", "")
                    continue
                whole = expected[item]
                assert str(parts.one(row)) == whole["part"]
                assert sizes[row] == whole["size"]
                assert (
                    np.isnan(support[row]) if whole["support"] is None else support[row] == whole["support"]
                )
        assert empty == 2


def open_rows(source):
    """The rows of a run that was opened, not read."""
    from rankwell.readers import open_run

    return open_run(source, columns=NEEDED).rows


def test_pieces_have_the_columns(tmp_path):
    for name, source in (files(FRAME, tmp_path) | in_memory(FRAME)).items():
        for run in (rw.read_run(source, columns=NEEDED), rw.Run.of_rows(open_rows(source), "run")):
            pieces = list(pieces_of(run).read())
            assert set(EXTRA) <= pieces[0].keys(), name
            assert pieces[0]["size"].tolist()[:2] == [10.0, 5.0], name


ONE_MORE = '''
import importlib.util, pathlib, sys, types
import numpy as np

spec = importlib.util.find_spec("rankwell.tables.columns")
source, mark = pathlib.Path(spec.origin).read_text(encoding="utf-8"), '    "support": KnownColumn('
assert source.count(mark) == 1
line = '    "cost": KnownColumn("number", "what it costs to look at a row", _names(common="cost price"), "cost", ("run",)),\\n'
module = sys.modules["rankwell.tables.columns"] = types.ModuleType("rankwell.tables.columns")
module.__file__, module.__spec__ = spec.origin, spec
exec(compile(source.replace(mark, line + mark), spec.origin, "exec"), module.__dict__)

import rankwell as rw
from rankwell.extend import QueryMetric, definition

@definition
class Spent(QueryMetric):
    """What a list costs."""
    name = "spent"
    range = (0, float("inf"))
    judgements = False
    undefined = "never"
    cut = "none"
    needs = {"shown", "cost"}
    def per_query(self, judged, context):
        return judged.shown.sum(judged.shown.extra["cost"])

import pickle, polars as pl
folder = pathlib.Path(sys.argv[1])
frame = pl.DataFrame({"query": [1, 2, 1], "item": [5, 6, 7], "score": [3.0, 2.0, 1.0], "Price": [0.25, 2.0, 4.0]})
frame.write_csv(folder / "run.csv")
frame.write_parquet(folder / "run.parquet")
run = rw.Run(frame["query"], frame["item"], frame["score"], cost=frame["Price"])
named = rw.read_run(frame, columns={"Price": "cost"})
sources = frame, folder / "run.csv", folder / "run.parquet", frame.to_dicts(), run, pickle.loads(pickle.dumps(run)), named
for source in sources:
    for engine in ("memory", "stream", rw.Stream(part_rows=2)):
        res = rw.evaluate(source, None, ["spent", "coverage@1"], items=[5, 6, 7], engine=engine)
        assert sorted(res.per_query["spent"].to_list()) == [2.0, 4.25], (source, engine)
try:
    rw.evaluate({1: {5: 1.0}}, None, ["spent"])
except rw.RankwellError as error:
    assert "spent reads the column cost of a run, and this one was read without" in str(error), error
    print("done")
'''


def test_one_more_column_is_one_line(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(ONE_MORE, encoding="utf-8")
    done = subprocess.run([sys.executable, script, tmp_path], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("done\n", "")
