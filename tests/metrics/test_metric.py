"""A metric is a value: equal by its parameters, frozen, written as text that parses back."""

from __future__ import annotations

import copy
import inspect
import os
import pickle
import re
import subprocess
import sys
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

import rankwell as rw
from rankwell.metrics import metric_of
from rankwell.metrics.metric import REGISTRY, QueryMetric, definition


@pytest.fixture
def registry():
    """Metrics that a test defines are gone after it."""
    before = dict(REGISTRY)
    yield
    REGISTRY.clear()
    REGISTRY.update(before)


SPELLINGS = {
    "ndcg(gain=exp2)@10": [rw.nDCG(gain="exp2", k=10), rw.nDCG(gain="exp2") @ 10, "nDCG( gain = exp2 )@10"],
    "p@5": [rw.P @ 5, rw.P(k=5), "precision@5", "P@5"],
    "ap(denom=min_rk)@10": ["map@10", rw.AP @ 10, "ap@10", rw.AP(k=10, denom="min_rk")],
    "rr": [rw.RR, rw.RR(), "mrr", "recip_rank"],
    "dcg(discount=[1,0.5])@2": [rw.DCG(discount=[1, 0.5], k=2), rw.DCG(discount=np.array([1, 0.5])) @ 2],
    "dcg(gain={0:1,2:-3})": ["dcg(gain={2:-3,0:1})", rw.DCG(gain={2: -3, 0: 1})],
}


@pytest.mark.parametrize("text", SPELLINGS)
def test_all_spellings_of_a_definition_are_one_value_with_one_text(text):
    values = [metric_of(spelling) for spelling in SPELLINGS[text]]
    assert [str(value) for value in values] == [text] * len(values)
    assert len(set(values)) == 1
    assert metric_of(text) == values[0]


@pytest.mark.parametrize(
    ("one", "other"),
    [("ndcg@10", "ndcg@5"), ("ndcg@10", "dcg@10"), ("p@5", "p(rel=2)@5"), ("p@5", "p(sampled=99)@5")],
)
def test_another_cut_off_parameter_or_class_is_another_value(one, other):
    assert metric_of(one) != metric_of(other)


def test_a_metric_is_no_text():
    assert metric_of("p@5") != "p@5"


@pytest.mark.parametrize("name", ["k", "rel", "sampled", "another"])
def test_a_metric_cannot_be_changed(name):
    metric = metric_of("p@5")
    hash(metric)
    for change in (lambda: setattr(metric, name, 6), lambda: delattr(metric, name)):
        with pytest.raises(FrozenInstanceError):
            change()
    assert metric == metric_of("p@5")
    assert not hasattr(metric, "another")


@pytest.mark.parametrize(
    "text",
    [
        "ndcg(gain={1:2,3:4},discount=jk,base=3)@7",
        "ndcg(gain={1:2,others:own})",
        "by_topic(metric=ap)",
        "coverage@5",
    ],
)
def test_a_copy_and_a_pickle_are_equal(text):
    metric = metric_of(text)
    for again in (copy.copy(metric), copy.deepcopy(metric), pickle.loads(pickle.dumps(metric))):
        assert again == metric
        assert hash(again) == hash(metric)


def test_a_pickle_finds_its_equal_in_another_process():
    code = "import pickle, sys; from rankwell.metrics import metric_of; m = pickle.load(sys.stdin.buffer); print({metric_of('p@5'): 1}[m])"
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=pickle.dumps(metric_of("p@5")),
        env={**os.environ, "PYTHONHASHSEED": "7"},
        capture_output=True,
        check=True,
    )
    assert done.stdout.split() == [b"1"]


@pytest.mark.parametrize(
    ("text", "signature"),
    [
        (
            "ndcg@10",
            "ndcg(gain=linear,discount=log2p1,ideal=judged)@10",
        ),  # base belongs to jk, and is left out
        ("ndcg(discount=jk)@10", "ndcg(gain=linear,discount=jk,base=2,ideal=judged)@10"),
        ("map@10", "ap(denom=min_rk)@10"),
        ("ap", "ap(denom=R)"),
        ("p(rel=2)@5", "p(denom=k,rel=2)@5"),
        ("p(sampled=99)@5", "p(denom=k,sampled=99)@5"),
    ],
)
def test_the_signature_writes_out_every_switch_that_has_an_effect(text, signature):
    metric = metric_of(text)
    assert metric.signature == signature
    assert metric_of(signature) == metric


