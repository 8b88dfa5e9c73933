"""``rankwell judging sheet``: files in, one page out, one line per error."""

from __future__ import annotations

import pytest

import rankwell as rw
from rankwell.cli import run

FILES = {
    "next.tsv": "query\titem\tweight\n1\ta\t0.9\n1\tb\t0.8\n2\ta\t0.7\n",
    "qrels.txt": "1 0 a 1\n1 0 b 0\n2 0 a 0\n",
    "items.csv": "item,title,text\na,A,about a\nb,B,about b\n",
    "queries.tsv": "1\tone\n2\ttwo\n",
    "guide.md": "Read *all*.\n",
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("pairs", ["next.tsv", "qrels.txt"])
def test_the_page_is_what_the_function_makes(pairs, folder, capsys):
    words = [
        pairs,
        "--queries",
        "queries.tsv",
        "--items",
        "items.csv",
        "--guidelines",
        "guide.md",
        "--lang",
        "ko",
    ]
    assert (
        run(["judging", "sheet", *words, "--repeats", "50%", "--scale", "0=no,1=yes", "-o", "own.html"]) == 0
    )
    shown = capsys.readouterr()
    assert shown.err == "rankwell: note: wrote own.html (0.0 MB): 5 tasks, 2 of them repeats.\n"
    assert not shown.out
    sheet = rw.judging.sheet(
        pairs,
        queries="queries.tsv",
        items="items.csv",
        guidelines="guide.md",
        lang="ko",
        repeats=0.5,
        scale="0=no,1=yes",
    )
    assert (folder / "own.html").read_text(encoding="utf-8") == sheet.to_html()


def test_texts_that_are_missing_are_noted(capsys):
    assert run(["judging", "sheet", "next.tsv", "--items", "items.csv"]) == 0
    assert capsys.readouterr().err.splitlines() == [
        "rankwell: note: wrote sheet.html (0.0 MB): 3 tasks.",
        "rankwell: note: 2 of the queries have no text, and are shown by their id.",
    ]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["next.tsv"], 2, "--items"),
        (["none.tsv", "--items", "items.csv"], 3, "none.tsv"),
        (["next.tsv", "--items", "items.csv", "-o", "sheet.pdf"], 2, "suffix .html"),
        (["next.tsv", "--items", "items.csv", "-o", "no/sheet.html"], 3, "no/sheet.html"),
        (["next.tsv", "--items", "items.csv", "--repeats", "10"], 2, "1 in 10 is 10%"),
        (["next.tsv", "--items", "items.csv", "--repeats", "ten"], 2, "such as 10% or 0.1"),
        (["next.tsv", "--items", "items.csv", "--order", "rank"], 2, "--order"),
        (["next.tsv", "--items", "items.csv", "--guidelines", "no.md"], 3, "no.md: cannot be read"),
        (["next.tsv", "--items", "queries.tsv"], 3, "item"),
        (["queries.tsv", "--items", "items.csv"], 3, "there is no header"),
    ],
)
def test_errors_are_one_line(words, code, message, capsys, folder):
    assert run(["judging", "sheet", *words]) == code
    shown = capsys.readouterr()
    assert message in shown.err
    assert len(shown.err.splitlines()) == 1
    assert not list(folder.glob("*.html"))
