"""Labels of segments: their order and their numbers beside plain Python, and sums of results whose users come in another order."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from tests.every import every

import rankwell as rw
from rankwell.results.segments import Labels, Segments
from rankwell.tables.items_users import Users

TIERS, LANDS = ("gold", "Silver", "äzur", "10", "9", None), ("no", "NO", "")
METRICS = ["ap", "p@1", "coverage@2"]


def a_table(seed: int, count: int = 60) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    drawn = {name: rng.choice(len(words), count) for name, words in (("tier", TIERS), ("land", LANDS))}
    return pl.DataFrame(
        {
            "query": [f"u{n}" for n in range(count)],
            "tier": [TIERS[n] for n in drawn["tier"]],
            "land": [LANDS[n] for n in drawn["land"]],
        }
    )


@every("seed", range(6))
@every("by", [("tier",), ("land", "tier"), ("tier", "land", "query")])
def test_each_row_has_the_labels_of_its_columns_and_segments_are_sorted_by_them(seed, by):
    table = a_table(seed)
    segments = Segments.of(Users(table["query"], table), by, None)
    rows = [
        tuple(label or "(unknown)" if label != "" else "" for label in row) for row in table[list(by)].rows()
    ]
    labels = segments.division.labels
    assert labels.of(segments.codes_of(np.arange(len(rows)))) == rows
    assert segments.codes_of(np.array([-1])).tolist() == [len(labels) - 1]
    unknown = ("(unknown)",) * len(by)
    in_order = labels.of(labels.in_order(np.arange(len(labels))))
    bytewise = sorted(set(rows), key=lambda row: [label.encode() for label in row])
    assert in_order == [*bytewise, unknown]
    some = np.flatnonzero(np.random.default_rng(seed).random(len(labels) - 1) < 0.5)
    assert labels.of(labels.in_order(some)) == [row for row in bytewise if row in labels.of(some)]


def test_no_segments_have_no_labels():
    nothing = np.empty(0, np.int64)
    assert len(Labels()) == 0
    assert Labels().in_order(nothing).tolist() == Labels().of(nothing) == []


def test_numbers_of_the_same_labels_in_another_order():
    one = Labels((pl.Series(["b", "a", "(unknown)"]), pl.Series(["x", "y", "(unknown)"])))
    other = Labels((pl.Series(["a", "b", "(unknown)"]), pl.Series(["y", "x", "(unknown)"])))
    assert one.numbers_of(other).tolist() == [1, 0, 2]
    assert one.numbers_of(one).tolist() == [0, 1, 2]
    assert one.numbers_of(Labels((other.columns[0], one.columns[1]))) is None
    assert one.numbers_of(Labels(one.columns[:1])) is None


@pytest.mark.parametrize("by", ["tier", ["land", "tier"]])
def test_results_are_added_by_label_when_the_users_came_in_another_order(by):
    table = a_table(7)
    users = table["query"].to_list()
    run = {user: ["a", "b", "c"][n % 3 :] for n, user in enumerate(users)}
    qrels = {user: {"ab"[n % 2]: 1} for n, user in enumerate(users)}
    run |= {"nobody": ["a"]}
    qrels |= {"nobody": {"a": 1}}

    def evaluated(wanted, rows):
        lists = {user: items for user, items in run.items() if user in wanted}
        judged = {user: items for user, items in qrels.items() if user in wanted}
        items = ["a", "b", "c"]
        return rw.evaluate(lists, judged, METRICS, users=rows, by=by, items=items)

    whole = evaluated({*users, "nobody"}, table)
    first, second = set(users[:23]), {*users[23:], "nobody"}
    added = evaluated(first, table) + evaluated(second, table.sort("tier", "query", descending=True))
    assert added.segments.to_dicts() == whole.segments.to_dicts()
    with pytest.raises(rw.RankwellError, match="different segments"):
        evaluated(first, table) + evaluated(second, table.with_columns(tier=pl.lit("gold")))
