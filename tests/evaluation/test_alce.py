"""What ALCE's citation recall and precision are, in plain loops, and that they are refused with what differs."""

from __future__ import annotations

import json

import pytest
from tests.evidence import evidence

import rankwell as rw

SHAPES = evidence("shapes")
VERDICTS = json.loads((SHAPES / "alce" / "made_up_verdicts.json").read_text(encoding="utf-8"))
PRINTED = json.loads((SHAPES / "answers_truth.json").read_text(encoding="utf-8"))["alce"]
# what each verdict says of a citation by itself
ANSWER = {
    "query": ["q"] * 5, "part": [1, 2, 2, 3, 4], "item": ["d1", "d2", "d3", None, "[9]"], "support": [1, 1, 0, None, 0],
}  # fmt: skip


def formula(verdicts):
    """ALCE's recall and precision in percent: of the passages of a sentence together, and of each if it is needed."""
    supported = needed = counted = 0
    for each in verdicts:
        if each["cited"] and not each.get("out_of_range"):
            counted += len(each["cited"])
            supported += each["joint"]
            for document in map(str, each["cited"]):
                alone = len(each["cited"]) == 1 or each["alone"][document]
                needed += each["joint"] and (alone or not each["without"][document])
    return 100 * supported / len(verdicts), 100 * needed / counted


def test_the_formula_gives_what_alce_printed():
    assert formula(VERDICTS) == pytest.approx((PRINTED["citation_rec"], PRINTED["citation_prec"]))


@pytest.mark.parametrize("metric", ["citation_p", "citation_r"])
def test_rosetta_says_in_what_alce_differs(metric):
    [table] = rw.rosetta(ANSWER, None, metric)
    assert [line.tool for line in table.lines] == ["rankwell"]
    [note] = table.notes
    assert note.startswith(f"ALCE: {metric} is not reproduced: ")
    with pytest.raises(rw.RankwellError, match=f"the preset for ALCE 246c476 does not reproduce {metric}"):
        rw.evaluate(ANSWER, None, [metric], preset="alce")


def test_support_of_single_citations_gives_other_numbers():
    found = rw.evaluate(ANSWER, None, ["citation_p(which=all)", "citation_r(which=all)"]).mean
    assert list(found.values()) == [0.5, 0.5]  # ALCE: 66.7 and 50 percent
