"""pytrec_eval over TREC files with all of its measures: QRELS RUN. Runs in the environment of pytrec_eval."""

from __future__ import annotations

import json
import sys

import pytrec_eval


def main() -> None:
    qrels_path, run_path = sys.argv[1:]
    with open(qrels_path) as file:
        qrels = pytrec_eval.parse_qrel(file)
    with open(run_path) as file:
        run = pytrec_eval.parse_run(file)
    by_query = pytrec_eval.RelevanceEvaluator(qrels, {"all_trec"}).evaluate(run)
    names = next(iter(by_query.values()))
    values = {
        name: pytrec_eval.compute_aggregated_measure(name, [query[name] for query in by_query.values()])
        for name in names
        if name not in ("runid", "num_q", "relstring")
    }
    print(json.dumps({"values": {name: float(value) for name, value in values.items()}, "seconds": {}}))


if __name__ == "__main__":
    main()
