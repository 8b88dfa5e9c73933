"""gate: when it passes, fails or does not know; its rates of error; what it refuses."""

from __future__ import annotations

import functools
import html
import json
import math
import re
from xml.etree import ElementTree as ET

import numpy as np
import polars as pl
import pytest
import scipy.stats
from markdown_it import MarkdownIt
from tests.cli.samples import MOVIES

import rankwell as rw
from rankwell import testing
from rankwell.comparison.checks import Estimated, GateRules, Margin, Paired, decide, joint_status
from rankwell.errors import UsageError
from rankwell.statistics.paired_tests import margins
from rankwell.tables.ids import Ids, fingerprints_of

UNITS = np.arange(4000, dtype=np.uint64) * np.uint64(2654435761)


def results(values, name="run", metric="p@10"):
    """Results whose values per query are these tenths: so many of the ten items are relevant."""
    qrels = {str(q): {f"r{i}": 1 for i in range(10)} for q in range(len(values))}
    run = {
        str(q): [f"r{i}" for i in range(hits)] + [f"x{i}" for i in range(10 - hits)]
        for q, hits in enumerate(values)
    }
    return rw.Evaluator(qrels, [metric]).evaluate(rw.read_run(run, name=name))


def drawn(n, seed=0):
    return np.random.default_rng(seed).integers(2, 9, n)


def test_a_certain_drop_beyond_the_margin_fails_and_its_p_value_is_that_of_scipy():
    old, new = drawn(200), np.maximum(drawn(200) - (drawn(200, 1) > 4), 0)
    found = rw.gate(results(new), baseline=results(old), max_drop=0.01)
    d = (new - old) / 10
    assert found.checks[0].found.p_drop == pytest.approx(
        scipy.stats.ttest_1samp(d, 0, alternative="less").pvalue, rel=1e-9
    )
    margin = scipy.stats.ttest_1samp(d, -0.01, alternative="greater").pvalue
    assert found.checks[0].found.p_margin >= margin * (1 - 1e-9)
    assert (found.status, found.exit_code) == ("fail", 1)


def test_identical_systems_pass_and_few_differences_are_inconclusive():
    old = drawn(100)
    assert rw.gate(results(old), baseline=results(old)).status == "pass"
    few = old.copy()
    few[:4] = np.maximum(few[:4] - 2, 0)
    found = rw.gate(results(few), baseline=results(old), max_drop=0.05)
    assert (found.status, found.exit_code) == ("inconclusive", 0)
    assert found.checks[0].found.method == "too few"
    assert rw.gate(results(few), baseline=results(old), max_drop=0.05, strict=True).exit_code == 1
    assert rw.gate(results(few), baseline=results(old), max_drop=0.05, mode="non-inferiority").exit_code == 1


def test_sparse_differences_are_tested_by_sign_flips():
    old = drawn(100)
    new = old.copy()
    new[:8] -= 2
    own = rw.gate(results(new), baseline=results(old), max_drop=0.001).checks[0].found
    assert own.method == "sign flips"
    assert own.p_drop == pytest.approx(1 / 2**8, abs=0.002)  # all eight signs alike


def test_a_margin_relative_to_the_baseline_counts_with_its_error():
    old, new = drawn(300), drawn(300, 3)
    found = rw.gate(results(new), baseline=results(old), max_drop="20%").checks[0].found
    told = scipy.stats.ttest_1samp(new / 10 - 0.8 * old / 10, 0, alternative="greater").pvalue
    wary = margins(new / 10, old / 10, fingerprints_of(Ids.of([str(q) for q in range(300)])), margin=0.2,
                   is_relative=True, by="bootstrap", times=2000)  # fmt: skip
    assert found.p_margin == pytest.approx(max(told, wary.p_margin), rel=1e-9)
    assert found.allowed == pytest.approx(0.2 * old.mean() / 10)


def test_lower_is_better_turns_the_difference():
    old, new = drawn(200), np.maximum(drawn(200) - 1, 0)
    found = rw.gate(results(new, metric="unj@10"), baseline=results(old, metric="unj@10"), max_drop=0.01)
    assert found.checks[0].found.difference == pytest.approx(-0.1)
    assert found.status == "fail"


