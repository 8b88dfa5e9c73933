"""The section ``segments``: its numbers in plain loops."""

from __future__ import annotations

from tests.reporting import second


def plain():
    shown, expected = {}, {}
    for table in second.data_of("segments")["tables"]:
        for row in table["rows"]:
            own = [q for q in second.QUERIES if row["is_all"] or second.HALF[q] == row["segment"]]
            for system, cell in zip(table["systems"], row["cells"], strict=True):
                key = table["metric"], row["segment"], system
                shown[key] = cell["mean"], cell["n"]
                expected[key] = second.mean_of(table["metric"], system, own), len(own)
    assert len(expected) == 2 * 3 * 3
    return shown, expected
