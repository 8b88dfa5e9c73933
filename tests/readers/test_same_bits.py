"""The same data through every way in give the same bits."""

from __future__ import annotations

import random
import re

import numpy as np
import polars as pl
import pytest
from tests.readers import ways

import rankwell as rw
from rankwell import testing
from rankwell.readers.bytes.files import HEAD, File
from rankwell.readers.registry import formats, guess, reader

METRICS = ["ap", "ndcg@3", "rr", "p@2", "bpref", "err", "judged@3"]
POLICY = rw.Policy(grades="judgements")
DATA = testing.example(11)


def rows_of(table):
    return [(query, item, number) for query, row in table.items() for item, number in row.items()]


RUN, QRELS = rows_of(DATA.run), rows_of(DATA.qrels)
NUMBERS = random.Random(5)
MATRIX_RUN = [(q, i, float(NUMBERS.randint(1, 4))) for q in range(6) for i in NUMBERS.sample(range(12), 8)]
MATRIX_QRELS = [(q, i, NUMBERS.randint(0, 3)) for q in range(6) for i in NUMBERS.sample(range(12), 5)]


def outcome(run, qrels):
    return rw.evaluate(run, qrels, METRICS, policy=POLICY)


def same(left, right):
    return left.mean == right.mean and left.per_query.equals(right.per_query)


EXPECTED = outcome(DATA.run, DATA.qrels)


def written(write, kind):
    """What writes the rows of one kind of random data."""
    return write and (lambda data, path: path.write_bytes(write(rows_of(getattr(data, kind)), kind)))


@pytest.mark.parametrize("name", formats())
def test_every_format_gives_back_what_was_written(tmp_path, name):
    module = reader(name)
    assert isinstance(module.SUFFIXES, tuple)
    for file, write_run, write_qrels in ways.files_of(name):
        assert (write_run is not None) == (hasattr(module, "read_run") and file not in ways.NEEDS_SCORES)
        write, rows, kind = (write_qrels, QRELS, "qrels") if write_qrels else (write_run, RUN, "run")
        (tmp_path / file).write_bytes(write(rows, kind))
        assert guess(File(tmp_path / file))[0] == name
        for make, data, read in ((write_run, RUN, rw.read_run), (write_qrels, QRELS, rw.read_qrels)):
            if make:
                own = tmp_path / f"{read.__name__}_{file}"
                own.write_bytes(make(data, read.__name__.removeprefix("read_")))
                assert read(own, name="own").name == "own"
        testing.check_reader(
            written(write_run, "run"), written(write_qrels, "qrels"), tmp_path, suffix=f"_{file}", cases=5
        )


@pytest.mark.parametrize("name", formats())
def test_no_two_formats_recognise_one_file(name):
    for other in formats():
        for file, write_run, write_qrels in ways.files_of(other):
            start = write_run(RUN, "run") if write_run else write_qrels(QRELS, "qrels")
            recognised = reader(name).recognises(start[:HEAD])
            assert not recognised or name == other, (
                f"recognises() of {name} takes {file} of {other} for its own: {start[:60]!r}"
            )


@pytest.mark.parametrize("name", formats())
def test_bytes_that_are_no_text_are_refused_by_formats_of_text(tmp_path, name):
    for file, write_run, write_qrels in ways.files_of(name):
        content = write_run(RUN, "run") if write_run else write_qrels(QRELS, "qrels")
        letter = "é".encode()  # of an id
        if letter in content and is_text(content):
            (tmp_path / file).write_bytes(content.replace(letter, b"\xff"))
            with pytest.raises(rw.RankwellError, match=re.escape(file)):
                outcome(tmp_path / file, DATA.qrels) if write_run else outcome(DATA.run, tmp_path / file)


def is_text(content):
    try:
        return "\0" not in content.decode()
    except UnicodeDecodeError:
        return False


@pytest.mark.parametrize("name", ways.FILES)
@pytest.mark.parametrize("packed", ["", *ways.COMPRESSIONS])
def test_a_file_gives_the_bits_of_the_dicts(tmp_path, name, packed):
    paths = {}
    for kind, rows in (("run", RUN), ("qrels", QRELS)):
        paths[kind] = tmp_path / f"{kind}_{name}{packed}"
        paths[kind].write_bytes(ways.COMPRESSIONS.get(packed, bytes)(ways.FILES[name](rows, kind)))
    assert same(outcome(paths["run"], paths["qrels"]), EXPECTED)


@pytest.mark.parametrize("name", ways.FILES)
def test_a_format_is_seen_without_the_help_of_the_name(tmp_path, name):
    (tmp_path / "run").write_bytes(ways.FILES[name](RUN, "run"))
    assert same(outcome(rw.read_run(tmp_path / "run"), DATA.qrels), EXPECTED)


