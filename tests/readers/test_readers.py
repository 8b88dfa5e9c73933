"""The same data from every source give the same bits; bad data give one clear error with a place."""

from __future__ import annotations

import gzip
import random
import subprocess
import sys
from itertools import pairwise

import numpy as np
import polars as pl
import pytest

import rankwell as rw
from rankwell import testing
from rankwell.cli.words import as_options
from rankwell.evaluation.engines.memory import Memory
from rankwell.readers import read_items
from rankwell.readers.bytes.files import File
from rankwell.readers.registry import guess

METRICS = ["ap", "ndcg@3", "rr", "p@2", "bpref", "err", "judged@3"]
POLICY = rw.Policy(grades="judgements")
DATA = testing.example(11)
RUN_ROWS = [(q, i, s) for q, items in DATA.run.items() for i, s in items.items()]
QRELS_ROWS = [(q, i, g) for q, items in DATA.qrels.items() for i, g in items.items()]
RUN = pl.DataFrame(RUN_ROWS, schema=["query", "item", "score"], orient="row")
QRELS = pl.DataFrame(QRELS_ROWS, schema=["query", "item", "grade"], orient="row")


def outcome(run, qrels):
    return rw.evaluate(run, qrels, METRICS, policy=POLICY)


EXPECTED = outcome(DATA.run, DATA.qrels)


def same(res, other=EXPECTED):
    return res.per_query.equals(other.per_query) and res.mean == other.mean


def sources():
    yield "polars", RUN, QRELS
    yield "polars lazy", RUN.lazy(), QRELS.lazy()
    yield "polars categorical", RUN.with_columns(pl.col("query").cast(pl.Categorical)), QRELS
    yield "pandas", RUN.to_pandas(), QRELS.to_pandas()
    yield "pyarrow", RUN.to_arrow(), QRELS.to_arrow()
    yield (
        "in pieces",
        pl.concat([RUN[:3], RUN[3:]], rechunk=False),
        pl.concat([QRELS[:5], QRELS[5:]], rechunk=False),
    )
    yield "columns", rw.Run(**RUN.to_dict()), rw.Qrels(**QRELS.to_dict())
    yield "lists", rw.Run(**RUN.to_dict(as_series=False)), rw.Qrels(**QRELS.to_dict(as_series=False))
    arrays = {name: column.to_numpy() for name, column in RUN.to_dict().items()}
    yield "arrays", rw.Run(**arrays), QRELS
    yield "other names", RUN.rename({"query": "user_id", "item": "movieId", "score": "prediction"}), QRELS


def test_every_source_gives_the_bits_of_the_dicts():
    for name, run, qrels in sources():
        assert same(outcome(run, qrels)), name


DUCKDB = """
import duckdb, polars, rankwell, sys
folder, metrics = sys.argv[1], sys.argv[2].split()
run, qrels = (duckdb.sql(f"select * from '{folder}/{name}.parquet'") for name in ("run", "qrels"))
res = rankwell.evaluate(run, qrels, metrics, policy=rankwell.Policy(grades="judgements"))
res.per_query.write_parquet(f"{folder}/values.parquet")
"""


def test_a_relation_of_duckdb_gives_the_bits_of_the_dicts(tmp_path):
    pytest.importorskip("duckdb", reason="duckdb is not installed")
    RUN.write_parquet(tmp_path / "run.parquet")
    QRELS.write_parquet(tmp_path / "qrels.parquet")
    # a process of its own: DuckDB reports objects alive at its end, long after the tests have been summed up
    command = [sys.executable, "-c", DUCKDB, str(tmp_path), " ".join(METRICS)]
    subprocess.run(command, check=True, capture_output=True)
    assert pl.read_parquet(tmp_path / "values.parquet").equals(EXPECTED.per_query)


