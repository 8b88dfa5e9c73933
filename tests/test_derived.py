"""What is computed once is found again by the function and the objects it was computed from, and is freed with them."""

from __future__ import annotations

import ast
import copy
import gc
import pickle
import random
import threading
import tracemalloc
from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import rankwell as rw
from rankwell.evaluation.engines.memory import Memory
from rankwell.records import Derived
from rankwell.tables.items_users import Items
from rankwell.tables.lists import ratio
from rankwell.testing.data import example, tables_of

SOURCES = sorted(Path(rw.__file__).parent.rglob("*.py"))


@rw.metric(name="listed_relevant", needs={"shown", "item"})
def listed_relevant(judged, context):
    """The share of the rows shown whose item is a relevant judgement of the query, matched by rows of the catalogue."""
    rows = judged.in_catalogue(context)
    relevant = rows.where((rows.grade > 0) & (rows.item >= 0))
    return ratio(judged.shown.sum(judged.shown.among(relevant)), judged.shown.count())


def random_run(seed):
    rng = random.Random(seed)
    items = [f"d{rng.randrange(10_000)}" for _ in range(8)] + [f"d{n}" for n in range(20)]
    return {f"q{n}": {item: rng.random() for item in rng.sample(items, 10)} for n in range(4)}


QRELS = {f"q{n}": {f"d{m}": int(m % 3 == 0) for m in range(n, 20, 2)} for n in range(4)}


def share_of_relevant(run):
    hits = [sum(QRELS[query].get(item, 0) for item in items) / len(items) for query, items in run.items()]
    return sum(hits) / len(hits)


def test_a_metric_that_reads_rows_of_the_catalogue_gives_each_of_many_runs_its_own_mean():
    evaluator = rw.Evaluator(QRELS, [listed_relevant])
    for seed in range(200):
        run = random_run(seed)
        assert evaluator.evaluate(run)["listed_relevant"] == pytest.approx(share_of_relevant(run), abs=1e-12)


def test_two_metrics_that_keep_judged_items_do_not_get_what_the_other_kept():
    data, tables = example(3), tables_of()
    texts = ["ab_ndcg@2", "test_share@2"]
    policy = rw.Policy(grades="judgements", outside="ignore")
    alone = {text: rw.evaluate(data.run, data.qrels, text, policy=policy, **tables)[text] for text in texts}
    for order in (texts, texts[::-1]):
        res = rw.evaluate(data.run, data.qrels, order, policy=policy, **tables)
        assert {text: res[text] for text in texts} == alone


@pytest.mark.parametrize("others", [[], ["rbp(max_grade=5)"], ["insq(max_grade=5)"]])
def test_a_grade_beyond_the_scale_is_refused_whatever_other_metrics_allow(others):
    with pytest.raises(rw.RankwellError, match=r"rbp\(max_grade=2\): a grade is above max_grade"):
        rw.evaluate({"q": {"a": 3, "b": 2}}, {"q": {"b": 1, "c": 4}}, [*others, "rbp(max_grade=2)"])


def test_a_column_of_groups_is_not_mistaken_for_a_column_of_features():
    import polars as pl

    frame = pl.DataFrame({"group": ["a;b", "c"], "groups group": [1.0, 2.0]})
    items = Items(["x", "y"], frame)
    assert items.groups("group").names == ("a", "b", "c")
    assert items.features("groups group").names == ("groups group",)


def test_memory_does_not_grow_with_the_number_of_runs():
    users = [f"u{n}" for n in range(50)]
    qrels = {user: {f"i{m}": 1 for m in range(n, n + 20)} for n, user in enumerate(users)}
    rng = random.Random(1)

    def run(n):
        return {user: {f"{n % 7}-{rng.randrange(200)}": rng.random() for _ in range(20)} for user in users}

    sizes = {}
    tracemalloc.start()
    try:
        metrics = [listed_relevant, "personalization@10", "ndcg@10", "prefs_simp(groups=query)"]
        evaluator = rw.Evaluator(qrels, metrics)
        for n in range(1, 201):
            evaluator.evaluate(run(n))
            if n in (20, 200):
                sizes[n] = bytes_of_arrays()
    finally:
        tracemalloc.stop()
    assert 10_000 < sizes[200] < 1.05 * sizes[20]


def bytes_of_arrays():
    gc.collect()
    arrays = tracemalloc.DomainFilter(inclusive=True, domain=np.lib.tracemalloc_domain)
    return sum(trace.size for trace in tracemalloc.take_snapshot().filter_traces([arrays]).traces)


def test_a_batch_is_freed_without_the_garbage_collector():
    metrics = [
        listed_relevant,
        "ndcg@10",
        "prefs_simp(groups=query)",
        "by_topic(metric=rr)",
        "alpha_ndcg@5",
        "prefs_pair",
    ]
    qrels = rw.Qrels(query=["q"] * 3, item=["a", "b", "c"], grade=[1, 2, 1], topic=["x", "x", "y"])
    evaluator = rw.Evaluator(qrels, metrics)
    evaluator.evaluate({"q": ["b", "a", "z"]})
    gc.collect()
    before = owners_alive()
    gc.disable()
    try:
        evaluator.evaluate({"q": ["b", "a", "c"]})
        assert owners_alive() == before
    finally:
        gc.enable()


