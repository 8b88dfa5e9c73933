"""The sentence at the top: cases that were written by hand before the code; their numbers are computed a second way."""

from __future__ import annotations

import re
from itertools import product

import numpy as np
import pytest
from scipy import stats
from tests.reporting.lists import qrels_of, run_of

import rankwell as rw
from rankwell.display.page import words_of
from rankwell.display.table import number
from rankwell.metrics import metric_of
from rankwell.reporting.answer import sentence_of

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


def told(d, better=1):
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


def test_a_better_system_beats_the_baseline():
    found = compared({"A": BAD, "B": GOOD}, baseline="A")
    t = told(rr(GOOD) - rr(BAD))
    assert said(found) == f"B beats A on rr by {t['d']} [{t['low']}, {t['high']}], {t['p']}."


def test_a_worse_system_is_worse_than_the_baseline():
    found = compared({"A": GOOD, "B": BAD}, baseline="A")
    t = told(rr(BAD) - rr(GOOD))
    assert said(found) == f"B is worse than A on rr by {t['d']} [{t['low']}, {t['high']}], {t['p']}."


def test_without_a_small_p_no_difference_is_shown():
    found = compared({"A": GOOD, "B": [1, *GOOD[1:6], 1, *GOOD[7:9], 3, *GOOD[10:]]}, baseline="A")
    d = rr([1, *GOOD[1:6], 1, *GOOD[7:9], 3, *GOOD[10:]]) - rr(GOOD)
    t = told(d)
    assert said(found) == (
        f"No difference between B and A is shown on rr: B is higher by {t['d']} [{t['low']}, {t['high']}], {t['p']}, "
        f"and a true difference below {visible_of(d)} can easily be missed with these queries."
    )


def test_equal_means_are_no_higher_mean():
    found = compared({"A": [1, 2, 1, 2, 1, 2, 1, 2], "B": [2, 1, 2, 1, 2, 1, 2, 1]}, baseline="A")
    assert said(found).startswith("No difference between B and A is shown on rr: their means are equal [-0.4")
    assert "p = 1.0000" in said(found)


@pytest.mark.parametrize(
    ("count", "start", "least"), [(4, "4 queries are", "0.1250"), (1, "1 query is", "1.0000")]
)
def test_few_queries_are_too_few_whatever_they_say(count, start, least):
    found = compared({"A": [4, 3, 5, 4][:count], "B": [1, 1, 1, 2][:count]}, baseline="A")
    text = said(found)
    assert text.startswith(f"{start} too few to tell B and A apart on rr: even a system that won ")
    assert text.endswith(f"would have p = {least} by sign flips.")


def test_five_queries_are_too_few_and_six_are_enough():
    ranks = [1, 1, 2, 1, 1, 1]
    worse = [4, 5, 4, 3, 5, 4]
    assert "too few" in said(compared({"A": worse[:5], "B": ranks[:5]}))
    assert said(compared({"A": worse, "B": ranks})).startswith("B beats A")


def test_identical_systems_are_the_same_on_each_query():
    found = compared({"A": GOOD, "B": GOOD}, baseline="A")
    assert said(found) == "B and A have the same rr on each of the 12 queries."


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
    t = told(rr(runs[best]) - rr(BAD))
    assert said(found) == (
        f"2 of 3 systems beat A on rr; the best of them is {best}, by {t['d']} [{t['low']}, {t['high']}], "
        f"{p_of(holm(runs, 'A')[best])} after Holm."
    )


def test_no_candidate_may_beat_the_baseline():
    runs = {"A": GOOD, "B": BAD, "C": [1, *GOOD[1:6], 1, *GOOD[7:]], "D": [*GOOD[:-2], 2, 1]}
    best = max("BCD", key=lambda name: rr(runs[name]).mean())
    d = rr(runs[best]) - rr(GOOD)
    t = told(d)
    way = "higher" if d.mean() > 0 else "lower"
    assert said(compared(runs, baseline="A")) == (
        f"None of 3 systems is shown to beat A on rr; the best of them is {best}, {way} by {t['d']} [{t['low']}, {t['high']}], "
        f"{p_of(holm(runs, 'A')[best])} after Holm."
    )


