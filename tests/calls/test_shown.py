"""What public functions give shows itself: as text, and in a notebook as a table."""

from __future__ import annotations

import random
from html.parser import HTMLParser

import polars as pl
import pytest
from tests.calls.public import CALLS

import rankwell as rw
from rankwell.compat.pytrec_eval import RelevanceEvaluator
from rankwell.metrics.metric import Metric
from rankwell.prepare.splits import FoldParts
from rankwell.tables.run_qrels import Assessor

A = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"b": 2.0, "a": 1.0}, "3": {"c": 1.0}}
B = {"1": {"c": 3.0, "b": 2.0, "a": 1.0}, "2": {"a": 2.0, "b": 1.0}, "3": {"c": 1.0, "a": 0.5}}
JUDGED = {"1": {"a": 1}, "2": {"a": 1, "b": 0}, "3": {"c": 1}}
USERS = [{"query": "1", "tier": "x"}, {"query": "2", "tier": "y"}, {"query": "3", "tier": "x"}]
# a word for itself in a cell is all that these are
PLAIN = (Metric, Assessor, RelevanceEvaluator)
MORE = {
    "comparison": lambda: rw.compare({"a": A, "b": B}, JUDGED, ["ap"]),
    "diff": lambda: rw.diff({"old": A, "new": B}, JUDGED, "ap"),
    "diff of a query": lambda: rw.diff({"old": A, "new": B}, JUDGED, "ap").query("1"),
    "gate": lambda: rw.gate(A, JUDGED, ["ap"], baseline=B, max_drop=0.5),
    "segments": lambda: rw.evaluate(A, JUDGED, ["ap"], users=USERS, by="tier").segments,
    "curve": lambda: rw.Evaluator(JUDGED, ["ap"]).curve(A),
    "findings": lambda: rw.lint({"1": {"a": 1.0}}, {"2": {"b": 1}}),
    "no findings": lambda: rw.lint(A, JUDGED),
    "evaluator without judgements": lambda: rw.Evaluator(None, ["gini@1"], items=["a", "b", "c"]),
    "run of lists": lambda: rw.read_run({"1": ["a", "b"], "2": ["b"]}),
    "qrels with topics": lambda: rw.Qrels(query=["1"], item=["a"], grade=[0.5], topic=["t"]),
    "popularity cut": lambda: rw.prepare.PopularityCut(top=1).fit(JUDGED),
}  # fmt: skip


class Tables(HTMLParser):
    """Counts what is open at the end, and the tables."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tables = [], 0
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tables += tag == "table"
        if tag not in ("br", "img", "meta"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def parts_of(made):
    if isinstance(made, dict):
        return list(made.values())
    return list(made) if isinstance(made, (tuple, list)) and type(made).__module__ != "rankwell" else [made]


def check(made):
    for each in parts_of(made):
        if not type(each).__module__.startswith("rankwell"):
            continue
        if isinstance(each, PLAIN):
            continue
        assert " object at 0x" not in repr(each), type(each)
        if hasattr(each, "_repr_markdown_"):
            assert each._repr_markdown_()
            continue
        if isinstance(each, (rw.prepare.PopularityCut, FoldParts)):  # of frames, which show themselves
            continue
        shown = Tables(each._repr_html_())
        assert shown.open == []
        assert shown.tables >= 1 or isinstance(each, rw.prepare.Report) or not each, type(each)


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.filterwarnings("ignore")
def test_what_a_call_gives_shows_itself(name):
    function, arguments = CALLS[name](random.Random(1))
    check(function(**arguments))


@pytest.mark.parametrize("name", MORE)
@pytest.mark.filterwarnings("ignore")
def test_what_else_there_is_shows_itself(name):
    check(MORE[name]())


def test_a_run_shows_its_first_rows_and_how_many_there_are():
    run = rw.Run(
        query=["1"] * 6 + ["2"] * 1000, item=[f"i{n}" for n in range(1006)], score=[0.5] * 1006, name="<b>"
    )
    text = run._repr_html_()
    assert "Run &#x27;&lt;b&gt;&#x27;: 1,006 rows" in text
    assert text.count("<tr>") == 1 + 5
    assert "the first 5 of 1,006 rows" in text
    assert "i4</td>" in text


def test_rows_come_with_what_they_have(tmp_path):
    ranked = pl.DataFrame({"query": ["1", "1"], "item": ["a", "b"], "rank": [1, 3]})
    assert ">rank</th>" in rw.read_run(ranked)._repr_html_()
    (tmp_path / "run.txt").write_text("1 Q0 a 1 2.5 x\n1 Q0 b 2 1.5 x\n2 Q0 a 1 1.5 x\n")
    streamed = rw.read_run(tmp_path / "run.txt")._repr_html_()
    assert "2.5000" in streamed
    assert streamed.count("<tr>") == 4
    assert "0.5000" in MORE["qrels with topics"]()._repr_html_()
    assert ">topic</th>" in MORE["qrels with topics"]()._repr_html_()


def test_an_evaluator_says_what_it_measures_and_on_what():
    evaluator = rw.Evaluator(JUDGED, ["ap", "ndcg@10"])
    assert repr(evaluator) == "Evaluator of ap, ndcg@10: 4 judgements of 3 queries"
    assert "Average precision" in evaluator._repr_html_()
    assert repr(MORE["evaluator without judgements"]()) == "Evaluator of gini@1: no judgements, only lists"


def test_a_table_in_a_notebook_has_the_style_that_it_needs_and_no_colour():
    shown = rw.evaluate(A, JUDGED, ["ap"])._repr_html_()
    style = shown.partition("<style>")[2].partition("</style>")[0]
    assert "text-align: right" in style
    assert "#" not in style
