"""What an error says to do about a table works when it is pasted: in Python as arguments, in a shell as options of the command.

Each clause of a message that holds arguments is one remedy; all that it names go together.
"""

from __future__ import annotations

import ast
import re
import shlex

import pandas as pd
from tests.every import every

import rankwell as rw
from rankwell.cli import run as command
from rankwell.readers.formats.delimited import SAID

QRELS = "u 0 a 1\nu 0 b 0\nv 0 c 1\n"
RUN = "u Q0 b 1 2.0 t\nu Q0 a 2 1.0 t\nv Q0 c 1 1.0 t\n"
# the judgements and the run, each as the name of its file and its text, and how many remedies the message has
CASES = {
    "an unclaimed score": (("q.txt", QRELS), ("r.csv", "user,item,p_buy\nu,b,.1\nu,a,.9\nv,c,.5\n"), 3),
    "a name with a blank": (("q.txt", QRELS), ("r.csv", "user,item,p buy\nu,b,.1\nu,a,.9\nv,c,.5\n"), 3),
    "grades as scores": (("q.txt", QRELS), ("r.csv", "user,item,relevance\nu,b,.1\nu,a,.9\nv,c,.5\n"), 2),
    "two scores": (("q.txt", QRELS), ("r.csv", "user,item,pred,sim\nu,b,.1,1\nu,a,.9,2\nv,c,.5,3\n"), 1),
    "an unknown item": (("q.txt", QRELS), ("r.csv", "user,thing,score\nu,b,.1\nu,a,.9\nv,c,.5\n"), 1),
    "an unclaimed grade": (("q.csv", "user,item,plays\nu,a,3\nu,b,0\nv,c,2\n"), ("r.txt", RUN), 2),
    "two grades": (("q.csv", "user,item,label,rating\nu,a,3,1\nu,b,0,1\nv,c,2,1\n"), ("r.txt", RUN), 1),
    "an unknown query": (("q.csv", "person,item,grade\nu,a,3\nu,b,0\nv,c,2\n"), ("r.txt", RUN), 1),
    "a run without a header": (("q.txt", QRELS), ("r.tsv", "u\tb\t5\nu\ta\t9\nv\tc\t3\n"), 2),
    "a header that is none": (("q.txt", QRELS), ("r.csv", "u,b\nu,a\nv,c\n"), 1),
    "columns counted up": (("q.txt", QRELS), ("r.csv", "0,1,2\nu,b,5\nu,a,9\nv,c,3\n"), 2),
    "TREC text of three": (("q.txt", QRELS), ("r.txt", "u b 1\nu a 2\nv c 1\n"), 2),
    "TREC text without a tag": (("q.txt", QRELS), ("r.txt", "u Q0 b 1 2.0\nu Q0 a 2 1.0\nv Q0 c 1 1.0\n"), 1),
    "TREC text without Q0": (("q.txt", QRELS), ("r.txt", "u b 1 2.0 t\nu a 2 1.0 t\nv c 1 1.0 t\n"), 1),
    "TREC text without ranks": (("q.txt", QRELS), ("r.txt", "u Q0 b 2.0 t\nu Q0 a 1.0 t\nv Q0 c 1.0 t\n"), 1),
    "TREC text of four": (("q.txt", QRELS), ("r.txt", "u b 1 2.5\nu a 2 1.0\nv c 1 1.0\n"), 1),
    "a log as TREC text": (("q.txt", QRELS), ("r.txt", "u b 5 978300760\nu a 2 978300761\n"), 2),
    "TREC text of two": (("q.txt", QRELS), ("r.txt", "u b\nu a\nv c\n"), 1),
    "rank and score swapped": (
        ("q.txt", QRELS),
        ("r.txt", "u Q0 b 0.2 1 t\nu Q0 a 0.9 2 t\nv Q0 c 0.1 3 t\n"),
        1,
    ),
    "judgements of two": (("q.txt", "u b\nu a\nv c\n"), ("r.txt", RUN), 1),
    "judgements of three": (("q.txt", "u b 1\nu a 0\nv c 1\n"), ("r.txt", RUN), 1),
    "judgements of five": (("q.txt", "u 0 b 1 x\nu 0 a 0 x\nv 0 c 1 x\n"), ("r.txt", RUN), 1),
    "judgements with a names line": (("q.txt", f"topic iter docno rel\n{QRELS}"), ("r.txt", RUN), 1),
    "judgements of numbers with times": (("q.txt", "u 3 5 978300760\nu 4 1 978300761\n"), ("r.txt", RUN), 1),
    "judgements without a header": (("q.csv", "u,a\nu,b\nv,7\n"), ("r.txt", RUN), 1),
}
ARGUMENT = re.compile(r"(?<![\w(])(\w+)=('[^']*'|\{[^{}]*\}|[\d.]*\d)")
OPTION = re.compile(r"--([a-z-]+) ((?:\w+=)?'[^']*'|[^\s';]*[^\s';.,:])")
# one with options of its own for how files are read and for the rules, and others that take --read and --policy; and what each tells
COMMANDS = {
    "evaluate": (["evaluate", "QRELS", "RUN", "-m", "rr"], "rr"),
    "explain": (["explain", "rr", "QRELS", "RUN", "--query", "u"], "rr"),
    "plot": (["plot", "ties", "QRELS", "RUN", "-m", "rr", "-o", "ties.json"], "wrote ties.json"),
    "judging": (["judging", "next", "QRELS", "RUN", "--aim", "mean"], "judged"),
}


