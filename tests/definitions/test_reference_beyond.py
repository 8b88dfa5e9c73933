"""The slow metrics beyond accuracy are themselves right: by worked examples, published values and by hand."""

from __future__ import annotations

import math
import random
from itertools import pairwise

import pytest
from tests.every import every

from .reference_beyond import CORPUS, PER_LIST, Case, mean
from .reference_bias import head_items, topic_shares
from .reference_case import count
from .worked import examples

EXAMPLES = examples()
THIRD = 1 / math.log2(3)  # the discount log2p1 at rank 2


def near(value, tolerance=1e-12):
    return pytest.approx(value, rel=0, abs=tolerance)


# --- worked examples ----------------------------------------------------------------------------------------


def worked_case() -> Case:
    data = EXAMPLES["rs.data"]["input"]
    topics = {i: {n for n, x in zip("xyz", row, strict=True) if x} for i, row in data["features"].items()}
    return Case(
        lists=data["recs"],
        catalogue=data["catalogue"],
        truth={user: dict.fromkeys(items, 1.0) for user, items in data["relevant"].items()},
        topics=topics,
        vectors=data["features"],
        train={user: dict.fromkeys(items, 1.0) for user, items in data["train"].items()},
    )


def calibration_of_u1(case: Case) -> dict[str, object]:
    shares = {
        name: topic_shares(case, dict.fromkeys(items, 1.0))
        for name, items in {"p": case.train["u1"], "q": case.lists["u1"]}.items()
    }
    lists = {name: [share.get(topic, 0.0) for topic in "xyz"] for name, share in shares.items()}
    return lists | {"C_KL": PER_LIST["calibration"](case, None)["u1"]}


def average(name, **parameters):
    return lambda case: mean(PER_LIST[name](case, 3, **parameters))


WORKED = {
    "rs.personalization": lambda case: CORPUS["personalization"](case, 3),
    "rs.ils_per_user": lambda case: PER_LIST["ils"](case, 3),
    "rs.ils": average("ils", features="vectors"),
    "rs.ils_diag": average("ils", average="matrix"),
    "rs.ils_ziegler_u1": lambda case: PER_LIST["ils"](case, 3, average="sum")["u1"],
    "rs.ild": average("ild"),
    "rs.counts": lambda case: {i: sum(i in items for items in case.lists.values()) for i in case.catalogue},
    "rs.catalog_coverage": lambda case: CORPUS["coverage"](case, 3),
    "rs.gini": lambda case: CORPUS["gini"](case, 3),
    "rs.gini_diversity": lambda case: CORPUS["gini_diversity"](case, 3),
    "rs.entropy": lambda case: CORPUS["entropy"](case, 3),
    "rs.entropy_norm": lambda case: CORPUS["entropy_norm"](case, 3),
    "rs.popularity": lambda case: {item: count(case, item) for item in case.catalogue},
    "rs.msi": average("msi"),
    "rs.epc_plain": average("epc", discount="none"),
    "rs.arp": average("arp"),
    "rs.short_head": lambda case: head_items(case, "volume", 0.5),
    "rs.aplt": average("aplt", at=0.5),
    "rs.calibration_kl_u1": calibration_of_u1,
    "rs.unexpectedness": average("unexpectedness", top=2),
    "rs.unserendipity": average("unserendipity"),
}


@every("name", WORKED)
def test_a_worked_example_comes_out_to_1e_12(name):
    ours, expected = WORKED[name](worked_case()), EXAMPLES[name]["expected"]
    if isinstance(expected, dict):
        assert set(ours) == set(expected)
        for key, value in expected.items():
            assert ours[key] == near(value), key
    else:
        assert ours == (expected if isinstance(expected, list) else near(expected))


def test_every_worked_example_of_recommenders_is_here():
    assert {name for name in EXAMPLES if name.startswith("rs.")} == {"rs.data", *WORKED}


# --- published values ---------------------------------------------------------------------------------------


def lists_of(*lists: str) -> dict[str, list[str]]:
    """Users u1, u2, … with the items of each text."""
    return {f"u{number}": items.split() for number, items in enumerate(lists, start=1)}


def train_of(**rows: str) -> dict[str, dict[str, float]]:
    return {user: dict.fromkeys(items.split(), 1.0) for user, items in rows.items()}


def rated(predicted: list[float], grades: list[float]) -> Case:
    """One user who rated i0, i1, … and got a predicted rating for each."""
    items = [f"i{number}" for number in range(len(grades))]
    scores, truth = dict(zip(items, predicted, strict=True)), dict(zip(items, grades, strict=True))
    return Case({"u": items}, items, {"u": scores}, {"u": truth})


