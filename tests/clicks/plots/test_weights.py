"""The picture of weights: its bars and what it says."""

from __future__ import annotations

import pytest
from tests.clicks.worked import columns
from tests.reporting.plots.drawing import rows_in
from tests.reporting.plots.pictures import spec_checked
from tests.reporting.second import shown_in

import rankwell as rw
from rankwell.errors import UsageError

# propensity, target under two policies
CHOSEN = [(0.5, 0.0, 0.6), (0.25, 0.5, 0.2), (0.125, 0.7, 0.1), (0.5, 0.25, 0.1), (0.01, 0.65, 0.01)] * 9


def choices(target="new"):
    rows = [(at % 2, *row) for at, row in enumerate(CHOSEN)]
    return rw.clicks.off_policy(columns(rows, "reward", "propensity", "new", "old"), target=target)


def order():
    rows = [(at, "q", item, rank, 1) for at in range(4) for rank, item in enumerate("abc", 1)]
    log = columns(rows, "impression", "query", "item", "rank", "click")
    return rw.clicks.counterfactual(log, {"q": ["b", "a"]}, [1, 0.6, 0.2], cluster=None)


def bars(weights):
    """The share of rows and of weight in each bin, in loops."""
    low, found = 2**-10, {}
    bins = [("0", 0, 0)] if 0 in weights else []
    while low <= max(weights):
        bins.append((f"{low:g} – {2 * low:g}", low, 2 * low))
        low *= 2
    for label, low, high in bins:
        own = [w for w in weights if (low <= w < high or w == low == 0)]
        found[label, "rows"] = (100 * len(own) / len(weights),)
        found[label, "weight"] = (100 * sum(own) / sum(weights),)
    first = min(
        at for at, (_, low, high) in enumerate(bins) if high and any(low <= w < high for w in weights)
    )
    empty = {label for label, _, high in bins[:first] if high}
    return {key: value for key, value in found.items() if key[0] not in empty}


def plain():
    return shown_in(rw.plot.weights(choices()), ("weight", "measure"), ("percent",)), bars(
        [new / p for p, new, _ in CHOSEN]
    )


def test_clicks_on_what_the_new_lists_lack_weigh_nothing():
    shown = shown_in(rw.plot.weights(order()), ("weight", "measure"), ("percent",))
    expected = bars([1, 1 / 0.6, 0] * 4)
    assert shown == {
        (label, measure.replace("rows", "clicks")): pytest.approx(value)
        for (label, measure), value in expected.items()
    }


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_two_policies_have_the_same_bins_and_say_how_many_rows_count(lang):
    own = choices(["new", "old"])
    chart = rw.plot.weights(own, lang=lang, dark=lang == "ko")
    spec_checked(chart)
    panels = chart.to_dict(validate=False)["vconcat"]
    assert [panel["title"]["text"].split(":")[0] for panel in panels] == ["new", "old"]
    for panel, each in zip(panels, own.policies, strict=True):
        assert f"{each.n_effective:.1f}" in panel["title"]["text"]
    labels = [row["weight"] for row in rows_in(chart, "weight", "measure")]
    half = len(labels) // 2
    assert labels[:half] == labels[half:]


@pytest.mark.parametrize("found", [choices, order])
def test_a_file_is_drawn(found, tmp_path):
    found().save(tmp_path / "found.json")
    assert rw.plot.weights(tmp_path / "found.json").to_dict() == rw.plot.weights(found()).to_dict()


def test_other_things_and_logs_without_weights_are_refused():
    with pytest.raises(
        UsageError, match=r"expected what rankwell\.clicks\.off_policy or counterfactual returns"
    ):
        rw.plot.weights(3)
    log = {"impression": [1], "query": ["q"], "item": ["a"], "rank": [1], "click": [0]}
    with pytest.raises(UsageError, match="no weights"):
        rw.plot.weights(rw.clicks.counterfactual(log, {"q": ["a"]}, [1], cluster=None))
