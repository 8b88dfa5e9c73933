"""What public functions give is pickled and copied: every class of results, found by walking the package; redacted ones without a true id."""

from __future__ import annotations

import copy
import importlib
import inspect
import json
import pickle
import pkgutil
import random
import warnings

import pytest
from tests.calls.public import CALLS
from tests.calls.test_shown import JUDGED, MORE, USERS, A, B
from tests.efficiency.made import made as made_costs
from tests.efficiency.made_growth import made as made_growth

import rankwell as rw
from rankwell.compat.pytrec_eval import RelevanceEvaluator
from rankwell.evaluation.rel_sweep import rel_sweep

ITEMS = [{"item": item, "text": f"text of {item}"} for item in "abc"]
QUERIES = {"1": "one", "2": "two", "3": "three"}
SHEET = "query,item,grade,judge,time,order,is_repeat,comment\n1,a,2,Ann,,1,false,\n1,b,0,Ann,,2,false,\n"
LOG = [{"user": user, "item": item} for user, item in ("1a", "1b", "2a", "3c")]
COSTS = {"seconds": [[0.1, 0.2, 0.3]] * 3, "memory": [1] * 3, "index": [2] * 3, "throughput": [5] * 3}
FORMS = "to_dict", "to_dicts", "to_json", "to_html", "_repr_html_", "notes", "to_csv", "to_text"


def answered(folder):
    asked = rw.judging.prompts(JUDGED, model="m", items=ITEMS)
    key = asked.save(folder / "batch.jsonl")
    lines = [{"custom_id": each["custom_id"], "answer": "GRADE: 1"} for each in asked.requests()]
    (folder / "out.jsonl").write_text("\n".join(map(json.dumps, lines)))
    return asked, rw.judging.answers(key, folder / "out.jsonl")


def merged(folder, how):
    (folder / "ann.csv").write_text(SHEET)
    return rw.judging.merge(folder / "ann.csv", how=how)


def sampled(folder):
    drawn = rw.judging.sample({"a": A, "b": B}, budget=2)
    names = [str(folder / f"{name}.tsv") for name in ("items", "frame")]
    drawn.save(*names)
    grades = {"1": {"a": 1, "b": 0, "c": 1}, "2": {"a": 1, "b": 0}, "3": {"c": 1, "a": 0}}
    return drawn, rw.judging.estimate({"a": A, "b": B}, grades, ["ap"], frame=names[1])


def with_bounds(_):
    found = rw.evaluate(A, JUDGED, ["ap", "ndcg@2"], bounds=True, users=USERS, by="tier")
    return found, found.bounding, rw.compare({"a": A, "b": B}, JUDGED, ["ap"], bounds=True)


def with_costs(_):
    costs = made_costs({"a": COSTS, "b": COSTS}, runs={"a": A, "b": B})
    return costs, rw.compare({"a": A, "b": B}, JUDGED, ["ap"], costs=costs)


def collection(folder):
    (folder / "docs.jsonl").write_text('{"_id": "a", "text": "x"}\n')
    return rw.read_collection(documents=folder / "docs.jsonl")


