"""Random cases of the slow metrics of topics: small, and full of equal gains, empty queries and cold users."""

from __future__ import annotations

import random

from .reference_aspects_case import Case

IDS = ["i1", "i10", "i2", "i9", "Z", "ä", "b"]  # as text: Z, b, i1, i10, i2, i9, ä
QUERIES = ["q1", "q2", "q3", "q4", "q5", "q6"]
GRADES = [-1, 0, 0, 1, 1, 1, 2, 2, 3]


def _topic_sets(rng: random.Random, topics: list[str]) -> list[set[str]]:
    """A few sets, which several items share, so that gains tie; one is empty."""
    return [set(), *(set(rng.sample(topics, rng.randint(1, len(topics)))) for _ in range(3))]


def _tables(rng: random.Random, topics: list[str]) -> dict[str, dict[str, set[str]]]:
    """Two columns of topics; `tags` has a topic that no judged item need have."""
    sets = _topic_sets(rng, topics)
    columns = {"topics": {item: rng.choice(sets) for item in IDS}}
    sets = [*_topic_sets(rng, topics), {"rare"}]
    columns["tags"] = {item: rng.choice(sets) for item in IDS}
    for table in columns.values():  # a column without any topic is refused
        table[rng.choice(IDS)] = {topics[0]}
    return columns


def _lists(rng: random.Random) -> dict[str, list[str]]:
    """Lists of some queries, with items that no table knows."""
    pool = [*IDS, "x1", "x2"]
    lists = {query: rng.sample(pool, rng.randint(1, len(pool))) for query in QUERIES if rng.random() < 0.85}
    return lists or {"q1": ["i1"]}


def _train(rng: random.Random, ratings: list[float]) -> dict[str, dict[str, float]]:
    """Ratings of most users; some are cold."""
    train = {
        query: {item: rng.choice(ratings) for item in rng.sample([*IDS, "x2"], rng.randint(1, 3))}
        for query in QUERIES
        if rng.random() < 0.8
    }
    return train or {"q1": {"i1": 1}}


def random_case(seed: int) -> Case:
    """Judgements by topic: graded, negative, of several topics; a query may have nothing relevant."""
    rng = random.Random(seed)
    topics = ["1", "10", "2", "x", "y", "z"][: rng.choice([2, 3, 4, 6])]
    judged: dict[str, dict[str, dict[str, float]]] = {"q1": {"i1": {topics[0]: 1}, "Z": {topics[1]: 0}}}
    for query in QUERIES:
        sets = _topic_sets(rng, topics)
        binary, nothing = rng.random() < 0.4, rng.random() < 0.15
        items: dict[str, dict[str, float]] = {}
        for item in rng.sample([*IDS, "x1"], rng.randint(1, 8)):
            grades = {topic: 1 if binary else rng.choice(GRADES) for topic in sorted(rng.choice(sets))}
            grades |= {topic: 0 for topic in topics if topic not in grades and rng.random() < 0.3}
            if grades:
                items[item] = {
                    topic: min(grade, 0) if nothing and query != "q1" else grade
                    for topic, grade in grades.items()
                }
        judged[query] = judged.get(query, {}) | items
    weights = None
    if rng.random() < 0.6:
        weights = {
            query: {topic: rng.choice([0, 0.1, 0.2, 0.3, 0.5, 1, 2.5]) for topic in topics}
            for query in QUERIES
        }
    return Case(
        lists=_lists(rng),
        judged={query: items for query, items in judged.items() if items},
        weights=weights,
        catalogue=list(IDS),
        columns=_tables(rng, topics),
        train=_train(rng, [1]),
    )


def crowded_case(seed: int) -> Case:
    """More topics than a gain can be told apart by: many gains that are equal on paper and not as sums of floats."""
    rng = random.Random(seed)
    topics = [str(n) for n in range(rng.randint(4, 9))]
    ids = [f"i{n}" for n in range(14)]
    judged: dict[str, dict[str, dict[str, float]]] = {
        query: {
            item: {
                topic: rng.choice([1, 1, 1, 2, 3])
                for topic in rng.sample(topics, rng.randint(1, len(topics)))
            }
            for item in rng.sample(ids, rng.randint(5, len(ids)))
        }
        for query in QUERIES[:3]
    }
    weights = {query: {topic: rng.choice([0.1, 0.2, 0.3, 0.7]) for topic in topics} for query in judged}
    return Case({query: rng.sample(ids, 8) for query in judged}, judged, weights if seed % 2 else None)


def random_ratings(seed: int) -> Case:
    """Ratings of users, theirs in training too, and profiles that are given; the catalogue has all topics."""
    rng = random.Random(seed)
    topics = ["Drama", "War", "Comedy", "Sport"][: rng.randint(1, 4)]
    scale = rng.choice(
        [[1, 2, 3, 4, 5], [1, 2, 3, 4, 5], [0, 1, 2, 3], [1], [0.5, 1.5, 2, 3.5], [-1, 0, 1, 2]]
    )
    train = _train(rng, rng.choice([[1], [1, 2, 3, 4, 5], [0, 1, 2.5]]))
    judged = {}
    for query in QUERIES:
        new = [item for item in [*IDS, "x1"] if item not in train.get(query, {}) or rng.random() < 0.1]
        if rng.random() < 0.85:
            judged[query] = {
                item: {"0": rng.choice(scale)} for item in rng.sample(new, rng.randint(1, min(4, len(new))))
            }
    judged.setdefault("q1", {})["i10"] = {"0": max(scale)}
    return Case(
        lists=_lists(rng),
        judged=judged,
        catalogue=list(IDS),
        columns=_tables(rng, topics),
        train=train,
        given={
            query: {topic: rng.choice([0, 0.1, 0.25, 0.5, 0.95, 1]) for topic in [*topics, "rare"]}
            for query in QUERIES
            if rng.random() < 0.8
        },
    )


def crowded_ratings(seed: int) -> Case:
    """A catalogue of many kinds of items, for two users: many chances that are equal on paper and not as products."""
    rng = random.Random(seed)
    topics = [f"t{n}" for n in range(rng.randint(4, 8))]
    ids = [f"i{n}" for n in range(18)]
    tables = {item: set(rng.sample(topics, rng.randint(0, 4))) for item in ids}
    tables["i0"] = {"t0"}
    users = ["q1", "q2"]
    return Case(
        lists={user: rng.sample(ids, 8) for user in users},
        judged={
            user: {item: {"0": rng.choice([1, 2, 3, 4, 5])} for item in rng.sample(ids, 5)} for user in users
        },
        catalogue=rng.sample(ids, len(ids)),
        columns={"topics": tables},
        train={user: {item: rng.choice([1, 3, 5]) for item in rng.sample(ids, 3)} for user in users},
        given={user: {topic: rng.choice([0.1, 0.2, 0.3, 0.6]) for topic in topics} for user in users},
    )
