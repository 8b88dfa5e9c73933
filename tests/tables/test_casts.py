"""Numbers that people give become 64-bit integers in a few places, each of which looks at them first: a cast wraps in silence."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.every import every

import rankwell as rw
from rankwell.readers import read_items
from rankwell.tables.ids import Ids

SOURCE = Path(rw.__file__).parent
ROOMS = "comparison", "compat", "efficiency", "matching", "judging", "prepare", "readers", "tables"
# what is cast, by file and function, and why no number becomes another one
SAFE = {
    ("comparison/compare/compare.py", "_pairs"): "places of systems",
    (
        "comparison/compare/decisions.py",
        "_column",
    ): "counts; NumPy refuses a Python integer that does not fit",
    ("comparison/diff.py", "outcomes_of"): "truth values",
    ("comparison/jackknife.py", "rows"): "numbers below that of the groups",
    ("comparison/compare/comparison.py", "_array"): "NumPy refuses a Python integer that does not fit",
    ("comparison/compare/comparison.py", "_load"): "NumPy refuses a Python integer that does not fit",
    ("comparison/compare/spread.py", "in_order"): "codes",
    ("comparison/compare/trainings.py", "_pool"): "places",
    ("compat/ndeval/values.py", "weights_of"): "ranks that rankwell gave",
    ("compat/ndeval/values.py", "naturals"): "_numbers refuses what is not from 0 to MOST",
    ("compat/trec_eval/values.py", "__init__"): "row numbers",
    ("efficiency/estimates.py", "histogram"): "clipped to an hour of microseconds",
    ("efficiency/load.py", "due"): "refuses times that do not fit",
    ("matching/mismatch.py", "_some"): "row numbers",
    ("matching/mismatch.py", "rewrite_rows"): "lengths of text",
    ("matching/mismatch.py", "sample_evenly"): "row numbers",
    ("matching/lists.py", "with_ranks"): "refuses what is no whole number, or too large",
    (
        "judging/sampled_ranks.py",
        "logged_ranks",
    ): "refuses what is no whole number up to that of the candidates",
    ("judging/sampled_ranks.py", "ranks_in_run"): "ranks that rankwell gave",
    ("judging/sampled_ranks.py", "groups_of"): "at most the number of outcomes",
    ("judging/sampled_ranks.py", "limits_for"): "at most the number of negatives",
    ("judging/sampled_ranks.py", "places_for"): "at most the number of candidates",
    ("judging/choice.py", "told"): "places of candidates",
    ("judging/samples.py", "_strata"): "at most the number of strata",
    ("judging/samples.py", "allocate"): "at most the sizes of the strata",
    ("judging/samples.py", "_sizes_of_strata"): "refuses more than MOST items",
    ("judging/estimators.py", "ideal"): "at most the number of discounts",
    ("judging/estimators.py", "infndcg"): "ranks that rankwell gave",
    ("judging/samples.py", "_prior"): "ranks that rankwell gave",
    ("judging/method.py", "effects"): "ranks that rankwell gave",
    ("judging/consensus.py", "_number"): "places",
    ("judging/consensus.py", "_numbers"): "read_sheet refuses grades beyond MOST",
    ("judging/consensus.py", "_rate_judges"): "counts",
    ("judging/pools.py", "best_rank"): "ranks that rankwell gave",
    ("prepare/splits.py", "_by_user_time"): "a share of a number of rows",
    ("prepare/pairs.py", "places"): "they were just compared with 1, 2, 3 …",
    ("prepare/references.py", "at_random"): "places drawn from a range",
    ("prepare/tiers.py", "_repeat_rows"): "repetitions, which are checked to be whole and few",
    ("prepare/leaks.py", "moments"): "refuses times out of range",
    ("readers/memory/dicts.py", "lists"): "lengths of lists",
    ("readers/memory/dicts.py", "_lists"): "lengths of lists",
    ("readers/memory/matrices.py", "_stored"): "offsets, which SciPy has checked",
    ("readers/memory/matrices.py", "whole_numbers"): "refuses what does not fit",
    ("readers/top_k.py", "seen_of"): "offsets, which SciPy has checked",
    ("tables/ids.py", "draws"): "numbers of rows and of draws",
    ("tables/features.py", "__init__"): "numbers of words",
    ("tables/ids.py", "of"): "NumPy refuses a Python integer that does not fit",
    ("tables/ids.py", "of_integers"): "refuses what does not fit",
    ("tables/ids.py", "text_order"): "row numbers",
    ("tables/items_users.py", "labels"): "codes",
    ("tables/popularity.py", "parts"): "truth values",
    ("tables/states.py", "sums_in_halves"): "parts of at most 62 bits",
    ("tables/states.py", "group_means"): "counts",
}
MAKERS = "array", "asarray", "ascontiguousarray", "fromiter"


def casts():
    """Every cast of values to int64 in the rooms that see what people give, as (file, function)."""
    for room in ROOMS:
        for file in sorted((SOURCE / room).rglob("*.py")):
            tree = ast.parse(file.read_text(encoding="utf-8"))
            for function in ast.walk(tree):
                if isinstance(function, ast.FunctionDef):
                    for call in ast.walk(function):
                        if (
                            isinstance(call, ast.Call)
                            and isinstance(call.func, ast.Attribute)
                            and is_cast(call)
                        ):
                            yield str(file.relative_to(SOURCE)), function.name


def is_cast(call):
    given = [ast.unparse(each) for each in (*call.args, *(each.value for each in call.keywords))]
    return "np.int64" in given and call.func.attr in (*MAKERS, "astype")


def test_every_cast_to_int64_is_one_whose_values_are_known_to_fit():
    found = set(casts())
    assert found - SAFE.keys() == set(), "look at the values first, or say in SAFE why they fit"
    assert SAFE.keys() - found == set()


LARGE = [2**63, 2**64 - 1]
WAYS = {
    "uint64": lambda value: np.array([value, 1], np.uint64),
    "objects": lambda value: np.array([value, 1], object),
    "floats": lambda value: np.array([float(value), 1.0]),
    "list": lambda value: [value, 1],
    "Polars": lambda value: pl.Series([value, 1], dtype=pl.UInt64),
}


@every("way", WAYS)
@every("value", LARGE)
def test_ids_that_do_not_fit_are_refused_and_never_negative(way, value):
    ids = WAYS[way](value)
    made = [
        lambda: Ids.of_column(ids, "item"),
        lambda: rw.Run(query=[1, 1], item=ids, score=[1.0, 2.0]),
        lambda: rw.Run(query=ids, item=[1, 1], score=[1.0, 2.0]),
        lambda: rw.Qrels(query=[1, 1], item=ids, grade=[1, 0]),
        lambda: read_items(ids),
        lambda: rw.evaluate({1: list(ids)}, {1: {-1: 1}}, ["rr"]),
        lambda: rw.evaluate({1: [1]}, {1: {1: 1}}, ["rr"], slices={"x": ids}),
        lambda: rw.evaluate({1: [1]}, {1: {1: 1}}, ["coverage@1"], items=ids),
        lambda: rw.evaluate({1: [1]}, {1: {1: 1}}, ["epc@1"], train={1: list(ids)}),
        lambda: rw.top_k(np.array([[0.1, 0.9]]), 1, items=ids),
        lambda: rw.top_k(np.array([[0.1, 0.9], [1, 2]]), 1, queries=ids),
    ]
    for make in made:
        with pytest.raises(rw.RankwellError):
            make()


def test_the_largest_id_that_fits_is_kept():
    most = 2**63 - 1
    run = rw.Run(query=[1], item=np.array([most], np.uint64), score=[1.0])
    assert rw.evaluate(run, {1: {most: 1}}, ["rr"])["rr"] == 1.0
