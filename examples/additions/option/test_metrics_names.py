"""``rankwell metrics --names`` against the table of the same command."""

from __future__ import annotations

import json

import pytest

from rankwell.cli import run


@pytest.mark.parametrize("words", [[], ["ndcg"], ["popularity"]])
def test_the_names_are_those_of_the_table_without_the_cut_off(words, capsys):
    assert run(["metrics", *words, "--format", "json"]) == 0
    listed = [row["metric"].partition("@")[0].rstrip("[") for row in json.loads(capsys.readouterr().out)]
    assert run(["metrics", *words, "--names"]) == 0
    assert capsys.readouterr().out.split("\n") == [*listed, ""]


def test_names_have_no_format(capsys):
    assert run(["metrics", "--names", "--format", "json"]) == 2
    assert capsys.readouterr().err == "rankwell: --names prints plain text: leave out --format.\n"