def test_a_default_that_depends_on_k_is_written_where_there_is_a_k():
    assert (str(rw.AP()), str(rw.AP() @ 5), str(rw.AP(denom="R") @ 5)) == (
        "ap",
        "ap(denom=min_rk)@5",
        "ap(denom=R)@5",
    )


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: rw.nDCG(gain="cubic"),
            r"nDCG\(gain='cubic'\): gain must be one of linear, exp2, \{number: number, …\}",
        ),
        (lambda: rw.P(k=2.5), r"k must be a whole number"),
        (lambda: rw.P(k=True), r"k must be a whole number"),
        (lambda: rw.P(k=0), r"p@0: the cut-off must be a whole number of at least 1"),
        (lambda: rw.P(rel=float("inf")), r"rel must be a number"),
        (lambda: rw.P @ 5 @ 6, r"already has a cut-off"),
        (lambda: rw.GMAP(floor="low"), r"floor must be a number"),
        (lambda: rw.DCG(discount=[]), r"discount must be one of .*a list of numbers"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_when_the_metric_is_made(make, message):
    with pytest.raises(rw.RankwellError, match=message):
        make()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("p", r"p needs a cut-off: write p@10"),
        ("recall(rel=2)", r"recall\(rel=2\) needs a cut-off: write recall\(rel=2\)@10"),
        ("rprec@5", r"rprec takes no cut-off; write rprec"),
        ("ndcg(base=3)@5", r"base=3 has no effect with the other parameters"),
        ("coverage(sampled=9)@5", r"on a metric that needs judgements"),
    ],
)
def test_a_definition_that_cannot_be_computed_is_refused(text, message):
    with pytest.raises(rw.RankwellError, match=message):
        metric_of(text)


def test_a_name_belongs_to_one_metric(registry):
    def define(name, needs=()):
        @rw.metric(name=name, needs=needs)
        def share(judged, context):
            return np.zeros(len(judged))

        return share

    with pytest.raises(rw.RankwellError, match="the name 'map' belongs to AP already"):
        define("map")
    with pytest.raises(rw.RankwellError, match=r"needs=\['tables'\]; a metric can need shown, item, "):
        define("mine", {"tables"})
    assert metric_of("P@5") == rw.P @ 5


def test_a_metric_of_ones_own_is_written_read_and_compared_as_others(registry):
    @definition
    class Window(QueryMetric):
        name = "window"
        first: int = 1
        wide: bool = False

        def per_query(self, judged, context):
            return np.full(len(judged), float(self.first))

    made = Window(first=3, wide=True) @ 9
    assert str(made) == "window(first=3,wide=true)@9"
    assert made.signature == "window(first=3,wide=true)@9"
    assert metric_of("Window(wide=true, first=3)@9") == made
    assert Window().signature == "window(first=1,wide=false)"
    assert rw.evaluate({"q": ["a"]}, {"q": {"a": 1}}, [made])[made] == 3


REFUSED = {  # by the class that checks: a text that no base of it refuses, and what is said of it
    "Metric": ("ndcg(max_grade=3)@3", "max_grade=3 has no effect"),
    "AP": ("ap(denom=k)", "needs a cut-off: write ap(denom=k)@10"),
    "nDCG": ("ndcg(ideal=maximal)", "needs a cut-off: write ndcg(ideal=maximal)@10"),
    "AlphaDCG": ("alpha_dcg(norm=ndeval)", "needs a cut-off: write alpha_dcg(norm=ndeval)@10"),
    "AlphanDCG": ("alpha_ndcg(ideal=exact)", "write @6 or less"),
    "Normalised": ("ab_ndcg(ideal=exact)", "write @6 or less"),
    "ERRIA": ("err_ia(norm=ndeval)@3", "requires a cut-off and gain=binary"),
    "OnTopics": ("s_recall(universe=profile)@3", "which the judgements do not hold"),
    "ByTopic": ("by_topic(metric=coverage)", "does not depend on a query's judgements"),
    "_IntentAware": ("ap_ia(denom=k)", "needs a cut-off: write ap(denom=k)@10"),
    "_Weighed": ("ips", "name it, such as ips(metric=ndcg@10)"),
    "OfHead": ("aplt(head=top)@3", "at must be a whole number"),
    "Personalization": ("personalization(similarity=shared)", "write personalization(similarity=shared)@10"),
    "SerendipityKotkov": ("serendipity_kotkov@3", "needs a threshold"),
}


