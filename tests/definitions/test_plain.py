"""Every metric is compared with something that was written or computed without it."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest

from rankwell.errors import UsageError
from rankwell.metrics import Metric, classes, metric_of
from rankwell.metrics.names import MODULES
from rankwell.metrics.parameters import parameter_types

from .plain import compare_of_lists, compare_per_query

TESTS = Path(__file__).parents[1]


def named_in(path: Path) -> Iterator[Metric]:
    """The metrics whose text is a string in a test."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value:
            try:
                yield metric_of(node.value.split(" ")[0], complete=False)
            except UsageError:
                continue


def test_every_metric_has_a_test_of_its_values():
    paths = [*TESTS.glob("definitions/test_*.py"), *TESTS.glob("metrics/test_*.py")]
    named = {metric.name for path in paths for metric in named_in(path)}
    missing = {metric_of(name, complete=False).name for name in MODULES} - named
    assert not missing, f"write tests/definitions/test_NAME.py for {sorted(missing)}; see CONTRIBUTING.md"


@pytest.mark.parametrize("path", [*TESTS.glob("definitions/test_*.py")], ids=lambda path: path.stem)
def test_the_test_of_a_metric_sets_its_parameters(path):
    """Under the default of a parameter, a number in its place looks right."""
    cls = next((cls for cls in classes() if f"test_{cls.name}" == path.stem), None)
    if cls is not None:
        own = [name for name in inspect.get_annotations(cls) if name in parameter_types(cls)]
        usual, tried = cls(), [metric for metric in named_in(path) if isinstance(metric, cls)]
        text = path.read_text(encoding="utf-8")
        unset = [
            name
            for name in own
            if all(getattr(metric, name) == getattr(usual, name) for metric in tried)
            and f"{name}={{" not in text  # in an f-string
        ]
        assert not unset, (
            f"compare {cls.name}({unset[0]}=…) in {path.name}, too, with a value that is not the default"
        )


def precision(k, size):
    return lambda listed, judged: (
        sum((grade or 0) > 0 for grade in listed[:k]) / size if any(grade > 0 for grade in judged) else None
    )


def coverage(k):
    return lambda lists, catalogue: (
        len({item for row in lists.values() for item in row[:k] if item in catalogue}) / len(catalogue)
    )


def shown_of_all(k):
    return lambda lists, catalogue: len({item for row in lists.values() for item in row[:k]}) / len(catalogue)


def test_a_plain_loop_agrees_with_the_metric_that_it_defines():
    assert compare_per_query("p@3", precision(3, 3)) > 60
    assert compare_of_lists("coverage@2", coverage(2)) == 60


@pytest.mark.parametrize(
    ("compare", "metric", "wrong"),
    [
        (compare_per_query, "p@3", precision(3, 4)),
        (compare_per_query, "p@3", precision(2, 3)),
        (compare_per_query, "p@3", lambda listed, judged: precision(3, 3)(listed[::-1], judged)),
        (compare_per_query, "p@3", lambda listed, judged: precision(3, 3)(listed, judged) or 0.0),
        (compare_of_lists, "coverage@2", coverage(1)),
        (compare_of_lists, "coverage@2", shown_of_all(2)),
    ],
    ids=["÷ (k + 1)", "first k − 1", "worst first", "0 where undefined", "first k − 1 of all lists", "items that the catalogue lacks"],
)  # fmt: skip
def test_a_wrong_loop_is_found(compare, metric, wrong):
    with pytest.raises(AssertionError):
        compare(metric, wrong)


def test_a_metric_that_few_queries_have_is_compared_on_more_data():
    late = "first_rank@1"  # defined where the first item is relevant

    def loop(listed, judged):
        return 1.0 if listed and (listed[0] or 0) > 0 else None

    with pytest.raises(AssertionError, match=r"queries only: compare it on more data, with cases=\d+ after"):
        compare_per_query(late, loop, cases=10)
    assert compare_per_query(late, loop, cases=60) >= 30
