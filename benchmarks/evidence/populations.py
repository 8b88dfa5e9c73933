"""Values per query of real systems, to draw samples from: named by file and metric, described in figures.

A population is what tests/data holds, so each of its values is that of a real query or user, and its mean is known exactly.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.evidence import evidence  # noqa: E402

import rankwell as rw  # noqa: E402


class Collection(NamedTuple):
    """Judgements, where the runs lie, and the threshold if grades are ratings."""

    qrels: str
    runs: str
    rel: int | None = None


FILMS = Collection("movietweetings-100k/split/test.csv", "movietweetings-100k/recs/recs_{}.parquet", 7)
CRANFIELD = Collection("cranfield/qrels.graded.txt", "cranfield/runs/{}.run")
COVID = Collection("trec-covid-round1/qrels-rnd1.txt", "trec-covid-round1/runs/{}.run")
WEB = Collection("trec-web-2012/qrels.adhoc.txt", "trec-web-2012/runs/{}-catb-filtered.run")

MEANS = {
    "films popular ndcg@10": (FILMS, "popular", "ndcg@10"),
    "films als rr": (FILMS, "als", "rr"),
    "films als r@10": (FILMS, "als", "r@10"),
    "films itemknn hit@10": (FILMS, "itemknn", "hit@10"),
    "films popular judged@10": (FILMS, "popular", "judged@10"),
    "cranfield bm25 ndcg@10": (CRANFIELD, "bm25", "ndcg@10"),
    "cranfield lsi hit@10": (CRANFIELD, "lsi", "hit@10"),
    "cranfield lsi rr": (CRANFIELD, "lsi", "rr"),
    "cranfield coord ap": (CRANFIELD, "coord", "ap"),
    "covid sab20 judged@10": (COVID, "sab20.1.meta.docs", "judged@10"),
    "web ql ap": (WEB, "ql", "ap"),
}
DIFFERENCES = {
    "films itemknn − popular ndcg@10": (FILMS, "itemknn", "popular", "ndcg@10"),
    "films als − itemknn rr": (FILMS, "als", "itemknn", "rr"),
    "films als − popular hit@10": (FILMS, "als", "popular", "hit@10"),
    "cranfield lsi − bm25 ndcg@10": (CRANFIELD, "lsi", "bm25", "ndcg@10"),
    "cranfield coord − tfidf ap": (CRANFIELD, "coord", "tfidf", "ap"),
    "covid sab20 − bm25t5 ndcg@10": (COVID, "sab20.1.meta.docs", "bm25t5", "ndcg@10"),
    "web rm − ql ap": (WEB, "rm", "ql", "ap"),
}


@cache
def values(collection: Collection, system: str, metric: str) -> np.ndarray:
    """The values of one system, NaN where undefined, in the order of the queries."""
    return table(collection, (system,), metric)[0]


def table(collection: Collection, systems: tuple[str, ...], metric: str) -> np.ndarray:
    """A row per system and a column per query where all of them are defined."""
    given = {} if collection.rel is None else {"rel": collection.rel}
    ev = rw.Evaluator(evidence(collection.qrels), [metric], **given)
    found = [ev.evaluate(evidence(collection.runs.format(name))).per_query for name in systems]
    joined = found[0].select("query", a0=metric)
    for place, each in enumerate(found[1:], start=1):
        joined = joined.join(each.select("query", **{f"a{place}": metric}), on="query")
    return joined.drop_nulls().sort("query").drop("query").to_numpy().T.copy()


def means() -> dict[str, Callable[[], np.ndarray]]:
    """The populations of values, each made when it is called."""
    return {name: lambda what=what: values(*what) for name, what in MEANS.items()}


def differences() -> dict[str, Callable[[], np.ndarray]]:
    """The populations of differences of two systems."""

    def of(collection: Collection, first: str, second: str, metric: str) -> np.ndarray:
        left, right = table(collection, (first, second), metric)
        return left - right

    return {name: lambda what=what: of(*what) for name, what in DIFFERENCES.items()}


def described(found: np.ndarray, chances: np.ndarray | None = None) -> dict[str, float]:
    """Size, mean, spread, shares of zeros and ones, skewness."""
    w = np.full(len(found), 1 / len(found)) if chances is None else chances
    mean = float(found @ w)
    sd = float(np.sqrt((found - mean) ** 2 @ w))
    return {
        "size": len(found),
        "mean": round(mean, 5),
        "sd": round(sd, 5),
        "zeros": round(float(w[found == 0].sum()), 4),
        "ones": round(float(w[found == 1].sum()), 4),
        "skewness": round(float((found - mean) ** 3 @ w / sd**3), 3),
    }
