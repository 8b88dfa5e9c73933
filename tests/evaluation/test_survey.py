"""The numbers of a survey of libraries are presets, options of presets, or definitions."""

from __future__ import annotations

import math

import pytest
from tests.evaluation.preset_cases import LISTS, TRUTH, ours
from tests.every import every

import rankwell as rw

# every definition by its own switches: mean over the four users with truth
DEFINED = {
    "p@5": 0.25, "p(denom=n)@5": 0.4, "r@5": 0.357143, "r(denom=min_rk)@5": 0.4, "ap(denom=R)@5": 0.336310, "ap@5": 0.370833,
    "ap(denom=hits)@5": 0.451389, "ap(denom=k)@5": 0.220833, "ndcg@5": 0.413702, "ndcg(ideal=maximal,max_grade=1)@5": 0.301989,
    "ndcg(ideal=uncut)@5": 0.382674, "ndcg(ideal=retrieved)@5": 0.476506, "ndcg(discount=jk)@5": 0.399576, "rr@5": 0.5, "hit@5": 0.5,
}  # fmt: skip
# what a survey of the libraries' code found on the fixture at k = 5, each library run or its formulas lifted out of it;
# a name with users is the mean over them
SURVEY = {
    "rectools": {"p@5": 0.25, "r@5": 0.357143, "ap@5": 0.336310, "ap(denom=k)@5": 0.220833, "ndcg@5": 0.301989,
                 "ndcg(ideal=judged)@5": 0.413702, "rr@5": 0.5, "hit@5": 0.5},
    "replay": {"p@5": 0.25, "r@5": 0.357143, "ap@5": 0.370833, "ndcg@5": 0.413702, "rr@5": 0.5, "hit@5": 0.5},
    "microsoft": {"p@5": 0.333333, "r@5": 0.476190, "ap(denom=R)@5": 0.448413, "ap@5": 0.494444, "ndcg@5": 0.413702},
    "rs_metrics": {"r@5": 0.357143, "ap@5": 0.336310, "ndcg@5": 0.413702, "rr@5": 0.5, "hit@5": 0.5},
    "jurity": {"p@5": 0.533333, "r@5": 0.357143, "ap@5": 0.494444, "ndcg@5": 0.382674},
    "recbole": {"p@5": 0.25, "r@5": 0.357143, "ap@5": 0.370833, "ndcg@5": 0.413702, "rr@5": 0.5, "hit@5": 0.5},
    "recpack": {"p@5": 0.25, "r@5": 0.357143, "r(denom=min_rk)@5": 0.4, "ndcg@5": 0.413702, "rr@5": 0.5},
    "recmetrics": {"p@5": 0.533333, "ap@5": 0.451389, "ap(denom=R)@5": 0.336310},
    "implicit": {"ap@5": 0.370833, "ndcg@5": 0.413702},
}  # fmt: skip
NO_PRESET = {  # definition, value, users
    "rexmex": [("ap(denom=min_rk)@5", 0.370833, "1234"), ("ap(denom=R)@5", 0.336310, "1234")],
    "Cornac": [("p@5", 0.333333, "123"), ("r@5", 0.476190, "123"), ("ndcg@5", 0.551603, "123"), ("hit@5", 0.666667, "123")],
    "beta-recsys": [("p@5", 0.333333, "123"), ("r@5", 0.476190, "123"), ("ap(denom=R)@5", 0.448413, "123"), ("ndcg@5", 0.551603, "123")],
    "DaisyRec": [("p@5", 0.3, "13"), ("r@5", 0.214286, "13"), ("ap(denom=hits)@5", 0.402778, "13"),
                 ("ndcg(ideal=retrieved)@5", 0.453013, "13")],
    "Elliot": [("mean_precision@5", 0.472222, "123")],
}  # fmt: skip
REFUSED = {  # cells that are no number of a definition
    "rs_metrics P": (math.nan, "the mean of an empty list"),
    "recmetrics P": (None, "a user without a list divides by 0; without that user it is .533333"),
    "recmetrics R": (0.357150, "rounded to four digits for each user"),
    "rexmex hit rate": (None, "raises where an item is missing"),
    "rexmex nDCG": (None, "calls scikit-learn: its preset"),
    "Cornac MAP": (None, "of a ranking of all items, which lists are not"),
    "RecPack HitK": (1.25, "the number of hits, summed"),
    "DaisyRec MRR": (0.791667, "the sum over all hits, which may exceed 1"),
    "implicit P": (0.454545, "hits of all users together ÷ Σ min(k, R)"),
    "implicit AUC": (0.543793, "supposes that unranked relevant items stand in random places"),
}


@pytest.mark.parametrize("tool", SURVEY)
def test_every_cell_of_the_survey_is_a_preset_or_an_option_of_it(tool):
    assert ours(tool, SURVEY[tool], LISTS, TRUTH) == pytest.approx(SURVEY[tool], abs=1e-6)


@pytest.mark.parametrize("library", NO_PRESET)
def test_cells_of_libraries_without_a_preset_are_definitions(library):
    for name, value, users in NO_PRESET[library]:
        truth = {user: TRUTH[user] for user in users}
        res = rw.evaluate(LISTS, truth, name, policy=rw.Policy(ties="order", undefined="zero"))
        assert res[name] == pytest.approx(value, abs=1e-6), name


@every("cell", [cell for cell, (value, _) in REFUSED.items() if value is not None])
def test_a_refused_cell_is_the_number_of_no_definition(cell):
    value, reason = REFUSED[cell]
    assert reason
    for users in ("1234", "123"):
        res = rw.evaluate(LISTS, {user: TRUTH[user] for user in users}, list(DEFINED), policy=rw.Policy(ties="order", undefined="zero"))  # fmt: skip
        assert not any(math.isclose(value, each, abs_tol=1e-6) for each in res.mean.values())


@every("metric", DEFINED)
def test_every_definition_in_use_is_a_switch(metric):
    res = rw.evaluate(LISTS, TRUTH, metric, policy=rw.Policy(ties="order", undefined="zero"))
    assert res[metric] == pytest.approx(DEFINED[metric], abs=1e-6)
