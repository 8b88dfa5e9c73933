"""αβ-nDCG of real ratings (MovieTweetings) against plain loops over every film of the catalogue."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from pathlib import Path

import polars as pl
import pytest
from tests.metrics.plain_alpha_beta import gain_of, greedy, use_up, value

import rankwell as rw

DATA = Path(rw.__file__).parent / "data" / "movietweetings"
USERS = 12
RATINGS = {
    "ratio": lambda rating: rating / 10,
    "minmax": lambda rating: (rating - 1) / 9,
    "exp": lambda rating: (2**rating - 1) / 2**10,
    "binary": lambda rating: float(rating >= 7),
}


@cache
def tables():
    """Genres by film, and ratings by user and film of both parts."""
    items = pl.read_parquet(DATA / "items.parquet")
    films = {
        film: set(genres.split("|")) if genres else set()
        for film, genres in items["item_id", "genres"].iter_rows()
    }
    found = [films]
    for name in ("train", "test"):
        table = defaultdict(dict)
        for user, film, rating in pl.read_parquet(DATA / f"{name}.parquet")[
            "user_id", "item_id", "rating"
        ].iter_rows():
            table[user][film] = rating
        found.append(table)
    return found


def slow(user, listed, k, *, alpha=0.1, rating_map="ratio", candidates="catalogue"):
    """The value of one user's list."""
    films, train, test = tables()
    genres = sorted(set().union(*films.values()))
    number = {genre: place for place, genre in enumerate(genres)}
    mass = [sum(rating for film, rating in train[user].items() if genre in films[film]) for genre in genres]
    profile = [each / sum(mass) for each in mass]
    chances = {film: 0.9 * RATINGS[rating_map](rating) for film, rating in test[user].items()}
    among = {
        film: ([number[genre] for genre in films[film]], chances.get(film, alpha))
        for film in films
        if film not in train[user] and (candidates == "catalogue" or film in test[user])
    }
    left, gains = list(profile), []
    for film in listed[:k]:
        topics, chance = [number[genre] for genre in films[film]], chances.get(film, alpha)
        gains.append(gain_of(topics, left, chance))
        use_up(topics, left, chance)
    ideal = value([gain for _, gain in greedy(profile, among, k)])
    return value(gains) / ideal if ideal else None


@pytest.mark.parametrize("name", ["popular", "itemknn", "als", "random"])
def test_values_on_real_ratings_are_those_of_plain_loops(name):
    lists = defaultdict(list)
    for user, film in (
        pl.read_parquet(DATA / f"{name}.parquet").sort("user_id", "rank")["user_id", "item_id"].iter_rows()
    ):
        lists[user].append(film)
    texts = {
        "ab_ndcg@10": {},
        "ab_ndcg@5": {},
        "ab_hit@10": {"alpha": 0.0},
        "ab_ndcg(alpha=.05,rating_map=minmax)@10": {"alpha": 0.05, "rating_map": "minmax"},
        "ab_ndcg(rating_map=exp,candidates=judged)@5": {"rating_map": "exp", "candidates": "judged"},
        "ab_ndcg(rating_map=binary,rel=7)@10": {"rating_map": "binary"},
    }
    files = {table: DATA / f"{table}.parquet" for table in ("items", "train")}
    res = rw.evaluate(DATA / f"{name}.parquet", DATA / "test.parquet", list(texts), **files)
    frame = res.per_query.sort("query").head(USERS)
    for metric, (text, parameters) in zip(res.metrics, texts.items(), strict=True):
        k = int(text.rpartition("@")[2])
        for user, found in frame["query", str(metric)].iter_rows():
            wanted = slow(user, lists[user], k, **parameters)
            assert found == (None if wanted is None else pytest.approx(wanted, rel=1e-12, abs=1e-12)), (
                text,
                user,
            )