def clauses(message):
    """The parts of a message between its marks."""
    return re.split(r"(?<=\S)[;.?](?=\s|$)", message)


def written(folder, pair):
    name, text = pair
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name)


def error_of(function):
    """What the error of a call says; "" if there is none."""
    try:
        function()
    except rw.RankwellError as error:
        return str(error)
    return ""


@every("what", CASES)
@every("as_frames", [False, True])
def test_remedies_work_in_python(tmp_path, what, as_frames):
    qrels, run, count = (written(tmp_path, each) if isinstance(each, tuple) else each for each in CASES[what])
    if as_frames:
        if "header" in what or "counted" in what:
            return  # of files alone
        qrels, run = (pd.read_csv(each) if each.endswith(".csv") else each for each in (qrels, run))
    message = error_of(lambda: rw.evaluate(run, qrels, ["rr"]))
    remedies = [dict(found) for clause in clauses(message) if (found := ARGUMENT.findall(clause))]
    assert len(remedies) == count, message
    for remedy in remedies:
        given = {word: ast.literal_eval(value) for word, value in remedy.items()}
        again = error_of(lambda given=given: rw.evaluate(run, qrels, ["rr"], **given))
        assert again != message, (message, given)
        assert not again or ARGUMENT.search(again), (message, again)  # the next question, of something else


@every("what", CASES)
@every("name", COMMANDS)
def test_remedies_work_in_a_shell(tmp_path, monkeypatch, capsys, what, name):
    monkeypatch.chdir(tmp_path)
    qrels, run, count = (written(tmp_path, each) if isinstance(each, tuple) else each for each in CASES[what])
    line, told = COMMANDS[name]
    words = [{"QRELS": qrels, "RUN": run}.get(word, word) for word in line]
    assert command(words) in (2, 3)
    message = capsys.readouterr().err
    remedies = [found for clause in clauses(message) if (found := OPTION.findall(clause))]
    assert len(remedies) == count, message
    assert {"read", "policy"}.isdisjoint(option for remedy in remedies for option, _ in remedy) == (
        name == "evaluate"
    )
    for remedy in remedies:
        more = [word for name, value in remedy for word in (f"--{name}", *shlex.split(value))]
        if command([*words, *more]):
            again = capsys.readouterr().err
            assert again != message, (message, more)
            assert OPTION.search(again), (message, again)
        else:
            assert told in "".join(capsys.readouterr())


def test_the_kinds_of_tables_that_have_layouts_are_tried_here():
    assert set(SAID) == {"run", "qrels"}
