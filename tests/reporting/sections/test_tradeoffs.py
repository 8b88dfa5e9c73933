"""The section ``tradeoffs``: its numbers in plain loops."""

from __future__ import annotations

from tests.reporting import second


def plain():
    (picture,) = second.data_of("tradeoffs")["pictures"]
    shown = {row["system"]: (row["x"], row["y"]) for row in picture["systems"]}
    expected = {
        system: tuple(second.mean_of(metric, system) for metric in (picture["x"], picture["y"]))
        for system in second.RUNS
    }
    front = [
        system
        for system, (x, y) in expected.items()
        if not any(a >= x and b >= y and (a, b) != (x, y) for a, b in expected.values())
    ]
    return shown | {"front": ", ".join(sorted(picture["front"]))}, expected | {
        "front": ", ".join(sorted(front))
    }