def test_all_candidates_may_beat_the_baseline():
    runs = {"A": BAD, "B": LIKE_GOOD, "C": GOOD}
    assert re.match(r"Both systems beat A on rr; the better is [BC], by ", said(compared(runs, baseline="A")))
    runs["D"] = [1] * 12
    assert said(compared(runs, baseline="A")).startswith("All 3 systems beat A on rr; the best is D, by ")


def test_neither_of_two_candidates_may_beat_the_baseline():
    runs = {"A": GOOD, "B": BAD, "C": [*GOOD[:-1], 2]}
    assert said(compared(runs, baseline="A")).startswith(
        "Neither of 2 systems is shown to beat A on rr; the better of them is C, lower"
    )


def test_a_test_of_the_median_that_contradicts_the_mean_names_no_winner():
    runs = {"A": [*[6] * 14, 1, 1], "B": [*[5] * 14, 6, 6]}
    found = compared(runs, test="sign", baseline="A")
    assert found.difference("B", "A", "rr").mean < 0
    assert stats.binomtest(14, 16).pvalue < 0.05
    assert said(found) == (
        "B and A differ on rr, p = 0.0042 by the sign test, but neither is plainly better: B wins 14 queries and loses 2, while the "
        "means differ the other way or not at all."
    )


def test_systems_with_one_query_in_common_are_not_tested():
    runs = {"A": run_of(BAD), "B": run_of(GOOD), "C": {"q0": ["x"]}}
    found = rw.compare(runs, qrels_of(12), "rr", missing="skip")
    assert said(found) == (
        "B has the highest rr, 0.8611, but is not shown to beat C (1.0000, no test with 1 query in common)."
    )


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
    text = said(compared(runs))
    t = told(rr(runs["C"]) - rr(runs["B"]))
    start = f"C is best on rr and beats each of the 2 others; the closest is B, by {t['d']} [{t['low']}, {t['high']}], p"
    assert text.startswith(start)
    assert text.endswith(" after step-down maxT.")
    p = float(re.search(r"p [=<] (\d\.\d+)", text)[1])
    assert p == pytest.approx(max_t(runs, "C", "B"), abs=0.003)


def test_a_leader_may_be_shown_to_beat_only_some():
    runs = {
        "A": [5, 6, 5, 4, 6, 5, 5, 6, 5, 6],
        "B": [1, 1, 2, 1, 1, 1, 1, 2, 1, 1],
        "C": [1, 1, 1, 1, 2, 1, 1, 1, 1, 1],
    }
    text = said(compared(runs))
    t = told(rr(runs["C"]) - rr(runs["B"]))
    start = (
        f"C has the highest rr, 0.9500, but is not shown to beat B ({t['d']} [{t['low']}, {t['high']}], p = "
    )
    assert text.startswith(start)
    p = float(re.search(r"p = (\d\.\d+)", text)[1])
    assert p == pytest.approx(max_t(runs, "C", "B"), abs=0.005)


def test_a_leader_not_shown_to_beat_anybody_is_said_to_be_only_highest():
    runs = {"A": GOOD, "B": LIKE_GOOD, "C": [*GOOD[:-1], 2], "D": [*GOOD[:-3], 1, 1, 1]}
    assert re.match(
        rf"[A-D] has the highest rr, {NUMBER}, but is not shown to beat any of the 3 others; the closest is [A-D], by ",
        said(compared(runs)),
    )


def test_two_of_three_that_are_identical_share_the_highest_value():
    text = said(compared({"A": BAD, "B": GOOD, "C": GOOD}))
    assert text == f"B and C share the highest rr, {number(rr(GOOD).mean())}."


def test_where_lower_is_better_a_lower_value_beats():
    found = compared({"A": BAD, "B": GOOD}, "first_rank", baseline="A")
    t = told(np.array(GOOD) - np.array(BAD))
    assert (
        said(found)
        == f"B beats A on first_rank by {t['d']} [{t['low']}, {t['high']}] (lower is better), {t['p']}."
    )


