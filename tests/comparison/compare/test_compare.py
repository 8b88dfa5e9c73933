"""compare: values against SciPy, statsmodels and plain loops; what is paired, lost, refused and said."""

from __future__ import annotations

import itertools
import json
import math
from importlib.resources import files

import numpy as np
import polars as pl
import pytest
import scipy.stats

import rankwell as rw
from rankwell.comparison.compare.alignment import Aligned
from rankwell.metrics import metric_of
from rankwell.statistics.intervals import interval
from rankwell.statistics.paired_tests import sign_flips, t_test
from rankwell.tables.ids import Ids, fingerprints_of

FILMS = files("rankwell") / "data" / "movietweetings"
SYSTEMS = {name: str(FILMS / f"{name}.parquet") for name in ("popular", "itemknn", "als", "random")}
TEST = str(FILMS / "test.parquet")
METRICS = ["ndcg@10", "hit@10", "rr"]


@pytest.fixture(scope="module")
def users():
    rated = pl.read_parquet(TEST).group_by("user_id").len("ratings")
    tier = (
        pl.when(pl.col("ratings") >= 6).then(pl.lit("VIP")).when(pl.col("ratings") >= 3).then(pl.lit("gold"))
    )
    return rated.with_columns(tier=tier.otherwise(pl.lit("silver")))


@pytest.fixture(scope="module")
def results():
    return rw.Evaluator(TEST, METRICS, rel=8).evaluate_all(SYSTEMS)


@pytest.fixture(scope="module")
def frame(results):
    """The values of every system per query, joined by query with Polars."""
    joined = None
    for name, res in results.items():
        own = res.per_query.rename({metric: f"{metric} {name}" for metric in METRICS})
        joined = own if joined is None else joined.join(own, on="query", how="full", coalesce=True)
    return joined


def differences(frame, metric, first, second):
    own = frame.select(pl.col(f"{metric} {first}") - pl.col(f"{metric} {second}")).to_series()
    return own.drop_nulls().to_numpy()


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("system", ["itemknn", "als", "random"])
def test_t_and_signed_ranks_are_those_of_scipy(results, frame, metric, system):
    d = differences(frame, metric, system, "popular")
    told = scipy.stats.ttest_1samp(d, 0)
    found = rw.compare(results, baseline="popular", correction="none", resamples=200).difference(
        system, "popular", metric
    )
    assert found.n == len(d)
    assert found.mean == pytest.approx(d.mean(), abs=1e-15)
    assert found.p_t == found.p == pytest.approx(told.pvalue, rel=1e-9)
    assert (found.low, found.high) == pytest.approx(told.confidence_interval(0.95), rel=1e-9)
    assert found.dz == pytest.approx(told.statistic / math.sqrt(len(d)), rel=1e-12)
    ranks = rw.compare(results, baseline="popular", test="wilcoxon", resamples=99, flips=99)
    # sizes that rounding alone tells apart are ties
    told = scipy.stats.wilcoxon(np.round(d, 12), zero_method="pratt").pvalue
    assert ranks.difference(system, "popular", metric).p_test == pytest.approx(told, rel=1e-12)
    signs = rw.compare(results, baseline="popular", test="sign", resamples=99, flips=99)
    wins, losses = int((d > 1e-9).sum()), int((d < -1e-9).sum())
    told = scipy.stats.binomtest(wins, wins + losses).pvalue
    assert signs.difference(system, "popular", metric).p_test == pytest.approx(told, rel=1e-9)


def test_holm_is_that_of_scipys_p_values_by_hand(results, frame):
    found = rw.compare(results, metrics=["rr"], baseline="popular", resamples=99, flips=99)
    others = ["itemknn", "als", "random"]
    p = {
        name: scipy.stats.ttest_1samp(differences(frame, "rr", name, "popular"), 0).pvalue for name in others
    }
    most = 0.0
    for place, name in enumerate(sorted(others, key=p.__getitem__)):
        most = max(most, min(1.0, p[name] * (3 - place)))
        assert found.difference(name, "popular", "rr").p == pytest.approx(most, rel=1e-9)