@pytest.mark.parametrize("text", ["insq(T=0)", "insq(T=-1)", "inst(T=0)"])
def test_a_reader_who_wants_nothing_is_refused(text):
    with pytest.raises(rw.RankwellError, match=r"T, the gain that the reader wants, must be above 0"):
        metric_of(text)


def test_what_a_metric_checks_is_refused():
    checking = {
        base.__name__
        for cls in rw.metrics.classes()
        if cls.__module__.startswith("rankwell.")
        for base in cls.__mro__
        if "check" in vars(base)
    }
    assert checking == {*REFUSED}, "write in REFUSED what the class refuses"
    for name, (text, said) in REFUSED.items():
        with pytest.raises(rw.RankwellError) as refusal:
            rw.evaluate({"q": ["a"]}, {"q": {"a": 1}}, [text])
        assert said in str(refusal.value), name


TABLES = {
    "train": {"q": ["c"]},
    "items": [
        {"item": item, "topics": topic, "group": group, "price": price}
        for item, topic, group, price in (("a", "x", "g", 1.0), ("b", "y", "h", -1.0), ("c", "x", "k", 2.0))
    ],
    "users": [{"query": "q", "age": 1}],
}
UNFIT = {  # by the class that checks the tables: a metric, what is said of the tables above, and other options
    "OnTopics": ("s_recall(topics=genre)@2", "items has no column 'genre'", {}),
    "Featured": ("ild(features=genre)@2", "items has no column 'genre'", {}),
    "TopicCoverage": ("topic_coverage(features=genre)@2", "items has no column 'genre'", {}),
    "OfGroups": ("exposure(groups=genre)@2", "items has no column 'genre'", {}),
    "_TwoGroups": ("dp_ratio(groups=group)@2", "compares two groups; the column 'group' of items has 3", {}),
    "Coverage": ("coverage(weights=price)@2", "item 'b' has the weight -1", {}),
    "OfRatings": ("ab_ndcg(max_grade=1)@2", "a grade is above max_grade", {}),
    "Topical": ("ab_topic(profile=given)@2", "users has no column named after a topic", {}),
    "_OfErrors": ("rmse", "the judgements are interactions", {"grades": "interactions"}),
    "OfSpans": (
        "span_f@2",
        "items: spans need columns document, start and end",
        {"qrels": {"q": {"d:0-9": 1}}},
    ),
    "Nugget": ("nugget", "the judgements have no grades", {"grades": "interactions"}),
}


def test_tables_that_a_metric_cannot_use_are_refused_before_there_is_a_run():
    checking = {
        base.__name__
        for cls in rw.metrics.classes()
        if cls.__module__.startswith("rankwell.")
        for base in cls.__mro__
        if "check_tables" in vars(base)
    }
    assert checking == {*UNFIT, "Metric"}, "write in UNFIT what the class refuses"
    for name, (text, said, options) in UNFIT.items():
        given = {"qrels": {"q": {"a": 1, "b": 2}}, **options}
        with pytest.raises(rw.RankwellError) as refusal:
            rw.Evaluator(metrics=[text], **TABLES, **given)
        assert said in str(refusal.value), name


@pytest.mark.parametrize(
    ("text", "alone"),
    [
        ("test_share@2", "coverage@2"),
        ("s_recall(topics=qrels,universe=catalogue)@2", "s_recall(topics=qrels)@2"),
        ("ab_ndcg(profile=dirichlet,profile_source=test)@2", "ab_ndcg(profile_source=test)@2"),
    ],
)
def test_days_with_judgements_of_their_own_add_up_but_for_metrics_of_all_judgements(text, alone):
    """The second metric reads the judgements of each query only."""
    judged = {
        day: [{"query": day, "item": item, "grade": 2, "topic": topic} for item, topic in ("ax", "by")]
        for day in "qr"
    }
    tables = {name: TABLES[name] for name in ("train", "items")}
    for metric, adds in ((text, False), (alone, True)):
        days = [
            rw.evaluate({day: ["a", "c"]}, judged[day], [metric], missing="skip", **tables) for day in "qr"
        ]
        if adds:
            assert [*rw.Results.sum(days).n.values()] == [2]
        else:
            with pytest.raises(rw.RankwellError, match="counts what is judged for any query"):
                rw.Results.sum(days)