def test_what_must_improve_passes_only_if_it_surely_did():
    old = drawn(200)
    better = np.minimum(old + (drawn(200, 1) > 4), 10)
    assert rw.gate(results(better), baseline=results(old), improve="p@10").status == "pass"
    assert rw.gate(results(old), baseline=results(old), improve="p@10").status == "inconclusive"


def test_limits_on_the_new_mean_and_its_bound_and_on_lost_queries():
    values = drawn(200)
    res, mean = results(values), values.mean() / 10
    assert rw.gate(res, baseline=res, minimum=mean - 0.001).status == "pass"
    assert rw.gate(res, baseline=res, minimum={"p@10": mean + 0.001}).status == "fail"
    assert rw.gate(res, baseline=res, sure_minimum=mean - 0.1).status == "pass"
    assert rw.gate(res, baseline=res, sure_minimum=mean - 0.001).status == "fail"
    qrels = {str(q): {"a": 1} for q in range(100)}
    run = {str(q): ["a"] for q in range(100)}
    part = {str(q): ["a"] for q in range(97)}
    found = rw.gate(part, qrels, ["rr"], baseline=run, missing="skip")
    assert found.limits[-1].why.startswith("3 of 100 queries are lost")
    assert found.status == "fail"
    assert rw.gate(part, qrels, ["rr"], baseline=run, missing="skip", max_lost="5%").status == "pass"
    # unanswered queries are empty lists by default, and lost as well
    assert rw.gate(part, qrels, ["rr"], baseline=run, max_lost=0.02).limits[-1].status == "fail"


def test_checks_of_anything_can_join():
    rng = np.random.default_rng(4)
    old = rng.lognormal(3, 1, 300)
    slower = Paired("latency in ms", old * 1.2, old, UNITS[:300], Margin(1.0), better="lower")
    res = results(drawn(100))
    found = rw.gate(res, baseline=res, checks=[slower])
    assert [each.status for each in found.checks] == ["pass", "fail"]
    coverage = Estimated("coverage@10", old=0.4, new=0.3, error=0.01, freedom=99, n=100, margin=Margin(0.02))
    assert rw.gate(res, baseline=res, checks=[coverage]).checks[1].status == "fail"
    near = Estimated("coverage@10", old=0.4, new=0.399, error=0.001, freedom=99, n=100, margin=Margin(0.02))
    assert rw.gate(res, baseline=res, checks=[near]).status == "pass"


def test_non_inferiority_refuses_what_cannot_be_seen_unless_forced():
    old, new = results(drawn(60)), results(drawn(60, 5))
    with pytest.raises(UsageError, match=r"cannot be seen with 60 queries.*--force"):
        rw.gate(new, baseline=old, max_drop=0.001, mode="non-inferiority")
    assert rw.gate(new, baseline=old, max_drop=0.001, mode="non-inferiority", force=True).exit_code == 1


@pytest.mark.slow
def test_rare_and_large_drops_do_not_pass_more_often_than_alpha():
    """A tenth of 60 queries drop by .3, the others win .02, on average as large as the margin; t alone passes 14 %."""
    rng = np.random.default_rng(2)
    passed = 0
    for _ in range(300):
        d = np.where(rng.random(60) < 0.1, -rng.exponential(0.3, 60), 0.02)
        margin = Margin(0.1 * 0.3 - 0.9 * 0.02)
        passed += decide([Paired("d", d, np.zeros(60), UNITS[:60], margin)], GateRules())[0].status == "pass"
    assert passed <= 0.05 * 300 + 3 * math.sqrt(300 * 0.05 * 0.95)


class Once:
    """A check whose finding, which depends on neither the other checks nor on what fails, is computed once."""

    def __init__(self, check):
        self.name, self.goal, self.margin = check.name, check.goal, check.margin
        self.found = functools.cache(check.found)


