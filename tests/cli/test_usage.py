"""The first line of each command's help names its arguments as the rest of the help does."""

from __future__ import annotations

import re

import pytest

from rankwell.cli import run
from rankwell.cli.arguments import arguments_of
from rankwell.cli.commands import function_of, homes

OTHERS = ("trec_eval", "ndeval")  # which print help of their own


@pytest.mark.parametrize("words", [each for each in homes() if each[0] not in OTHERS], ids=" ".join)
def test_the_first_line_names_what_the_help_explains(words, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    assert run([*words, "--help"]) == 0
    first, _, rest = capsys.readouterr().out.partition("\n")
    start = f"Usage: rankwell {' '.join(words)}"
    assert first.startswith(start)
    assert "ARGS" not in first
    for name in re.findall(r"[A-Z]{2,}", first.removeprefix(start).replace("[OPTIONS]", "")):
        assert re.search(rf"\b{name}\b", rest) or f"--{name.lower()}" in rest, name
    assert ("[OPTIONS]" in first) == ("--" in rest.replace("--help-all", ""))


@pytest.mark.parametrize("words", [each for each in homes() if each[0] not in OTHERS], ids=" ".join)
def test_every_argument_has_a_help_text(words):
    missing = [argument.field for argument in arguments_of(function_of(words)) if not argument.help]
    assert not missing, (
        f"write Annotated[…, Option(help=…)] for {missing} of rankwell {' '.join(words)}; those of a picture have their text "
        "under Parameters of its docstring"
    )


def test_what_is_optional_and_what_is_not_is_told_apart(capsys):
    for words, usage in {
        "evaluate": "[OPTIONS] QRELS RUN [RUNS...]",
        "explain": "[OPTIONS] METRIC [QRELS] [RUN]",
        "gate": "--baseline BASELINE [OPTIONS] QRELS RUN",
        "judging sheet": "--items ITEMS [OPTIONS] PAIRS",
    }.items():
        run([*words.split(), "--help"])
        assert capsys.readouterr().out.splitlines()[0] == f"Usage: rankwell {words} {usage}"
