"""NIST's expected output for preferences and judgement groups, as expectations of rankwell's own metrics."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tests.evidence import evidence

from .collections_data import VERSION_10, Expectation

# equal scores in ascending order of ids, and every level a level
PREFERENCES: dict[str, Any] = {**VERSION_10, "ties": "item-asc", "negative": "nonrelevant", "missing": "skip"}
GROUPED: dict[str, Any] = {**VERSION_10, "missing": "skip"}
NAMES = {
    "prefs_num_prefs_poss": ("prefs_num_poss",),
    "prefs_num_prefs_ful": ("prefs_num_ful",),
    "prefs_num_prefs_ful_ret": ("prefs_num_ful", "pairs=both"),
    "prefs_simp": ("prefs_simp",),
    "prefs_simp_ret": ("prefs_simp", "pairs=both"),
    "prefs_simp_imp": ("prefs_simp", "pairs=one"),
    "prefs_pair": ("prefs_pair",),
    "prefs_pair_ret": ("prefs_pair", "pairs=both"),
    "prefs_pair_imp": ("prefs_pair", "pairs=one"),
    "prefs_avgjg": ("prefs_avgjg", "over=all"),
    "prefs_avgjg_ret": ("prefs_avgjg", "over=all", "pairs=both"),
    "prefs_avgjg_imp": ("prefs_avgjg", "over=all", "pairs=one"),
    "prefs_avgjg_Rnonrel": ("prefs_avgjg_rnonrel", "over=all", "rule=trec_eval"),
    "prefs_avgjg_Rnonrel_ret": ("prefs_avgjg_rnonrel", "over=all", "rule=trec_eval", "pairs=both"),
}
FILES: list[tuple[str, str, str, dict[str, Any], tuple[str, ...]]] = [
    ("out.test.prefs", "prefs.test", "prefs.results.test", PREFERENCES, ()),
    ("out.test.qrels_prefs", "qrels.test", "results.test", PREFERENCES, ("groups=query",)),
    ("out.test.qrels_jg", "qrels.123", "results.test", GROUPED, ()),
]


def topic_metric(measure: str, more: tuple[str, ...]) -> str | None:
    """The metric text of a measure of preferences or judgement groups; None for another line."""
    if measure in NAMES:
        name, *parameters = NAMES[measure]
        inside = ",".join([*parameters, *more])
        return f"{name}({inside})" if inside else name
    inner = {"map_avgjg": "ap(denom=R)"}.get(measure)
    if found := re.fullmatch(r"P_avgjg_(\d+)", measure):
        inner = f"p@{found[1]}"
    if found := re.fullmatch(r"Rprec_mult_avgjg_(.*)", measure):
        multiple = float(found[1])
        inner = "rprec" if multiple == 1 else f"rprec(multiple={multiple:g},levels=trec9)"
    return None if inner is None else f"by_topic(metric={inner},over=all)"


def topic_expectations() -> Iterator[Expectation]:
    """Every row of the expected files about preferences and judgement groups."""
    folder = evidence("trec_eval")
    for name, qrels, run, policy, more in FILES:
        for line in (folder / name).read_text().splitlines():
            measure, query, value = line.split()
            metric = topic_metric(measure, more)
            if metric is not None:
                yield Expectation(
                    "trec_eval", folder / run, folder / qrels, measure, query, value, metric, policy, f"trec_eval/{name}"
                )  # fmt: skip
