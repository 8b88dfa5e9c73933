"""The ways of fusing that both sides time, and the values that are compared: no order of equal scores changes them."""

from __future__ import annotations

from collections.abc import Iterable

WEIGHTS = [0.5, 0.3, 0.2]
# a name of ours, our norm, the name and the norm of ranx, its parameters
WAYS = {
    "rrf": ("rrf", None, "rrf", None, {"k": 60}),
    "mnz": ("comb_mnz", "min-max", "mnz", "min-max", {}),
    "med": ("comb_med", "sum", "med", "sum", {}),
    "weighted": ("weighted", "z", "wsum", "zmuv", {"weights": WEIGHTS}),
}
BY_RANK = ("rrf",)


def values(way: str, scores: Iterable[float]) -> dict[str, float]:
    """The number of fused items and the mean score; of methods that read scores the mean square too."""
    listed = list(scores)
    n = len(listed)
    found = {f"{way} items": float(n), f"{way} mean": sum(listed) / n}
    return found if way in BY_RANK else found | {f"{way} mean square": sum(x * x for x in listed) / n}
