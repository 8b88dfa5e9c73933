"""The sentence at the top: cases that were written by hand before the code; their numbers are computed a second way."""

from __future__ import annotations

import re
from itertools import product

import numpy as np
import pytest
from scipy import stats
from tests.reporting.lists import qrels_of, run_of

import rankwell as rw
from rankwell.display.page import called, words_of
from rankwell.display.table import number
from rankwell.metrics import metric_of
from rankwell.reporting.answer import MetricComparison, sentence_of

GOOD = [1, 1, 1, 2, 1, 1, 3, 1, 1, 2, 1, 1]
BAD = [2, 3, 4, 3, 2, 5, 4, 2, 3, 4, 3, 2]
LIKE_GOOD = [1, 1, 2, 1, 1, 1, 3, 1, 2, 1, 1, 1]
NUMBER = r"<?-?\d+(?:\.\d+)?"


def rr(ranks):
    return np.array([1 / rank if rank else 0.0 for rank in ranks])


def compared(runs, metrics="rr", **options):
    count = len(next(iter(runs.values())))
    return rw.compare(
        {name: run_of(ranks) for name, ranks in runs.items()}, qrels_of(count), metrics, **options
    )


def said(found, metric=None, lang="en"):
    words = words_of(lang)
    wanted = metric_of(metric) if metric else found.metrics[0]
    return sentence_of(found, wanted, words).text(words)


def certain(found, metric=None, lang="en"):
    """How certain the difference is that the sentence speaks of."""
    words = words_of(lang)
    wanted = metric_of(metric) if metric else found.metrics[0]
    one = sentence_of(found, wanted, words)
    return MetricComparison(found, wanted, words).certainty(found.difference(one.first, one.second, wanted))


def figures(first, second, metric="rr", end=""):
    """What a sentence says of two systems: their means, and the difference with its interval by SciPy."""
    t = told(first - second)
    return f"{metric} {number(first.mean())} and {number(second.mean())}{end}; difference {t['d']}, between {t['low']} and {t['high']}"


def told(d):
    """A difference, its interval and its p-value, by SciPy; the difference is written as a positive amount."""
    test = stats.ttest_1samp(d, 0)
    low, high = test.confidence_interval()
    low, high = (low, high) if d.mean() >= 0 else (-high, -low)
    return {"d": number(abs(d.mean())), "low": number(low), "high": number(high), "p": p_of(test.pvalue)}


def p_of(p):
    shown = number(p)
    return f"p < {shown[1:]}" if shown[0] == "<" else f"p = {shown}"


def visible_of(d):
    """The true difference that a t-test of so many queries finds with power 0.8: by the noncentral t distribution."""
    n = len(d)
    critical = stats.t.ppf(0.975, n - 1)

    def power(size):
        shift = size / d.std(ddof=1) * np.sqrt(n)
        return stats.nct.sf(critical, n - 1, shift) + stats.nct.cdf(-critical, n - 1, shift)

    low, high = 0.0, 5.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if power(middle) < 0.8 else (low, middle)
    return number(high)


def test_a_better_system_is_the_clear_winner():
    found = compared({"A": BAD, "B": GOOD}, baseline="A")
    assert (
        said(found)
        == f"Clear winner: B is better than A, on average over 12 queries ({figures(rr(GOOD), rr(BAD))})."
    )
    assert certain(found) == f"B and A on rr: {told(rr(GOOD) - rr(BAD))['p']}."


def test_a_worse_system_is_worse_than_the_baseline():
    found = compared({"A": GOOD, "B": BAD}, baseline="A")
    assert (
        said(found)
        == f"B is clearly worse than A, on average over 12 queries ({figures(rr(BAD), rr(GOOD))})."
    )


def test_without_a_small_p_there_is_no_clear_winner():
    other = [1, *GOOD[1:6], 1, *GOOD[7:9], 3, *GOOD[10:]]
    found = compared({"A": GOOD, "B": other}, baseline="A")
    assert (
        said(found)
        == f"No clear winner: 12 queries cannot tell B and A apart ({figures(rr(other), rr(GOOD))})."
    )
    d = rr(other) - rr(GOOD)
    assert certain(found) == (
        f"B and A on rr: {told(d)['p']}. A true difference below {visible_of(d)} can easily be missed with these queries."
    )