@pytest.mark.parametrize("name", [name for name in ways.FILES if name not in ("object.json", "records.json")])
def test_line_ends_of_windows_and_a_byte_order_mark_change_nothing(tmp_path, name):
    content = ways.FILES[name](RUN, "run")
    if b"\0" not in content:
        content = b"\xef\xbb\xbf" + content.replace(b"\n", b"\r\n")
    (tmp_path / name).write_bytes(content)
    assert same(outcome(tmp_path / name, DATA.qrels), EXPECTED)


@pytest.mark.parametrize("name", ways.FILES)
def test_parts_are_one_run_even_if_a_query_is_in_two_of_them(tmp_path, name):
    shuffled = RUN.copy()
    random.Random(1).shuffle(shuffled)
    half = len(shuffled) // 2
    for number, part in enumerate((shuffled[:half], shuffled[half:])):
        (tmp_path / f"{number}_{name}").write_bytes(ways.FILES[name](part, "run"))
    assert same(outcome(tmp_path / "?_*", DATA.qrels), EXPECTED)
    listed = sorted(tmp_path.iterdir())
    assert same(outcome(listed, DATA.qrels), EXPECTED)
    halves = [tmp_path / "a", tmp_path / "b"]
    for path, part in zip(halves, (QRELS[:half], QRELS[half:]), strict=True):
        path.write_bytes(ways.FILES[name](part, "qrels"))
    assert same(outcome(listed, rw.read_qrels(halves)), EXPECTED)


def test_a_table_without_header_is_read_by_the_numbers_of_its_columns(tmp_path):
    (tmp_path / "run.csv").write_bytes(ways.headerless(RUN, "run"))
    run = rw.read_run(tmp_path / "run.csv", columns={"1": "query", "2": "item", "3": "score"})
    assert same(outcome(run, DATA.qrels), EXPECTED)


def test_columns_of_any_name_are_read_when_they_are_named(tmp_path):
    table = pl.DataFrame(RUN, schema=["wer", "was", "wieviel"], orient="row")
    table.write_csv(tmp_path / "run.csv")
    columns = {"wer": "query", "was": "item", "wieviel": "score"}
    for source in (table, table.to_pandas(), tmp_path / "run.csv", table.to_dicts()):
        assert same(outcome(rw.read_run(source, columns=columns), DATA.qrels), EXPECTED)
    with pytest.raises(rw.RankwellError, match="there is no column for the query; the columns are 'wer'"):
        rw.read_run(table)


def test_lists_of_lists_are_the_queries_from_0():
    lists = [["a", "b"], [], ["c"]]
    as_dict = {0: ["a", "b"], 1: [], 2: ["c"]}
    qrels = {0: {"b": 1}, 1: {"a": 1}, 2: {"c": 2}}
    assert same(outcome(lists, qrels), outcome(as_dict, qrels))
    assert same(outcome(as_dict, [["b"], ["a"], ["c"]]), outcome(as_dict, {0: ["b"], 1: ["a"], 2: ["c"]}))


class Tensor:
    """An array of another library, which speaks DLPack."""

    def __init__(self, values):
        self.values, self.shape = values, values.shape

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


def test_matrices_give_the_bits_of_the_dicts():
    run, qrels = ways.nested(MATRIX_RUN, "run"), ways.nested(MATRIX_QRELS, "qrels")
    expected = outcome(run, qrels)
    dense, truth = ways.dense(MATRIX_RUN, "run"), ways.sparse([(q, i, g + 1) for q, i, g in MATRIX_QRELS], "")
    truth.data -= 1  # zeros are stored, and so judged
    masked = np.ma.masked_array(np.nan_to_num(dense, neginf=9.0), mask=np.isinf(dense))
    for matrix in (dense, masked, ways.sparse(MATRIX_RUN, "run"), Tensor(dense), dense.astype(np.float32)):
        assert same(outcome(matrix, qrels), expected)
    assert same(outcome(run, truth), expected)
    assert same(rw.Evaluator(qrels, METRICS, policy=POLICY).evaluate(dense), expected)


def test_item_lists_in_a_matrix_are_padded_with_minus_1():
    matrix = np.array([[3, 1, 2], [5, -1, -1], [-1, -1, -1]])
    lists = {0: [3, 1, 2], 1: [5], 2: []}
    qrels = {0: {1: 1}, 1: {5: 2}, 2: {7: 1}}
    assert outcome(matrix, qrels).mean == outcome(lists, qrels).mean
    assert same(outcome(lists, np.array([[1], [5], [7]])), outcome(lists, {0: [1], 1: [5], 2: [7]}))
    with pytest.raises(rw.RankwellError, match=r"row 0: -3 is not an item number; -1 pads"):
        outcome(np.array([[-3]]), qrels)


def test_standard_input_is_a_file(monkeypatch):
    import io

    class Input:
        buffer = io.BytesIO(ways.COMPRESSIONS[".gz"](ways.parquet(RUN, "run")))
        closed = False

    monkeypatch.setattr("sys.stdin", Input)
    run = rw.read_run("-")
    assert (run.name, same(outcome(run, DATA.qrels), EXPECTED)) == ("<stdin>", True)