# results of functions that want files, or of which tests.calls.public has no call
def clicked(_):
    rows = [
        (q, f"u{q % 4}", q % 3, rank, "dab"[rank - q % 2], "AB"[rank % 2], int(q % rank == 0))
        for q in range(24)
        for rank in (1, 2)
    ]
    names = "impression", "user", "query", "rank", "item", "team", "click"
    log = rw.clicks.read_log(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
    bias = rw.clicks.positions(log)
    value = rw.clicks.counterfactual(log, {str(q): ["a", "b"] for q in range(3)}, bias)
    choices = {"reward": [0, 1] * 50, "propensity": [0.5, 0.4] * 50, "target": [0.6, 0.3] * 50}
    return rw.clicks.interleaved(log), bias, value, rw.clicks.off_policy(choices)


OWN = {
    "suite": lambda _: (
        suite := rw.suite({f"t{t}": {"a": 0.5 + t / 50, "b": 0.4} for t in range(7)}),
        suite.board(),
    ),
    "clicks": clicked,
    "answers": answered,
    "merge": lambda folder: [merged(folder, how) for how in ("majority", "dawid-skene")],
    "sample": sampled,
    "next": lambda _: (found := rw.judging.next({"a": A, "b": B}, budget=2), found.settling),
    "chooser": lambda _: rw.judging.Chooser({"a": A, "b": B}),
    "simulate": lambda _: rw.judging.simulate({"a": A, "b": B}, JUDGED, budgets=2),
    "sheet": lambda _: rw.judging.sheet(JUDGED, items=ITEMS, queries=QUERIES),
    "correct": lambda _: rw.judging.correct(
        None, None, ["hit@1"], logged_ranks=[1, 2, 3], negatives=5, candidates=9
    ),
    "bounds": with_bounds,
    "costs": with_costs,
    "growth": lambda _: made_growth({"s": {"indexing": lambda n: 1e-3 * n}}),
    "report": lambda _: rw.report({"a": A, "b": B}, JUDGED, ["ap"]),
    "several thresholds": lambda _: rel_sweep({"a": A}, JUDGED, ["ap"], [1, 2]),
    "tail by groups": lambda _: (
        cut := rw.prepare.PopularityCut(top=1, within="kind").fit(
            LOG, items=[{"item": item, "kind": "x"} for item in "abc"]
        ),
        cut.tail_,
    ),
    "learned fusion": lambda _: rw.fuse(
        {"a": A, "b": B}, qrels=JUDGED, metric="ap", learn="weights", folds=2
    ),
    "collection": collection,
    "rosettas": lambda _: rw.rosetta(A, JUDGED, ["ap", "rr"]),
    "interval": lambda _: rw.evaluate(A, JUDGED, ["ap"]).interval("ap"),
}


def parts_of(made):
    inside = made.values() if isinstance(made, dict) else made if isinstance(made, (list, tuple)) else []
    return [made, *inside]


def again(made):
    return pickle.loads(pickle.dumps(made))


def said(made):
    """All that something says of itself."""
    found = {form: getattr(made, form)() for form in FORMS if callable(getattr(made, form, None))}
    shown = "" if " object at 0x" in repr(made) else repr(made)
    return {"repr": shown, **{form: repr(each) for form, each in found.items()}}


def check(made):
    for each in parts_of(made):
        if type(each).__module__.startswith("rankwell") and not isinstance(each, RelevanceEvaluator):
            for other in (again(each), copy.copy(each), copy.deepcopy(each)):
                assert type(other) is type(each)
                assert said(other) == said(each)


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.filterwarnings("ignore")
def test_what_a_call_gives_is_the_same_when_it_is_pickled_or_copied(name):
    function, arguments = CALLS[name](random.Random(1))
    check(function(**arguments))


@pytest.mark.parametrize("name", [*MORE, *OWN])
@pytest.mark.filterwarnings("ignore")
def test_what_else_there_is_is_the_same_when_it_is_pickled_or_copied(name, tmp_path):
    check(MORE[name]() if name in MORE else OWN[name](tmp_path))


def classes():
    """The classes of the package that show themselves or turn into plain values, but for those that others are made of."""
    for module in pkgutil.walk_packages(rw.__path__, "rankwell."):
        if ".kernels" in module.name:
            continue
        try:
            made = importlib.import_module(module.name)
        except rw.RankwellError:  # of libraries that are not installed, which show nothing of their own
            continue
        for each in vars(made).values():
            is_own = inspect.isclass(each) and each.__module__ == module.name
            if (
                is_own
                and any(hasattr(each, form) for form in FORMS[:5])
                and not (inspect.isabstract(each) or getattr(each, "_is_protocol", False))
            ):
                yield f"{each.__module__}.{each.__qualname__}"


PARTS = {  # what no function gives by itself, and what it is a part of
    "rankwell.display.result.Result": "what results are",
    "rankwell.efficiency.frames.Measurements": "what costs and growth are",
    "rankwell.comparison.compare.costs.CostEstimates": "of a comparison with costs, in OWN",
    "rankwell.comparison.compare.costs.CostConditions": "of the same",
    "rankwell.comparison.compare.methods.Methods": "of a comparison",
    "rankwell.results.bounds.MeanBounds": "of bounds, in OWN",
    "rankwell.inspection.axioms.kinds.Verdict": "of Verdicts",
    "rankwell.reporting.explorer.Catalogue": "made while a report is",
}


@pytest.mark.filterwarnings("ignore")
def test_every_class_of_results_is_among_what_is_pickled(tmp_path):
    made = [CALLS[name](random.Random(1)) for name in CALLS]
    made = [function(**arguments) for function, arguments in made] + [make() for make in MORE.values()]
    for name, make in OWN.items():
        (tmp_path / name).mkdir()
        made.append(make(tmp_path / name))
    types = {type(part) for each in made for part in parts_of(each)}
    names = {f"{each.__module__}.{each.__qualname__}" for each in types}
    assert set(classes()) - names - PARTS.keys() == set()
    assert PARTS.keys() & names == set()


KEY = b"the key of a test"
SECRETS = [f"ada{n:03}@example.org" for n in range(30)]
FILMS = [f"film-{n:03}-secret" for n in range(20)]


def redacted():
    draw = random.Random(3)
    runs = [{user: draw.sample(FILMS, 8) for user in SECRETS} for _ in "ab"]
    qrels = {user: dict.fromkeys(draw.sample(FILMS, 5), 1) for user in SECRETS}
    tiers = [{"query": user, "tier": "secret-tier" if at < 3 else "many"} for at, user in enumerate(SECRETS)]
    options = {"by": "tier", "users": tiers, "queries": {user: f"wish of {user}" for user in SECRETS}}
    options["items"] = [{"item": film, "text": f"secret text of {film}"} for film in FILMS]
    found = rw.diff(dict(zip(("old", "new"), runs, strict=True)), qrels, "ndcg@5", redact=KEY, **options)
    report = rw.report(dict(zip("ab", runs, strict=True)), qrels, ["ndcg@5"], redact=KEY, **options)
    return {"diff": found, "query": found.query(found.ids.one(0)), "report": report}


@pytest.fixture(scope="module")
def hidden():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return redacted()


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))  # 0 and 1 know no slots
@pytest.mark.parametrize("name", ["diff", "query", "report"])
def test_the_pickle_of_a_redacted_result_holds_no_true_id_text_or_key(name, protocol, hidden):
    data = pickle.dumps(hidden[name], protocol)
    for secret in (b"example.org", b"ada0", b"film-", b"secret", b"wish of", KEY):
        assert secret not in data
    other = pickle.loads(data)
    assert said(other) == said(hidden[name])
    assert b"q-" in data  # the hashes are there


