"""A reader that somebody adds: its errors are clear without its author's help, and a wrong one is caught."""

from __future__ import annotations

import gzip

import polars as pl
import pytest
from examples.additions.reader.test_pairs import pairs
from tests.readers import planted, test_same_bits, ways

import rankwell as rw
from rankwell.cli import run as command
from rankwell.errors import DataError, InputError, ReaderError
from rankwell.readers import open_run, read_items
from rankwell.readers.items_users import read_catalogue, read_queries, read_users
from rankwell.readers.logs import read_log
from rankwell.readers.registry import formats
from rankwell.readers.samples import read_sample
from rankwell.testing import LawBroken, check_reader

PAIRS = planted.reader_of_contributing()
GOOD = "#pairs\nq1 d3=0.9 d7=0.4\nq2 d1=0.5\n"
QRELS = {"q1": {"d7": 1}, "q2": {"d1": 1}}


@pytest.fixture
def plant(monkeypatch, tmp_path):
    yield lambda source: planted.plant(monkeypatch, tmp_path, "pairs", source)
    planted.remove("pairs")


def test_the_reader_of_contributing_reads(tmp_path, plant):
    plant(PAIRS)
    (tmp_path / "runs").write_text(GOOD)
    expected = rw.evaluate({"q1": {"d3": 0.9, "d7": 0.4}, "q2": {"d1": 0.5}}, QRELS, "rr")["rr"]
    assert rw.evaluate(tmp_path / "runs", QRELS, "rr")["rr"] == expected == 0.75


BAD_LINES = {
    "no number": (b"q3 d1=high", "ValueError: could not convert string to float: 'high'"),
    "no pair": (b"q3 d1", "ValueError: not enough values to unpack (expected 2, got 1)"),
    "empty": (b"", "ValueError: not enough values to unpack (expected at least 1, got 0)"),
    "no UTF-8": (b"q3 d\xff=1", "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff"),
}


@pytest.mark.parametrize("bad", BAD_LINES)
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("read", [rw.read_run, rw.read_qrels])
def test_a_bad_line_is_one_error_with_its_number_and_its_cause(tmp_path, plant, bad, pack, read):
    plant(PAIRS)
    line, cause = BAD_LINES[bad]
    path = tmp_path / "runs.pairs"
    path.write_bytes(pack(b"#pairs\nq1 d3=0.9\n" + line + b"\nq4 d1=0.1\n"))
    with pytest.raises(ReaderError) as caught:
        read(path)
    said = str(caught.value)
    assert said.startswith(f"{path}:3: cannot be read as pairs ({cause}")
    assert said.endswith(". Fix or remove the line. If it is correct, the pairs reader has a bug.")
    assert "\n" not in said
    assert caught.value.__cause__ is not None


SLOPPY = """
SUFFIXES = (".pairs",)
import json, re, struct
from rankwell.readers.frames import tables
from rankwell.readers.memory import dicts
def recognises(start):
    return {recognises}
def read_run(file, *, name, columns):
    {body}
read_qrels = read_run
"""


def sloppy(body, recognises="False"):
    return SLOPPY.format(body=body.replace("\n", "\n    "), recognises=recognises)


LOOP = "with file.stream() as lines:\n    for line in lines:\n        "
FAILURES = {
    "a missing field": (LOOP + "line.split()[2]", ":2: ", "IndexError: list index out of range"),
    "an unknown key": (LOOP + "{'q1': 0}[line.decode().split()[0]]", ":3: ", "KeyError: 'q2'"),
    "no match": (LOOP + "re.match(b'q1', line).group()", ":3: ", "AttributeError: 'NoneType' object has no"),
    "a broken assertion": (LOOP + "assert b'd3' in line", ":3: ", "AssertionError"),
    "a line of a call": ("with file.stream() as lines:\n    lines.readline()\n    float(lines.readline())", ":2: ",
                         "ValueError: could not convert"),
    "something after the lines": (LOOP + "pass\nfloat('x')", ": ", "ValueError: could not convert"),
    "the whole text": ("json.loads(file.content.tobytes())", ": ", "JSONDecodeError: Expecting value"),
    "binary data": ("struct.unpack('<q', file.head[:3])", ": ", "error: unpack requires a buffer of 8 bytes"),
    "an error of Polars": ("import polars as pl\npl.read_parquet(file.source())", ": ", "ComputeError: "),
    "another file": ("open(file.label + '.index')", ": ", "FileNotFoundError: "),
    "nothing returned": ("pass", ": ", "TypeError: read_run returned NoneType, not Run"),
    "a dict returned": ("return {}", ": ", "TypeError: read_run returned dict, not Run"),
}  # fmt: skip