def test_of_two_that_cannot_be_told_apart_the_better_one_comes_first():
    other = [1, *GOOD[1:6], 1, *GOOD[7:9], 3, *GOOD[10:]]
    found = compared({"B": other, "A": GOOD}, baseline="B")
    assert (
        said(found)
        == f"No clear winner: 12 queries cannot tell B and A apart ({figures(rr(other), rr(GOOD))})."
    )


def test_equal_means_are_no_higher_mean():
    found = compared({"A": [1, 2, 1, 2, 1, 2, 1, 2], "B": [2, 1, 2, 1, 2, 1, 2, 1]}, baseline="A")
    assert said(found).startswith(
        "No clear winner: 8 queries cannot tell B and A apart (rr 0.7500 and 0.7500; difference 0.0000, between -0.4"
    )
    assert "p = 1.0000" in certain(found)


@pytest.mark.parametrize(
    ("count", "queries", "least"), [(4, "4 queries", "0.1250"), (1, "1 query", "1.0000")]
)
def test_few_queries_are_too_few_whatever_they_say(count, queries, least):
    ranks = {"A": [4, 3, 5, 4][:count], "B": [1, 1, 1, 2][:count]}
    found = compared(ranks, baseline="A")
    start = f"Too few queries to tell: with {queries}, even a system that is always better could be so by chance (B and A: "
    assert said(found).startswith(start)
    numbers = f"rr {number(rr(ranks['B']).mean())} and {number(rr(ranks['A']).mean())}; difference "
    assert said(found).removeprefix(start).startswith(numbers)
    assert certain(found).endswith(
        f"Even a system that won each of these queries would have p = {least} by sign flips."
    )


def test_one_query_has_no_interval():
    assert said(compared({"A": [4], "B": [1]})).endswith(
        "(B and A: rr 1.0000 and 0.2500; difference 0.7500)."
    )


def test_five_queries_are_too_few_and_six_are_enough():
    ranks = [1, 1, 2, 1, 1, 1]
    worse = [4, 5, 4, 3, 5, 4]
    assert said(compared({"A": worse[:5], "B": ranks[:5]})).startswith("Too few")
    assert said(compared({"A": worse, "B": ranks})).startswith("Clear winner: B")


def test_identical_systems_are_the_same_on_each_query():
    found = compared({"A": GOOD, "B": GOOD}, baseline="A")
    assert said(found) == "No winner: B and A have the same rr on each of the 12 queries."


@pytest.fixture
def candidates():
    runs = {"A": BAD, "B": LIKE_GOOD, "C": GOOD, "D": [*BAD[:-2], 4, 1]}
    return runs, compared(runs, baseline="A")


def holm(runs, baseline):
    p = {
        name: stats.ttest_rel(rr(ranks), rr(runs[baseline])).pvalue
        for name, ranks in runs.items()
        if name != baseline
    }
    done, last = {}, 0.0
    for place, name in enumerate(sorted(p, key=p.get)):
        last = max(last, min(1.0, p[name] * (len(p) - place)))
        done[name] = last
    return done


def test_several_candidates_are_counted_and_the_best_is_named(candidates):
    runs, found = candidates
    best = "C" if rr(GOOD).mean() > rr(LIKE_GOOD).mean() else "B"
    assert said(found) == (
        f"2 of 3 systems are clearly better than A, on average over 12 queries; the best of them is {best} "
        f"({figures(rr(runs[best]), rr(BAD))})."
    )
    assert certain(found) == f"{best} and A on rr: {p_of(holm(runs, 'A')[best])} after Holm."


def test_the_baseline_and_the_one_candidate_that_is_not_worse_cannot_be_told_apart():
    runs = {"A": GOOD, "B": BAD, "C": [*GOOD[:-1], 2]}
    assert said(compared(runs, baseline="A")) == (
        f"No clear winner: 12 queries cannot tell A and C apart ({figures(rr(GOOD), rr(runs['C']))})."
    )


def test_a_baseline_that_cannot_be_told_from_several_candidates_is_named_with_the_best_of_them():
    runs = {"A": GOOD, "B": BAD, "C": [1, *GOOD[1:6], 1, *GOOD[7:]], "D": [*GOOD[:-2], 2, 1]}
    best = max("BCD", key=lambda name: rr(runs[name]).mean())
    assert said(compared(runs, baseline="A")) == (
        f"No clear winner: 12 queries cannot tell A apart from 2 of the 3 others; the best of these is {best} "
        f"({figures(rr(GOOD), rr(runs[best]))})."
    )
    del runs["B"]
    assert "A apart from any of the 2 others; the best of these is" in said(compared(runs, baseline="A"))


