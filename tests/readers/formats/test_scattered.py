"""A run whose queries are scattered over its file is read like one whose queries stand together, in memory used again."""

from __future__ import annotations

import gc
import gzip
import random
import threading
import tracemalloc
from collections import defaultdict

import pytest

import rankwell as rw
from rankwell.evaluation.engines.memory import Memory
from rankwell.readers.bytes.files import File
from rankwell.readers.formats import trec
from rankwell.readers.formats.trec import GIVEN_RUN, Parsed

LONG = "x" * 300


def scattered_rows(rows=1000, seed=1):
    rng = random.Random(seed)
    queries = ["7", "q8", "가나", "query-of-some-length", LONG]
    items = [f"{'D' * rng.randrange(20)}{number}" for number in range(rows)]
    return [(rng.choice(queries), item, rng.choice([1.5, -2, 1e-9, 7])) for item in items]


def written(tmp_path, rows, suffix=".run", end="\n"):
    path = tmp_path / f"scattered{suffix}"
    text = "# a comment\n" + "".join(f"{q} Q0 {i} 1 {s} t{end}" for q, i, s in rows)
    path.write_bytes(gzip.compress(text.encode()) if suffix.endswith("gz") else text.encode())
    return path


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(trec, "PACKED_BYTES", 6000)
    monkeypatch.setattr(trec, "BLOCK_BYTES", 6000)
    monkeypatch.setattr(trec, "CACHED_ROWS", 300)


@pytest.mark.parametrize("suffix", [".run", ".run.gz"])
@pytest.mark.parametrize("rows_of", [trec.StreamedRows, trec.TextRows])
@pytest.mark.parametrize("end", ["\n", " more\r\n"])
def test_each_query_has_its_rows_in_the_order_of_the_file(tmp_path, suffix, rows_of, end):
    rows = scattered_rows()
    expected = defaultdict(list)
    for query, item, score in rows:
        expected[query].append((item, score))
    found, places = {}, []
    for batch in rows_of(File(written(tmp_path, rows, suffix, end)), GIVEN_RUN).batches(10**6):
        lists = batch()
        assert lists.items.keys.tolist() == type(lists.items).of_strings(lists.items.tolist()).keys.tolist()
        for number, query in enumerate(lists.queries.tolist()):
            span = slice(lists.offsets[number], lists.offsets[number + 1])
            found[query] = list(zip(lists.items[span].tolist(), lists.score[span].tolist(), strict=True))
        places.append((lists.items.one(0), lists.place(0)))
        places.append((lists.items.one(lists.rows - 1), lists.place(lists.rows - 1)))
    assert list(found) == list(expected)
    assert found == expected
    line_of = {item: line for line, (_, item, _) in enumerate(rows, start=2)}
    assert [place.rpartition(":")[2] for _, place in places] == [str(line_of[item]) for item, _ in places]


@pytest.mark.parametrize("held", [False, True])
def test_errors_name_the_lines_of_the_file(tmp_path, held):
    rows = scattered_rows()
    rows[800] = rows[400]
    path = written(tmp_path, rows)
    qrels = {"7": {"D1": 1}}
    with pytest.raises(rw.RankwellError) as caught:
        rw.evaluate(rw.read_run(path) if held else path, qrels, "ap")
    assert f"{path}:802: " in str(caught.value)
    assert f"(first: {path}:402)" in str(caught.value)


@pytest.mark.parametrize("threads", [1, 2])
def test_of_several_lines_that_cannot_be_read_the_first_is_named(tmp_path, threads):
    rows = scattered_rows()
    rows[900], rows[600] = ("7", "a", "x"), ("q8", "b", "y")
    path = written(tmp_path, rows)
    with pytest.raises(rw.RankwellError, match=rf"{path}:602: the score 'y'"):
        rw.evaluate(path, {"7": {"D1": 1}}, "ap", threads=threads)


def test_of_a_scattered_run_only_items_and_scores_are_held(tmp_path, monkeypatch):
    path = written(tmp_path, [row for row in scattered_rows(20_000) if row[0] != LONG])
    pack, held = trec._pack, []

    def packed(take, layout):
        found = pack(take, layout)
        held.append(found[1].nbytes)
        return found

    monkeypatch.setattr(trec, "_pack", packed)
    rw.evaluate(path, {"7": {"D1": 1}}, "ap")
    rows = [line.split() for line in path.read_text().splitlines()[1:]]
    assert sum(held) == sum(len(row[2].encode()) + 10 for row in rows)


def test_columns_of_a_batch_are_filled_where_those_of_an_earlier_one_were(tmp_path, monkeypatch):
    path = tmp_path / "together.run"
    path.write_text("".join(f"q{row // 50} Q0 d{row} 1 {-row} t\n" for row in range(20_000)))
    seen = []
    parse = Parsed.__init__

    def parsed(self, *given):
        parse(self, *given)
        seen.append(self.item.starts.ctypes.data)

    monkeypatch.setattr(Parsed, "__init__", parsed)
    for source in (path, rw.read_run(path)):
        seen.clear()
        monkeypatch.setattr(trec, "CACHED_ROWS", 500)
        rw.evaluate(source, {"q1": {"d50": 1}}, "ap", engine=Memory(batch=500), threads=1)
        assert len(seen) > 30
        assert len(set(seen)) <= 4


def test_a_run_that_is_held_keeps_no_columns_of_an_evaluation(tmp_path):
    path = tmp_path / "together.run"
    path.write_text("".join(f"q{row // 50} Q0 d{row} 1 {-row} t\n" for row in range(20_000)))
    run = rw.read_run(path)
    tracemalloc.start()
    rw.evaluate(run, {"q1": {"d50": 1}}, "ap")
    run.rows.table()
    gc.collect()
    kept = sum(trace.size for trace in tracemalloc.take_snapshot().traces if trace.size > 50_000)
    tracemalloc.stop()
    assert kept == 0


def test_blocks_of_comments_alone_hold_no_rows(tmp_path):
    path = tmp_path / "comments.run"
    path.write_text("# q Q0 d 1 1.0 t\n" * 2000)
    with pytest.raises(rw.RankwellError, match="the run holds no rows"):
        rw.evaluate(path, {"q": {"d": 1}}, "ap", engine=Memory(batch=100))


def test_one_thread_is_one_thread(tmp_path, monkeypatch):
    path = written(tmp_path, [row for row in scattered_rows(20_000) if row[0] != LONG])
    whole = rw.evaluate(path, {"7": {"D1": 1}}, "ap")
    monkeypatch.setattr(threading.Thread, "start", lambda _: pytest.fail("a thread was started"))
    assert rw.evaluate(path, {"7": {"D1": 1}}, "ap", threads=1).per_query.equals(whole.per_query)


def test_the_rows_of_a_run_are_counted_without_holding_them(tmp_path, monkeypatch):
    for rows in scattered_rows(5_000), sorted(scattered_rows(5_000)):
        path = written(tmp_path, rows)
        run = rw.read_run(path)
        with monkeypatch.context() as patched:
            patched.setattr(trec.TextRows, "table", lambda _: pytest.fail("all rows are held"))
            assert len(run) == len(rows)
            assert repr(run) == f"Run 'scattered': {len(rows):,} rows"
