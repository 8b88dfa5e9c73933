"""What pyNTCIREVAL computes for lists and relevant items."""

from __future__ import annotations


def pyntcireval(lists, truth, k):
    """The means over all judged users of some metrics of the tool, by our names; both arguments are {user: [item]}, best first."""
    from pyNTCIREVAL.metrics import AP, RR, Hit, MSnDCG, Precision

    found = {f"{name}@{k}": [] for name in ("ap", "ndcg", "p", "hit", "rr")}
    for user, wanted in truth.items():
        listed = [(item, int(item in wanted)) for item in lists.get(user, [])[:k]]
        levels = [0, len(wanted)]  # how many items have grade 0, and grade 1
        metrics = AP(levels, [1], k), MSnDCG(levels, [1], k), Precision(k), Hit(k), RR()
        for values, metric in zip(found.values(), metrics, strict=True):
            values.append(metric.compute(listed) if listed else 0.0)
    return {name: sum(values) / len(values) for name, values in found.items()}
