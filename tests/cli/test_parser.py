"""What Cyclopts parses: every number of every command is read as the library would take it; errors name the command's help."""

from __future__ import annotations

import shlex
from dataclasses import fields
from inspect import Parameter
from typing import get_args

import pytest
from tests.cases import FEWER, drawn
from tests.cli.samples import QRELS, RUN

from rankwell.cli import run
from rankwell.cli.arguments import POSITIONAL, arguments_of, pairs_in, parsed, without_none
from rankwell.cli.commands import function_of, homes
from rankwell.cli.evaluate import evaluate
from rankwell.cli.parser import application
from rankwell.cli.prepare import ToFolder
from rankwell.cli.understand import lint
from rankwell.errors import one_of
from rankwell.matching.policy import Policy, choices

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
    assert len({words for words, _ in NUMBERS}) > 25


@pytest.mark.parametrize("words", {words: None for words, _ in NUMBERS}, ids=" ".join)
def test_no_number_of_any_command_is_rounded_or_is_none(words, capsys):
    for own, argument in NUMBERS:
        if own != words:
            continue
        name, is_whole = argument.names[0], without_none(argument.type) is int
        kind = "a whole number such as 10" if is_whole else "a number such as 0.5"
        texts = [*(("1.5", "0.4", "-2.5") if is_whole else ()), "nan", "-inf", "0x10"]
        for text in drawn(texts, f"{words} {name}", FEWER):
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
    and any("-o" in each.names and each.of is not ToFolder for each in arguments_of(function_of(words)))
]


@pytest.mark.parametrize("words", WRITING, ids=" ".join)
def test_a_suffix_that_no_command_writes_is_refused_before_the_work_with_those_it_writes(
    words, capsys, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)  # in which no input is: reading them would be an error of another kind
    arguments = arguments_of(function_of(words))
    field = next(each.field for each in arguments if "-o" in each.names)
    extra = {"bench": ["--search", "x", "--queries", "x"], "explain": ["x", "x"]}.get(words[0], [])
    if any("-m" in each.names and each.default is not Parameter.empty for each in arguments):
        extra = [*extra, "-m", "ap"]
    for name in ("values.xls", "values.numbers", "values.csv.gz", "values.JSN"):
        assert run([*filled(words, but=field), *extra, "-o", name]) == 2, capsys.readouterr().err
        said = capsys.readouterr().err
        assert any(end in said for end in (".csv", ".json", ".html", ".txt", ".svg", ".toml")), said
        assert name in said
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


VALUES = {
    "depth": "3", "rel": "2.5", "drop_own_query": "true", "columns": "wer=query,was=item", "qrels_columns": "a b=item", "encoding": "cp949",
    "format_in": "trec", "qrels_format": "delimited", "qrels_items_in": "bar", "order": "rows", "rank_base": "0", "query_ids": "stem",
    "items_in": "comma", "scores_from": "scores.txt", "group": "#", "sizes": "tokens", "fill": "cut",
}  # fmt: skip


@pytest.mark.parametrize("word", [*pairs_in(lint)])
def test_a_pair_says_what_an_option_of_its_own_says(word):
    value, flag, option = (
        VALUES.get(word) or choices(word)[-1],
        f"--{word.replace('_', '-')}",
        pairs_in(lint)[word],
    )
    # rules that mean nothing without another one
    needed = {"judged": ("group", "#"), "fill": ("sizes", "tokens")}.get(word)
    line = [] if needed is None else [f"--{needed[0]}", needed[1]]
    single = parsed(evaluate, ["q", "r", *line, *([flag] if value == "true" else [flag, value])])[1]
    line = [] if needed is None else [option, "=".join(needed)]
    assert parsed(lint, ["q", "r", *line, option, f"{word}={value}"])[1] == single
    assert parsed(lint, ["q", "r", *line, option, f"{flag[2:]}={value}"])[1] == single


def test_several_pairs_make_one_policy_and_one_way_of_reading():
    line = [
        "--policy",
        "rel=1",
        "--read",
        "columns=a=item",
        "--policy",
        "ties=order",
        "--read",
        "columns=b=query",
    ]
    given = parsed(lint, ["q", "r", *line])[1]
    assert given["policy"] == Policy(rel=1, ties="order")
    assert given["reading"].of_runs["columns"] == {"a": "item", "b": "query"}


WRONG_PAIRS = {
    "tie=order": f"--policy has no 'tie', only {one_of(field.name for field in fields(Policy))}. Did you mean ties?",
    "ties=ordr": "--policy ties=ordr: must be item-desc, item-asc, order, expected, best or worst. Did you mean order?",
    "depth=ten": "--policy depth=ten: must be a whole number.",
    "rel=nan": "--policy rel=nan: must be a finite number.",
    "drop_own_query=yes": "--policy drop_own_query=yes: must be true or false.",
    "ties": "--policy takes a word and its value, such as --policy ties=order, not 'ties'.",
    "depth=0": "Policy(depth=0): depth must be a whole number of at least 1, or None for all.",
}


@pytest.mark.parametrize("pair", WRONG_PAIRS)
def test_a_wrong_pair_is_told_in_one_line_with_the_nearest_word(pair, capsys):
    assert run(["lint", "q", "r", "--policy", pair]) == 2
    assert capsys.readouterr().err == f"rankwell: {WRONG_PAIRS[pair]}\n"


