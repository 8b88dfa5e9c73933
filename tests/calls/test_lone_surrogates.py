"""Python's strings may hold half of a character (a lone surrogate), which no file and no table can: every argument that takes text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rankwell as rw

HALF = "\ud800"
RUN, OTHER, QRELS = {"1": ["a", "b"]}, {"1": ["b", "a"]}, {"1": {"a": 1}}


class System:
    """A search engine that lists the same two items."""

    def __init__(self, item: str = "a") -> None:
        self.item = item

    def index(self, documents: Any) -> None:
        """Need no index."""

    def search(self, query: Any, k: int) -> list[str]:
        """Return two items."""
        return [self.item, "b"][:k]


def diff(**given: Any) -> str:
    return rw.diff({"old": RUN, "new": OTHER}, QRELS, "rr", **given).query("1").to_table()


CALLS: dict[str, Callable[[Path], Any]] = {
    "name of a tier": lambda _: rw.prepare.scale_by_tier(
        [{"user": "u", "item": "a", "time": 1, "tier": "x"}], "tier", {"x": 1, HALF: 2}
    ),
    "text of a query": lambda _: diff(queries={"1": HALF}),
    "id of a query with a text": lambda _: diff(queries={HALF: "x"}),
    "records of queries": lambda _: diff(queries=[{"qid": "1", "text": HALF}]),
    "records of items": lambda _: diff(items=[{"item": "a", "title": HALF}]),
    "columns of items": lambda _: diff(items={"item": ["a"], "title": [HALF]}),
    "topics": lambda _: rw.evaluate(RUN, QRELS, "ils@2", items=[{"item": "a", "topics": HALF}]),
    "records of users": lambda _: rw.evaluate(RUN, QRELS, "rr", users=[{"query": "1", "t": HALF}], by="t"),
    "columns of users": lambda _: rw.evaluate(
        RUN, QRELS, "rr", users={"query": ["1"], "t": [HALF]}, by="t"
    ),
    "train": lambda _: rw.evaluate(RUN, QRELS, "msi@2", train={"1": [HALF]}).mean,
    "slice": lambda _: rw.evaluate(RUN, QRELS, "rr", slices={HALF: ["a"]}).to_table(),
    "name of a run": lambda _: rw.compare({HALF: RUN, "b": OTHER}, QRELS, ["rr"]).to_table(),
    "name in a report": lambda _: rw.report({HALF: RUN, "b": OTHER}, QRELS, "rr"),
    "queries of a report": lambda _: rw.report({"a": RUN, "b": OTHER}, QRELS, "rr", queries={"1": HALF}),
    "query of a run": lambda _: rw.evaluate({HALF: ["a"], "1": ["a"]}, QRELS, "rr").per_query,
    "item of a run": lambda _: rw.diff({"old": {"1": [HALF, "b"]}, "new": OTHER}, QRELS, "rr").query("1").to_table(),
    "item of the judgements": lambda _: rw.evaluate(RUN, {"1": {HALF: 1}}, "rr").mean,
    "saved as Parquet": lambda folder: rw.evaluate({HALF: ["a"]}, {HALF: {"a": 1}}, "rr").save(folder / "s.parquet"),
    "saved as JSON": lambda folder: rw.evaluate({HALF: ["a"]}, {HALF: {"a": 1}}, "rr").save(folder / "s.json"),
    "added": lambda _: rw.Results.sum(
        [rw.evaluate({HALF: ["a"]}, {HALF: {"a": 1}}, "rr"), rw.evaluate(RUN, QRELS, "rr")]
    ).per_query,
    "linted": lambda _: rw.lint({HALF: {"a": 1.0}}, {HALF: {"a": 1}}),
    "plotted": lambda _: rw.plot.wins(rw.compare({HALF: RUN, "b": OTHER}, QRELS, ["rr"])),
    "measured query": lambda _: rw.efficiency.measure(System(), {"1": HALF}, repetitions=1).runs,
    "id of a measured query": lambda _: rw.efficiency.measure(System(), {HALF: "x"}, repetitions=1).runs,
    "answer of a measured system": lambda _: rw.efficiency.measure(System(HALF), {"1": "x"}, repetitions=1).runs,
    "saved answer": lambda folder: rw.efficiency.measure(System(HALF), {"1": "x"}, repetitions=1).save(folder / "c.json"),
    "renamed system": lambda _: rw.efficiency.measure({"a": System()}, {"1": "x"}, repetitions=1).renamed({"a": HALF}),
    "measured system": lambda _: rw.efficiency.measure({HALF: System()}, {"1": "x"}, repetitions=1).to_table(),
}  # fmt: skip


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_half_a_character_is_kept_or_refused_in_one_message(
    call: Callable[[Path], Any], tmp_path: Path
) -> None:
    message = "kept"
    try:
        call(tmp_path)
    except rw.RankwellError as error:
        message = str(error)
    assert message.strip()
    assert "\n" not in message
