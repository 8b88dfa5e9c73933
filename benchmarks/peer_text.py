"""pytrec_eval over TREC files, as its users write it: QRELS RUN. Runs in the environment of pytrec_eval."""

from __future__ import annotations

import json
import sys
import time

start = time.perf_counter()
import pytrec_eval  # noqa: E402  (its import is one of the phases)

MEASURES = {"ap": "map", "ndcg@10": "ndcg_cut_10", "p@10": "P_10", "r@100": "recall_100", "rr": "recip_rank"}
ASKED = {"map", "ndcg_cut.10", "P.10", "recall.100", "recip_rank"}


def main() -> None:
    qrels_path, run_path = sys.argv[1:]
    imported = time.perf_counter()
    with open(qrels_path) as file:
        qrels = pytrec_eval.parse_qrel(file)
    with open(run_path) as file:
        run = pytrec_eval.parse_run(file)
    parsed = time.perf_counter()
    by_query = pytrec_eval.RelevanceEvaluator(qrels, ASKED).evaluate(run)
    values = {
        ours: pytrec_eval.compute_aggregated_measure(theirs, [query[theirs] for query in by_query.values()])
        for ours, theirs in MEASURES.items()
    }
    evaluated = time.perf_counter()
    seconds = {"import": imported - start, "load": parsed - imported, "evaluate": evaluated - parsed}
    print(json.dumps({"values": {name: float(value) for name, value in values.items()}, "seconds": seconds}))


if __name__ == "__main__":
    main()
