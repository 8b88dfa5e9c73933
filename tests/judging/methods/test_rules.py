"""Every method chooses what its rule says, written a second time in plain loops."""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path
from typing import ClassVar

import pytest
from tests.judging import slow

import rankwell as rw
from rankwell.extend import Choice, InTurn
from rankwell.judging.method import method_named, methods


def plain_of(method: str) -> type[slow.Turns]:
    """The rule of a method in plain loops, which its test holds."""
    name = f"test_{method}"
    there = (Path(__file__).parent / f"{name}.py").exists()
    module = importlib.import_module(f"{__package__ or 'tests.judging.methods'}.{name}") if there else None
    assert hasattr(module, "Plain"), (
        f"write tests/judging/methods/{name}.py with a class Plain(slow.Turns) whose weights() gives each item that the rule of "
        f"{method} allows next, and its weight, in plain loops; see Add a judging method in CONTRIBUTING.md"
    )
    return module.Plain


@pytest.mark.parametrize("method", methods())
def test_a_method_chooses_as_its_rule_says(method):
    assert slow.compare_choices(method, plain_of(method)) > 100


def test_a_method_without_a_plain_rule_is_told_what_to_write():
    with pytest.raises(AssertionError, match=r"write tests/judging/methods/test_nope\.py with a class Plain"):
        plain_of("nope")


@pytest.mark.parametrize("method", methods())
def test_a_file_is_named_after_its_method_and_says_its_rule_and_source(method):
    found = method_named(method)
    assert found.__module__ == f"rankwell.judging.methods.{method}"
    assert found.rule
    assert "Source: " in inspect.getdoc(found) or re.search(r"\(.+ \d{4}\)", inspect.getdoc(found))


def order_of(method: str, seed: int, grade: float) -> list[tuple[str, str]]:
    """What a method asks for until nothing is left, if every item has the same grade."""
    lists, _ = slow.worlds(seed)
    chooser, found = rw.judging.Chooser(lists, method=method), []
    while pick := chooser.next():
        found.append(pick[:2])
        chooser.tell(*found[-1], grade)
    return found


@pytest.mark.parametrize("method", methods())
def test_answers_change_the_choices_of_a_method_that_is_adaptive_and_of_no_other(method):
    learns = any(order_of(method, seed, 0.0) != order_of(method, seed, 1.0) for seed in range(8))
    assert learns == method_named(method).is_adaptive, (
        f"answers {'' if learns else 'do not '}change what is asked: write is_adaptive = {learns} in the class of {method}"
    )


class FirstLeft(InTurn):
    """Of each query the first item that is left, in the order of their numbers: somebody's own method."""

    name: ClassVar[str] = "first_left"
    rule: ClassVar[str] = "1"

    def begin(self, query: int) -> None:
        """Nothing is learned."""

    def count(self, query: int, candidate: int) -> None:
        """Nothing is learned."""

    def choose_in(self, query: int) -> Choice:
        """Return the first open candidate."""
        own = self.pooled.of_query(query)
        return own.start + int((~self.answers.closed[own]).argmax()), 1.0


def test_a_class_of_ones_own_chooses_wherever_a_name_does():
    lists, grades = slow.worlds(2)
    qrels = rw.Qrels([q for q, _ in grades], [i for _, i in grades], [*grades.values()])
    chosen = rw.judging.next(lists, method=FirstLeft, budget=1000)
    assert {pick[:2] for pick in chosen} == slow.candidates(lists)
    assert {pick.weight for pick in chosen} == {1.0}
    assert chosen.notes()[0] == "first_left: 1"
    found = rw.judging.simulate(lists, qrels, methods=[FirstLeft, "depth"], budgets=[5, 1000])
    assert found.methods == ("first_left", "depth")
    assert [row.tau_ap for row in found.rows if row.judgements > 5] == [1.0, 1.0]
    assert rw.judging.simulate(lists, qrels, methods=FirstLeft, budgets=5).methods == ("first_left",)


@pytest.mark.parametrize("wrong", [int, 3, slow.Turns])
def test_what_is_no_method_is_refused(wrong):
    with pytest.raises(rw.RankwellError, match=r"method=.*must be"):
        rw.judging.next(slow.worlds(2)[0], method=wrong)
