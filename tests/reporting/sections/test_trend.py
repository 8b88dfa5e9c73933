"""The report of a trend: its section, the answer and the definitions."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from tests.reporting import second
from tests.reporting.plots.test_trend import WEEKS, dated, falling

import rankwell as rw
from rankwell.errors import RankwellError


def plain():
    data = rw.report(rw.trend(dated())).section("trend").data
    shown = {
        row["date"]: (row["mean"], row["n"], row["shared"], row["change"])
        for row in data["metrics"][0]["rows"]
    }
    means = [second.mean_of("rr", name) for name in second.RUNS]
    changes = [None, *(after - before for before, after in pairwise(means))]
    size = len(second.QUERIES)
    expected = {
        day: (mean, size, None if change is None else size, change)
        for day, mean, change in zip(WEEKS, means, changes, strict=True)
    }
    return shown, expected


def test_the_page_has_the_last_change_by_date_and_definitions():
    found = rw.report(falling())
    assert [section.name for section in found.sections] == ["answer", "trend", "definitions"]
    last = falling()["rr"][2]
    assert found.answer == (
        f"rr fell from {falling()['rr'][1].mean:.4f} on 2026-11-03 to {last.mean:.4f} on 2026-11-04: {last.change:.4f} "
        f"[{last.change_low:.4f}, {last.change_high:.4f}]."
    )
    assert found.title == "Trend of rr"
    assert [row["mark"] for row in found.section("trend").data["metrics"][0]["rows"]] == ["", "", "*"]
    assert set(found.section("trend").charts) == {"trend_0"}
    assert (
        found.section("definitions").data["grades"] == "Grades are judgements: an item is relevant above 0."
    )


def answer_of(*values, metric="rr"):
    """The answer for dates on each of which two queries have a value; None: nothing relevant."""
    given = {}
    for at, own in enumerate(values):
        qrels = {"q": {"a": 0}} if own is None else {f"q{n}": {item: 1} for n, item in enumerate(own)}
        run = {query: ["a", "b", "c", "d"] for query in qrels}
        given[f"2026-11-{2 + at:02}"] = rw.evaluate(run, qrels, [metric], items=list("abcd"))
    return rw.report(rw.trend(given)).answer


@pytest.mark.parametrize(
    ("values", "metric", "answer"),
    [
        (["ab"], "rr", "rr is 0.7500 on 2026-11-02; there is no date before."),
        (["ab", None], "rr", "rr is undefined for all queries on 2026-11-03, the last date."),
        ([None, "ab"], "rr", "rr is 0.7500 on 2026-11-03; on the date before it is undefined."),
        (["ab", "aa"], "coverage@1", "coverage@1 is 0.2500 on 2026-11-03 and was 0.2500 on 2026-11-02; the change, 0.0000, has no interval."),
        (["ab", "ad"], "rr", "No change of rr is shown from 0.7500 on 2026-11-02 to 0.6250 on 2026-11-03: -0.1250."),
        (["ad", "ab"], "rr", "No change of rr is shown from 0.6250 on 2026-11-02 to 0.7500 on 2026-11-03: +0.1250."),
        (["ad", "ab"], "first_rank", "to 1.5000 on 2026-11-03: -1.0000 [-13.7062, 11.7062], lower is better."),
        (["abaa", "adad"], "rr", "No change of rr is shown from 0.8750 on 2026-11-02 to 0.6250 on 2026-11-03: -0.2500 [-0.8126, 0.3126]."),
        (["ab", "ba"], "rr", "No change of rr is shown from 0.7500 on 2026-11-02 to 0.7500 on 2026-11-03: 0.0000."),
    ],
)  # fmt: skip
def test_the_answer_says_no_more_than_the_interval(values, metric, answer):
    assert answer_of(*values, metric=metric).endswith(answer)


def test_a_report_of_a_trend_and_of_its_file_are_the_same(tmp_path):
    falling().save(tmp_path / "trend.json")
    assert (
        rw.report(str(tmp_path / "trend.json")).section("trend").data
        == rw.report(falling()).section("trend").data
    )
    with pytest.raises(
        RankwellError, match=r"^a trend is evaluated already, so metrics= means nothing beside it"
    ):
        rw.report(falling(), metrics=["rr"])


def test_a_korean_page_holds_korean_words_and_many_metrics_are_folded():
    given = dict(zip(WEEKS, second.results(["rr", "p@3", "p@1"]).values(), strict=True))
    found = rw.report(rw.trend(given), lang="ko")
    page = found.to_html()
    assert "날짜별 추이" in page
    assert "공통 질의" in page
    assert not any(text in page for text in ("date before", "By date", "excludes 0", "degrees of freedom"))
    assert len(re.findall(r"<summary>.*p@1.*</summary>", page)) == 1