def test_a_baseline_that_beats_all_candidates_is_the_winner():
    runs = {"A": GOOD, "B": BAD, "C": [*BAD[:-2], 4, 1]}
    best = max("BC", key=lambda name: rr(runs[name]).mean())
    assert said(compared(runs, baseline="A")) == (
        f"Clear winner: A is better than each of the 2 others, on average over 12 queries; the closest is {best} "
        f"({figures(rr(GOOD), rr(runs[best]))})."
    )


def test_all_candidates_may_beat_the_baseline():
    runs = {"A": BAD, "B": LIKE_GOOD, "C": GOOD, "D": [1] * 12}
    assert said(compared(runs, baseline="A")) == (
        f"Each of the 3 systems is clearly better than A, on average over 12 queries; the best is D ({figures(rr(runs['D']), rr(BAD))})."
    )


def test_a_test_of_the_median_that_contradicts_the_mean_names_no_winner():
    runs = {"A": [*[6] * 14, 1, 1], "B": [*[5] * 14, 6, 6]}
    found = compared(runs, test="sign", baseline="A")
    assert found.difference("B", "A", "rr").mean < 0
    assert stats.binomtest(14, 16).pvalue < 0.05
    assert said(found) == (
        f"No clear winner: B is better for 14 queries and worse for 2, which the means do not confirm ({figures(rr(runs['B']), rr(runs['A']))})."
    )
    assert certain(found) == "B and A on rr: p = 0.0042 by the sign test."


def test_systems_with_one_query_in_common_are_not_tested():
    runs = {"A": run_of(BAD), "B": run_of(GOOD), "C": {"q0": ["x"]}}
    found = rw.compare(runs, qrels_of(12), "rr", missing="skip")
    assert said(found) == "No clear winner: 1 query cannot tell B and C apart (difference in rr 1.0000)."
    assert "no test with 1 query in common" in certain(found)


def max_t(runs, first, second):
    """The p-value of one pair in step-down maxT, with all patterns of signs; a plain loop."""
    values = np.array([rr(ranks) for ranks in runs.values()])
    names = list(runs)
    pairs = [(i, j) for i in range(len(names)) for j in range(i + 1, len(names))]
    d = np.array([values[i] - values[j] for i, j in pairs])

    def t_of(rows):
        n = rows.shape[1]
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.nan_to_num(np.abs(rows.mean(axis=1)) / (rows.std(axis=1, ddof=1) / np.sqrt(n)))

    seen = t_of(d)
    order = np.argsort(-seen)
    signs = np.array(list(product([1, -1], repeat=d.shape[1])))
    flipped = np.array([t_of(d * sign) for sign in signs])
    p, last = np.empty(len(pairs)), 0.0
    for place, at in enumerate(order):
        most = flipped[:, order[place:]].max(axis=1)
        last = max(last, float(np.mean(most >= seen[at] - 1e-12)))
        p[at] = last
    wanted = tuple(sorted((names.index(first), names.index(second))))
    return p[pairs.index(wanted)]


def test_a_clear_leader_beats_each_of_the_others():
    runs = {
        "A": [5, 6, 5, 4, 6, 5, 5, 6, 5, 6],
        "B": [3, 2, 3, 2, 3, 2, 3, 3, 2, 3],
        "C": [1, 1, 1, 1, 2, 1, 1, 1, 1, 1],
    }
    found = compared(runs)
    assert said(found) == (
        f"Clear winner: C is better than each of the 2 others, on average over 10 queries; the closest is B "
        f"({figures(rr(runs['C']), rr(runs['B']))})."
    )
    text = certain(found)
    assert text.endswith(" after step-down maxT.")
    p = float(re.search(r"p [=<] (\d\.\d+)", text)[1])
    assert p == pytest.approx(max_t(runs, "C", "B"), abs=0.003)


def test_a_leader_may_be_shown_to_beat_only_some():
    runs = {
        "A": [5, 6, 5, 4, 6, 5, 5, 6, 5, 6],
        "B": [1, 1, 2, 1, 1, 1, 1, 2, 1, 1],
        "C": [1, 1, 1, 1, 2, 1, 1, 1, 1, 1],
    }
    found = compared(runs)
    assert (
        said(found)
        == f"No clear winner: 10 queries cannot tell C and B apart ({figures(rr(runs['C']), rr(runs['B']))})."
    )
    p = float(re.search(r"p = (\d\.\d+)", certain(found))[1])
    assert p == pytest.approx(max_t(runs, "C", "B"), abs=0.005)


