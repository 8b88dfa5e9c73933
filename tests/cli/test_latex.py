"""LaTeX of ``compare``: a column per metric, letters or stars as superscripts, caption, label and booktabs."""

from __future__ import annotations

import pytest
from tests.cli.samples import MOVIES

import rankwell as rw
from rankwell.cli import run

FILES = [str(MOVIES / f"{name}.parquet") for name in ("test", "popular", "als", "random")]
LINE = ["compare", *FILES, "-m", "ndcg@10,hit@10", "--rel", "8"]


def shown(capsys, *words):
    assert run([*LINE, "--format", "latex", *words]) == 0
    return capsys.readouterr().out


def test_each_metric_is_one_column_with_letters_as_superscripts(capsys):
    text = shown(capsys)
    assert r"\begin{tabular}{lrrr}" in text
    assert r"system & ndcg@10 $\uparrow$ & hit@10 $\uparrow$ & n \\" in text
    assert (
        r"popular & \textbf{0.0608}\textsuperscript{a} & \textbf{0.2032}\textsuperscript{a} & 379 \\" in text
    )
    assert r"als & 0.0319\textsuperscript{b} & 0.1187\textsuperscript{b} & 379 \\" in text
    assert [text.count(rule) for rule in (r"\toprule", r"\midrule", r"\bottomrule")] == [1, 1, 1]
    assert r"\label{tab:comparison}" in text


def test_the_caption_says_what_the_letters_and_the_tests_are(capsys):
    caption = next(line for line in shown(capsys).splitlines() if line.startswith(r"\caption"))
    assert "3 systems on 379 queries" in caption
    assert "Tests: step-down maxT" in caption
    assert caption.endswith("Systems that share a letter do not differ significantly (corrected: maxt).}")
    stars = shown(capsys, "--baseline", "popular")
    assert r"\textsuperscript{{*}{*}}" in stars
    assert "p: corrected (holm);" in stars


def test_notes_are_one_paragraph_and_pairs_a_table_of_their_own(capsys):
    assert shown(capsys).count(r"\par\footnotesize") == 1
    both = shown(capsys, "--pairs")
    assert both.count(r"\begin{table}") == 2
    assert both.count(r"\label") == 1


def test_it_is_what_python_gives(capsys):
    runs = {name: f"{MOVIES}/{name}.parquet" for name in ("popular", "als", "random")}
    found = rw.compare(runs, FILES[0], ["ndcg@10", "hit@10"], rel=8)
    assert found.to_latex() + "\n" == shown(capsys)
    assert r"\label" not in found.to_latex(label=None)
    assert r"\caption{Mine}" in found.to_latex(caption="Mine", label="tab:mine")


@pytest.mark.parametrize("form", ["latex", "markdown", "html"])
def test_a_table_for_a_document_tells_of_no_option(form, capsys):
    assert run(["evaluate", *FILES[:3], "-m", "rr", "--rel", "8", "--format", form]) == 0
    assert "-v prints" not in capsys.readouterr().out
