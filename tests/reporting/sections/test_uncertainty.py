"""The section ``uncertainty``: its numbers in plain loops."""

from __future__ import annotations

from tests.reporting import second


def plain():
    data = second.data_of("uncertainty")
    shown, expected = {}, {}
    for table in data["tables"]:
        for row in table["rows"]:
            key = metric, one, other = table["metric"], row["first"], row["second"]
            shown[key] = row["mean"], row["n"], row["wins"], row["ties"], row["losses"]
            delta = second.mean_of(metric, one) - second.mean_of(metric, other)
            expected[key] = (delta, len(second.QUERIES), *second.outcomes(*key))
    assert len(expected) == 4  # two metrics, two systems against the baseline
    return shown, expected