@pytest.mark.parametrize("failure", FAILURES)
def test_whatever_a_reader_raises_is_one_error_with_the_place(tmp_path, plant, failure):
    body, place, cause = FAILURES[failure]
    plant(sloppy(body))
    path = tmp_path / "runs.pairs"
    path.write_text("q1 d3\nq1 d3\nq2 d7\n" if failure != "a missing field" else "q1 d3 1\nq1 d3\n")
    with pytest.raises(ReaderError) as caught:
        rw.read_run(path)
    assert str(caught.value).startswith(f"{path}{place}cannot be read as pairs ({cause}")
    assert "\n" not in str(caught.value)


LATER = """
import polars as pl
table = pl.LazyFrame({"query": ["a", "b"], "item": ["x", "y"], "score": ["1", "high"]})
return tables.run_of(table.with_columns(pl.col("score").cast(pl.Float64)), name=name)
"""


@pytest.mark.parametrize("use", [lambda run: rw.evaluate(run, QRELS, "rr"), len, lambda run: run.queries])
def test_what_a_reader_raises_later_when_the_rows_are_wanted_is_explained_too(tmp_path, plant, use):
    plant(sloppy(LATER.strip()))
    (tmp_path / "runs.pairs").write_text(GOOD)
    run = open_run(tmp_path / "runs.pairs")
    with pytest.raises(ReaderError, match=r"runs\.pairs: cannot be read as pairs \(InvalidOperationError: "):
        use(run)


def test_an_error_that_a_reader_explains_itself_stays_as_it_is(tmp_path, plant):
    plant(sloppy("from rankwell.errors import DataError\nraise DataError('line 7: no tab. Add one.')"))
    (tmp_path / "runs.pairs").write_text(GOOD)
    with pytest.raises(DataError, match=r"^line 7: no tab\. Add one\.$") as caught:
        rw.read_run(tmp_path / "runs.pairs")
    assert not isinstance(caught.value, ReaderError)


def test_memory_that_ran_out_is_no_fault_of_the_file(tmp_path, plant):
    plant(sloppy("raise MemoryError"))
    (tmp_path / "runs.pairs").write_text(GOOD)
    with pytest.raises(MemoryError):
        rw.read_run(tmp_path / "runs.pairs")


@pytest.mark.parametrize("pack", ["gzip", "bz2", "lzma"])
def test_a_compressed_file_that_is_cut_off_is_damaged_whoever_reads_it(tmp_path, plant, pack):
    plant(PAIRS)
    content = GOOD.encode() + b"".join(b"q%d d=%d\n" % (n, n * n) for n in range(100_000))
    path = tmp_path / "runs.pairs"
    path.write_bytes(__import__(pack).compress(content)[:-50])
    with pytest.raises(InputError, match=r"runs\.pairs: the \w+ data are damaged or cut off \("):
        rw.read_run(path)


def test_a_format_that_fails_to_recognise_a_file_is_named(tmp_path, plant):
    plant(sloppy("pass", recognises="start.decode().startswith('#')"))
    (tmp_path / "other.run").write_bytes(b"# \xff\n1 Q0 a 1 2 t\n")
    with pytest.raises(ReaderError, match=r"other\.run: cannot be read as pairs \(UnicodeDecodeError: "):
        rw.read_run(tmp_path / "other.run")
    assert len(rw.read_run(tmp_path / "other.run", format_in="trec")) == 1