@pytest.mark.slow
def test_no_more_than_alpha_of_harmless_changes_fail_and_of_harmful_ones_pass():
    """Three checks, 60 trials: false failures of no drop, false passes of one drop as large as the margin."""
    rng = np.random.default_rng(8)
    failed = dict.fromkeys(["drop", "margin"], 0)
    passed = dict(failed)
    for _ in range(60):
        first, *others = rng.normal(0, 0.15, (3, 200))
        same, dropped, *kept = (
            Once(Paired(str(i), d, np.zeros(200), UNITS[:200], Margin(0.02)))
            for i, d in enumerate([first, first - 0.02, *others])
        )
        for fail_on in failed:
            rules = GateRules(fail_on=fail_on)
            failed[fail_on] += joint_status(decide([same, *kept], rules)) == "fail"
            passed[fail_on] += joint_status(decide([dropped, *kept], rules)) == "pass"
    most = 0.05 * 60 + 3 * math.sqrt(60 * 0.05 * 0.95)
    assert max(failed.values()) <= most
    assert max(passed.values()) <= most


def test_holm_corrects_failures_over_the_checks_and_not_passes():
    rng = np.random.default_rng(1)
    checks = [
        Paired(str(i), rng.normal(-0.03, 0.1, 100), np.zeros(100), UNITS[:100], Margin(0.0)) for i in range(6)
    ]
    found = decide(checks, GateRules())
    alone = [each.found.p_drop for each in found]
    told = np.minimum(1, np.maximum.accumulate(np.sort(alone) * np.arange(6, 0, -1)))
    assert sorted(each.p for each in found) == pytest.approx(told.tolist())


def test_reports_hold_the_verdict_and_every_check():
    found = rw.gate(
        results(np.maximum(drawn(200) - drawn(200, 9) // 2, 0), "new"),
        baseline=results(drawn(200), "old"),
        max_drop=0.01,
    )
    data = json.loads(found.to_json())
    assert (data["status"], data["exit_code"], data["checks"][0]["check"]) == ("fail", 1, "p@10")
    suite = ET.fromstring(found.to_junit())
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert suite.find("testcase/failure") is not None
    assert found.to_markdown().startswith("## FAIL: p@10")
    assert "new against old" in repr(found)
    assert "the smallest drop visible with 200 queries is" in repr(found).splitlines()[0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"max_drop": "much"}, "a margin is a number such as 0.01, or a share such as 1%"),
        ({"max_drop": {"p@9": 1}}, "max_drop: p@9 is none of the metrics"),
        ({"max_drop": 10}, "a margin of 10 is larger than p@10 can drop.*did you mean 10%?"),
        ({"max_drop": {"p@10": 1}}, "a margin of 1 is all that p@10 can drop.*did you mean 1%?"),
        ({"max_drop": 5e5}, r"larger than p@10 can drop, whose values are from 0 to 1\.$"),
        ({"max_drop": "100%"}, "a margin of 100% is all of the mean of p@10"),
        ({"max_drop": {"p@10": "250%"}}, "a margin of 250% is all of the mean of p@10"),
        ({"max_lost": 5}, "500% of the queries may be lost.*Did you mean 5%?"),
        ({"max_lost": "101%"}, "101% of the queries may be lost"),
        ({"minimum": 30}, "minimum: 30 is none of the values of p@10, 0 to 1"),
        ({"sure_minimum": {"p@10": math.nan}}, "sure_minimum: nan is none of the values"),
        ({"improve": "p@9"}, "improve: p@9 is none of the metrics"),
        ({"minimum": "high"}, "minimum is a number"),
        ({"alpha": 2.0}, "must be from 1e-06 to 0.5"),
        ({"flips": 10}, "at least 999"),
        ({"mode": "lenient"}, "must be regression or non-inferiority"),
    ],
)
def test_bad_arguments_are_refused(change, message):
    res = results(drawn(20))
    with pytest.raises(rw.RankwellError, match=message):
        rw.gate(res, baseline=res, **change)


def test_no_margin_lets_a_random_recommender_pass():
    # per query the old system has all ten items, the random one none: whatever passes here passes always
    best, worst = results(np.full(60, 10)), results(np.zeros(60, int))
    for margin in (1, 1.0, 3, 10, 1e300, "1", "100%", "1e3%"):
        with pytest.raises(UsageError, match="a margin of"):
            rw.gate(worst, baseline=best, max_drop=margin)
        with pytest.raises(UsageError, match="a margin of"):
            testing.assert_not_worse(worst, baseline=best, max_drop=margin)
    for margin in (0.99, "99%", {"p@10": 0.5}):
        assert rw.gate(worst, baseline=best, max_drop=margin).status == "fail"


