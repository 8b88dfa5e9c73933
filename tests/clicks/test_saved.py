"""Answers as files: they are the same when they are loaded, and a file that was damaged is refused with the place."""

from __future__ import annotations

import json

import pytest
from tests.clicks.plots import test_positions, test_preference, test_weights

import rankwell as rw
from rankwell.errors import DataError, UsageError

FOUND = {
    rw.clicks.Interleaving: test_preference.found,
    rw.clicks.Positions: test_positions.found,
    rw.clicks.OffPolicy: lambda: test_weights.choices(["new", "old"]),
    rw.clicks.Counterfactual: test_weights.order,
}


@pytest.mark.parametrize("kind", FOUND)
def test_a_loaded_one_is_the_same(kind, tmp_path):
    found = FOUND[kind]()
    found.save(tmp_path / "found.json")
    loaded = kind.load(tmp_path / "found.json")
    assert loaded.to_dict() == found.to_dict()
    assert loaded.to_text() == found.to_text()
    assert [type(each) for each in vars(loaded).values()] == [type(each) for each in vars(found).values()]


@pytest.mark.parametrize(
    ("kind", "change", "said"),
    [
        (rw.clicks.Interleaving, {"pairs": []}, "pairs: there is none"),
        (rw.clicks.Interleaving, {"credit": "views"}, r"credit: Invalid enum value 'views'"),
        (rw.clicks.Interleaving, {"level": 95}, "level: it is not between 0 and 1"),
        (rw.clicks.Positions, {"counts": {"rows": -1}}, "counts.rows: -1 is no count"),
        (rw.clicks.Positions, {"rows": [{"rank": 2}]}, r"rows\[0\]: 'impressions' is missing"),
        (rw.clicks.Positions, {"clusters": None}, "clusters: Expected `int`, got `null`"),
        (rw.clicks.OffPolicy, {"rows": -1}, "rows: it is no count"),
        (rw.clicks.OffPolicy, {"weights": []}, "weights: they are of other policies"),
        (rw.clicks.Counterfactual, {"n": 1.5}, "n: Expected `int`, got `float`"),
    ],
)  # fmt: skip
def test_damage_is_said_with_its_place(kind, change, said, tmp_path):
    file = tmp_path / "found.json"
    file.write_text(json.dumps(json.loads(FOUND[kind]().to_json()) | change))
    with pytest.raises(DataError, match=rf"found\.json: this file of {kind._plural} is damaged \({said}"):
        kind.load(file)


def test_weights_that_do_not_add_up_are_damage(tmp_path):
    content = json.loads(test_weights.order().to_json())
    content["weights"]["rows"][0] += 1
    (tmp_path / "found.json").write_text(json.dumps(content))
    with pytest.raises(DataError, match="weights: they do not add up"):
        rw.clicks.Counterfactual.load(tmp_path / "found.json")


def test_values_of_one_row_are_those_of_the_answer():
    one, two = test_weights.choices(), test_weights.choices(["new", "old"])
    assert one.n_effective == one.policies[0].n_effective
    with pytest.raises(UsageError, match=r"there are 2 policies; take one: found\.policies\[0\]\.value\."):
        _ = two.value
    with pytest.raises(AttributeError, match=r"OffPolicy has no n_efective\. Did you mean n_effective\?"):
        _ = one.n_efective
    assert "n_effective" in dir(one)
    assert two.to_frame()["policy"].to_list() == ["new", "old"]
