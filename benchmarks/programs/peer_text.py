"""pytrec_eval over TREC files, as its users write it: QRELS RUN... Runs in the environment of pytrec_eval."""

from __future__ import annotations

import json
import sys
import time

start = time.perf_counter()
import pytrec_eval  # noqa: E402  (its import is one of the phases)

MEASURES = {"ap": "map", "ndcg@10": "ndcg_cut_10", "p@10": "P_10", "r@100": "recall_100", "rr": "recip_rank"}
ASKED = {"map", "ndcg_cut.10", "P.10", "recall.100", "recip_rank"}


def main() -> None:
    qrels_path, *run_paths = sys.argv[1:]
    imported = time.perf_counter()
    with open(qrels_path) as file:
        qrels = pytrec_eval.parse_qrel(file)
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, ASKED)
    values: dict[str, float] = {}
    seconds = {"import": imported - start, "load": 0.0, "evaluate": 0.0}
    for number, path in enumerate(run_paths):
        begun = time.perf_counter()
        with open(path) as file:
            run = pytrec_eval.parse_run(file)
        parsed = time.perf_counter()
        of = f"run {number}, " if len(run_paths) > 1 else ""
        values |= {of + name: value for name, value in means(evaluator.evaluate(run)).items()}
        seconds["load"] += parsed - begun
        seconds["evaluate"] += time.perf_counter() - parsed
    print(json.dumps({"values": values, "seconds": seconds}))


def means(by_query: dict[str, dict[str, float]]) -> dict[str, float]:
    return {
        ours: float(
            pytrec_eval.compute_aggregated_measure(theirs, [query[theirs] for query in by_query.values()])
        )
        for ours, theirs in MEASURES.items()
    }


if __name__ == "__main__":
    main()
