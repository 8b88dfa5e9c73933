"""What a metric declares is so: each of its parameters changes a value, and queries are undefined where it says they are."""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import Literal, get_args, get_origin

import pytest

import rankwell as rw
from rankwell.metrics import Metric, classes
from rankwell.metrics.parameters import parameter_types
from rankwell.testing import Data, examples
from rankwell.testing.laws import judges_queries, values_by_query

DATA = list(examples(25))
NUMBERS = {bool: (False, True), int: (1, 2, 3), float: (0.25, 0.5, 1.5, 2.0)}
BUILT_IN = [cls for cls in classes() if cls.__module__.startswith("rankwell.")]
# parameters that make no difference on the data of the laws, and why
ELSEWHERE = {
    "gain_from": "nothing but a `rel` above the lowest grade has another gain",
    ("alpha_ndcg", "ideal"): "greedy choice finds the best of so few items",
    ("citation_p", "uncited"): "each answer cites",
    ("iprec", "levels"): "the rules of old programs differ by rounding",
    ("judged", "empty"): "no list is empty",
    ("nrbp", "weights"): "all topics have the same weight",
}


def metrics_of(cls: type[Metric]) -> list[Metric]:
    """The metric without a cut-off and at 2, as far as it can be computed."""
    made = [cls()] if cls.cut != "required" else []
    made += [cls() @ 2] if cls.cut != "none" else []
    return [metric for metric in made if accepts(metric)]


def accepts(metric: Metric) -> bool:
    try:
        metric.check()
    except rw.RankwellError:
        return False
    return True


def values_of(hint: object) -> tuple[object, ...]:
    """Values to try of a parameter: words, or small numbers; none of what is no plain number or word."""
    if get_origin(hint) is Literal:
        return get_args(hint)
    return NUMBERS.get(hint, ())


def with_another_value(metric: Metric, name: str) -> list[Metric]:
    """The metric with other values of a parameter, as far as it takes them beside its other ones."""
    made = []
    for value in values_of(parameter_types(type(metric))[name]):
        try:
            other = replace(metric, **{name: value})
        except rw.RankwellError:
            continue
        if other != metric and accepts(other):
            made.append(other)
    return made


def values(metric: Metric, data: Data) -> list[float | None]:
    """The value of each query, or the one of all lists."""
    res = data.results(metric)
    return [*values_by_query(metric, res).values()] if judges_queries(metric) else [repr(res[metric])]


PARAMETERS = [
    (cls, name)
    for cls in BUILT_IN
    for name in inspect.get_annotations(cls)
    if name in parameter_types(cls) and name not in ELSEWHERE and (cls.name, name) not in ELSEWHERE
]


@pytest.mark.parametrize(("cls", "name"), PARAMETERS, ids=lambda part: getattr(part, "name", part))
def test_every_parameter_changes_a_value(cls, name):
    pairs = [(metric, other) for metric in metrics_of(cls) for other in with_another_value(metric, name)]
    assert not pairs or any(
        values(metric, data.fit(metric)) != values(other, data.fit(metric))
        for data in DATA
        for metric, other in pairs
    ), f"{pairs[0][1]} has the values of {pairs[0][0]} on all data: does {cls.__name__} use {name}?"


@pytest.mark.parametrize("cls", BUILT_IN, ids=lambda cls: cls.name)
def test_queries_are_undefined_where_the_metric_says(cls):
    for metric in filter(judges_queries, metrics_of(cls)):
        for data in (data.fit(metric) for data in DATA):
            ours = values_by_query(metric, data.results(metric))
            theirs = values_by_query(metric, data.results(metric, rw.read_run(data.other_run())))
            for query in ours:
                undefined = {ours[query] is None, theirs[query] is None}
                assert metric.undefined != "never" or undefined == {False}, (
                    f"{metric} is undefined for {query!r}"
                )
                assert metric.undefined != "judgements" or len(undefined) == 1, (
                    f'{metric} is undefined for one list of {query!r} and not for another: write undefined = "list" in {cls.__name__}'
                )