def test_all_pairs_are_corrected_by_step_down_maxt_and_a_pair_can_be_turned(results):
    found = rw.compare(results, metrics=["rr"], flips=2000, resamples=99)
    assert found.pairs.T.tolist() == [list(pair) for pair in itertools.combinations(range(4), 2)]
    one, other = found.difference("als", "popular", "rr"), found.difference("popular", "als", "rr")
    assert (one.mean, one.low, one.wins, one.p) == (-other.mean, -other.high, other.losses, other.p)
    for pair in itertools.combinations(SYSTEMS, 2):
        each = found.difference(*pair, "rr")
        assert each.p >= each.p_flips


def test_queries_are_paired_by_id_and_not_by_their_place():
    qrels = {str(q): {"a": 1} for q in range(30)}
    good = {str(q): ["a", "b"] if q % 3 else ["b", "a"] for q in range(30)}
    bad = {str(q): ["b", "a"] if q % 2 else ["a", "b"] for q in reversed(range(30))}
    found = rw.compare({"good": good, "bad": bad}, qrels, ["rr"], flips=99, resamples=99).difference(
        "good", "bad", "rr"
    )
    d = [(1.0 if q % 3 else 0.5) - (0.5 if q % 2 else 1.0) for q in range(30)]
    assert (found.wins, found.ties, found.losses) == (
        sum(x > 0 for x in d), sum(x == 0 for x in d), sum(x < 0 for x in d)
    )  # fmt: skip
    assert found.superiority == pytest.approx(np.mean([(np.sign(x) + 1) / 2 for x in d]))


def test_queries_that_one_system_lacks_are_in_no_difference_and_are_counted():
    qrels = {str(q): {"a": 1, "b": 0} for q in range(12)}
    whole = {str(q): ["a", "b"] for q in range(12)}
    part = {str(q): ["b", "a"] for q in range(9)}
    found = rw.compare({"whole": whole, "part": part}, qrels, ["rr"], missing="skip", flips=99, resamples=99)
    d = found.difference("whole", "part", "rr")
    assert (d.n, d.lost_first, d.lost_second, d.mean) == (9, 0, 3, 0.5)
    assert found.mean("whole", "rr").n == 12
    assert "part 3" in repr(found)


def test_lower_is_better_turns_wins_and_not_the_difference():
    qrels = {str(q): {"a": 1} for q in range(10)}
    near, far = {str(q): ["a", "b"] for q in range(10)}, {str(q): ["b", "c"] for q in range(10)}
    found = rw.compare({"near": near, "far": far}, qrels, ["unj@2"], flips=99, resamples=99)
    d = found.difference("near", "far", "unj@2")
    assert d.mean == -0.5
    assert (d.wins, d.losses, d.superiority) == (10, 0, 1.0)
    assert found.order == [0, 1]


def test_segments_have_the_values_of_their_own_queries_and_leave_all_queries_as_they_are(results, users):
    whole = rw.compare(results, baseline="popular", flips=999, resamples=99)
    found = rw.compare(results, baseline="popular", by="tier", users=users, flips=999, resamples=99)
    assert found.labels == ["all queries", "VIP", "gold", "silver"]
    for name in ("itemknn", "als"):
        assert repr(found.difference(name, "popular", "rr")) == repr(whole.difference(name, "popular", "rr"))
    vip = users.filter(pl.col("tier") == "VIP")["user_id"].to_list()
    own = {
        name: res.per_query.filter(pl.col("query").is_in(vip))["rr"].drop_nulls()
        for name, res in results.items()
    }
    assert found.mean("als", "rr", "VIP")[:3:2] == (len(own["als"]), pytest.approx(own["als"].mean()))
    told = scipy.stats.ttest_rel(own["als"], own["popular"]).pvalue
    assert found.difference("als", "popular", "rr", "VIP").p_t == pytest.approx(told, rel=1e-9)