def test_a_leader_not_shown_to_beat_anybody_is_no_winner():
    runs = {"A": GOOD, "B": LIKE_GOOD, "C": [*GOOD[:-1], 2], "D": [*GOOD[:-3], 1, 1, 1]}
    assert re.match(
        rf"No clear winner: 12 queries cannot tell [A-D] apart from any of the 3 others; the best of these is [A-D] \(rr {NUMBER} and ",
        said(compared(runs)),
    )


def test_two_of_three_that_are_identical_share_the_highest_value():
    text = said(compared({"A": BAD, "B": GOOD, "C": GOOD}))
    assert (
        text
        == f"No winner: B and C share the best rr, {number(rr(GOOD).mean())}, on average over 12 queries."
    )


def test_where_lower_is_better_a_lower_value_beats():
    found = compared({"A": BAD, "B": GOOD}, "first_rank", baseline="A")
    numbers = figures(np.array(GOOD), np.array(BAD), "first_rank", ", lower is better")
    assert said(found) == f"Clear winner: B is better than A, on average over 12 queries ({numbers})."


def test_where_lower_is_better_the_leader_is_the_lowest():
    runs = {"A": GOOD, "B": [*GOOD[:-3], 1, 1, 1], "C": BAD}
    numbers = figures(np.array(runs["B"]), np.array(GOOD), "first_rank", ", lower is better")
    assert (
        said(compared(runs, "first_rank"))
        == f"No clear winner: 12 queries cannot tell B and A apart ({numbers})."
    )


def test_equivalence_is_said_only_with_a_margin():
    runs = {"A": [1, 2] * 30, "B": [1, 2] * 29 + [2, 2]}
    found = compared(runs, baseline="A", margins=0.1)
    assert said(found) == (
        f"No winner: B and A are equally good within ±0.1000, on average over 60 queries ({figures(rr(runs['B']), rr(runs['A']))})."
    )
    assert said(compared(runs, baseline="A")).startswith(
        "No clear winner: 60 queries cannot tell A and B apart"
    )


def test_one_number_for_all_lists_is_shown_without_a_test():
    runs = {"A": {"u": ["a", "b"], "v": ["c", "d"]}, "B": {"u": ["a", "b"], "v": ["a", "b"]}}
    found = rw.compare(runs, None, "coverage@2", baseline="A", items=list("abcd"))
    assert said(found) == (
        "B has coverage@2 0.5000, A 1.0000; it is one number for all lists, which no test compares."
    )


def test_a_metric_that_is_undefined_everywhere_compares_nothing():
    qrels = {f"q{at}": {"x0": 0} for at in range(8)}
    found = rw.compare({"A": run_of(GOOD[:8]), "B": run_of(BAD[:8])}, qrels, "rr", baseline="A")
    assert said(found) == "Nothing to compare: rr is undefined on every query for B and A."


def test_a_metric_without_a_better_end_names_no_winner():
    train = {f"t{at}": ["common"] + ["rare"] * (at == 0) + ["other"] * (at < 3) for at in range(9)}
    queries = [f"q{at}" for at in range(8)]
    runs = {
        "A": {q: ["rare"] for q in queries},
        "B": {q: ["common" if at % 3 else "other"] for at, q in enumerate(queries)},
    }
    found = rw.compare(runs, None, "arp@1", baseline="A", train=train)
    own = np.array([9.0 if at % 3 else 3.0 for at in range(8)])
    numbers = figures(own, np.ones(8), "arp@1", ", neither end is better")
    assert said(found) == f"B has a higher arp@1 than A, on average over 8 queries ({numbers})."


def test_a_small_p_that_correction_makes_large_is_no_difference():
    d = [0.5, 0.5, 0.5, 0.5, 0, 0, 0, 0, 0, 0, 0, -0.1]
    runs = {"A": [2] * 12, "B": [1] * 5 + [2] * 6 + [3], "C": [2] * 11 + [3], "D": [2] * 10 + [3, 1]}
    assert len(d) == 12
    alone = stats.ttest_rel(rr(runs["B"]), rr(runs["A"])).pvalue
    assert alone < 0.05 < holm(runs, "A")["B"]
    found = compared(runs, baseline="A")
    t = told(rr(runs["B"]) - rr(runs["A"]))
    assert said(found) == (
        f"No clear winner: 12 queries cannot tell A apart from any of the 3 others; the best of these is B (rr {number(rr(runs['A']).mean())} "
        f"and {number(rr(runs['B']).mean())}; difference {t['d']}, between {t['low']} and {t['high']} were it the only comparison)."
    )
    assert f"비교가 이것 하나뿐이라면 {t['low']} ~ {t['high']} 사이" in said(found, lang="ko")


