"""Values of any type as a run, judgements, training data, items or users: one clear error, or the number of a plain loop.

A value has a meaning, and a wrapper that may hide it: a list whose length is another, a frame where a list belongs, an iterator.
What must never come is another number, another exception, or a process that dies.
"""

from __future__ import annotations

import array
import collections
import datetime as dt
import decimal
import fractions
import random
import types
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.cases import seeds
from tests.every import every

import rankwell as rw

NAMES = [[f"d{number}" for number in range(6)], list(range(6)), [0, 2**40, -3, 7, 9, 11]]


def liar(kind, length):
    return type("Liar", (kind,), {"__len__": lambda _: length})


class Bare:
    """Has a length and items, and is of no kind that anybody knows."""

    def __init__(self, values):
        self.values = list(values)

    def __len__(self):
        return len(self.values)

    def __getitem__(self, at):
        return self.values[at]


class Ends(Bare):
    """Raises in the middle."""

    def __iter__(self):
        yield from self.values[:1]
        raise RuntimeError("the end")


def columns(pairs):
    return {"item": [item for item, _ in pairs], "score": [number for _, number in pairs]}


# each takes the pairs of a query, best first
INNER = {
    "dict": dict,
    "ordered dict": collections.OrderedDict,
    "counter": lambda pairs: collections.Counter(dict(pairs)),
    "proxy": lambda pairs: types.MappingProxyType(dict(pairs)),
    "dict that says 400": liar(dict, 400),
    "dict that says 0": liar(dict, 0),
    "pairs": list,
    "list of lists": lambda pairs: [list(pair) for pair in pairs],
    "tuple of pairs": tuple,
    "items view": lambda pairs: dict(pairs).items(),
    "list": lambda pairs: [item for item, _ in pairs],
    "tuple": lambda pairs: tuple(item for item, _ in pairs),
    "list that says 400": lambda pairs: liar(list, 400)(item for item, _ in pairs),
    "list that says 1": lambda pairs: liar(list, 1)(item for item, _ in pairs),
    "tuple that says 400": lambda pairs: liar(tuple, 400)([item for item, _ in pairs]),
    "keys view": lambda pairs: dict(pairs).keys(),
    "deque": lambda pairs: collections.deque(item for item, _ in pairs),
    "set": lambda pairs: {item for item, _ in pairs},
    "frozen set": lambda pairs: frozenset(item for item, _ in pairs),
    "generator": lambda pairs: (item for item, _ in pairs),
    "map": lambda pairs: map(str, [item for item, _ in pairs]),
    "bare": lambda pairs: Bare([item for item, _ in pairs]),
    "ends": lambda pairs: Ends([item for item, _ in pairs]),
    "NumPy array": lambda pairs: np.array([item for item, _ in pairs]),
    "NumPy objects": lambda pairs: np.array([item for item, _ in pairs], object),
    "NumPy matrix": lambda pairs: np.array([[item for item, _ in pairs]]),
    "array": lambda pairs: array.array("q", [0] * len(pairs)) if isinstance(pairs[0][0], str) else array.array("q", [i for i, _ in pairs]),
    "pandas Series": lambda pairs: pd.Series(dict(pairs)),
    "pandas Series of items": lambda pairs: pd.Series([item for item, _ in pairs]),
    "pandas Series of items, called so": lambda pairs: pd.Series([item for item, _ in pairs], range(5, 5 + len(pairs)), name="item_id"),
    "pandas Index": lambda pairs: pd.Index([item for item, _ in pairs]),
    "Polars Series": lambda pairs: pl.Series([item for item, _ in pairs]),
    "Arrow array": lambda pairs: pa.array([item for item, _ in pairs]),
    "pandas frame": lambda pairs: pd.DataFrame(columns(pairs)),
    "Polars frame": lambda pairs: pl.DataFrame(columns(pairs)),
    "Arrow table": lambda pairs: pa.table(columns(pairs)),
    "text": lambda pairs: str(pairs[0][0]) * 2,
    "bytes": lambda pairs: bytes(len(pairs)),
    "None": lambda pairs: None,
    "number": len,
    "nan": lambda pairs: float("nan"),
}  # fmt: skip
ODD = {"array"}  # of text there is no such array, so what it holds means nothing
ORDERED = {"set", "frozen set"}  # of relevant items these say all, of a ranking nothing