def test_whether_segments_differ_is_welchs_anova_of_the_differences(results, users):
    # statsmodels 0.15.0: stats.oneway.anova_oneway(groups, use_var="unequal").pvalue
    found = rw.compare(
        results, metrics=["rr"], baseline="popular", by="tier", users=users, flips=99, resamples=99
    )
    groups = [found_values(results, "als", users, tier) for tier in ("VIP", "gold", "silver")]
    n, means = np.array([len(g) for g in groups]), np.array([g.mean() for g in groups])
    w = n / np.array([g.var(ddof=1) for g in groups])
    centre = (w * means).sum() / w.sum()
    loss = (((1 - w / w.sum()) ** 2) / (n - 1)).sum()
    f = (w * (means - centre) ** 2).sum() / 2 / (1 + 2 * 1 / 8 * loss)
    assert found.heterogeneity[metric_of("rr")][1] == pytest.approx(
        scipy.stats.f.sf(f, 2, 8 / (3 * loss)), rel=1e-9
    )


def found_values(results, name, users, tier):
    ids = users.filter(pl.col("tier") == tier)["user_id"].to_list()
    both = results[name].per_query.join(results["popular"].per_query, on="query", suffix=" old")
    both = both.filter(pl.col("query").is_in(ids)).drop_nulls()
    return (both["rr"] - both["rr old"]).to_numpy()