def test_a_format_without_endings_of_names_is_named(tmp_path, plant):
    plant(sloppy("pass").replace("SUFFIXES", "ENDINGS"))
    (tmp_path / "other").write_text("1 - a 1 2 t\n")
    with pytest.raises(ReaderError, match=r"as pairs \(AttributeError: .*'SUFFIXES'\)"):
        rw.read_run(tmp_path / "other")


def test_the_command_ends_with_3_and_one_line_and_lint_finds_it(tmp_path, plant, capsys):
    plant(PAIRS)
    (tmp_path / "qrels").write_text("q1 0 d7 1\n")
    path = tmp_path / "runs.pairs"
    path.write_text(GOOD + "q3 d1=high\n")
    assert command(["evaluate", str(tmp_path / "qrels"), str(path), "-m", "rr"]) == 3
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == (
        f"rankwell: {path}:4: cannot be read as pairs (ValueError: could not convert string to float: 'high'). Fix or "
        f"remove the line. If it is correct, the pairs reader has a bug.\n"
    )
    found = rw.lint(path, QRELS)
    assert [(each.rule, each.place) for each in found] == [("unreadable", f"{path}:4")]


WRITERS = {kind: test_same_bits.written(pairs, kind) for kind in ("run", "qrels")}


MUTANTS = {
    "negated scores": ("float(score)", "-float(score)", "item '.*' was written with score .* but read with"),
    "the last line dropped": ("return found", "found.popitem(); return found", "was written but not read|was read but not written"),
    "the last item of each line dropped": ("in pairs)", "in pairs[:-1])", "was written but not read|was read but not written"),
    "query and item swapped": (
        "return found",
        "return {i: {q: row[i] for q, row in found.items() if i in row} for r in found.values() for i in r}",
        "was written but not read|was read but not written",
    ),
    "grades as 1": ("float(score)", "1.0", "was written with .* but read with"),
    "scores in single precision": (
        "float(score)", "__import__('struct').unpack('f', __import__('struct').pack('f', float(score)))[0]",
        "was written with .* but read with",
    ),
}  # fmt: skip


def test_check_reader_passes_a_right_reader(tmp_path, plant):
    plant(PAIRS)
    check_reader(WRITERS["run"], WRITERS["qrels"], tmp_path, suffix=".pairs")


@pytest.mark.parametrize("mutant", MUTANTS)
def test_check_reader_catches_a_wrong_reader(tmp_path, plant, mutant):
    right, wrong, said = MUTANTS[mutant]
    assert right in PAIRS
    plant(PAIRS.replace(right, wrong))
    with pytest.raises(LawBroken, match=said):
        check_reader(WRITERS["run"], WRITERS["qrels"], tmp_path, suffix=".pairs")


@pytest.fixture
def listed(monkeypatch):
    """The way into the planted format, as somebody who adds one writes it."""
    monkeypatch.setitem(ways.FILES, "lines.pairs", pairs)
    monkeypatch.setitem(ways.FORMATS, "pairs", ["lines.pairs"])


@pytest.mark.usefixtures("listed")
def test_the_every_way_tests_pass_a_right_reader(tmp_path, plant):
    plant(PAIRS)
    test_same_bits.test_every_format_gives_back_what_was_written(tmp_path, "pairs")
    test_same_bits.test_a_file_gives_the_bits_of_the_dicts(tmp_path, "lines.pairs", ".gz")


@pytest.mark.usefixtures("listed")
@pytest.mark.parametrize("mutant", MUTANTS)
def test_the_every_way_tests_catch_a_wrong_reader(tmp_path, plant, mutant):
    right, wrong, _ = MUTANTS[mutant]
    plant(PAIRS.replace(right, wrong))
    with pytest.raises(LawBroken):
        test_same_bits.test_every_format_gives_back_what_was_written(tmp_path, "pairs")
    if mutant != "scores in single precision":  # the metrics there see no difference
        with pytest.raises((AssertionError, rw.RankwellError)):
            test_same_bits.test_a_file_gives_the_bits_of_the_dicts(tmp_path, "lines.pairs", "")


