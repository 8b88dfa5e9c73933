"""What an error of the command line says to type works when it is typed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import rankwell
from rankwell.cli import run
from rankwell.cli.words import FIRST, OTHERS, as_options
from rankwell.matching.policy import Policy

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


def as_pairs(words):
    """A command line with its rules as values of --policy."""
    line = list(words)
    for at, word in enumerate(line):
        name = word.removeprefix("--").replace("-", "_")
        if word.startswith("--") and name in Policy.__dataclass_fields__:
            line[at : at + 2] = ["--policy", f"{name}={line[at + 1]}"]
    return line


@pytest.mark.parametrize("what", CALLS)
@pytest.mark.parametrize("command", ["evaluate", "rosetta"])
def test_each_remedy_can_be_typed(what, command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    arguments = [command, *(CALLS[what] if command == "evaluate" else as_pairs(CALLS[what]))]
    assert run(arguments) in (2, 3)
    message = capsys.readouterr().err
    remedies = []
    for option, first, others in re.findall(
        r"(--policy \w+=|--[a-z-]+ )([\w.-]*\w)((?:, [\w-]+)* (?:or|and) [\w-]+)?", message
    ):
        remedies += [(option, word) for word in (first, *re.findall(r"(?:,|or|and) ([\w-]+)", others))]
    assert remedies, message
    worked = 0
    for option, word in remedies:
        assert option.startswith("--policy ") == (command != "evaluate")
        given = " ".join(arguments)
        given = (
            re.sub(rf"{option}\S+", f"{option}{word}", given)
            if option in given
            else f"{given} {option}{word}"
        )
        assert run(given.split(" ")) == 0, (option, word, capsys.readouterr().err)
        worked += 1
    assert worked == len(remedies)


WORDS = sorted(
    {*OTHERS, *FIRST, *Policy.__dataclass_fields__} - {"topics", "rel", "query_ids", "date", "seed"}
)


@pytest.mark.parametrize("name", WORDS)
def test_a_column_called_as_an_option_is_still_named_by_what_is_advised(name, tmp_path, monkeypatch, capsys):
    """Those that are known names of columns are not asked about."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.csv").write_text("query,item,grade\n1,a,1\n", encoding="utf-8")
    (tmp_path / "r.csv").write_text(f"query,item,{name}\n1,b,.1\n1,a,.9\n", encoding="utf-8")
    line = ["evaluate", "q.csv", "r.csv", "-m", "rr", "--format", "csv"]
    assert run(line) == 3
    (advised,) = re.findall(r"--columns (\S+)=score", capsys.readouterr().err)
    assert advised == name
    assert run([*line, "--columns", f"{advised}=score"]) == 0
    assert "1.0" in capsys.readouterr().out


@pytest.mark.parametrize("header", [",item,score", ",,score", ",thing,score"])
def test_a_column_without_a_name_is_named_by_what_is_advised(header, tmp_path, monkeypatch, capsys):
    """As pandas writes an index."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.csv").write_text("query,item,grade\n1,a,1\n", encoding="utf-8")
    (tmp_path / "r.csv").write_text(f"{header}\n1,b,.1\n1,a,.9\n", encoding="utf-8")
    line = ["evaluate", "q.csv", "r.csv", "-m", "rr", "--format", "csv"]
    assert run(line) == 3
    (advised,) = re.findall(r"--columns '(=[^']+)'", capsys.readouterr().err)
    assert run([*line, "--columns", advised]) == 0
    assert "1.0" in capsys.readouterr().out


def test_metrics_keep_their_own_words():
    message = "write ap(rel=2) or ndcg(gain=exp2,rel=3)@10, not Policy(rel=2)"
    assert as_options(message) == message


VALUES = [
    "-5", "0", "1e-05", "-0.5", "-1e9", "nan", "-inf", "None", "True", "''", "'x'", "'yes,no'", "'two words'", "\"it's\"", "'cut o…", "[]",
    "[1, 2]", "{'a': 1}", "{}", "(1,)", "b'key'", "<object>", "…",
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("name", ["budget", "max_bias", "grades", "logged_ranks", "seed", "date"])
def test_a_space_is_between_an_option_and_its_value(name, value):
    option = f"--{name.replace('_', '-')}"
    shown = {"'x'": "x"}.get(value, value)  # a word needs no quotes
    assert as_options(f"{name}={value}: must be another.") == f"{option} {shown}: must be another."


@pytest.mark.parametrize(
    "end", [" with all", ", or leave it out", ".", ": none is there", "; give one", ")", ""]
)
def test_an_argument_without_a_value_has_no_space(end):
    assert as_options(f"give items={end}") == f"give --items{end}"


def test_of_an_assessor_the_date_keeps_its_sign():
    message = "write model:NAME, and after a comma date=2026-11-25"
    assert as_options(message) == message


def test_messages_that_begin_with_what_was_given_name_the_option():
    """By the sources: names that begin messages, and arguments of commands, which are options."""
    sources = Path(rankwell.__file__).parent
    texts = {path: path.read_text(encoding="utf-8") for path in sources.rglob("*.py")}
    begin = {name for text in texts.values() for name in re.findall(r'Error\(\s*f"([a-z_]+)=\{', text)}
    options = {
        name
        for path, text in texts.items()
        if path.parent.name == "cli"
        for name in re.findall(r"^    ([a-z_]{2,}): Annotated", text, re.MULTILINE)
    }
    # of grade=, query= and assessor= the messages are about what a chooser, a run and a file say; scale= of pictures is for Python
    left = begin & options - {"grade", "query", "assessor", "scale"}
    assert len(left) > 20
    for name in left:
        assert as_options(f"{name}=-1: no.") == f"--{name.replace('_', '-')} -1: no.", name


STRANGE = ("11.0", "12.0", "13.0")
RUNS = {
    "evaluate": "evaluate q.csv a.csv b.csv -m rr", "compare": "compare q.csv a.csv b.csv -m rr", "diff": "diff q.csv a.csv b.csv -m rr",
    "gate": "gate q.csv b.csv --baseline a.csv -m rr", "report": "report q.csv a.csv b.csv -m rr -o x.html", "rosetta": "rosetta q.csv b.csv -m rr",
    "plot": "plot curve q.csv b.csv -m rr -o x.html", "fuse": "fuse a.csv b.csv -o f.csv",
}  # fmt: skip


@pytest.mark.parametrize("command", RUNS)
def test_ids_that_do_not_meet_are_told_with_the_change_by_every_command(
    command, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    for name, items, number in (("q", STRANGE, "grade"), ("a", STRANGE, "score"), ("b", STRANGE, "score")):
        rows = [f"{n},{item if name == 'b' else item[:2]},1" for n, item in enumerate(items)]
        Path(f"{name}.csv").write_text("\n".join([f"query,item,{number}", *rows]) + "\n", encoding="utf-8")
    run(RUNS[command].split(" "))
    said = capsys.readouterr().err
    assert "without the suffix '.0'" in said
    assert "in b, write " in said
    assert 'id.removesuffix(".0")' in said