def test_runs_results_and_saved_results_give_the_same(results, tmp_path):
    saved = {}
    for name, res in results.items():
        path = tmp_path / f"{name}.{'json' if name == 'als' else 'parquet'}"
        res.save(path)
        saved[name] = rw.Results.load(path)
    options = {"baseline": "popular", "flips": 499, "resamples": 99}
    texts = {
        repr(rw.compare(*given, **options))
        for given in ((SYSTEMS, TEST, METRICS ), (results,), (saved,))
        if given[0] is not SYSTEMS
    }  # fmt: skip
    texts.add(repr(rw.compare(SYSTEMS, TEST, METRICS, rel=8, **options)))
    assert len(texts) == 1


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_and_the_order_of_systems_change_no_p_value(results, threads):
    some = {name: results[name] for name in ("als", "random", "popular", "itemknn")}
    one = rw.compare(results, metrics=["rr"], flips=999, resamples=99, threads=1)
    other = rw.compare(some, metrics=["rr"], flips=999, resamples=99, threads=threads)
    for pair in itertools.combinations(SYSTEMS, 2):
        mine, theirs = one.difference(*pair, "rr"), other.difference(*pair, "rr")
        assert (mine.p, mine.p_flips) == (theirs.p, theirs.p_flips)
        assert (mine.low, mine.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_a_comparison_is_saved_and_read_again_in_every_digit(results, users, tmp_path):
    found = rw.compare(
        results, baseline="popular", by="tier", users=users, margins=0.01, flips=99, resamples=99
    )
    found.save(tmp_path / "found.json")
    again = rw.Comparison.load(tmp_path / "found.json")
    assert again.to_json() == found.to_json()
    assert repr(again) == repr(found)
    for suffix in ("md", "tex", "html", "csv", "parquet"):
        found.save(tmp_path / f"found.{suffix}")
        assert (tmp_path / f"found.{suffix}").stat().st_size > 100
    with pytest.raises(rw.RankwellError, match="comparisons are written as"):
        found.save(tmp_path / "found.txt")
    (tmp_path / "later.json").write_text(json.dumps({"kind": "comparison", "schema": 99}))
    with pytest.raises(rw.RankwellError, match="schema 99"):
        rw.Comparison.load(tmp_path / "later.json")
    (tmp_path / "other.json").write_text("[]")
    with pytest.raises(rw.RankwellError, match="this is no file of a comparison"):
        rw.Comparison.load(tmp_path / "other.json")


def test_frames_have_a_row_per_system_and_per_pair(results, users):
    found = rw.compare(results, baseline="popular", by="tier", users=users, flips=99, resamples=99)
    means, pairs = found.to_frame(), found.to_pair_frame()
    assert means.shape[0] == 4 * 3 * 4
    assert pairs.shape[0] == 3 * 3 * 4
    row = pairs.filter(metric="rr", segment="VIP", first="als").to_dicts()[0]
    d = found.difference("als", "popular", "rr", "VIP")
    assert (row["mean"], row["p"], row["wins"]) == (d.mean, d.p, d.wins)
    assert found.to_pandas().shape == means.shape


def test_a_metric_of_all_lists_together_is_shown_without_a_test(users):
    items = str(FILMS / "items.parquet")
    found = rw.compare(
        SYSTEMS,
        TEST,
        ["coverage@10", "rr"],
        items=items,
        rel=8,
        by="tier",
        users=users,
        flips=99,
        resamples=99,
    )
    res = rw.evaluate(SYSTEMS["als"], TEST, ["coverage@10"], items=items, rel=8, by="tier", users=users)
    assert found.mean("als", "coverage@10").mean == res["coverage@10"]
    segments = {row["tier"]: row["mean"]["coverage@10"] for row in res.segments.to_dicts()}
    assert found.mean("als", "coverage@10", "gold").mean == segments["gold"]
    assert math.isnan(found.difference("als", "popular", "coverage@10").p)


def test_equivalence_and_the_queries_needed_rest_on_the_margin(results, frame):
    found = rw.compare(
        results, metrics=["rr"], baseline="popular", margins={"rr": 0.05}, flips=99, resamples=99
    )
    d = differences(frame, "rr", "itemknn", "popular")
    told = max(
        scipy.stats.ttest_1samp(d, -0.05, alternative="greater").pvalue,
        scipy.stats.ttest_1samp(d, 0.05, alternative="less").pvalue,
    )
    own = found.difference("itemknn", "popular", "rr")
    assert own.p_equivalent == pytest.approx(told, rel=1e-9)
    assert 10 < own.needed < 1000


def test_false_discovery_rates_and_one_family_of_everything_are_said(results):
    text = rw.compare(results, correction="bh", flips=99, resamples=99).to_table().to_text()
    assert "false discovery rate (FDR)" in text
    whole = rw.compare(results, family="all", flips=999, resamples=99)
    each = rw.compare(results, flips=999, resamples=99)
    pairs = list(itertools.combinations(SYSTEMS, 2))
    more = [whole.difference(*pair, m).p - each.difference(*pair, m).p for pair in pairs for m in METRICS]
    assert min(more) >= 0
    assert max(more) > 0
    assert "family: all comparisons" in whole.to_table().to_text()


def test_tukeys_test_leaves_out_queries_that_any_system_lacks(results):
    found = rw.compare(results, metrics=["rr"], correction="tukey", flips=1000, resamples=99)
    p = [found.difference(*pair, "rr").p for pair in itertools.combinations(SYSTEMS, 2)]
    assert all(0 < each <= 1 for each in p)
    assert "Tukey" in repr(found)
    with pytest.raises(rw.RankwellError, match="family='metric'"):
        rw.compare(results, correction="tukey", family="all")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"baseline": "populer"}, "Did you mean popular"),
        ({"primary": "rr@3"}, "primary=rr@3: must be"),
        ({"margins": {"rr": -1}}, "must be above 0"),
        ({"margins": {"p@5": 1}}, "margins=p@5"),
        ({"margins": {"rr": 1}}, "a margin of 1 is all that rr can differ by"),
        ({"margins": 10}, "a margin of 10 is larger than ndcg@10 can differ by.*did you mean 0.1"),
        ({"margins": {"rr": "much"}}, "margins of rr='much': must be a number"),
        ({"rope": 2}, "a rope of 2 is larger than ndcg@10 can differ by"),
        ({"alpha": 5}, "must be from 1e-06 to 0.5"),
        ({"alpha": 5e-324}, "must be from 1e-06 to 0.5"),
        ({"power": 1.0}, "must be from 0.5 to 0.9999"),
        ({"flips": 3}, "at least 99"),
        ({"test": "sign", "correction": "maxt"}, "has a test of its own"),
        ({"test": "anova"}, "must be t, flips"),
        ({"metrics": ["p@5"]}, "p@5 was not evaluated"),
        ({"by": "tier"}, "by= and weights= name columns of users="),
    ],
)
def test_what_cannot_be_compared_is_refused_with_the_remedy(results, change, message):
    with pytest.raises(rw.RankwellError, match=message):
        rw.compare(results, **change)