def owners_alive():
    return Counter(type(each).__name__ for each in gc.get_objects() if issubclass(type(each), Derived))


def test_a_result_keeps_nothing_of_what_was_computed_for_it():
    qrels = rw.Qrels(query=["q"] * 3, item=["a", "b", "c"], grade=[1, 2, 1], topic=["x", "x", "y"])
    evaluator = rw.Evaluator(qrels, [listed_relevant, "alpha_ndcg@5"])
    gc.collect()
    before = owners_alive()
    res = evaluator.evaluate({"q": ["b", "a", "z"]})
    gc.collect()
    assert evaluator.task.context._kept
    assert owners_alive() == before
    assert res["alpha_ndcg@5"] > 0


class Owner(Derived):
    lifetime = 1


class Brief(Derived):
    lifetime = 0


def number_of(owner, *objects):
    MADE.append((owner, objects))
    return len(MADE)


MADE = []


def test_a_value_is_computed_once_for_equal_objects_and_anew_for_others():
    owner, metric = Owner(), rw.P @ 5
    first = owner.once(number_of, metric, 1.0)
    assert owner.once(number_of, rw.P @ 5, 1.0) == first
    assert owner.once(number_of, rw.P @ 6, 1.0) != first
    assert owner.once(number_of, metric) != first
    assert Owner().once(number_of, metric, 1.0) != first


def test_threads_that_ask_at_once_get_one_value():
    owner, found, gate = Owner(), [], threading.Barrier(8)

    def ask():
        gate.wait()
        found.append(owner.once(number_of, "thread"))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 1


def test_a_function_that_is_made_at_each_call_or_reads_more_than_its_arguments_is_refused():
    outside = 3

    def closure(owner):
        return outside

    def local(owner):
        return 1

    for function in (lambda owner: 1, closure, local, partial(number_of), Owner().once):
        with pytest.raises(TypeError, match="reads more than its arguments"):
            Owner().once(function)
        with pytest.raises(TypeError, match="reads more than its arguments"):
            Owner().once(number_of, function)


def test_an_object_that_lives_shorter_is_not_kept():
    owner = Owner()
    with pytest.raises(TypeError, match=r"Owner\.once: the Brief in the key would be kept alive"):
        owner.once(number_of, Brief())
    with pytest.raises(TypeError, match="would be kept alive"):
        owner.once(number_of, owner)


def test_what_is_not_hashable_is_refused():
    with pytest.raises(TypeError, match="unhashable"):
        Owner().once(number_of, np.zeros(1))


def task():
    qrels = {"q1": {"b": 1, "c": 2}, "q2": {"a": 1}}
    return rw.Evaluator(qrels, ["ndcg@2", "ils(features=numbers)"], items=tables_of()["items"]).task


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_owners_are_copied_and_pickled_without_what_they_keep(again):
    given = task()
    for owner in (given.pool, given.context, given.context.items):
        owner.once(type_of)
        made = again(owner)
        assert not made._kept
        assert made.once(type_of) == type(owner).__name__
    other = replace(given, pool=again(given.pool), context=again(given.context))
    run = rw.read_run({"q1": {"a": 2.0, "b": 1.0}, "q2": {"b": 1.0}})
    left, right = (Memory().run(run, each, 1) for each in (given, other))
    ndcg = given.metrics[0]
    np.testing.assert_array_equal(left.values[ndcg], right.values[ndcg])
    assert np.nanmax(left.values[ndcg]) > 0


def type_of(owner):
    return type(owner).__name__


def test_the_context_of_a_run_starts_empty_and_keeps_nothing_in_the_one_it_is_made_from():
    context = task().context
    context.once(type_of)
    own = context.of_run(context.catalogue)
    assert own.shared is context
    assert own.of_run(context.catalogue).shared is context
    assert not own._kept
    assert not replace(own)._kept
    own.once(number_of, 1)
    assert len(context._kept) == 1


def keys_of(source):
    """The arguments of all calls of ``once`` and ``of_ideal`` in a source, and the line of each."""
    for node in ast.walk(ast.parse(source)):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("once", "of_ideal")
        ):
            yield from ((argument, node.lineno) for argument in node.args)


def is_unsafe(argument):
    """Whether part of a key is text, an address, a function made on the spot, or a tuple of anything."""
    if isinstance(argument, (ast.Lambda, ast.Tuple, ast.JoinedStr)):
        return True
    if isinstance(argument, ast.Constant):
        return isinstance(argument.value, str)
    return (
        isinstance(argument, ast.Call)
        and isinstance(argument.func, ast.Name)
        and argument.func.id in ("id", "partial")
    )


def test_no_key_is_text_or_an_address():
    calls = {path: list(keys_of(path.read_text(encoding="utf-8"))) for path in SOURCES}
    assert sum(map(len, calls.values())) > 50
    unsafe = [
        f"{path}:{line}" for path, found in calls.items() for argument, line in found if is_unsafe(argument)
    ]
    assert unsafe == []


@pytest.mark.parametrize(
    "key", ['"items"', "id(x)", "lambda: 1", '("items", x)', "f, id(x)", 'f, f"{x}"', "partial(f, x)"]
)
def test_a_key_of_text_or_an_address_would_be_seen(key):
    assert any(is_unsafe(argument) for argument, _ in keys_of(f"owner.once({key})"))
