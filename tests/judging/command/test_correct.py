"""``rankwell judging correct``: what is printed and written is what the function returns; what is refused is one line."""

from __future__ import annotations

import json

import polars as pl
import pytest

import rankwell as rw
from rankwell.cli import run

RANKS = [1, 3, 2, 1, 5, 1, 2, 4]
WORDS = ["judging", "correct", "qrels.txt", "sampled.run", "-m", "hit@10,auc", "--candidates", "40"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    qrels, lines, chances = [], [], {}
    for query, rank in enumerate(RANKS):
        items = [f"x{query}{at}" for at in range(6)]
        chances |= dict.fromkeys(items, 6 / 39)
        items.insert(rank - 1, "yes")
        qrels.append(f"{query} 0 yes 1\n")
        lines += [f"{query} Q0 {item} {at + 1} {9 - at} t\n" for at, item in enumerate(items)]
    (tmp_path / "qrels.txt").write_text("".join(qrels))
    (tmp_path / "sampled.run").write_text("".join(lines))
    (tmp_path / "ranks.txt").write_text("\n".join(map(str, RANKS)) + "\n\n")
    (tmp_path / "empty.txt").write_text("\n \n")
    table = pl.DataFrame({"item": [*chances], "probability": [*chances.values()]})
    table.write_csv(tmp_path / "chances.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_what_is_printed_and_written_is_what_the_function_returns(folder, capsys):
    found = rw.judging.correct("sampled.run", "qrels.txt", ["hit@10", "auc"], candidates=40)
    assert run(WORDS) == 0
    assert capsys.readouterr().out == f"{found}\n"
    assert run([*WORDS, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == found.to_dict()
    assert run([*WORDS, "-o", "found.json"]) == 0
    assert capsys.readouterr().err == "rankwell: note: wrote found.json.\n"
    assert json.loads((folder / "found.json").read_text()) == found.to_dict()
    assert run([*WORDS, "-o", "found.csv"]) == 0
    assert pl.read_csv(folder / "found.csv").columns == found.to_frame().columns


def test_options_are_the_arguments_of_the_function(capsys):
    words, given = ["--max-bias", "1", "--negatives", "6"], {"max_bias": 1, "negatives": 6}
    assert run([*WORDS, *words, "--format", "json"]) == 0
    found = rw.judging.correct("sampled.run", "qrels.txt", ["hit@10", "auc"], candidates=40, **given)
    assert json.loads(capsys.readouterr().out) == found.to_dict()


def test_logged_ranks_give_the_same_as_the_lists(capsys):
    assert run([*WORDS, "--format", "json"]) == 0
    lists = json.loads(capsys.readouterr().out)
    words = [*WORDS[:2], *WORDS[4:], "--logged-ranks", "ranks.txt", "--negatives", "6", "--format", "json"]
    assert run(words) == 0
    assert json.loads(capsys.readouterr().out) == lists


def test_equal_probabilities_give_what_uniform_draws_give(capsys):
    words = ["-m", "auc", "--candidates", "40", "--drawn", "popularity", "--probabilities", "chances.csv"]
    assert run([*WORDS[:4], *words, "--format", "json"]) == 0
    [row] = json.loads(capsys.readouterr().out)["values"]
    plain = rw.judging.correct("sampled.run", "qrels.txt", "auc", candidates=40).rows[0]
    assert row["method"] == "weighted"
    assert [row["estimate"], row["low"], row["high"]] == pytest.approx(
        [plain.estimate, plain.low, plain.high]
    )


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ([*WORDS[:3], *WORDS[4:]], 2, "give QRELS and RUN, or --logged-ranks FILE in place of both"),
        ([*WORDS, "--logged-ranks", "ranks.txt"], 2, "give QRELS and RUN, or --logged-ranks"),
        ([*WORDS[:4], "--candidates", "40"], 2, "ndcg@10"),
        ([*WORDS, "--drawn", "popularity"], 2, "--drawn popularity needs --probabilities"),
        ([*WORDS, "--negatives", "9"], 3, "has 7 items, not 10, as --negatives 9 says"),
        ([*WORDS, "-o", "found.doc"], 2, "corrected values are written as"),
        ([*WORDS[:2], "--logged-ranks", "qrels.txt", *WORDS[4:], "--negatives", "6"], 3, "qrels.txt:1: '0 0 yes 1' is no rank"),
        ([*WORDS[:2], "--logged-ranks", "empty.txt", *WORDS[4:], "--negatives", "6"], 3, "empty.txt: the file is empty. Give the rank"),
        ([*WORDS[:2], "--logged-ranks", "no.txt", *WORDS[4:], "--negatives", "6"], 3, "no.txt: cannot be read"),
        ([*WORDS[:2], "--logged-ranks", "ranks.txt", *WORDS[4:]], 2, "give --negatives 100"),
    ],
)  # fmt: skip
def test_errors_are_one_line(words, code, message, capsys):
    assert run(words) == code
    shown = capsys.readouterr().err
    assert message in shown
    assert len(shown.splitlines()) == 1
