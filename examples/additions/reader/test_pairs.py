"""Files of pairs: by hand, and as the tests of all formats write them."""

from __future__ import annotations

import rankwell as rw


def pairs(rows, kind):
    lists = {}
    for query, item, number in rows:
        lists.setdefault(query, []).append(f"{item}={number!r}")
    return "\n".join(["#pairs", *(" ".join([query, *row]) for query, row in lists.items()), ""]).encode()


FILES = {"lines.pairs": pairs}  # how a file of the format is written: a run, or judgements


def test_pairs_are_read_as_they_are_written_here(tmp_path):
    path = tmp_path / "my.run"
    path.write_text("#pairs\nq1 d3=0.5 d7=0.75\n")
    assert rw.evaluate(path, {"q1": {"d3": 1}}, "rr").mean == {"rr": 0.5}
