"""A Korean page: no English sentence is in what it shows but those that nobody has translated yet, which are listed."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from typing import ClassVar

import polars as pl
import pytest
from tests.reporting.pages import shown_in
from tools import translations as tool

import rankwell as rw
from rankwell.display.page import words_of
from rankwell.display.page.strings import translations
from rankwell.errors import RankwellError
from rankwell.inspection import linting
from rankwell.metrics import classes
from rankwell.metrics.metric import REGISTRY, QueryMetric, definition
from rankwell.reporting.sections.definitions import count_label

FILMS = files("rankwell") / "data" / "movietweetings"
QUICK = {"resamples": 99, "flips": 99, "lang": "ko"}
SENTENCE = re.compile(r"[A-Za-z]{2,}(?: [A-Za-z]{2,}){2,}")
FIELD = re.compile(r"\{[^}]*\}")
# commands, and what others call a thing
ALLOWED = ("rankwell explain ap", "rankwell explain ndcg", "Jeunen et al")


def english_in(text):
    """The English of a text: three words in a row."""
    return [found for found in SENTENCE.findall(text) if found not in ALLOWED]


def citations():
    """The translated references: what they cite stays in its own language."""
    rooms = translations("ko").items()
    return {
        " ".join(text.split())
        for room, texts in rooms
        if room.endswith(".reference")
        for text in texts.values()
    }


def english_on(found):
    """The English sentences that a page and the words of its pictures show, without those that `make translations` lists."""
    page = [text for lang, text in shown_in(found.to_html()) if lang == "ko" and text not in citations()]
    charts = [text for section in found.sections for text in words_in(section.charts)]
    listed = [
        ".*".join(map(re.escape, FIELD.split(" ".join(text.split()).replace("``", ""))))
        for text in tool.untranslated("ko").values()
        if english_in(text)
    ]
    return [
        english
        for text in (*page, *charts)
        for english in english_in(text)
        if not any(re.search(one, text) for one in listed)
    ]


def words_in(spec):
    """The texts of a specification of a chart, without the rows behind it, its addresses and its expressions."""
    if isinstance(spec, dict):
        left_out = {"datasets", "values", "data", "$schema", "transform", "params", "expr", "labelExpr"}
        return [text for key, each in spec.items() if key not in left_out for text in words_in(each)]
    if isinstance(spec, (list, tuple)):
        return [text for each in spec for text in words_in(each)]
    return [spec] if isinstance(spec, str) else []


def evaluable():
    """The metrics that the bundled data have all tables for, at 10 where they take a cut-off."""
    tables = {"train": FILMS / "train.parquet", "items": FILMS / "items.parquet", "rel": 8}
    for cls in classes():
        if not cls.__module__.startswith("rankwell.metrics.") or cls.only_grades or "parts" in cls.needs:
            continue
        metric = cls.name if cls.cut == "none" else f"{cls.name}@10"
        try:
            rw.Evaluator(FILMS / "test.parquet", [metric], **tables)
        except RankwellError:
            continue
        yield metric


@pytest.mark.filterwarnings("ignore")
def test_a_page_of_all_metrics_that_the_bundled_data_allow_shows_no_english_sentence():
    metrics = ["ndcg@10", *(metric for metric in evaluable() if metric != "ndcg@10")]
    assert len(metrics) > 100
    found = rw.report(
        {name: FILMS / f"{name}.parquet" for name in ("popular", "als", "random")},
        FILMS / "test.parquet",
        metrics,
        train=FILMS / "train.parquet",
        items=FILMS / "items.parquet",
        rel=8,
        baseline="popular",
        **QUICK,
    )
    assert len(found.sections) >= 9
    assert english_on(found) == []


JUDGED = {f"q{n}": {f"d{n}": 1, f"e{n}": 2, "z": 0} for n in range(8)}
WITH_GAPS = [
    (f"q{n}", item, rank, score)
    for n in range(8)
    for item, rank, score in ((f"d{n}", 1, 1.0), (f"e{n}", 3, 2.0))
]
FAULTY = {
    "again": {f"q{n}": [f"d{n}", f"d{n}", f"e{n}"] for n in range(8)},
    "gaps": pl.DataFrame(WITH_GAPS, schema=["query", "item", "rank", "score"], orient="row"),
    "rising": {f"q{n}": [(f"x{n}", 0.1), (f"y{n}", 0.2), (f"d{n}", 0.3)] for n in range(8)},
    "near": {f"q{n}": {f"x{n}": 1.0, f"d{n}": 1.0 + 1e-12, f"e{n}": float("inf")} for n in range(6)},
    "spaces": {f"q{n}": {f" d{n}": 2.0, f"x{n} ": 1.0} for n in range(8)},
    "zeros": {f"q{n}": {f"0d{n}": 2.0} for n in range(8)},
    "other": {**{f"q{n}": {f"d{n}": 2.0} for n in range(2)}, "r": {"d1": 1.0}},
}
FAULTS = {
    "duplicates", "unknown-items", "score-direction", "white-space", "nothing-in-common", "training-items", "unjudged",
    "rank-gaps", "infinite-scores", "missing-queries", "warnings", "unknown-queries", "undefined-list", "touched",
    "near-ties",
}  # fmt: skip


def faulty():
    return rw.report(
        FAULTY,
        JUDGED,
        ["ndcg@10", "ap@1", "coverage@2", "gini@2", "auc"],
        train={"q1": ["e1", "d1"]},
        items=[f"{letter}{n}" for letter in "dexy" for n in range(8)],
        duplicates="first",
        outside="ignore",
        **QUICK,
    )


def test_a_page_of_faulty_data_shows_no_english_sentence():
    found = faulty()
    data = found.section("quality").data
    assert {issue["rule"] for issue in (*data["issues"], *data["notes"])} == FAULTS
    assert english_on(found) == []


def test_the_numbers_of_a_korean_message_are_those_that_lint_finds():
    data = faulty().section("quality").data
    said = {
        case["message"]
        for issue in data["issues"]
        if issue["rule"] == "duplicates"
        for case in issue["cases"]
    }
    (own,) = (each for each in linting.lint(FAULTY["again"], JUDGED) if each.rule == "duplicates")
    assert said == {
        f"질의 'q0'의 목록에 두 번 나오는 항목 'd0' (처음: again, 질의 'q0'). 항목을 반복하는 행: {own.count}행."
    }


def test_a_rank_that_cannot_count_is_told_in_korean():
    table = pl.DataFrame({"query": ["q0"] * 2, "item": ["d0", "e0"], "rank": [1.0, 1.5]})
    found = rw.report({"half": table}, JUDGED, ["rr"], ranks="closed", **QUICK)
    (issue,) = (each for each in found.section("quality").data["issues"] if each["rule"] == "ranks")
    assert issue["cases"][0]["message"] == "순위 1.5: 정수가 아닙니다."
    assert issue["cases"][0]["place"] == "half, 2행"


def test_no_translation_holds_an_english_sentence():
    texts = [
        text
        for room, texts in translations("ko").items()
        if not room.endswith(".reference")
        for text in texts.values()
    ]
    assert len(texts) > 600
    assert [english for text in texts for english in english_in(text)] == []


def test_only_citations_are_marked_as_english():
    found = rw.report({"zeros": FAULTY["zeros"]}, JUDGED, ["ndcg@10", "user_mae"], **QUICK)
    english = {text for lang, text in shown_in(found.to_html()) if lang == "en"}
    assert english == {" ".join(rw.explain("ndcg").to_dict()["reference"].split())}


def test_a_metric_of_the_user_is_defined_as_it_is_written():
    @rw.metric(name="seen_in_this_test")
    def seen(judged, context):
        """나만의 지표."""
        return judged.relevant().count() * 0.0

    try:
        found = rw.report({"zeros": FAULTY["zeros"]}, JUDGED, [seen], **QUICK)
    finally:
        del REGISTRY["seen_in_this_test"]
    assert ("ko", "나만의 지표.") in shown_in(found.to_html())


def test_a_metric_contributed_in_english_alone_is_on_a_korean_page_in_english_and_listed():
    @definition
    class Contributed(QueryMetric):
        """Half of what is found: an English sentence.

        Formula
            found ÷ 2

        Edge cases
            Never undefined, whatever there is.

        Parameters
            share: a number that nobody has translated
        """

        name: ClassVar[str] = "contributed_in_english"
        share: float = 0.5

        def per_query(self, judged, context):
            return judged.relevant().count() * self.share

    try:
        found = rw.report(FAULTY["zeros"], JUDGED, ["contributed_in_english", "rr"], **QUICK)
    finally:
        del REGISTRY["contributed_in_english"]
    shown = [text for _, text in shown_in(found.to_html())]
    for text in ("Half of what is found: an English sentence.", "Never undefined, whatever there is."):
        assert text in shown
    assert any("share: a number that nobody has translated" in text for text in shown)
    assert found.section("definitions").title == words_of("ko")("report.definitions.title")
    room = "translations/ko/metrics.toml [contributed_in_english]"
    listed = tool.untranslated("ko", tool.definitions([Contributed]))
    assert [re.sub(r"\.?\b[0-9a-f]{8} = ", ": ", line) for line in listed] == [
        f"{room} sentence: Half of what is found: an English sentence.",
        f"{room} formula: found ÷ 2",
        f"{room} edge_cases: Never undefined, whatever there is.",
        "translations/ko/parameters.toml [share] : a number that nobody has translated",
    ]


@pytest.fixture
def saved(tmp_path):
    """A comparison of lists of which some have no judged query, saved; and the page of the same lists."""
    runs = {"a": FAULTY["zeros"], "b": FAULTY["other"], "c": FAULTY["again"]}
    options = {"rel": 2, "duplicates": "first"}
    rw.compare(runs, JUDGED, ["ndcg@10", "auc"], flips=99, resamples=99, **options).save(
        tmp_path / "saved.json"
    )
    return tmp_path / "saved.json", rw.report(runs, JUDGED, ["ndcg@10", "auc"], **options, **QUICK)


def test_a_page_of_a_saved_comparison_shows_no_english_sentence(saved):
    path, _ = saved
    found = rw.report(str(path), lang="ko")
    assert english_on(found) == []
    assert "등급은 판정입니다" in found.section("definitions").data["grades"]


def test_a_page_of_a_saved_comparison_counts_what_the_page_of_its_lists_counts(saved):
    path, whole = saved
    found, of_lists = (page.section("definitions").data for page in (rw.report(str(path), lang="ko"), whole))
    for part in ("systems", "grades", "same", "differs", "notes"):
        assert found[part] == of_lists[part]
    assert all(found[part] for part in ("same", "differs"))
    assert not found["notes"]


def test_the_notes_of_a_comparison_saved_without_counts_are_folded_and_labelled(saved):
    path, _ = saved
    data = json.loads(path.read_text(encoding="utf-8"))
    for later in ("grades", "rel", "counted"):
        del data[later]
    path.write_text(json.dumps(data), encoding="utf-8")
    found = rw.report(str(path), lang="ko")
    assert ("ko", "비교에 저장된 메모 (영문)") in shown_in(found.to_html())
    assert english_on(found) == []


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("judged queries", "판정된 질의"),
        ("rows without topics", "주제가 없는 행"),
        ("rows without colour", "colour 값이 없는 행"),
        ("values of ab_ndcg@10 above 1", "1보다 큰 ab_ndcg@10 값"),
        ("counted by a user's metric", "counted by a user's metric"),
    ],
)
def test_counts_that_name_a_column_or_a_metric_are_said_in_korean(what, said):
    assert count_label(what, words_of("ko")) == said
    assert count_label(what, words_of("en")) == what
