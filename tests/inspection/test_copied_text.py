"""Cleaned copies as text: what is written all at once is what a loop over the rows writes one by one."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import rankwell as rw

RNG = np.random.default_rng(7)
SMALL = [0.0, -0.0, 1e-4, 9.999e-5, 1e-5, 5e-324, 2.5, -3.0]
EDGES = [*SMALL, 1e15, 999_999_999_999_999.0, 1e15 - 0.5, 1e16, 1e300]
NUMBERS = [*EDGES, *(RNG.choice([-1, 1], 400) * 10 ** RNG.uniform(-9, 20, 400)).tolist(), *range(30)]
SPACED = ["a", "a\u00a0", "\u00a0b", "b\u2003", "é", "漢字", '"c"', "d,e", "f"]


def shown(value):
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))


def copied(folder, *files):
    rw.lint(*files, cleaned_copies=folder / "clean")
    return (folder / "clean" / files[-1].name).read_text(encoding="utf-8").split("\n")[:-1]


def test_scores_are_printed_as_python_prints_them(tmp_path):
    rows = sorted(enumerate(NUMBERS), key=lambda row: -row[1])
    lines = [f"1 Q0 d{item} 1 {score!r} t\n" for item, score in rows]
    (tmp_path / "a.run").write_text("".join(lines))
    items = dict(enumerate(NUMBERS))
    cells = [line.split() for line in copied(tmp_path, tmp_path / "a.run")]
    assert [cell[3] for cell in cells] == [str(rank) for rank in range(1, len(NUMBERS) + 1)]
    assert all(cell[4] == shown(items[int(cell[2][1:])]) for cell in cells)


def test_infinite_scores_are_written_as_they_can_be_read(tmp_path):
    (tmp_path / "a.run").write_text("1 Q0 a 1 inf t\n1 Q0 b 2 2.5 t\n1 Q0 c 3 -inf t\n")
    lines = copied(tmp_path, tmp_path / "a.run")
    assert [line.split()[2:5] for line in lines] == [["a", "1", "inf"], ["b", "2", "2.5"], ["c", "3", "-inf"]]
    assert rw.read_run(tmp_path / "clean" / "a.run").rows.table().lists().score.tolist() == [
        np.inf,
        2.5,
        -np.inf,
    ]


@pytest.mark.parametrize(
    "ids", [["1", "2", "33"], ["q1", "q2", "01"], SPACED], ids=["numbers", "text", "spaces"]
)
def test_runs_are_those_of_a_loop_over_the_rows(tmp_path, ids):
    best = {}
    with (tmp_path / "a.run").open("w", encoding="utf-8") as file:
        for query, item in itertools.product(ids, SPACED):
            score = float(RNG.random())
            file.write(f"{query} Q0 {item} 1 {score!r} t\n")
            own = best.setdefault(query, {})
            own[item.strip()] = max(own.get(item.strip(), 0.0), score)
    ranks, expected = dict.fromkeys(map(str.strip, ids), 0), []
    for query, own in best.items():
        for item in sorted(own, key=own.get, reverse=True):
            ranks[query.strip()] += 1
            expected.append(f"{query.strip()} Q0 {item} {ranks[query.strip()]} {shown(own[item])} cleaned")
    assert copied(tmp_path, tmp_path / "a.run") == expected


@pytest.mark.parametrize(
    ("name", "line"),
    [("a.qrels", "{} 0 {} {}"), ("a.dat", "{}::{}::{}"), ("a.prefs", "{} g 1 {} {}")],
    ids=["trec", "double colons", "preferences"],
)
def test_judgements_are_those_of_a_loop_over_the_rows(tmp_path, name, line):
    rows = [(f"q{n % 7}", f"d{n}", grade) for n, grade in enumerate([1.0, 2.0, 0.5, 3.0, 1e-5, 0.25] * 9)]
    time = "::1" if name == "a.dat" else ""
    text = "".join(line.format(query, item, repr(grade)) + time + "\n" for query, item, grade in rows)
    (tmp_path / name).write_text(text, encoding="utf-8")
    lines = copied(tmp_path, {"q0": ["d0"]}, tmp_path / name)
    assert lines == [line.format(query, item, shown(grade)) for query, item, grade in rows]


def test_equal_ids_after_stripping_are_one_item_even_where_text_is_damaged(tmp_path):
    run = {"q": {f"a{chr(0xD800)}b": 2.0, f"a{chr(0xD801)}b": 1.0, "c": 0.5}}
    rw.lint(run, cleaned_copies=tmp_path / "clean")
    copy = rw.read_run(tmp_path / "clean" / "run.parquet").rows.table()
    assert copy.item.tolist() == ["a\ufffd\ufffd\ufffdb", "c"]