def test_recmetrics_own_tests_come_out():
    """tests/test_metrics.py of recmetrics at e8d9b39."""
    counts = [893, 876, 876, 867, 864, 863, 859, 857, 856, 853]
    items = [f"i{number}" for number in range(10)]
    train = {  # 933 users, of whom the first c have an item with count c; all have one more
        f"u{user}": {"other": 1.0} | {item: 1.0 for item, c in zip(items, counts, strict=True) if user < c}
        for user in range(933)
    }
    listed = Case({"a": items, "b": items}, [*items, "other"], train=train)
    assert mean(PER_LIST["msi"](listed, 10)) == near(0.10697151566593581)

    two = Case(lists_of("X Y Z", "X Y Z"), ["A", "B", "C", "X", "Y", "Z"])
    assert CORPUS["coverage"](two, 3) == CORPUS["prediction_coverage"](two, 3) == 0.5
    apart = Case(lists_of("1 2 C D", "4 3 m X", "7 B t X"), [])
    assert CORPUS["personalization"](apart, None) == near(0.916, 0.005)  # asserted there to 2 places
    assert CORPUS["personalization"](apart, None) == near(11 / 12)  # one of three pairs shares 1 of 4 items

    vectors = {"3": [0, 1, 0], "7": [0, 1, 0], "5": [0, 1, 0], "9": [1, 0, 0]}
    alike = Case(lists_of("3 7 5 9"), [], vectors=vectors)
    assert mean(PER_LIST["ils"](alike, None, features="vectors")) == near(0.5)

    predicted = [1.5, 3.2, 1.4, 3.3, 1.7, 3.8, 4.4, 1.6, 1.2, 3.7]
    ratings = rated(predicted, [2, 4, 3, 1, 3, 4, 5, 2, 1, 4])
    assert CORPUS["mse"](ratings, None) == near(1.11, 0.005)
    assert CORPUS["rmse"](ratings, None) == near(1.054, 0.005)


def test_microsoft_recommenders_own_tests_come_out():
    """test_python_evaluation.py of recommenders at 0967dad with conftest.py at 22d8707; tolerance 1e-4 there."""
    case = Case(
        lists=lists_of("3 5", "2 5", "1 2"),
        catalogue=["1", "2", "3", "4", "5"],
        truth={"u1": {"3": 1, "5": 0}, "u2": {"2": 1, "5": 1}, "u3": {"1": 1, "2": 0}},
        vectors={
            "1": [0, 1, 1, 0, 0],
            "2": [0, 1, 0, 1, 0],
            "3": [0, 0, 1, 1, 0],
            "4": [0, 0, 1, 0, 1],
            "5": [0, 0, 0, 1, 1],
        },
        train=train_of(u1="1 2 4", u2="3 4", u3="3 4 5"),
    )
    assert CORPUS["coverage"](case, None) == near(0.8)
    assert CORPUS["entropy"](case, None) == near(1.9183, 1e-4)  # distributional coverage
    assert mean(PER_LIST["self_information"](case, None)) == near(2.83333, 1e-4)  # novelty: full lists
    assert PER_LIST["ild"](case, None, features="vectors") == near({"u1": 0.5, "u2": 0.5, "u3": 0.5})
    expected = {"u1": 0.25, "u2": 0.625, "u3": 0.3333}
    assert PER_LIST["surprise"](case, None, features="vectors") == near(expected, 1e-4)

    ratings = rated([14, 12, 7, 8, 13, 6, 11, 5], [3, 3, 5, 5, 3, 3, 2, 1])  # the merged pairs
    assert CORPUS["rmse"](ratings, None) == near(7.254309, 1e-4)
    assert CORPUS["mae"](ratings, None) == near(6.375)


def test_rectools_own_tests_come_out():
    """tests/metrics/test_novelty.py and test_serendipity.py of RecTools at 9885a10, test_popularity.py at 256a3f9."""
    novel = Case(lists_of("i3", "i2 i3", "i1 i2"), [], train=train_of(u1="i1 i2", u2="i1", u3="i1"))
    bits = math.log2(3)
    assert PER_LIST["msi"](novel, 1) == near({"u1": bits, "u2": bits, "u3": 0})
    assert PER_LIST["msi"](novel, 2) == near({"u1": bits, "u2": bits, "u3": bits / 2})

    train = train_of(u1="i1 i2", u2="i1 i3", u3="i1 i2")
    known = Case(lists_of("i1 i2", "i3 i1 i2", "i3 i2"), [], train=train)
    assert PER_LIST["arp"](known, 1) == near({"u1": 3, "u2": 1, "u3": 1})
    assert PER_LIST["arp"](known, 3) == near({"u1": 2.5, "u2": 2, "u3": 1.5})
    new = Case(lists_of("i1 i2", "i3 i1 i4", "i3 i2"), [], train=train)
    assert PER_LIST["arp"](new, 3) == near({"u1": 2.5, "u2": 4 / 3, "u3": 1.5})

    surprising = Case(
        lists=lists_of("i1 i2", "i2 i3", "i3", "i2 i3"),
        catalogue=["i1", "i2", "i3", "i4"],
        truth=train_of(u1="i1 i2", u2="i2 i3", u3="i2", u4="i2"),
        train=train_of(u1="i1 i2", u2="i1 i2", u3="i1"),
    )
    rectools = PER_LIST["serendipity_murakami"]
    assert rectools(surprising, 1, form="rectools") == near({"u1": 0, "u2": 0.25, "u3": 0, "u4": 0.25})
    assert rectools(surprising, 2, form="rectools") == near({"u1": 0, "u2": 0.5, "u3": 0, "u4": 0.125})


