"""pytrec_eval over dicts, its evaluator made once: SHAPE. Runs in the environment of pytrec_eval."""

from __future__ import annotations

import json
import sys

import pytrec_eval
from dict_inputs import make, seconds_per_call
from peer_text import ASKED, MEASURES


def main() -> None:
    run, qrels = make(sys.argv[1])
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, ASKED)

    def means() -> dict[str, float]:
        by_query = evaluator.evaluate(run)
        return {
            ours: pytrec_eval.compute_aggregated_measure(
                theirs, [query[theirs] for query in by_query.values()]
            )
            for ours, theirs in MEASURES.items()
        }

    seconds = {
        "dict": seconds_per_call(lambda: evaluator.evaluate(run)),
        "dict, with means": seconds_per_call(means),
    }
    print(json.dumps({"values": {name: float(value) for name, value in means().items()}, "seconds": seconds}))


if __name__ == "__main__":
    main()