def test_the_primary_metric_decides_not_the_first():
    found = compared({"A": BAD, "B": GOOD}, ["p@5", "rr"], baseline="A", primary="rr")
    assert re.match(r"Clear winner: B is better than A, on average over 12 queries \(rr ", said(found, "rr"))


def test_names_are_shortened_and_control_characters_are_shown():
    found = compared({"A" * 200: BAD, "B\u202e<b>": GOOD})
    text = said(found)
    assert "A" * 39 + "…," in text
    assert "A" * 41 not in text
    assert "\\u202e<b>" in text


def test_an_uncorrected_p_of_several_comparisons_says_so(candidates):
    runs, _ = candidates
    assert "not corrected for 3 comparisons" in certain(compared(runs, baseline="A", correction="none"))


def test_korean_sentences_glue_nothing_to_a_name(candidates):
    _, found = candidates
    assert said(found, lang="ko").startswith(
        "질의 12개 평균에서 시스템 3개 중 2개가 A 쪽보다 뚜렷하게 좋습니다."
    )


def test_methods_with_seeds_are_told_by_their_interval():
    runs = {
        f"{name}{seed}": run_of([max(1, rank - (seed == at % 3)) for at, rank in enumerate(ranks)])
        for name, ranks in {"A": BAD, "B": GOOD}.items()
        for seed in range(3)
    }
    seeds = {name: [f"{name}{seed}" for seed in range(3)] for name in "AB"}
    found = rw.compare(runs, qrels_of(12), "rr", seeds=seeds, baseline="A", resamples=200)
    d = found.difference("B", "A", "rr")
    assert d.low > 0
    assert said(found).startswith("Clear winner: B is better than A, on average over 12 queries (rr ")
    assert said(found).endswith(
        f"; difference {number(d.mean)}, between {number(d.low)} and {number(d.high)})."
    )
    assert certain(found) == "B and A on rr: an interval over seeds and queries."


CASES = {
    "winner": {"A": BAD, "B": GOOD},
    "none": {"A": GOOD, "B": [1, *GOOD[1:6], 1, *GOOD[7:9], 3, *GOOD[10:]]},
    "ties": {"A": GOOD, "B": GOOD, "C": BAD},
    "identical": {"A": GOOD, "B": GOOD},
    "one query": {"A": [4], "B": [1]},
    "three, a leader": {"A": [5, 6, 5, 4, 6, 5], "B": [3, 2, 3, 2, 3, 2], "C": [1, 1, 1, 1, 2, 1]},
    "three, no leader": {"A": GOOD, "B": LIKE_GOOD, "C": [*GOOD[:-1], 2]},
    "three, a baseline": {"A": BAD, "B": GOOD, "C": LIKE_GOOD},
}


@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("metric", ["rr", "first_rank"])
def test_every_number_of_the_sentence_is_one_of_the_comparison(case, lang, metric):
    runs = CASES[case]
    found = compared(runs, metric, baseline="A" if "baseline" in case else None)
    wanted = found.metrics[0]
    with called("users"):
        one = sentence_of(found, wanted, words_of(lang))
        text = one.text(words_of(lang))
    n = len(runs["A"])
    known = (
        {number(found.mean(name, wanted).mean) for name in runs}
        | {str(n)}
        | {str(len(runs)), str(len(runs) - 1)}
    )
    if one.second is not None:
        d = found.difference(one.first, one.second, wanted)
        turned = (d.low, d.high) if d.mean >= 0 else (-d.high, -d.low)
        known |= {number(abs(d.mean)), *map(number, turned)}
        assert one.numbers["difference"] == abs(d.mean)
        assert one.numbers.get("first", d.mean) in (found.mean(one.first, wanted).mean, d.mean)
    shown = re.findall(r"(?<![\w.@])-?\d+(?:\.\d+)?", text)
    assert [each for each in shown if each not in known] == []
    assert f"{n} user" in text if lang == "en" else f"사용자 {n}명" in text or n == 1
    assert not re.search(r"maxT|Holm|\bp [=<]|nan|–", text)