RUN_TEXT = "".join(f"{q} Q0 {i} 1 {s!r} t\n" for q, i, s in RUN_ROWS)
QRELS_TEXT = "".join(f"{q} 0 {i} {g}\n" for q, i, g in QRELS_ROWS)
SPELLINGS = {
    "plain": lambda text: text.encode(),
    "tabs": lambda text: text.replace(" ", "\t").encode(),
    "wide": lambda text: text.replace(" ", " \t  ").encode(),
    "crlf": lambda text: text.replace("\n", "\r\n").encode(),
    "bom": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "comments": lambda text: ("# one\n\n" + text.replace("\n", "\n# more\n   \n", 3)).encode(),
    "no last line end": lambda text: text.rstrip("\n").encode(),
    "gzip": lambda text: gzip.compress(text.encode()),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_every_spelling_of_trec_text_gives_the_bits_of_the_dicts(tmp_path, spelling):
    run, qrels = tmp_path / "a.run", tmp_path / "a.qrels"
    run.write_bytes(SPELLINGS[spelling](RUN_TEXT))
    qrels.write_bytes(SPELLINGS[spelling](QRELS_TEXT))
    assert same(outcome(run, qrels))


def test_a_run_that_is_said_to_be_trec_text_may_have_a_tag_of_words_and_scattered_queries(tmp_path):
    lines = RUN_TEXT.replace(" t\n", " a tag of words\n").splitlines(keepends=True)
    random.Random(4).shuffle(lines)
    path = tmp_path / "shuffled.run"
    path.write_text("".join(lines), encoding="utf-8")
    assert same(outcome(rw.read_run(path, format_in="trec"), DATA.qrels))


def scattered(rows):
    rng = random.Random(7)
    lists = {
        f"q{n}": {f"d{rng.randrange(10**6)}": rng.choice([1.0, 2.0, 3.5]) for _ in range(20)}
        for n in range(100)
    }
    flat = [(q, i, s) for q, items in lists.items() for i, s in items.items()]
    if rows == "scattered":
        rng.shuffle(flat)
    if rows == "late":  # one query comes back at the very end
        flat = flat[1:] + flat[:1]
    qrels = {q: dict.fromkeys(list(items)[:4], 1) | {"x": 2} for q, items in lists.items()}
    return lists, flat, qrels


@pytest.mark.parametrize("rows", ["grouped", "scattered", "late"])
def test_batches_threads_and_formats_change_no_bit(tmp_path, rows):
    lists, flat, qrels = scattered(rows)
    expected = rw.evaluate(lists, qrels, METRICS, policy=POLICY)
    text = tmp_path / "run.txt"
    text.write_text("".join(f"{q} Q0 {i} 0 {s} t\n" for q, i, s in flat))
    frame = pl.DataFrame(flat, schema=["query", "item", "score"], orient="row")
    frame.write_parquet(tmp_path / "run.parquet", row_group_size=500)
    for run in (text, tmp_path / "run.parquet", frame, rw.Run(**frame.to_dict())):
        for batch, threads in ((1, 1), (100, 2), (999, 4), (10**6, None)):
            res = rw.evaluate(run, qrels, METRICS, policy=POLICY, engine=Memory(batch=batch), threads=threads)
            assert same(res, expected), (run, batch, threads)


def test_ids_that_look_like_numbers_stay_text_and_order_ties_alike():
    run = {"1": {"0104257": 1.0, "104257": 1.0}}
    assert rw.evaluate(run, {"1": {"104257": 1}}, ["rr"])["rr"] == 1.0  # '1…' comes before '0…' going down
    text = {"1": {"10": 1.0, "9": 1.0, "100": 1.0, "-1": 1.0}}
    integers = {1: {int(item): score for item, score in text["1"].items()}}
    for item in text["1"]:
        ours = rw.evaluate(text, {"1": {item: 1}}, ["rr"])["rr"]
        assert ours == rw.evaluate(integers, {1: {int(item): 1}}, ["rr"])["rr"], item


def test_text_that_is_plain_numbers_meets_integers_and_this_is_said():
    res = rw.evaluate({"1": {"10": 1.0}}, {1: {10: 1}}, ["rr"])
    assert res["rr"] == 1.0
    assert res.counts["run ids read as integers"] == 2
    other = rw.evaluate({1: {10: 1.0}}, {"1": {"10": 1}}, ["rr"])
    assert other["rr"] == 1.0
    assert other.counts["judgement ids read as integers"] == 1


@pytest.mark.parametrize("item", ["010", "a", "1.0", " 1"])
def test_text_that_is_not_plain_numbers_does_not_meet_integers(item):
    with pytest.raises(rw.RankwellError, match="text on one side and integers on the other"):
        rw.evaluate({1: {item: 1.0}}, {1: {10: 1}}, ["rr"])


def test_a_rank_column_rules_and_contradictions_are_counted():
    frame = pl.DataFrame(
        {"query": ["1"] * 3, "item": ["a", "b", "c"], "rank": [0, 1, 2], "score": [1.0, 3.0, 2.0]}
    )
    res = rw.evaluate(frame, {"1": {"b": 1}}, ["rr"])
    assert res["rr"] == 0.5
    assert res.counts["rows whose rank contradicts the score"] == 1
    upside_down = rw.evaluate(frame.reverse(), {"1": {"b": 1}}, ["rr"])
    assert upside_down.counts == res.counts
    assert rw.evaluate(frame.drop("score", "rank"), {"1": {"c": 1}}, ["rr"])["rr"] == pytest.approx(1 / 3)
    assert rw.evaluate({"1": ["x", "a"]}, {"1": ["a"]}, ["rr"])["rr"] == 0.5


@pytest.mark.parametrize("group", [1, 7, 50, 1000])
def test_lists_that_two_pieces_of_a_table_share_are_whole(tmp_path, group):
    rng = random.Random(group)
    rows = [
        (query, item, rank + 1, rng.random())
        for query in range(40)
        for rank, item in enumerate(rng.sample(range(30), rng.choice([1, 2, 9, 30])))
    ]
    frame = pl.DataFrame(rows, schema=["query", "item", "rank", "score"], orient="row")
    frame.write_parquet(tmp_path / "run.parquet", row_group_size=group)
    inverted = sum(
        a[0] == b[0] and b[3] > a[3] for a, b in pairwise(rows)
    )  # rows below a row with a better rank and a lower score
    expected = rw.evaluate(frame, {0: {1: 1}, 7: {3: 1, 4: 1}, 39: {2: 1}}, METRICS)
    assert expected.counts["rows whose rank contradicts the score"] == inverted
    for batch in (1, 10, 200, 10_000):
        run = tmp_path / "run.parquet"
        res = rw.evaluate(run, {0: {1: 1}, 7: {3: 1, 4: 1}, 39: {2: 1}}, METRICS, engine=Memory(batch=batch))
        assert same(res, expected), batch
        assert res.counts == expected.counts, batch


@pytest.mark.parametrize("query", [int, str])
def test_a_repeated_item_in_a_table_of_any_order_is_told_with_its_rows(tmp_path, query):
    rows = [(query(q), f"ï{i}", float(i)) for q in range(30) for i in range(20)]
    random.Random(1).shuffle(rows)
    rows.insert(500, rows[33])
    frame = pl.DataFrame(rows, schema=["query", "item", "score"], orient="row")
    frame.write_parquet(tmp_path / "run.parquet", row_group_size=70)
    qrels = {query(0): {"ï1": 1}}
    for batch in (1, 100, 1000):
        with pytest.raises(rw.RankwellError, match=r"run.parquet, row 501: .* twice \(first: .*row 34\)"):
            rw.evaluate(tmp_path / "run.parquet", qrels, ["rr"], engine=Memory(batch=batch))


def test_items_are_a_catalogue_of_distinct_ids():
    assert len(read_items({"b", "a"})) == 2
    with pytest.raises(rw.RankwellError, match="'a' is repeated"):
        read_items(["a", "b", "a"])


FRAME_ERRORS = {
    "there is no column for the item": {"query": ["1"], "thing": ["a"], "score": [1.0]},
    "both mean query": {"user_id": ["1"], "uid": ["1"], "item": ["a"], "score": [1.0]},
    "row 2: the score is missing": {"query": ["1", "1"], "item": ["a", "b"], "score": [1.0, None]},
    "row 1: the score is not a number": {"query": ["1"], "item": ["a"], "score": [float("nan")]},
    "row 2: the item is missing": {"query": ["1", "1"], "item": ["a", None], "score": [1.0, 2.0]},
    "text or integers, not Float64": {"query": [1.5], "item": ["a"], "score": [1.0]},
    "row 1: the score 'high' is not a number": {"query": ["1"], "item": ["a"], "score": ["high"]},
    "holds no rows": {"query": [], "item": [], "score": []},
    "row 2: query '1' lists item 'a' twice": {"query": ["1", "1"], "item": ["a", "a"], "score": [1.0, 2.0]},
}


@pytest.mark.parametrize("message", FRAME_ERRORS)
def test_a_bad_table_is_told_what_is_wrong_and_where(message):
    with pytest.raises(rw.RankwellError, match=message):
        rw.evaluate(pl.DataFrame(FRAME_ERRORS[message], strict=False), {"1": {"a": 1}}, ["rr"])


TEXT_ERRORS = {
    r"bad.run:2: 5 columns, expected 6": b"1 Q0 a 1 2.0 t\n1 Q0 b 2 1.0\n",
    r"bad.run:3: the score 'high' is not a number": b"\n1 Q0 a 1 2.0 t\n1 Q0 b 2 high t\n",
    r"bad.run:1: the score is not a number \(nan\)": b"1 Q0 a 1 nan t\n",
    r"bad.run:2: query '1' lists item 'a' twice \(first: .*bad.run:1\)": b"1 Q0 a 1 2 t\n1 Q0 a 2 1 t\n",
    r"bad.run:1: 3 columns, expected 6": b"1 a 2\n",
    r"bad.run: the file is empty": b"",
    r"bad.run: the gzip data are damaged": gzip.compress(b"1 Q0 a 1 2.0 t\n" * 50)[:-20],
    r"holds no rows": b"# nothing\n\n",
    r"no query of the run is judged": b"other Q0 a 1 2.0 t\n",
}


@pytest.mark.parametrize("message", TEXT_ERRORS)
def test_a_bad_file_is_told_what_is_wrong_and_where(tmp_path, message):
    path = tmp_path / "bad.run"
    path.write_bytes(TEXT_ERRORS[message])
    with pytest.raises(rw.RankwellError, match=message):
        rw.evaluate(path, {"1": {"a": 1}}, ["rr"])


QRELS_ERRORS = {
    r"bad:1: 5 columns, expected exactly 4": b"1 0 a 1 0.5\n",
    r"bad:2: query '1' judges item 'a' twice \(first: .*bad:1\)": b"1 0 a 1\n1 0 a 2\n",
    r"bad:1: the grade 'x' is not a number": b"1 0 a x\n",
    r"holds no judgements": b"# nothing\n",
}


@pytest.mark.parametrize("message", QRELS_ERRORS)
def test_bad_qrels_are_told_what_is_wrong_and_where(tmp_path, message):
    path = tmp_path / "bad"
    path.write_bytes(QRELS_ERRORS[message])
    with pytest.raises(rw.RankwellError, match=message):
        rw.evaluate({"1": {"a": 1.0}}, path, ["rr"])


def test_a_missing_file_and_a_folder_are_told(tmp_path):
    with pytest.raises(rw.RankwellError, match="cannot be read"):
        rw.read_run(tmp_path / "nowhere")
    with pytest.raises(rw.RankwellError, match=r"is a folder\. Name a file"):
        rw.read_run(tmp_path)
    (tmp_path / "x.parquet").write_bytes(b"PAR1 and then nothing")
    assert guess(File(tmp_path / "x.parquet")) == ("parquet", "by its first bytes")
    with pytest.raises(rw.RankwellError, match="Parquet file cannot be read"):
        rw.read_run(tmp_path / "x.parquet")


def test_dicts_with_wrong_content_are_told():
    with pytest.raises(rw.RankwellError, match="query '1': the score of item 'a' is 'x', not a number"):
        rw.read_run({"1": {"a": "x"}})
    with pytest.raises(rw.RankwellError, match="all str or all int"):
        rw.read_run({"1": {"a": 1.0, 2: 1.0}})
    with pytest.raises(rw.RankwellError, match="item 'a' is not a number"):
        rw.read_run({"1": {"a": float("nan")}})
    with pytest.raises(rw.RankwellError, match="cannot read set"):
        rw.read_run({1, 2})


def test_ratings_are_refused_with_shares_until_somebody_says_rel():
    qrels = {"1": {f"i{grade}": grade for grade in range(1, 11)}}
    run = {"1": {"i7": 2.0, "i3": 1.0}}
    with pytest.raises(
        rw.RankwellError, match=r"grades look like ratings: 10 levels 1–10.*rel=4 \(70% of rows\)"
    ):
        rw.evaluate(run, qrels, ["ndcg@10"])
    res = rw.evaluate(run, qrels, ["p@2", "p(rel=3)@2"], policy=rw.Policy(rel=7))
    assert res.mean == {"p@2": 0.5, "p(rel=3)@2": 1.0}
    assert res.grades == "ratings"


def test_one_long_tied_list_and_long_ids_are_ranked():
    items = [f"{'x' * 200}{n:06}" for n in range(20_000)]
    run = rw.Run(query=["1"] * len(items), item=items, score=np.ones(len(items)))
    res = rw.evaluate(run, {"1": {items[0]: 1, items[-1]: 1}}, ["ap", "rr"])
    assert res["rr"] == 1.0
    assert res["ap"] == (1 + 2 / len(items)) / 2
    assert res.tie_range["rr"][0] < res.tie_range["rr"][1] == 1.0


def test_only_runs_and_judgements_are_told_of_the_option_that_names_columns():
    with pytest.raises(rw.RankwellError, match="no column for the item") as of_items:
        read_items(pl.DataFrame({"url": ["a"], "title": ["A"]}))
    with pytest.raises(rw.RankwellError, match="no column for the item") as of_run:
        rw.read_run(pl.DataFrame({"query": ["1"], "thing": ["a"], "score": [1.0]}))
    assert "--columns" not in as_options(str(of_items.value))
    assert "--columns thing=item" in as_options(str(of_run.value))


LISTED = ["a", "b"]
ONE_LIST = {
    "rbo": lambda: rw.rbo(LISTED, ["b", "a"]),
    "evaluate": lambda: rw.evaluate(LISTED, {"q": {"a": 1}}, "rr"),
    "evaluate, numbers": lambda: rw.evaluate([1, 2], {"q": {1: 1}}, "rr"),
    "evaluate, stream": lambda: rw.evaluate(LISTED, {"q": {"a": 1}}, "rr", engine="stream"),
    "Evaluator.curve": lambda: rw.Evaluator({"q": {"a": 1}}, "rr").curve(LISTED),
    "judgements": lambda: rw.evaluate({"q": LISTED}, ["a"], "rr"),
    "train": lambda: rw.evaluate({"q": LISTED}, None, "msi", train=LISTED),
    "rosetta": lambda: rw.rosetta(LISTED, {"q": {"a": 1}}, "rr"),
    "explain": lambda: rw.explain("rr", run=LISTED, qrels={"q": {"a": 1}}, query="q"),
    "compare": lambda: rw.compare(LISTED, {"q": {"a": 1}}, "rr"),
    "fuse": lambda: rw.fuse(LISTED, "rrf"),
    "fuse, lists": lambda: rw.fuse([LISTED, ["b", "a"]], "rrf"),
    "plot": lambda: rw.plot.curve(LISTED, {"q": {"a": 1}}, "rr"),
    "agreement": lambda: rw.agreement(LISTED, {"q": {"a": 1}}),
    "long_tail": lambda: rw.long_tail(LISTED),
    "judging": lambda: rw.judging.next(LISTED, qrels={"q": {"a": 1}}),
}


@pytest.mark.parametrize("call", ONE_LIST.values(), ids=ONE_LIST)
def test_one_list_without_a_query_is_told_how_it_is_written(call):
    with pytest.raises(rw.RankwellError, match=r"\{'q': \["):
        call()


def test_names_of_files_that_are_not_there_are_still_files():
    for names in (["a.run", "b.run"], ["runs/a"], "a"):
        with pytest.raises(rw.RankwellError, match=r"cannot be read \(No such file"):
            rw.read_run(names)