def test_results_that_do_not_fit_together_are_refused(results):
    qrels = {"1": {"a": 1}, "2": {"b": 1}}
    run = {"1": ["a"], "2": ["b"]}
    one = rw.evaluate(run, qrels, ["rr"])
    with pytest.raises(
        rw.RankwellError, match=r"different policies: missing \(empty and skip\)\. Evaluate both"
    ):
        rw.compare({"a": one, "b": rw.evaluate(run, qrels, ["rr"], missing="skip")})
    with pytest.raises(rw.RankwellError, match="different judgements"):
        rw.compare({"a": one, "b": rw.evaluate(run, qrels | {"3": {"a": 1}}, ["rr"])})
    with pytest.raises(rw.RankwellError, match="at least two"):
        rw.compare({"a": one})
    with pytest.raises(rw.RankwellError, match="per_query=True"):
        rw.compare({"a": one, "b": rw.evaluate(run, qrels, ["rr"], per_query=False)})
    with pytest.raises(rw.RankwellError, match="too many to say anything of"):
        rw.compare({str(at): one for at in range(501)})


def test_integer_and_text_ids_meet_and_other_kinds_are_refused():
    qrels, run = {1: {"a": 1}, 2: {"b": 1}}, {1: ["a"], 2: ["c", "b"]}
    numbers = rw.evaluate(run, qrels, ["rr"])
    texts = rw.evaluate(
        {str(q): own for q, own in run.items()}, {str(q): own for q, own in qrels.items()}, ["rr"]
    )
    aligned = Aligned.of({"numbers": numbers, "texts": texts})
    assert aligned.values(metric_of("rr")).tolist() == [[1.0, 0.5], [1.0, 0.5]]
    words = rw.evaluate({"x": ["a"], "y": ["b"]}, {"x": {"a": 1}, "y": {"b": 1}}, ["rr"])
    with pytest.raises(rw.RankwellError, match="query ids are text on one side"):
        Aligned.of({"numbers": numbers, "words": words})


def test_two_equal_systems_have_no_difference_and_no_interval():
    qrels, run = {str(q): {"a": 1} for q in range(60)}, {str(q): ["a"] for q in range(60)}
    found = rw.compare({"a": run, "b": dict(run)}, qrels, ["rr"], flips=99, resamples=99)
    d = found.difference("a", "b", "rr")
    assert (d.mean, d.p, d.p_t, d.p_flips, d.ties) == (0.0, 1.0, 1.0, 1.0, 60)
    assert math.isnan(d.low)
    assert found.mean("a", "rr").mean == 1.0


def test_weights_and_clusters_have_the_values_of_one_pair_alone(results, frame):
    d = frame.select("query", d=pl.col("rr als") - pl.col("rr popular")).drop_nulls()
    ids = frame["query"]
    columns = pl.DataFrame(
        {"query": ids, "w": np.arange(len(ids)) % 4 + 1, "home": [f"h{i % 90}" for i in range(len(ids))]}
    )
    own = d.join(columns, on="query")
    options = {"users": columns, "baseline": "popular", "metrics": ["rr"], "flips": 2000, "resamples": 200}
    weighted = rw.compare(results, weights="w", **options).difference("als", "popular", "rr")
    values, w = own["d"].to_numpy(), own["w"].to_numpy().astype(float)
    told = t_test(values, weights=w)
    assert weighted.mean == pytest.approx(np.average(values, weights=w), rel=1e-12)
    assert weighted.effective == pytest.approx(w.sum() ** 2 / (w**2).sum(), rel=1e-12)
    assert weighted.p_t == pytest.approx(told.p, rel=1e-12)
    clustered = rw.compare(results, clusters="home", **options)
    numbers = fingerprints_of(Ids.of(own["home"].to_list()))
    units = fingerprints_of(Ids.of(own["query"].to_list()))
    each = clustered.difference("als", "popular", "rr")
    assert each.effective == len(set(own["home"]))
    assert each.p_t == pytest.approx(t_test(values, clusters=numbers).p, rel=1e-12)
    flips = sign_flips(values, units, times=2000, seed=0, clusters=numbers)
    assert each.p_flips == pytest.approx(flips.p, abs=1e-12)
    told = interval(values, units, method="t", clusters=numbers)
    assert (each.low, each.high) == pytest.approx((told.low, told.high), abs=1e-12)
    assert "whole clusters (home) are drawn and flipped" in repr(clustered)
    with pytest.raises(rw.RankwellError, match="go with test='t'"):
        rw.compare(results, clusters="home", test="sign", **options)
    with pytest.raises(rw.RankwellError, match="has no row in users, so it has no cluster"):
        rw.compare(results, clusters="home", **options | {"users": columns.head(3)})
    with pytest.raises(rw.RankwellError, match=r"no column 'hom'.*Did you mean home"):
        rw.compare(results, clusters="hom", **options)


