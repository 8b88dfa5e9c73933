"""Damaged files: each format × each damage gives the right numbers or one line with the place, the cause, the remedy.

``pytest -s tests/readers/test_corruptions.py`` prints what each damage of ``damages.py`` gives.
"""

from __future__ import annotations

import gzip
import re

import pytest
from tests.readers import ways
from tests.readers.damages import BINARY, DAMAGES, RUN, SAME, TEXTS, content

import rankwell as rw
from rankwell.cli import run as command
from rankwell.errors import DataError, InputError, ReaderError

QRELS = {"1": {"b": 1}, "2": {"c": 2}}
METRICS = ["rr", "ndcg@2"]
EXPECTED = rw.evaluate(ways.nested(RUN, "run"), QRELS, METRICS).mean
CELLS = [
    (damage, name, make, outcome)
    for damage, cases in DAMAGES.items()
    for names, make, outcome in cases
    for name in names
]


def seen(damage, name, path, error):
    """The message of an error, which is one line."""
    assert isinstance(error, DataError | InputError)  # exit code 3
    assert not isinstance(error, ReaderError), "a built-in reader has a clear error of its own for all damage"
    line = str(error).replace(str(path), "FILE").replace(name, "FILE")
    print(f"{damage} · {name}: {line}")
    assert "\n" not in line
    assert len(line) < 500
    return line


@pytest.mark.parametrize(("damage", "name", "make", "outcome"), CELLS, ids=[f"{d}-{n}" for d, n, *_ in CELLS])
def test_a_damaged_file_gives_the_right_numbers_or_one_clear_line(tmp_path, damage, name, make, outcome):
    path = tmp_path / name
    path.write_bytes(make(name))
    try:
        mean = rw.evaluate(path, QRELS, METRICS).mean
    except rw.RankwellError as error:
        line = seen(damage, name, path, error)
        assert outcome != SAME, line
        assert re.search(outcome, line), line
    else:
        print(f"{damage} · {name}: {SAME}")
        assert outcome == SAME, mean
        assert mean == EXPECTED


@pytest.mark.parametrize("name", ways.FILES)
@pytest.mark.parametrize("change", ["longer", "shorter"])
def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path, name, change):
    path = tmp_path / name
    path.write_bytes(content(name))
    try:
        run = rw.read_run(path)
        whole = path.read_bytes()
        path.write_bytes(whole + whole if change == "longer" else whole[: len(whole) // 2])
        mean = rw.evaluate(run, QRELS, METRICS).mean
    except InputError as error:
        line = seen(f"made {change}", name, path, error)
    else:
        line = SAME if mean == EXPECTED else "other numbers"
    assert line in (SAME, "FILE: the file changed while it was read. Wait until it is whole, then try again.")


@pytest.mark.parametrize("name", ways.FILES)
def test_a_file_that_is_replaced_while_it_is_read_does_no_harm(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(content(name))
    run = rw.read_run(path)
    (tmp_path / "new").write_bytes(content(name))
    (tmp_path / "new").replace(path)
    assert rw.evaluate(run, QRELS, METRICS).mean == EXPECTED


@pytest.mark.parametrize("name", ways.FILES)
def test_a_folder_is_no_file(tmp_path, name):
    (tmp_path / name).mkdir()
    with pytest.raises(InputError) as caught:
        rw.evaluate(tmp_path / name, QRELS, METRICS)
    assert "FILE: is a folder. Name a file" in seen("folder", name, tmp_path / name, caught.value)


@pytest.mark.parametrize("name", BINARY)
def test_ids_of_another_type_match_if_they_are_plain_numbers_and_are_refused_if_not(tmp_path, name):
    rows = [(1, 7, 3.0), (1, 8, 2.0), (2, 7, 1.5), (2, 9, 0.5)]
    (tmp_path / name).write_bytes(content(name, rows))
    assert rw.evaluate(tmp_path / name, {"1": {"8": 1}, "2": {"9": 2}}, METRICS).mean == EXPECTED
    with pytest.raises(DataError) as caught:
        rw.evaluate(tmp_path / name, QRELS, METRICS)
    line = seen("id types differ", name, tmp_path / name, caught.value)
    assert "item ids are text on one side and integers on the other" in line


# every format in one packing, and one format in every packing
BOMBS = dict.fromkeys(
    [*((name, ".gz") for name in ways.FILES), *(("trec.txt", end) for end in ways.COMPRESSIONS)]
)


@pytest.mark.parametrize(("name", "packed"), BOMBS)
def test_a_decompression_bomb_is_refused(tmp_path, monkeypatch, name, packed):
    monkeypatch.setattr("rankwell.readers.bytes.files.HARMLESS", 1 << 20)
    path = tmp_path / (name + packed)
    path.write_bytes(ways.COMPRESSIONS[packed](content(name) + b" " * (1 << 23)))
    with pytest.raises(InputError) as caught:
        rw.evaluate(path, QRELS, METRICS)
    assert "looks like a decompression bomb" in seen(f"bomb{packed}", name, path, caught.value)


@pytest.mark.parametrize("name", TEXTS)
def test_a_line_without_end_is_refused(tmp_path, monkeypatch, name):
    monkeypatch.setattr("rankwell.readers.bytes.text.PIECE", 1 << 18)
    path = tmp_path / name
    path.write_bytes(content(name).replace(b"c", b"c" * (1 << 20)).replace(b"s" + b"c" * (1 << 20), b"sc"))
    with pytest.raises(DataError) as caught:
        rw.evaluate(path, QRELS, METRICS)
    line = seen("endless line", name, path, caught.value)
    assert re.search(r"FILE:\d: (the line has more than|an id of more than)", line)


def test_bad_data_end_the_command_with_3_and_one_line(tmp_path, capsys):
    (tmp_path / "qrels").write_text("1 0 b 1\n2 0 c 2\n")
    for name in ways.FILES:
        (tmp_path / name).write_bytes(gzip.compress(content(name))[:-12])
        assert command(["evaluate", str(tmp_path / "qrels"), str(tmp_path / name), "-m", "rr"]) == 3
        said = capsys.readouterr()
        assert (said.out, said.err.count("\n")) == ("", 1)
