"""rankwell over dicts, the Evaluator made once: SHAPE. Runs where rankwell is installed."""

from __future__ import annotations

import json
import sys

from dict_inputs import make, seconds_per_call

import rankwell as rw

METRICS = ["ap", "ndcg@10", "p@10", "r@100", "rr"]


def main() -> None:
    run, qrels = make(sys.argv[1])
    evaluator = rw.Evaluator(qrels, METRICS)
    prepared = rw.read_run(run)
    results = evaluator.evaluate(run)
    seconds = {
        "dict, with means": seconds_per_call(lambda: evaluator.evaluate(run).mean),
        "prepared run, with means": seconds_per_call(lambda: evaluator.evaluate(prepared).mean),
        "prepared run, with frame": seconds_per_call(lambda: evaluator.evaluate(prepared).per_query),
    }
    print(json.dumps({"values": {name: results[name] for name in METRICS}, "seconds": seconds}))


if __name__ == "__main__":
    main()