def test_a_word_that_is_given_twice_is_refused(capsys):
    assert run(["lint", "q", "r", "--read", "rank-base=0", "--read", "rank_base=1"]) == 2
    assert capsys.readouterr().err == "rankwell: --read is given rank_base twice; give it once.\n"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (f"judging simulate {QRELS} {RUN} b={RUN} --budgets 40t,80", "--budgets takes numbers such as 1,2,3, not '40t,80'. Did you mean 40,80?"),
        ("judging next q a b --budget 40t", "must be a whole number such as 10, not '40t'. Did you mean 40?"),
        ("lint q r -k ten", "must be a whole number such as 10, not 'ten'. `rankwell lint --help` shows how."),
    ],
)  # fmt: skip
def test_a_number_with_a_unit_is_proposed_without_it(line, said, capsys):
    assert run(shlex.split(line)) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    "command", ["explain ndcg@2", "lint", "rosetta -m ndcg@2", "plot per_query -m ndcg@2 -o x.json"]
)
@pytest.mark.parametrize("rules", ["--group '#' --depth=3", "--policy group=# --depth 3"])
def test_rules_have_their_names_in_every_command(tmp_path, command, rules, capsys, monkeypatch):
    """Also where the help lists them together, as pairs: what comes out is what pairs give."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q").write_text("q 0 d1 1\nq 0 d3 1\n")
    (tmp_path / "r").write_text("q Q0 d1#1 1 3 t\nq Q0 d1#2 2 2 t\nq Q0 d3#1 3 1 t\n")
    words = shlex.split(command)
    words = (
        [*words[:2], "q", "r", *words[2:]]
        if words[0] in ("explain", "plot")
        else [words[0], "q", "r", *words[1:]]
    )
    code = run([*words, *shlex.split(rules)])
    first = capsys.readouterr()
    assert run([*words, "--policy", "group=#", "--policy", "depth=3"]) == code
    assert capsys.readouterr() == first
    assert "Unknown option" not in first.err


IN_PLACE = {
    "bench --topics q.tsv": "It is --queries.",
    "lint q r --documents d": "It is --items.",
    "evaluate q r -m ap --k 10": "A cut-off stands behind its metric: -m ndcg@10.",
    "evaluate q r -m ap --top-k 10": "A cut-off stands behind its metric: -m ndcg@10.",
    "evaluate q r -m ap --cutoff=10": "A cut-off stands behind its metric: -m ndcg@10.",
    "lint q r --top-k 10": "It is -k.",
    "evaluate q r -m ap --budgets 40t": "A budget stands behind its metric: -m r@2000t; --sizes tokens names the column of sizes.",
    "compare q a b -m ap --max-tokens 40": "A budget stands behind its metric: -m r@2000t; --sizes tokens names the column of sizes.",
    "bench --metrics rr": "It is --metric.",
    "evaluate q r -m ap --threshold 8": "It is --rel.",
    "compare q a b -m ap --label tab:ap": "It is for Python alone: found.to_latex(caption=…, label=…).",
    "evaluate q r -m ap --json": "It is --format json.",
    "evaluate --qrels q --run r -m ap": "Files stand without an option, the judgements before the runs: QRELS RUN.",
    "evaluate q r -m rr --policy rell=8": "Did you mean --rel?",
    "plot exposure r --k 3": "It is -k.",
    "lint q r --depth": "Write --policy depth=….",
    "explain rr q r --tiess order": "Did you mean --policy ties=…?",
    "evaluate q r -m rr --policy depth=10": "Write --depth 10.",
    "evaluate q r -m rr --policy drop_own_query=true": "Write --drop-own-query.",
    "evaluate q r -m rr --read rank_base=1": "Write --rank-base 1.",
    "evaluate q r -m rr --tis order": "Did you mean --ties?",
    "plot forest q a b --margin 0.1": "Compare with it: `rankwell compare … --margin … -o found.json`, then `rankwell plot forest found.json`.",
    "plot differences q a b --seeds A=a,b": "Compare with it: `rankwell compare … --seeds … -o found.json`, then name found.json beside the runs.",
}


@pytest.mark.parametrize("line", IN_PLACE)
def test_an_unknown_option_says_what_to_write_in_its_place(line, capsys):
    words = shlex.split(line)
    option = next(word for word in words if word.startswith("--")).partition("=")[0]
    assert run(words) == 2
    shown = capsys.readouterr().err
    command = " ".join(words[:2] if words[0] == "plot" else words[:1])
    assert (
        shown
        == f"rankwell: Unknown option: {option}. {IN_PLACE[line]} `rankwell {command} --help` shows how.\n"
    )


@pytest.mark.parametrize("words", [words for words in homes() if words[0] not in OTHERS], ids=" ".join)
@pytest.mark.parametrize(
    "option", ["--nonesuch", "--policy", "--" + "x" * 10_000], ids=["none", "pairs", "long"]
)
def test_every_command_tells_of_an_option_that_it_lacks_in_one_short_line(words, option, capsys):
    if option == "--policy" and pairs_in(function_of(words)):
        return
    assert run([*filled(words), option, "x"]) == 2
    shown = capsys.readouterr().err
    assert shown.startswith(f"rankwell: Unknown option: {option[:40]}")
    assert shown.endswith(f" `rankwell {' '.join(words)} --help` shows how.\n")
    assert len(shown) < 300
    assert shown.count("\n") == 1


@pytest.mark.parametrize("words", homes(), ids=" ".join)
def test_every_default_is_of_the_type_that_its_option_takes(words):
    """Where pydantic happens to be loaded, defaults are checked, too, and one that does not fit is an error of pydantic's own."""
    for argument in arguments_of(function_of(words)):
        if argument.default is None:
            assert argument.type is None or type(None) in get_args(argument.type), argument.field
