"""What is drawn depends on the seed and on ids, not on the order of rows, nor on whether ids are text or integers."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import polars as pl
import pytest
from tests.prepare.logs import random_log

from rankwell.prepare import PopularityCut, baselines, check, folds, scale_by_tier, split
from rankwell.statistics.draws import further, uniform
from rankwell.tables.ids import Ids, draws

LOG = random_log(5, rows=400, times=10_000)
TIERS = pl.DataFrame(
    {"user_id": LOG["user_id"].unique().sort()}
).with_columns(tier=pl.when(pl.int_range(pl.len()) % 2 == 0).then(pl.lit("a")).otherwise(pl.lit("b")))  # fmt: skip


def side(frame):
    return Counter(frame.rows())


CHOICES = {
    "random": lambda log: side(split(log, "random", seed=3).test),
    "cold users": lambda log: side(split(log, "cold_users", seed=3).test),
    "cold items": lambda log: side(split(log, "cold_items", seed=3).test),
    "capped": lambda log: side(PopularityCut(top=9).fit(LOG).apply(log, "cap", cap=3, seed=3).table),
    "sampled": lambda log: side(scale_by_tier(log, TIERS, {"a": 1, "b": 3}, how="sample", seed=3).table),
    "random lists": lambda log: side(baselines(log, k=4, kinds=["random"], seed=3).lists["random"]),
    "random lists of few items": lambda log: side(
        baselines(log, k=12, kinds=["random"], seen=True, seed=3).lists["random"]
    ),
    "drift by chance": lambda log: re.search(
        r"by chance (0\.\d+)", str(check(log, split(LOG, "time").test, seed=3))
    )[1],
    "folds of rows": lambda log: [side(test) for _, test in folds(log, k=3, seed=3)[0]],
    "folds of users": lambda log: [side(test) for _, test in folds(log, k=3, of="users", seed=3)[0]],
    "folds of items": lambda log: [side(test) for _, test in folds(log, k=3, of="items", seed=3)[0]],
}


@pytest.mark.parametrize("what", CHOICES)
def test_shuffled_rows_give_the_same_choice(what):
    choose = CHOICES[what]
    first = choose(LOG)
    for seed in (1, 2):
        assert choose(LOG.sample(fraction=1.0, shuffle=True, seed=seed)) == first


def test_copies_of_a_pair_are_told_apart_by_their_time():
    rows = [("u", "i", 3.0, t) for t in range(40)] + [("v", "j", 1.0, t) for t in range(40)]
    log = pl.DataFrame(rows, schema=["user_id", "item_id", "rating", "timestamp"], orient="row")
    first = side(split(log, "random", seed=1).test)
    assert side(split(log.reverse(), "random", seed=1).test) == first
    assert 1 < sum(user == "u" for user, *_ in first) < 15


def test_integer_ids_are_drawn_as_their_text_is():
    log = pl.DataFrame({"user": [n // 4 for n in range(200)], "item": [n % 7 for n in range(200)]})
    text = log.cast(pl.String)
    for how in ("random", "cold_users", "cold_items"):
        assert split(log, how, seed=9).test.cast(pl.String).equals(split(text, how, seed=9).test)


def plain(seed, *keys):
    """The same draw in Python's integers: FNV-1a of the text, folded in by SplitMix64."""
    mask = 2**64 - 1

    def mixed(x):
        x = (x + 0x9E3779B97F4A7C15) & mask
        x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & mask
        x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & mask
        return x ^ (x >> 31)

    def fnv(text):
        h = 0xCBF29CE484222325
        for byte in text.encode():
            h = ((h ^ byte) * 0x100000001B3) & mask
        return h

    found = mixed(seed & mask)
    for key in keys:
        found = mixed(found ^ (fnv(key) if isinstance(key, str) else key & mask))
    return found


def test_draws_are_those_of_plain_integers_and_stay_what_they_are():
    ids = ["", "a", "é", "日本", "10", "-5", "x" * 99]
    number = np.array([0, 1, 2, -1, 4, 2**62, -(2**63)])
    expected = [plain(-7, each, int(n)) for each, n in zip(ids, number, strict=True)]
    assert draws(-7, Ids.of(ids), number).tolist() == expected
    integers = np.array([0, 7, -5, 2**63 - 1, -(2**63)])
    assert draws(3, Ids.of_integers(integers)).tolist() == [plain(3, str(n)) for n in integers.tolist()]
    # published values of SplitMix64 from the seed 1234567 (https://prng.di.unimi.it/splitmix64.c)
    state, outputs = 1234567, []
    for _ in range(3):
        outputs.append(int(further(np.array([state], np.uint64), np.array([0], np.uint64))[0]))
        state = (state + 0x9E3779B97F4A7C15) % 2**64
    assert outputs == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def test_draws_are_uniform_and_do_not_hang_together():
    users, places = Ids.of_integers(np.arange(1000)), np.arange(100, dtype=np.uint64)
    values = uniform(further(draws(0, users)[:, None], places))
    # the mean of 100,000 uniform numbers has a standard deviation of 0.00091, a correlation of 0.0032
    assert abs(values.mean() - 0.5) < 0.004
    assert abs(np.corrcoef(values[:, :-1].ravel(), values[:, 1:].ravel())[0, 1]) < 0.013
    assert abs(np.corrcoef(values[:-1].ravel(), values[1:].ravel())[0, 1]) < 0.013
    counts = np.bincount((values.ravel() * 50).astype(int), minlength=50)
    assert ((counts - 2000) ** 2 / 2000).sum() < 94.0  # chi-squared with 49 degrees of freedom: p = 0.0001