CAUTIONS = {  # by the class that has one: a metric with it, words of it, and the same metric without
    "nDCG": ("ndcg(ideal=retrieved)@2", "missed items cost nothing", "ndcg@2"),
    "ByTopic": (
        "by_topic(metric=ndcg(ideal=retrieved)@2)",
        "missed items cost nothing",
        "by_topic(metric=ndcg@2)",
    ),
    "Topical": (
        "ab_ndcg(profile_source=test)@2",
        "leaks: profiles are made from the judgements",
        "ab_ndcg@2",
    ),
    "AUCPR": ("auc_pr(method=trapezoid)", "the trapezoid is optimistic", "auc_pr(method=step)"),
    "_Weighed": ("ips(metric=ap@2)", "which weighting cannot correct", "ips(metric=dcg@2)"),
}


def test_a_caution_is_printed_with_the_value():
    having = {
        base.__name__
        for cls in rw.metrics.classes()
        if cls.__module__.startswith("rankwell.")
        for base in cls.__mro__
        if "caution" in vars(base)
    }
    assert having == {*CAUTIONS, "Metric"}, "write in CAUTIONS what the class says"
    for text, said, without in CAUTIONS.values():
        assert said in metric_of(text).caution()
        assert not metric_of(without).caution()
    table = rw.evaluate({"q": ["a", "b"]}, {"q": {"b": 1}}, ["ndcg(ideal=retrieved)@2"]).to_table()
    assert any(note.startswith("ndcg(ideal=retrieved)@2: the ideal list is the list") for note in table.notes)


CALLED = {
    "nDCG(k=3)(RUN, QRELS)": "ndcg@3 is a definition and takes no data. Write rw.evaluate(run, qrels, ['ndcg@3']).",
    "(P @ 5)(RUN, qrels=QRELS)": "p@5 is a definition and takes no data. Write rw.evaluate(run, qrels, ['p@5']).",
    "AP(RUN, QRELS)": "AP is a definition and takes no data. Write rw.evaluate(run, qrels, ['ap']).",
    "P(RUN, QRELS)": "P is a definition and takes no data. Write rw.evaluate(run, qrels, ['p@10']).",
    "nDCG(3)": "nDCG takes its parameters by name: nDCG(k=3).",
    "RR(top_k=3)": "RR has no parameter 'top_k'; it has k or rel.",
    "nDCG(gian='exp2')": "nDCG has no parameter 'gian'; it has k, gain, discount, base, ideal, max_grade, rel or gain_from. Did you mean gain?",
}  # fmt: skip
RUN, QRELS = {"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 1}}


@pytest.mark.parametrize("text", CALLED)
def test_a_metric_that_is_called_says_which_call_to_make(text):
    with pytest.raises(rw.RankwellError) as error:
        eval(
            text,
            {
                **vars(rw.metrics),
                "RUN": RUN,
                "QRELS": QRELS,
                "P": rw.P,
                "nDCG": rw.nDCG,
                "AP": rw.AP,
                "RR": rw.RR,
            },
        )
    assert str(error.value) == CALLED[text]
    for call in re.findall(r"rw\.evaluate\(.*\)", CALLED[text]):
        assert eval(call, {"rw": rw, "run": RUN, "qrels": QRELS}).mean


@pytest.mark.parametrize("method", ["update", "compute", "evaluate", "calc", "score"])
def test_a_metric_says_what_to_call_in_place_of_the_methods_of_others(method):
    with pytest.raises(AttributeError, match=r"Write rw\.evaluate\(run, qrels, \['ndcg@3'\]\)"):
        getattr(rw.nDCG @ 3, method)
    assert not hasattr(rw.nDCG @ 3, method)
    with pytest.raises(AttributeError, match=r"^'nDCG' object has no attribute 'colour'$"):
        getattr(rw.nDCG @ 3, "colour")  # noqa: B009 - a name that is not there


def test_the_signature_of_a_metric_is_that_of_its_parameters():
    assert [*inspect.signature(rw.RR).parameters] == ["k", "sampled", "budget", "rel"]


def test_metrics_by_name_with_their_cut_offs_are_refused():
    with pytest.raises(rw.RankwellError, match=r"takes a list such as \['ndcg@10', 'ap'\], not {'ndcg': 3}"):
        rw.evaluate(RUN, QRELS, {"ndcg": 3})