def test_a_format_that_nobody_listed_fails_the_every_way_test(tmp_path, plant):
    plant(PAIRS)
    assert "pairs" in formats()
    with pytest.raises(AssertionError, match=r"write tests/readers/test_pairs\.py with a dict FILES"):
        test_same_bits.test_every_format_gives_back_what_was_written(tmp_path, "pairs")


@pytest.mark.parametrize("kind", ["run", "qrels"])
def test_check_reader_catches_what_is_wrong_in_one_kind_alone(tmp_path, plant, kind):
    plant(PAIRS.replace(f"return {kind}_of(lists(file)", f"return {kind}_of(negated(lists(file))") + (
        "\ndef negated(found): return {q: {i: 1 - x for i, x in row.items()} for q, row in found.items()}"
    ))  # fmt: skip
    writers = WRITERS | {kind: None}
    check_reader(writers["run"], writers["qrels"], tmp_path, suffix=".pairs")
    with pytest.raises(LawBroken):
        check_reader(WRITERS["run"], WRITERS["qrels"], tmp_path, suffix=".pairs")


def test_check_reader_catches_rows_that_are_read_twice(tmp_path):
    def twice(data, path):
        rows = [(query, item, grade) for query, row in data.qrels.items() for item, grade in row.items()]
        pl.DataFrame(rows * 2, schema=["query", "item", "grade"], orient="row").write_csv(path)

    with pytest.raises(LawBroken, match="was read twice"):
        check_reader(None, twice, tmp_path, suffix=".csv")


def test_a_list_that_is_read_by_ranks_is_compared_by_its_order(tmp_path):
    def ranked(data, path, best_first=True):
        rows = [
            (query, item, rank)
            for query, items in data.run.items()
            for rank, item in enumerate(sorted(items, key=items.get, reverse=best_first), 1)
        ]
        pl.DataFrame(rows, schema=["query", "item", "rank"], orient="row").write_csv(path)

    check_reader(ranked, None, tmp_path, suffix=".csv")
    with pytest.raises(LawBroken, match="was read above"):
        check_reader(lambda data, path: ranked(data, path, best_first=False), None, tmp_path, suffix=".csv")


WHOLE = """
SUFFIXES = (".cells",)
def recognises(start):
    return start.startswith(b"#cells")
def read_table(file, *, kind, columns):
    import polars as pl
    from rankwell.tables.series import RowOf
    with file.stream() as lines:
        rows = [dict(cell.split("=") for cell in line.decode().split()) for line in lines if line[:1] != b"#"]
    return {returned}
"""
CELLS = "#cells\nuser=u item=a stratum=s text=x\nuser=v item=b stratum=t text=y\n"


def test_a_format_gets_every_table_by_one_function(tmp_path, plant):
    plant(WHOLE.format(returned="pl.DataFrame(rows), RowOf(file.label)"))
    path = tmp_path / "table"
    path.write_text(CELLS)
    assert read_items(path).item.tolist() == read_catalogue(path).item.tolist() == ["a", "b"]
    assert read_users(path).query.tolist() == read_queries(path).query.tolist() == ["u", "v"]
    assert read_log(path).frame.columns == ["user", "item", "stratum", "text"]
    assert read_sample(path).frame["stratum"].to_list() == ["s", "t"]
    run = {"u": ["a"], "v": ["a"]}
    assert rw.evaluate(run, metrics="coverage@1", items=path)["coverage@1"] == 0.5
    with pytest.raises(rw.RankwellError, match="cannot hold run"):
        rw.read_run(path)
    path.write_text(CELLS + "user=w item\n")
    with pytest.raises(ReaderError, match=r"table:4: cannot be read as pairs \(ValueError"):
        read_log(path)


@pytest.mark.parametrize("returned", ["rows", "(rows, RowOf(file.label))", "pl.DataFrame(rows)", "None"])
def test_what_is_no_table_and_place_is_an_error_of_the_reader(tmp_path, plant, returned):
    plant(WHOLE.format(returned=returned))
    (tmp_path / "table").write_text(CELLS)
    with pytest.raises(ReaderError, match="the pairs reader has a bug"):
        read_log(tmp_path / "table")