def test_margins_of_metrics_without_a_highest_value_are_as_large_as_one_wants():
    run, qrels = {"1": ["a"], "2": ["a", "b"]}, {"1": {"a": 3}, "2": {"b": 1}}
    assert rw.gate(run, qrels, "cg@5", baseline=run, max_drop=10).status == "pass"


def test_means_of_which_lower_is_better_may_grow_by_more_than_themselves():
    # the first relevant item moves from rank 1 to 2 or 3: by 150 % of the old mean
    qrels = {str(q): {"a": 1} for q in range(60)}
    old = {str(q): ["a", "b", "c"] for q in range(60)}
    new = {str(q): ["b", "a", "c"] if q % 2 else ["b", "c", "a"] for q in range(60)}
    found = {
        share: rw.gate(new, qrels, ["first_rank"], baseline=old, max_drop=share).status
        for share in ("100%", "149%", "151%", "200%")
    }
    assert found == {"100%": "fail", "149%": "fail", "151%": "inconclusive", "200%": "pass"}


@pytest.mark.parametrize(
    ("minimum", "status", "said"),
    [
        (0.66668, "fail", ("rr at least 0.66668", "the mean is 0.66667")),
        (0.66666, "pass", ("rr at least 0.66666", "the mean is 0.6667")),
        (2 / 3, "pass", ("rr at least 0.6666666666666666", "the mean is 0.6666666666666666")),
        (0.66666666, "pass", ("rr at least 0.66666666", "the mean is 0.6667")),
        (0.5, "pass", ("rr at least 0.5", "the mean is 0.6667")),
    ],
)
def test_what_a_limit_says_does_not_contradict_its_verdict(minimum, status, said):
    # of 30 queries a third has 1 and the rest 1/2: 0.6667 reaches no 0.66668, whatever it is rounded to
    qrels = {str(q): {"a": 1} for q in range(30)}
    run = {str(q): ["b", "a"] if q % 3 else ["a"] for q in range(30)}
    limit = rw.gate(run, qrels, ["rr"], baseline=run, minimum=minimum).limits[0]
    assert (limit.status, (limit.name, limit.why)) == (status, said)
    bound = rw.gate(run, qrels, ["rr"], baseline=run, sure_minimum=0.1).limits[0].value
    near = round(bound, 4)
    limit = rw.gate(run, qrels, ["rr"], baseline=run, sure_minimum=near).limits[0]
    shown = float(limit.why.removeprefix("its bound is "))
    assert (limit.status == "pass") == (shown >= near) == (bound >= near)


def test_metrics_without_a_better_direction_or_values_per_query_are_refused():
    run, qrels = {"q": ["a"]}, {"q": {"a": 1}}
    with pytest.raises(rw.RankwellError, match="neither higher nor lower is better"):
        rw.gate(run, qrels, ["arp"], baseline=run, train={"u": ["a"]})
    with pytest.raises(rw.RankwellError, match=r"rw\.jackknife"):
        rw.gate(run, qrels, ["coverage@1"], baseline=run, items=["a", "b"])


def test_segments_have_checks_of_their_own():
    old, new = drawn(200), drawn(200)
    new[100:] -= 2
    users = {"query": [str(q) for q in range(200)], "half": ["first"] * 100 + ["second"] * 100}
    found = rw.gate(results(new), baseline=results(old), max_drop=0.15, by="half", users=users)
    assert {each.check.name: each.status for each in found.checks} == {
        "p@10": "pass", "p@10 in first": "pass", "p@10 in second": "fail",
    }  # fmt: skip


RUN, OTHER, JUDGED = {"1": ["a", "b"]}, {"1": ["b", "a"]}, {"1": {"a": 1}}