def test_where_lower_is_better_the_leader_is_the_lowest():
    runs = {"A": GOOD, "B": LIKE_GOOD, "C": BAD}
    text = said(compared(runs, "first_rank"))
    assert re.match(
        r"[AB] and [AB] share the lowest first_rank, 1\.3333 \(lower is better\)\.|[AB] has the lowest", text
    )


def test_equivalence_is_said_only_with_a_margin():
    runs = {"A": [1, 2] * 30, "B": [1, 2] * 29 + [2, 2]}
    found = compared(runs, baseline="A", margins=0.1)
    t = told(rr(runs["B"]) - rr(runs["A"]))
    assert said(found) == (
        f"B and A are equivalent on rr within ±0.1000: B is lower by {t['d']} [{t['low']}, {t['high']}]."
    )
    assert said(compared(runs, baseline="A")).startswith("No difference between B and A is shown")


def test_one_number_for_all_lists_is_shown_without_a_test():
    runs = {"A": {"u": ["a", "b"], "v": ["c", "d"]}, "B": {"u": ["a", "b"], "v": ["a", "b"]}}
    found = rw.compare(runs, None, "coverage@2", baseline="A", items=list("abcd"))
    assert said(found) == (
        "B has coverage@2 0.5000, A 1.0000; one number for all lists is shown without a test."
    )


def test_a_metric_that_is_undefined_everywhere_compares_nothing():
    qrels = {f"q{at}": {"x0": 0} for at in range(8)}
    found = rw.compare({"A": run_of(GOOD[:8]), "B": run_of(BAD[:8])}, qrels, "rr", baseline="A")
    assert said(found) == "rr is undefined for all queries of B and A, so nothing is compared."


def test_a_metric_without_a_better_end_names_no_winner():
    train = {f"t{at}": ["common"] + ["rare"] * (at == 0) + ["other"] * (at < 3) for at in range(9)}
    queries = [f"q{at}" for at in range(8)]
    runs = {
        "A": {q: ["rare"] for q in queries},
        "B": {q: ["common" if at % 3 else "other"] for at, q in enumerate(queries)},
    }
    found = rw.compare(runs, None, "arp@1", baseline="A", train=train)
    d = np.array([9.0 if at % 3 else 3.0 for at in range(8)]) - 1
    t = told(d)
    assert said(found) == (
        f"B has a higher arp@1 than A, by {t['d']} [{t['low']}, {t['high']}], {t['p']} (neither end is better)."
    )


def test_a_small_p_that_correction_makes_large_is_no_difference():
    d = [0.5, 0.5, 0.5, 0.5, 0, 0, 0, 0, 0, 0, 0, -0.1]
    runs = {"A": [2] * 12, "B": [1] * 5 + [2] * 6 + [3], "C": [2] * 11 + [3], "D": [2] * 10 + [3, 1]}
    assert len(d) == 12
    alone = stats.ttest_rel(rr(runs["B"]), rr(runs["A"])).pvalue
    assert alone < 0.05 < holm(runs, "A")["B"]
    assert said(compared(runs, baseline="A")).startswith(
        "None of 3 systems is shown to beat A on rr; the best of them is B, higher"
    )


def test_the_primary_metric_decides_not_the_first():
    found = compared({"A": BAD, "B": GOOD}, ["p@5", "rr"], baseline="A", primary="rr")
    assert said(found, "rr").startswith("B beats A on rr")


def test_names_are_shortened_and_control_characters_are_shown():
    found = compared({"A" * 200: BAD, "B\u202e<b>": GOOD})
    text = said(found)
    assert "A" * 39 + "… " in text
    assert "A" * 41 not in text
    assert "\\u202e<b>" in text


def test_an_uncorrected_p_of_several_comparisons_says_so(candidates):
    runs, _ = candidates
    assert "not corrected for 3 comparisons" in said(compared(runs, baseline="A", correction="none"))


def test_korean_sentences_glue_nothing_to_a_name(candidates):
    _, found = candidates
    assert said(found, lang="ko").startswith("rr 기준: 시스템 3개 중 2개가 A 쪽보다 좋습니다.")


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
    assert said(found) == (
        f"B beats A on rr by {number(d.mean)} [{number(d.low)}, {number(d.high)}], an interval over seeds and queries."
    )
