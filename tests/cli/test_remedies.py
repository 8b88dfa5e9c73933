"""What an error of the command line says to type works when it is typed."""

from __future__ import annotations

import re

import pytest

from rankwell.cli import run
from rankwell.cli.words import as_options

FILES = {
    "judged": "1 0 a 1\n1 0 b 0\n2 0 a 1\n",
    "rated": "".join(f"1 0 i{n} {n % 5 + 1}\n" for n in range(40)),
    "twice": "1 0 a 1\n1 0 a 2\n",
    "plain": "1 Q0 a 1 2.0 t\n1 Q0 b 2 1.0 t\n2 Q0 a 1 1.0 t\n",
    "of_rated": "1 Q0 i3 1 2.0 t\n1 Q0 i4 2 1.0 t\n",
    "repeating": "1 Q0 a 1 2.0 t\n1 Q0 a 2 1.0 t\n",
    "ranked.csv": "query,item,rank\n1,a,1\n1,b,1\n",
    "items.csv": "item\na\n",
}
CALLS = {
    "ratings without a threshold": ["rated", "of_rated", "-m", "rr"],
    "an item twice in a list": ["judged", "repeating", "-m", "rr"],
    "an item judged twice": ["twice", "plain", "-m", "rr"],
    "a rank given twice": ["judged", "ranked.csv", "-m", "rr"],
    "an item outside the catalogue": ["judged", "plain", "-m", "coverage@2", "--items", "items.csv"],
    "no formula over ties": ["judged", "plain", "-m", "bpref", "--ties", "expected"],
    "undefined": ["rated", "of_rated", "-m", "rr", "--rel", "6", "--undefined", "error"],
}


@pytest.mark.parametrize("what", CALLS)
def test_each_remedy_can_be_typed(what, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    arguments = ["evaluate", *CALLS[what]]
    assert run(arguments) in (2, 3)
    message = capsys.readouterr().err
    remedies = []
    for option, first, others in re.findall(
        r"(--[a-z-]+) ([\w.-]*\w)((?:, [\w-]+)* (?:or|and) [\w-]+)?", message
    ):
        remedies += [(option, word) for word in (first, *re.findall(r"(?:,|or|and) ([\w-]+)", others))]
    assert remedies, message
    worked = 0
    for option, word in remedies:
        given = list(arguments)
        if option in given:
            at = given.index(option)
            del given[at : at + 2]
        assert run([*given, option, word]) == 0, (option, word, capsys.readouterr().err)
        worked += 1
    assert worked == len(remedies)


def test_metrics_keep_their_own_words():
    message = "write ap(rel=2) or ndcg(gain=exp2,rel=3)@10, not Policy(rel=2)"
    assert as_options(message) == message