JUNK = [
    None, 0, 1.5, float("nan"), True, b"", b"x", "", "no such file", (), [], {}, set(), object(), len, int, ..., NotImplemented,
    [None], [[]], [[None]], [[1.5]], [[["a"]]], {"q": None}, {None: ["a"]}, {"q": {"a": None}}, {"q": {"a": "1"}}, {"q": {"a": 1j}},
    {"q": {None: 1}}, {"q": [None]}, {"q": [1.5]}, {"q": ["a", 1]}, {1: ["a"], "q": ["b"]}, {("q",): ["a"]}, {b"q": ["a"]},
    {"q": {"a": decimal.Decimal("nan")}}, {"q": {"a": fractions.Fraction(1, 3), "b": 2}}, {"q": {"a": dt.date(2026, 1, 1)}},
    {"q": {"a": 10**400}}, {"q": [2**64]}, {2**64: ["a"]}, np.array(3), np.array([1, 2]), np.array(["a"]), np.array([[1, 2]], object),
    np.array([[1 + 2j]]), np.zeros((1, 2, 3)), np.array([["2026-01-01"]], "M8[D]"), np.empty((0, 0)), np.array([[np.nan]]),
    pd.Series([1, 2]), pd.DataFrame(), pd.DataFrame({"query": [], "item": []}), pd.DataFrame({"query": ["q"], "item": [None]}),
    pd.DataFrame({"query": ["q"], "item": [["a"]]}), pd.DataFrame([[1, 2]]), pl.DataFrame(), pl.Series([1]), pl.LazyFrame(),
    pl.DataFrame({"query": ["q"], "item": [{"a": 1}]}), pl.DataFrame({"query": [1.5], "item": ["a"]}), pa.table({}), pa.array([1]),
    [pd.DataFrame({"query": ["q"], "item": ["a"]})], [1, "a"], [{"query": "q"}], [{"query": "q", "item": "a"}, None], [{}],
    iter([["a"]]), (each for each in [["a"]]), range(3), range(0), memoryview(b"abc"), array.array("d", [1.0]), types.SimpleNamespace(a=1),
    collections.defaultdict(list), dt.datetime(2026, 1, 1, tzinfo=dt.UTC), decimal.Decimal(1), warnings, Bare([["a"]]), Ends([["a"]]),
    liar(dict, 5)(), liar(list, 5)(), liar(list, 0)([["a"]]), liar(list, 3)([liar(list, 9)([0.5, 0.2])]), [liar(list, 2)([1, 2, 3]), [4, 5]],
]  # fmt: skip


def drawn(rng):
    """A run and judgements: pairs of item and number by query, best first."""
    names = rng.choice(NAMES)
    return [
        {
            query: list(zip(rng.sample(names, size := rng.randint(1, 6)), numbers[:size], strict=True))
            for query in ("u", "v")
        }
        for numbers in ([9.0, 7.0, 4.0, 2.0, 0.5, 0.25], [1.0, 2.0, 3.0, 1.0, 2.0, 1.0])
    ]


def value_of(run, qrels):
    """The mean of 1 / rank of the first relevant item, by a plain loop."""
    total = 0.0
    for query, judged in qrels.items():
        wanted = {item for item, _ in judged}
        ranks = [rank for rank, (item, _) in enumerate(run[query], start=1) if item in wanted]
        total += 1 / ranks[0] if ranks else 0.0
    return total / len(qrels)


def attempt(**given):
    """The results, or what the error says: one line."""
    try:
        return rw.evaluate(**given)
    except rw.RankwellError as error:
        said = str(error)
    assert "\n" not in said
    return said


def check(seed):
    rng = random.Random(seed)
    run, qrels = drawn(rng)
    of_run, of_qrels = rng.choice(list(INNER)), rng.choice(list(INNER))
    others = [rng.choice(["dict", "list", of_run]), rng.choice(["dict", "list", of_qrels])]
    one = {"u": INNER[of_run](run["u"]), "v": INNER[others[0]](run["v"])}
    two = {"u": INNER[of_qrels](qrels["u"]), "v": INNER[others[1]](qrels["v"])}
    word = rng.choice(["train", "items", "users", "run", "qrels", *[""] * 12])
    given = {"run": one, "qrels": two} | ({word: rng.choice(JUNK)} if word else {})
    found = attempt(**given, metrics=["rr"], grades="interactions")
    if isinstance(found, str):
        return "refused"
    if word:
        return "junk"
    assert not ODD & {of_run, of_qrels} or isinstance(run["u"][0][0], int)
    assert not ORDERED & {of_run, others[0]}
    assert found.mean["rr"] == pytest.approx(value_of(run, qrels), abs=1e-12), (one, two)
    return "right"


@pytest.mark.filterwarnings("ignore")
def test_any_value_is_refused_or_gives_the_number_of_a_plain_loop():
    cases = seeds(20_000)
    seen = collections.Counter(map(check, cases))
    assert min(seen["refused"], seen["right"]) > 0.075 * len(cases)


@pytest.mark.filterwarnings("ignore")
@every("word", ["run", "qrels", "train", "items", "users", "labels", "slices", "by"])
def test_junk_is_refused_in_every_argument_but_where_it_is_nothing_or_can_be_read(word):
    metrics = {"train": ["epc@2"], "items": ["coverage@2"], "users": ["user_coverage@2"]}.get(word, ["rr"])
    refused = 0
    for junk in JUNK:
        given = {"run": {"q": ["a", "b"]}, "qrels": {"q": {"a": 1}}} | {word: junk}
        if word == "labels":
            del given["qrels"]
        refused += isinstance(attempt(**given, metrics=metrics), str)
    assert refused >= len(JUNK) - 14