def test_recboles_own_tests_come_out():
    """tests/metrics/test_topk_metrics.py of RecBole at 319b687: five lists, eight ids; popularity is given there."""
    popularity = {"1": 0, "2": 1, "3": 2, "4": 3, "5": 4, "6": 5}
    train = {f"t{nth}": {item: 1.0 for item, c in popularity.items() if nth < c} for nth in range(5)}
    case = Case(
        lists_of("5 7 3", "4 5 2", "2 3 5", "1 4 6", "5 3 7"), [str(n) for n in range(8)], train=train
    )
    assert CORPUS["coverage"](case, 3) == near(7 / 8)
    assert CORPUS["gini"](case, 3) == near((-5 - 3 - 2 + 2 + 6 + 15 + 28) / (8 * 15))
    terms = [
        1 / 15,
        2 / 15,
        3 / 15,
        2 / 15,
        4 / 15,
        1 / 15,
        2 / 15,
    ]  # the mean over 7 listed items, natural log
    theirs = -sum(x * math.log(x) for x in terms) / 7
    assert CORPUS["entropy"](case, 3, base=math.e) / 7 == near(theirs)
    at = {1: [4, 3, 1, 0, 4], 2: [2, 3.5, 1.5, 1.5, 3], 3: [2, 8 / 3, 7 / 3, 8 / 3, 2]}
    for k, means in at.items():
        assert list(PER_LIST["arp"](case, k).values()) == near(means), k


def test_juritys_own_tests_come_out():
    """tests/test_reco_diversity.py of jurity at f22e462, printed there to 3 places."""
    lists = lists_of("0 1 2 3", "0 1 2 4", "0 1 2 5")
    draw = random.Random(1)
    vectors = {str(item): [draw.random() for _ in range(10)] for item in range(6)}
    case = Case(lists, [], vectors=vectors)
    assert CORPUS["personalization"](case, 4) == near(0.25)
    assert mean(PER_LIST["ild"](case, 4, features="vectors")) == near(0.267, 5e-4)
    assert mean(PER_LIST["ild"](case, 4, features="vectors", distance="euclidean")) == near(1.307, 5e-4)
    assert CORPUS["personalization"](Case(lists_of("0 1 2 3"), []), 4) is None


def test_lenskits_own_tests_come_out():
    """tests/eval/test_ils.py of LensKit at 6b4423a; a list of one item, 1 there, has no pair."""
    for topics, expected in {"a a a": 1.0, "a b c": 0.0, "a a b": 1 / 3}.items():
        own = {item: {topic} for item, topic in zip("123", topics.split(), strict=True)}
        assert PER_LIST["ils"](Case(lists_of("1 2 3"), [], topics=own), None)["u1"] == near(expected)
    assert PER_LIST["ils"](Case(lists_of("1"), [], topics={"1": {"a"}}), None)["u1"] is None


def test_ziegler_and_cosine_by_dense_numbers_agree_with_pencil_and_paper():
    """x = (3, 4), y = (4, 3), z = (−3, −4): cosines 24/25, −1, −24/25; the mean −1/3, the sum −1."""
    case = Case(lists_of("x y z"), [], vectors={"x": [3, 4], "y": [4, 3], "z": [-3, -4]})
    assert PER_LIST["ils"](case, None, features="vectors") == near({"u1": -1 / 3})
    assert PER_LIST["ils"](case, None, features="vectors", average="sum") == near({"u1": -1})
    assert PER_LIST["ild"](case, None, features="vectors", distance="sqeuclidean") == near(
        {"u1": (2 + 100 + 98) / 3}
    )


def test_more_lists_cover_more_and_all_of_them_what_they_cover():
    lists = Case(lists_of("a b", "b c", "a", "", "d a"), list("abcdef"))
    values = [CORPUS["coverage"](lists, None, users=n) for n in range(1, 6)]
    assert all(fewer < more for fewer, more in pairwise(values))
    assert values[-1] == CORPUS["coverage"](lists, None) == near(4 / 6)
    assert CORPUS["coverage"](lists, None, users=6) is None
