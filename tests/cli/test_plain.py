"""Command lines that are parsed without Cyclopts mean what Cyclopts would make of them."""

from __future__ import annotations

import functools
import random
import subprocess
import sys
from inspect import Parameter
from typing import Literal, get_args, get_origin

import pytest
from tests.cases import seeds
from tests.cli.samples import QRELS, RUN

from rankwell.cli import commands, parser
from rankwell.cli.arguments import POSITIONAL, arguments_of, parsed, without_none
from rankwell.cli.commands import command, function_of, homes
from rankwell.errors import RankwellError

WORDS = [
    "qrels.txt",
    "a.run",
    "ndcg@10",
    "ap(denom=R)@100",
    "head=head.csv",
    "x,y",
    "<stdin>",
    "é",
    "7",
    "0.5",
    "a b",
]


def drawn(draw, name):
    """A plain command line of a command: some of its options in any order, between its positional arguments."""
    words, arguments = [], arguments_of(command(name))
    for argument in arguments:
        kind = without_none(argument.type)
        if argument.kind in POSITIONAL:
            words.append([draw.choice(WORDS)])
            continue
        if draw.random() < 0.7 and argument.default is not Parameter.empty:
            continue
        for _ in range(draw.randint(1, 3) if kind == list[str] else 1):
            flag = draw.choice(argument.names)
            if kind is bool:
                words.append([flag])
                continue
            value = {int: "12", float: draw.choice(["3", "0.25"])}.get(kind) or draw.choice(
                [str(each) for each in get_args(kind)] if get_origin(kind) is Literal else WORDS
            )
            together = flag.startswith("--") and draw.random() < 0.3
            words.append([f"{flag}={value}"] if together else [flag, value])
    draw.shuffle(words)
    return [word for group in words for word in group]


def called(monkeypatch, name, words):
    """What Cyclopts calls the function of a command with, or the error of what it is given."""
    calls = []

    @functools.wraps(command(name))
    def recorder(*positional, **given):
        calls.append((list(positional), given))

    with monkeypatch.context() as patched:
        patched.setattr(commands.homes()[name,].module + f".{name}", recorder)
        parser.run([name, *words])
    return calls[0]


def outcome(function, *arguments):
    """What a function returns, or the text of its error."""
    try:
        return function(*arguments)
    except RankwellError as error:
        return str(error)


@pytest.mark.parametrize("name", ["evaluate", "lint", "axioms"])
def test_a_plain_command_line_means_what_cyclopts_makes_of_it(monkeypatch, name):
    draw = random.Random(20261123)
    for _ in seeds(150):
        words = drawn(draw, name)
        found = outcome(parsed, command(name), words)
        assert found is not None, words
        assert found == outcome(called, monkeypatch, name, words), words


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["q"],
        ["q", "r", "--help"],
        ["q", "r", "-h"],
        ["q", "r", "--no-such"],
        ["q", "r", "-m"],
        ["q", "r", "-m", "-v"],
        ["q", "r", "--threads", "two"],
        ["q", "r", "--threads", "-1"],
        ["q", "r", "--threads", "1", "--threads", "2"],
        ["q", "r", "--ties", "never"],
        ["q", "r", "--ties", "Best"],
        ["q", "r", "--rel", "nan"],
        ["q", "r", "--per-query=yes"],
        ["q", "r", "--weights", ""],
        ["q", "r", "--weights="],
        ["q", "r", "-mndcg"],
        ["q", "r", "--", "-x"],
        ["", "r"],
    ],
)
def test_any_other_command_line_is_left_to_cyclopts(words):
    assert parsed(command("evaluate"), words) is None


def test_the_list_of_commands_says_what_each_command_says_of_itself():
    assert len(homes()) > 50
    for words, home in homes().items():
        first = (function_of(words).__doc__ or "").split("\n\n")[0]
        assert " ".join(first.split()) == home.sentence, words
        assert home.sentence.endswith("."), words


def test_every_argument_says_what_it_is():
    for words in homes():
        for argument in arguments_of(function_of(words)):
            assert argument.help, (words, argument.field)


def test_evaluate_runs_without_cyclopts_and_help_without_numpy():
    code = """
import sys
import rankwell.__main__ as program
program.main(sys.argv[1:])
print("loaded", *sorted({"cyclopts", "rich", "polars", "scipy", "numpy"} & sys.modules.keys()))
"""
    for arguments, heavy in (["evaluate", QRELS, RUN, "-m", "ap"], "numpy"), (["--help"], ""):
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
        )
        assert done.stdout.splitlines()[-1] == f"loaded {heavy}".rstrip()