def test_what_python_prints_is_no_wider_than_a_page(results):
    wide = repr(rw.compare(results))
    assert max(map(len, wide.splitlines())) <= 120


def test_a_table_without_intervals_says_nothing_of_them(results):
    found = rw.compare(results)
    assert "intervals" in found.to_table().to_text()
    assert "intervals" not in found.to_table(details=False).to_text()
    assert "intervals" not in found.to_latex()


def test_the_notes_tell_the_smallest_visible_difference_of_each_metric(results):
    found = rw.compare(results, metrics=["ndcg@10"])
    visible = found.differences[found.metrics[0], 0].visible
    bounds = f"ndcg@10 {visible.min():.4f} to {visible.max():.4f}"
    told = found.to_table().notes
    assert f"smallest true difference found with power 0.8, before correction, by pair: {bounds}" in told


def test_many_metrics_that_do_not_vary_over_segments_are_one_short_note(users):
    metrics = [*METRICS, "p@10"]
    found = rw.compare(SYSTEMS, TEST, metrics, users=users, by="tier", baseline="popular", rel=8)
    notes = [note for note in found.to_table().notes if "the same in all segments?" in note]
    assert len(notes) == len(SYSTEMS) - 1
    for note, p in zip(notes, zip(*found.heterogeneity.values(), strict=True), strict=True):
        certain = [f"{metric} p = {each:.4f}" for metric, each in zip(metrics, p, strict=True) if each < 0.05]
        words = ", ".join(certain) or f"not shown to vary, all p ≥ {min(p):.4f}"
        assert note.endswith(f"(Welch, Holm over metrics) {words}")


def test_what_is_true_of_each_run_is_noted_once_and_the_rest_by_the_names_given():
    qrels = {str(q): {"a": 1} for q in range(4)}
    full = rw.evaluate({str(q): ["b", "a"] for q in range(4)}, qrels, ["rr"])
    part = rw.evaluate({str(q): ["a", "b"] for q in range(3)}, qrels, ["rr"])
    notes = rw.compare({"old": full, "new": part}).notes
    assert [note for note in notes if note.startswith(("each run", "old", "new"))] == [
        "each run: 4 judgements of 4 queries",
        "old: 8 rows in 4 lists; judged items found: 4",
        "new: 6 rows in 3 lists; judged items found: 3; judged queries missing from the run: 1",
    ]


def test_means_intervals_and_p_values_are_logged_to_a_writer(results):
    class Writer:
        def __init__(self):
            self.scalars, self.texts = {}, {}

        def add_scalar(self, name, value, step):
            self.scalars[name, step] = value

        def add_text(self, name, text, step):
            self.texts[name, step] = text

    writer = Writer()
    found = rw.compare(results, metrics=["rr", "ndcg@10"], baseline="popular", flips=99, resamples=99)
    found.log_to(writer, step=4)
    d, mean = found.difference("als", "popular", "rr"), found.mean("als", "rr")
    assert writer.scalars["als.rr", 4] == mean.mean
    assert writer.scalars["als.rr.low", 4] == mean.low
    assert writer.scalars["als_vs_popular.rr.difference", 4] == d.mean
    assert writer.scalars["als_vs_popular.rr.p", 4] == d.p
    assert writer.scalars["als.ndcg_at_10.n", 4] == mean.n
    assert "Holm" in writer.texts["rankwell", 4]
    assert json.loads(writer.texts["rankwell.json", 4].strip("`json \n"))["systems"] == list(results)
    with pytest.raises(rw.RankwellError, match="unknown tracker"):
        found.log_to("mlfow")


