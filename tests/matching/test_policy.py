"""Policy: its words, its defaults, how it is written, and what it refuses."""

from __future__ import annotations

import pickle
import re
from dataclasses import FrozenInstanceError, fields, replace
from typing import get_type_hints

import numpy as np
import pytest
from tests.definitions.reference_policy import CHOICES, DEFAULTS

import rankwell as rw
from rankwell.matching.policy import Policy, Rules, choices


def test_the_fields_their_order_and_their_defaults_are_those_of_the_slow_definitions():
    assert {field.name: getattr(Policy(), field.name) for field in fields(Policy)} == DEFAULTS
    assert [field.name for field in fields(Policy)] == list(DEFAULTS)


@pytest.mark.parametrize("field", CHOICES)
def test_each_field_allows_the_words_of_the_slow_definitions_the_default_first(field):
    assert set(choices(field)) == CHOICES[field]
    assert choices(field)[0] == DEFAULTS[field]
    for word in choices(field):
        needed = {"rel": 1} if word == "ratings" else {}
        assert getattr(Policy(**{field: word}, **needed), field) == word


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"ties": "item-dsc"}, r"Policy\(ties='item-dsc'\): ties must be item-desc, item-asc, order, .* or worst. Did you mean item-desc\?"),
        ({"missing": None}, r"missing must be empty or skip"),
        ({"depth": 0}, r"depth must be a whole number of at least 1, or None for all"),
        ({"depth": 2.5}, r"depth must be a whole number of at least 1"),
        ({"drop_own_query": "yes"}, r"Policy\(drop_own_query='yes'\): drop_own_query must be True or False\."),
        ({"drop_own_query": 1}, r"drop_own_query must be True or False"),
        ({"depth": True}, r"depth must be a whole number of at least 1"),
        ({"rel": "2"}, r"rel must be a number, or None"),
        ({"rel": float("nan")}, r"rel must be a number, or None"),
        ({"grades": "ratings"}, r"needs rel=, the lowest rating that counts as relevant"),
        ({"ties": "expected", "depth": 5}, r"give the metrics a cut-off instead"),
    ],
)  # fmt: skip
def test_a_value_that_does_not_fit_is_refused_with_what_does(given, message):
    with pytest.raises(rw.RankwellError, match=message):
        Policy(**given)


def test_fields_are_given_by_name_only():
    with pytest.raises(TypeError):
        Policy("judgements")  # type: ignore[misc]


def test_a_policy_is_a_frozen_value():
    policy = Policy(missing="skip")
    with pytest.raises(FrozenInstanceError):
        policy.missing = "empty"  # type: ignore[misc]
    assert policy == Policy(missing="skip") != Policy()
    assert hash(policy) == hash(Policy(missing="skip"))
    assert pickle.loads(pickle.dumps(policy)) == policy
    assert replace(policy, missing="empty") == Policy()


def test_the_text_says_every_field_that_has_a_value():
    text = str(Policy(depth=5, rel=2.0, ties="best"))
    assert text == (
        "grades=auto ties=best ranks=given scores=double depth=5 duplicates=error duplicate_grades=error negative=unjudged "
        "missing=empty undefined=skip population=all unjudged=nonrelevant outside=error rel=2"
    )
    assert "depth=all" in str(Policy())
    assert "rel=" not in str(Policy())


def test_plain_values_say_the_policy():
    plain = {
        name: value
        for name, value in DEFAULTS.items()
        if name not in ("drop_own_query", "group", "judged", "sizes", "fill")
    }
    assert Policy(rel=2.5).to_dict() == plain | {"depth": "all", "rel": 2.5}


def test_a_query_s_own_items_are_a_rule_that_is_printed_only_if_it_is_on():
    assert Policy(drop_own_query=False) == Policy()
    assert str(Policy(drop_own_query=False)) == str(Policy())
    assert "drop_own_query" not in Policy().to_dict()
    assert str(Policy(drop_own_query=True)) == f"{Policy()} drop_own_query=True"
    assert Policy(drop_own_query=True).to_dict() == Policy().to_dict() | {"drop_own_query": True}
    assert Policy(drop_own_query=np.True_) == Policy(drop_own_query=True)


def test_equal_policies_print_the_same_whatever_type_their_numbers_have():
    given, floats = rw.Policy(rel=4, depth=10), rw.Policy(rel=4.0, depth=10.0)
    assert given == floats
    assert repr(given) == repr(floats)
    assert given.to_dict() == floats.to_dict()
    assert (rw.Policy(rel=np.float64(3.5)).rel, type(rw.Policy(rel=np.float64(3.5)).rel)) == (3.5, float)


def test_rules_by_themselves_are_the_fields_of_a_policy():
    assert get_type_hints(Rules) == get_type_hints(Policy)
    assert list(Rules.__annotations__) == [field.name for field in fields(Policy)]


RUN, QRELS = {"q": {"a": 2.0, "b": 1.0}}, {"q": {"a": 0, "b": 2}, "missing": {"a": 1}}


@pytest.mark.parametrize(
    "evaluate", [rw.evaluate, lambda run, qrels, m, **k: rw.Evaluator(qrels, m, **k).evaluate(run)]
)
def test_a_field_can_be_given_by_itself(evaluate):
    expected = evaluate(RUN, QRELS, "rr", policy=rw.Policy(missing="skip", rel=2))
    for given in (
        {"missing": "skip", "rel": 2},
        {"policy": rw.Policy(missing="skip"), "rel": 2},
        {"policy": rw.Policy(missing="skip", rel=2), "rel": 2},
    ):
        res = evaluate(RUN, QRELS, "rr", **given)
        assert (res.policy, res["rr"]) == (expected.policy, expected["rr"])
    for given, message in (
        ({"policy": rw.Policy(rel=1), "rel": 2}, "rel=2 contradicts policy=, which has rel=1. Give it once."),
        ({"tie": "order"}, "there is no argument tie=. Did you mean ties?"),
        ({"metric": "rr"}, "there is no argument metric=. Did you mean metrics?"),
        ({"threshold": 8}, "there is no argument threshold=. Did you mean rel?"),
        ({"top_k": 10}, "there is no argument top_k=. A cut-off stands behind its metric: 'ndcg@10'."),
        ({"relevance_threshold": 8}, "there is no argument relevance_threshold=. Did you mean rel?"),
        (
            {"budgets": "40t"},
            "there is no argument budgets=. A budget stands behind its metric: 'r@2000t'; sizes='tokens' names the column",
        ),
        ({"k": 10}, "there is no argument k=. A cut-off stands behind its metric: 'ndcg@10'."),
        ({"ties": "odd"}, "ties must be item-desc"),
        ({"policy": "skip"}, "policy= must be a rankwell.Policy"),
    ):
        with pytest.raises(rw.RankwellError, match=re.escape(message)):
            evaluate(RUN, QRELS, "rr", **given)