def test_the_pickle_of_a_difference_that_is_not_redacted_holds_its_ids(hidden):
    plain = rw.diff(
        {"old": {"ada": ["a"], "bo": ["a"]}, "new": {"ada": ["b"], "bo": ["a"]}},
        {"ada": {"a": 1}, "bo": {"a": 1}},
        "rr",
    )
    data = pickle.dumps(plain)
    assert b"ada" in data
    assert said(again(plain).query("ada")) == said(plain.query("ada"))


def test_a_copy_of_a_redacted_difference_still_shows_its_lists_and_a_pickle_says_why_it_does_not(hidden):
    found = hidden["diff"]
    shown = found.ids.one(0)
    for other in (copy.copy(found), copy.deepcopy(found)):
        assert said(other.query(shown)) == said(found.query(shown))
        assert said(other.query(SECRETS[0])) == said(found.query(SECRETS[0]))
    with pytest.raises(
        rw.RankwellError, match="so they are not in its pickle; ask for the query before you pickle it"
    ):
        again(found).query(shown)


def test_the_pickle_of_a_redacted_difference_holds_no_true_id_that_is_a_number():
    users, items = [0x1122334455660000 + at for at in range(9)], [0x7766554433220000 + at for at in range(9)]
    draw = random.Random(1)
    runs = [{user: draw.sample(items, 5) for user in users} for _ in "ab"]
    qrels = {user: {items[0]: 1, items[1]: 2} for user in users}
    plain, hidden = (
        pickle.dumps(rw.diff(dict(zip(("old", "new"), runs, strict=True)), qrels, "ndcg@5", redact=redact))
        for redact in (False, True)
    )
    for each in (*users, *items):
        assert each.to_bytes(8, "little") in plain
        assert each.to_bytes(8, "little") not in hidden


def test_the_pickle_of_a_redacted_difference_of_results_holds_nothing_of_their_other_metrics_and_segments():
    draw = random.Random(2)
    qrels = {user: dict.fromkeys(draw.sample(FILMS, 5), 1) for user in SECRETS}
    tiers = [{"query": user, "tier": "secret-tier" if at < 3 else "many"} for at, user in enumerate(SECRETS)]
    results = [
        rw.evaluate(
            {user: draw.sample(FILMS, 8) for user in [*SECRETS, "stranger@example.org"]},
            qrels,
            ["ndcg@5", "coverage@5", "gini@5"],
            items=FILMS,
            users=tiers,
            by="tier",
        )
        for _ in "ab"
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain, hidden = (
            rw.diff(dict(zip(("old", "new"), results, strict=True)), metric="ndcg@5", redact=redact)
            for redact in (False, KEY)
        )
    data = pickle.dumps(hidden)
    for secret in (b"example.org", b"film-", b"secret", KEY):
        assert secret not in data
    assert hidden.to_overview().rows == plain.to_overview().rows
    assert said(again(hidden)) == said(hidden)


def test_the_picture_of_a_redacted_difference_shows_hashes_and_no_true_ids(hidden):
    drawn = rw.plot.differences(hidden["diff"]).to_json()
    assert "example.org" not in drawn
    assert hidden["diff"].ids.one(0) in drawn
    assert rw.plot.differences(again(hidden["diff"])).to_json() == drawn


def test_the_rows_of_a_redacted_difference_say_nothing_of_the_order_of_the_true_ids(hidden):
    for res in again(hidden["diff"]).results:
        assert res.part.queries.tolist() == hidden["diff"].ids.tolist()
        assert res.part.pool_row.tolist() == list(range(len(SECRETS)))
