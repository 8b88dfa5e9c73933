"""What Cyclopts parses: every number of every command is read as the library would take it; errors name the command's help."""

from __future__ import annotations

from inspect import Parameter

import pytest
from tests.cli.samples import QRELS, RUN

from rankwell.cli import run
from rankwell.cli.arguments import POSITIONAL, arguments_of, without_none
from rankwell.cli.commands import homes
from rankwell.cli.parser import application, function_of

OTHERS = ("trec_eval", "ndeval")  # which parse their own arguments
NUMBERS = [
    (words, argument)
    for words in homes()
    if words[0] not in OTHERS
    for argument in arguments_of(function_of(words))
    if without_none(argument.type) in (int, float)
]


def filled(words, but=""):
    """The words of a command with what it requires, whatever it is, but one option."""
    given = list(words)
    for argument in arguments_of(function_of(words)):
        if (
            argument.default is Parameter.empty
            and argument.kind is not Parameter.VAR_POSITIONAL
            and argument.field != but
        ):
            given += ["1"] if argument.kind in POSITIONAL else [f"{argument.names[0]}=1"]
    return given


def test_every_command_has_been_looked_at():
    fields = {argument.field for _, argument in NUMBERS}
    assert {"depth", "flips", "seed", "threads", "top", "refill", "rel", "alpha"} <= fields
    assert len({words for words, _ in NUMBERS}) > 45


@pytest.mark.parametrize("words", {words: None for words, _ in NUMBERS}, ids=" ".join)
def test_no_number_of_any_command_is_rounded_or_is_none(words, capsys):
    for own, argument in NUMBERS:
        if own != words:
            continue
        name, is_whole = argument.names[0], without_none(argument.type) is int
        kind = "a whole number such as 10" if is_whole else "a number such as 0.5"
        for text in (*(("1.5", "0.4", "-2.5") if is_whole else ()), "nan", "-inf", "0x10"):
            assert run([*filled(words, but=argument.field), name, text]) == 2
            said = capsys.readouterr().err
            assert f"{name}: must be {kind}, not '{text}'" in said.replace('"', "")
            assert f"`rankwell {' '.join(words)} --help` shows how" in said
            assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "value"),
    [("3", 3), ("3.0", 3), ("1e3", 1000), ("-7", -7), ("+7", 7), ("9007199254740992", 2**53)],
)
def test_a_whole_number_may_be_written_as_the_library_takes_it(text, value):
    # the same as rw.compare(seed=3.0), by tables/arguments.py
    _, bound, _ = application().parse_args(["evaluate", QRELS, RUN, f"--depth={text}"], exit_on_error=False)
    assert (bound.arguments["depth"], type(bound.arguments["depth"])) == (value, int)


@pytest.mark.parametrize("words", [each for each in homes() if each[0] not in OTHERS], ids=" ".join)
def test_a_command_without_its_arguments_names_its_own_help(words, capsys):
    if filled(words) == list(words):
        return
    assert run(list(words)) == 2
    assert f"`rankwell {' '.join(words)} --help` shows how." in capsys.readouterr().err


def test_a_command_that_is_none_of_a_group_names_the_help_of_the_group(capsys):
    for group, helps in (["judging"], "rankwell judging --help"), ([], "rankwell --help"):
        assert run([*group, "nix"]) == 2
        assert f"`{helps}` shows how" in capsys.readouterr().err


WRITING = [
    words
    for words in homes()
    if words[0] not in (*OTHERS, "demo")
    and any("-o" in argument.names for argument in arguments_of(function_of(words)))
]


@pytest.mark.parametrize("words", WRITING, ids=" ".join)
def test_a_suffix_that_no_command_writes_is_refused_before_the_work_with_those_it_writes(
    words, capsys, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)  # in which no input is: reading them would be an error of another kind
    arguments = arguments_of(function_of(words))
    field = next(each.field for each in arguments if "-o" in each.names)
    extra = {"bench": ["--search", "x", "--topics", "x"], "explain": ["x", "x"]}.get(words[0], [])
    if any("-m" in each.names and each.default is not Parameter.empty for each in arguments):
        extra = [*extra, "-m", "ap"]
    for name in ("values.xlsx", "values.numbers", "values.csv.gz", "values.JSN"):
        outputs = ["-o", name]
        if any(each.field == "suffix" for each in arguments):  # of the tables in a folder
            outputs = ["-o", "folder", "--suffix", name.partition(".")[2]]
        assert run([*filled(words, but=field), *extra, *outputs]) == 2, capsys.readouterr().err
        said = capsys.readouterr().err
        assert any(end in said for end in (".csv", ".json", ".html", ".txt", ".svg")), said
        assert name in said or "folder" in said
        assert said.count("\n") == 1
        assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "name", ["values", "values.txt", "values.log", "VALUES.TXT", "values.md", "values.csv"]
)
def test_suffixes_that_are_written_are_written(name, tmp_path):
    assert run(["evaluate", QRELS, RUN, "-m", "ap", "-o", str(tmp_path / name)]) == 0
    assert (tmp_path / name).read_text().count("ap") >= 1


def test_a_suffix_may_be_anything_with_a_format(tmp_path):
    assert run(["evaluate", QRELS, RUN, "-m", "ap", "-o", str(tmp_path / "v.xyz"), "--format", "csv"]) == 0
    assert (tmp_path / "v.xyz").read_text().startswith("run,metric,value")
