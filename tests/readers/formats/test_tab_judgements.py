"""Judgements of TREC with tabs, in a file called .tsv as MS MARCO's are: columns without a header."""

from __future__ import annotations

import pytest

import rankwell as rw
from rankwell.readers.formats import trec

ROWS = ["1185869\t0\t0\t1", "1185868\t0\t16\t1", "597651\t0\t49\t2"]


def test_the_file_says_what_it_is(tmp_path):
    file = tmp_path / "qrels.dev.tsv"
    file.write_text("\n".join(ROWS) + "\n")
    read = rw.read_qrels(file)
    spaced = tmp_path / "same.qrels"
    spaced.write_text("\n".join(row.replace("\t", " ") for row in ROWS) + "\n")
    same = rw.read_qrels(spaced)
    for kept in (read, same):
        assert kept.query.tolist() == ["1185869", "1185868", "597651"]
        assert kept.item.tolist() == ["0", "16", "49"]
        assert kept.grade.tolist() == [1, 1, 2]


@pytest.mark.parametrize(
    "line",
    [
        b"query\t0\titem\tgrade\n",  # a header
        b"1\t1\t7\t1\n",  # four columns that are no judgements of TREC
        b"1\t0\t7\t0.5\n",  # a grade that TREC's format does not know
        b"1\t0\t7\t1",  # a line that goes on behind what was looked at
        b"1\t0\t7\t1\t2\n",
    ],
)
def test_other_first_lines_are_left_to_other_formats(line):
    assert not trec.recognises(line)
