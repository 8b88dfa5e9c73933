"""The section ``answer``: its numbers in plain loops."""

from __future__ import annotations

from tests.reporting import second


def plain():
    data = second.data_of("answer", primary="p@3")
    means = {system: second.mean_of("p@3", system) for system in second.RUNS}
    best = max(means["dense"], means["both"])
    counts = {row["label"]: row["value"] for row in data["compared"]}
    shown = {"difference": data["numbers"]["difference"], "n": data["numbers"]["n"]}
    shown |= {what: counts[what] for what in ("Queries", "Judgements", "Items in the catalogue")}
    expected = {"difference": best - means["bm25"], "n": len(second.QUERIES), "Queries": len(second.QUERIES)}
    expected |= {
        "Judgements": sum(map(len, second.QRELS.values())),
        "Items in the catalogue": len(second.CATALOGUE),
    }
    return shown, expected
