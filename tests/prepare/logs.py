"""Logs for the tests of preparation: small random ones, and MovieTweetings."""

from __future__ import annotations

import random

import polars as pl
from tests.evidence import evidence


def movietweetings():
    """The folder of MovieTweetings."""
    return evidence("movietweetings-100k")


def random_log(seed, rows=200, users=25, items=30, times=60):
    """A log of random rows: items unevenly popular, pairs and times repeated, rows in no order."""
    rng = random.Random(seed)
    return pl.DataFrame(
        {
            "user_id": [f"u{rng.randrange(users)}" for _ in range(rows)],
            "note": [rng.choice(["x", "y", None]) for _ in range(rows)],
            "item_id": [f"i{int(rng.random() ** 2 * items)}" for _ in range(rows)],
            "rating": [rng.randint(1, 10) for _ in range(rows)],
            "timestamp": [rng.randrange(times) for _ in range(rows)],
            "weight": [rng.choice([0.0, 0.5, 2.0]) for _ in range(rows)],
        }
    )