@pytest.mark.parametrize("correction", ["tukey", "maxt", "holm", "bh"])
def test_the_order_of_runs_changes_no_p_value(results, correction):
    """Every order of three systems gives each pair the same p-value, to the bit."""
    found = set()
    for order in itertools.permutations(["popular", "itemknn", "als"]):
        own = rw.compare(
            {name: results[name] for name in order},
            metrics=["rr"],
            correction=correction,
            flips=990,
            resamples=99,
        )
        pairs = itertools.combinations(sorted(order), 2)
        found.add(tuple(own.difference(one, other, "rr").p for one, other in pairs))
    assert len(found) == 1


@pytest.mark.parametrize("metrics", [["rr", "dcg@3"], ["p@1"]])
def test_segments_of_one_size_say_what_each_says_alone(metrics):
    """Many segments of seven queries, of nine and of others, some undefined: means, intervals and differences to the bit."""
    random = np.random.default_rng(1)
    sizes = [7] * 12 + [9] * 5 + [30, 55, 1, 2]
    segment = np.repeat(np.arange(len(sizes)), sizes)
    queries = [f"q{at}" for at in range(len(segment))]
    qrels = {query: {"a": 1, "b": 2} if random.random() < 0.9 else {"a": 0} for query in queries}
    runs = {
        name: {query: [*random.permutation(list("abcdef"))] for query in queries}
        for name in ("one", "two", "three")
    }
    users = {"query": queries, "part": [str(each) for each in segment]}
    whole = rw.compare(runs, qrels, metrics, users=users, by="part", flips=199, resamples=199)
    for at in range(len(sizes)):
        own = {q for q, part in zip(queries, segment, strict=True) if part == at}
        few = {name: {q: items for q, items in run.items() if q in own} for name, run in runs.items()}
        judged = {q: grades for q, grades in qrels.items() if q in own}
        alone = rw.compare(few, judged, metrics, flips=199, resamples=199)
        place = whole.segments.index((str(at),))
        for metric in whole.metrics:
            for found, told in (
                (whole.means[metric, place], alone.means[metric, 0]),
                (whole.differences[metric, place], alone.differences[metric, 0]),
            ):
                for name in set(found._fields) - {"p", "p_flips", "p_flips_low", "p_flips_high"}:
                    assert np.array_equal(getattr(found, name), getattr(told, name)) or np.array_equal(
                        getattr(found, name).astype(float), getattr(told, name).astype(float), equal_nan=True
                    ), (name, at)


def test_means_are_those_of_evaluate_in_every_digit():
    # a sum that is rounded before it is divided by n is off in the last bit for every fourth mean
    metrics = ["ndcg@5", "rr", "p@3", "dcg@3"]
    for seed in range(20):
        rng = np.random.default_rng(seed)
        items = [f"d{number}" for number in range(8)]
        queries = [f"q{number}" for number in range((6, 12, 30, 61)[seed % 4])]
        qrels = {query: dict(zip(items, rng.integers(0, 3, 8).tolist(), strict=True)) for query in queries}
        runs = {
            name: {query: dict(zip(items, rng.random(8).tolist(), strict=True)) for query in queries}
            for name in "ab"
        }
        users = pl.DataFrame(
            {"query": queries, "kind": ["low" if query[-1] < "5" else "high" for query in queries]}
        )
        found = rw.compare(runs, qrels, metrics, users=users, by="kind", flips=99, resamples=99)
        for name, run in runs.items():
            res = rw.evaluate(run, qrels, metrics, users=users, by="kind")
            assert {metric: found.mean(name, metric).mean for metric in metrics} == res.mean
            for row in res.segments.to_dicts():
                for metric in metrics:
                    assert found.mean(name, metric, row["kind"]).mean == row["mean"][metric]


def test_the_only_metric_of_a_comparison_need_not_be_named():
    qrels = {str(query): {"a": 1} for query in range(4)}
    runs = {
        "old": {str(query): ["b", "a"] for query in range(4)},
        "new": {str(query): ["a"] for query in range(4)},
    }
    one, two = (rw.compare(runs, qrels, metrics) for metrics in (["rr"], ["rr", "ap"]))
    assert repr(one.difference("new", "old")) == repr(one.difference("new", "old", "rr"))  # nan is not nan
    assert one.mean("new").mean == 1.0
    for ask in (lambda: two.difference("new", "old"), lambda: two.mean("new")):
        with pytest.raises(rw.RankwellError, match=r"say by which metric: 'rr' or 'ap'\."):
            ask()
