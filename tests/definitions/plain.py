"""A metric against a plain loop that its author writes a second time from the formula, on random data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rankwell.metrics import metric_of
from rankwell.readers.items_users import read_catalogue
from rankwell.testing import Data, examples
from rankwell.testing.data import ITEMS, tables_of

from .both import same, values_of

Listed = Sequence[float | None]  # the grade of the item at rank 1, 2, …; None where it is not judged
PerQuery = Callable[[Listed, Sequence[float]], float | None]
OfLists = Callable[[Mapping[str, Sequence[str]], Sequence[str]], float | None]
ENOUGH = 30  # values to compare: of fewer, a loop may agree with a wrong metric by chance
PART = 9  # items of a catalogue that lacks some of those that are listed
STRANGERS = Data({"1": {"not in any catalogue": 1.0}}, {"1": {"a": 1}})


def ranked(scores: Mapping[str, float]) -> list[str]:
    """Items by score; of equal scores the item with the later id is first."""
    return sorted(scores, key=lambda item: (scores[item], item.encode()), reverse=True)


def compare_per_query(metric: str, loop: PerQuery, *, cases: int = 60) -> int:
    """Compare each query's value with ``loop(listed, judged)``, ``judged`` being the grades of all its judged items; None
    is undefined. Return how many values were compared.
    """
    compared = 0
    for given in examples(cases):
        for query, value in values_of(given.results(metric_of(metric)), metric).items():
            grades = {item: float(grade) for item, grade in given.qrels[query].items() if grade >= 0}
            listed = [grades.get(item) for item in ranked(given.run[query])]
            theirs = loop(listed, list(grades.values()))
            assert same(value, theirs), (metric, value, theirs, listed, grades)
            compared += value is not None
    assert compared >= ENOUGH, (
        f"{metric} is defined for {compared} queries only: compare it on more data, with cases={cases * ENOUGH // max(compared, 1) + 1} after the loop"
    )
    return compared


def compare_of_lists(metric: str, loop: OfLists, *, cases: int = 60, whole: bool = False) -> int:
    """Compare the value of all lists with ``loop(lists, catalogue)``, ``lists`` being the items of each query, best first.

    Unless a loop needs the ``whole`` catalogue, every other one lacks some of the listed items, and the last one all of them. Return
    how many values of random data were compared.
    """
    rows, compared = tables_of()["items"], 0
    full, part = (read_catalogue(rows), ITEMS), (read_catalogue(rows[:PART]), ITEMS[:PART])
    for number, given in enumerate([*examples(cases), *([] if whole else [STRANGERS])]):
        items, catalogue = part if number % 2 and not whole else full
        lists = {query: ranked(scores) for query, scores in given.run.items()}
        value, theirs = given.results(metric_of(metric), items=items)[metric], loop(lists, catalogue)
        assert same(value, theirs), (metric, value, theirs, lists, catalogue)
        compared += theirs is not None and given is not STRANGERS
    assert compared > cases / 2, (
        f"{metric} is defined for {compared} of {cases} runs only: the comparison says little"
    )
    return compared