@pytest.mark.parametrize("function", [rw.gate, testing.assert_not_worse])
@pytest.mark.parametrize(
    ("places", "words"),
    [
        ((RUN, OTHER, JUDGED, ["rr"]), {}),
        ((RUN, OTHER, JUDGED, ["rr"]), {"max_drop": 0.1}),
        ((RUN, OTHER, JUDGED), {}),
        ((RUN, OTHER, JUDGED), {"metrics": ["rr"]}),
        ((RUN, OTHER), {"qrels": JUDGED, "metrics": ["rr"]}),
        (("new.run", "old.run", "qrels.txt", ["rr"]), {}),
        (("new.run", "old.json", "qrels.txt"), {}),
        (("new.json", "old.json"), {}),
        ((rw.evaluate(RUN, JUDGED, ["rr"]), rw.evaluate(OTHER, JUDGED, ["rr"])), {}),
        ((RUN, JUDGED, ["rr"]), {}),
    ],
)
def test_an_accepted_system_that_is_not_named_is_told_the_call_that_works(function, places, words):
    name = "rw.gate" if function is rw.gate else "assert_not_worse"
    with pytest.raises(rw.RankwellError, match=rf" {name}\(run, qrels, metrics, baseline=old\)"):
        function(*places, **words)
    assert function(RUN, JUDGED, ["rr"], baseline=OTHER).limits[-1].status == "pass"


HOSTILE = [
    "@org/team", "<img src=x onerror=alert(1)>", "| a | b |", "[x](https://a.example)", "https://a.example", "www.a.example", "#12",
    "`code`", "</details><script>", "line\n# head", "-->", "**bold**", "a\\|b", "ndcg@10", "x@b.c",
]  # fmt: skip


def changed(ids, segment):
    """A verdict on a system that finds the only relevant item of each query at rank 2, no more at 1; with one segment."""
    qrels = {query: {"d": 1} for query in ids}
    users = {"query": ids, "segment": [segment] * len(ids)}
    lists = [dict.fromkeys(ids, rows) for rows in (["x", "d"], ["d"])]
    new, old = (rw.evaluate(run, qrels, ["hit@2", "rr"]) for run in lists)
    return rw.gate(new, baseline=old, by="segment", users=pl.DataFrame(users))


def test_what_stands_in_ids_and_names_is_shown_in_markdown_and_is_no_markup_link_or_call():
    markdown = changed(HOSTILE, "@us <b>\n# head www.a.example").to_markdown(top=50)
    page = MarkdownIt().enable("table").render(markdown)
    tags = set(re.findall(r"<[^>]*>", re.sub(r"<t([dh]) style=[^>]*>", r"<t\1>", page)))
    assert {tag.strip("</>") for tag in tags - {"<!-- -->"}} == {
        *["details", "summary", "h2", "p", "strong", "em", "table", "thead", "tbody", "tr", "th", "td"]
    }
    # what a server makes links of, after Markdown has become text
    texts = [html.unescape(text) for text in re.split(r"<[^>]*>", page)]
    for made in (r"(?<![0-9A-Za-z_])@\w", r"@[a-z]", r"#\d", r"://", r"www\."):
        assert not [text for text in texts if re.search(made, text, re.IGNORECASE)], made
    cells = [html.unescape(cell.replace("<!-- -->", "")) for cell in re.findall(r"<td>(.*?)</td>", page)]
    assert {query.replace("\n", "\\n") for query in HOSTILE} <= set(cells)


def test_markdown_lists_the_queries_that_changed_most_by_the_first_metric_that_fails():
    found = changed([f"q{number}" for number in range(30)], "all")
    rows = re.findall(r"^\| q\d.*", found.to_markdown(), re.MULTILINE)
    assert "by \\|Δ\\| of rr: the first 10 of 30" in found.to_markdown()
    # the first check, hit@2, passes; from rank 1 to rank 2 the reciprocal rank falls by a half
    assert [row.split("|")[4].strip() for row in rows] == ["-0.5000"] * 10
    assert "Queries" not in found.to_markdown(top=0)
    with pytest.raises(UsageError, match=r"^top=-1: must be at least 0"):
        found.to_markdown(top=-1)


def test_markdown_lists_no_ids_that_look_personal():
    text = changed([f"ada{number}@example.org" for number in range(9)], "all").to_markdown()
    assert "example.org" not in text
    assert "not listed: their ids look like e-mail addresses" in text


def test_what_a_saved_baseline_was_evaluated_with_is_said_where_the_new_system_lacks_it(tmp_path):
    rw.evaluate(MOVIES / "als.parquet", MOVIES / "test.parquet", ["p@1"], rel=8).save(tmp_path / "old.json")
    with pytest.raises(UsageError, match=r"look like ratings.* The baseline was saved with rel=8\.$"):
        rw.gate(MOVIES / "popular.parquet", MOVIES / "test.parquet", ["p@1"], baseline=tmp_path / "old.json")
