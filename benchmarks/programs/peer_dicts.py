"""pytrec_eval over dicts, each used once: dict|run|once SHAPE SEED METRIC... Runs in the environment of pytrec_eval.

The means are not in its time, which favours it.
"""

from __future__ import annotations

import json
import sys
from statistics import mean

import pytrec_eval
from dict_inputs import pairs, runs_of_one, seconds_per_call
from peer_text import ASKED, MEASURES


def main() -> None:
    way, shape, seed, *metrics = sys.argv[1:]
    measures = {MEASURES[metric] for metric in metrics}
    asked = {one for one in ASKED if one.replace(".", "_") in measures}
    qrels, runs = runs_of_one(shape, int(seed))
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, asked)
    found: list[dict[str, dict[str, float]]] = []
    if way == "once":
        seconds = seconds_per_call(
            lambda run, judged: found.append(pytrec_eval.RelevanceEvaluator(judged, asked).evaluate(run)),
            pairs(shape, int(seed)),
        )
    else:
        seconds = seconds_per_call(
            lambda run: found.append(evaluator.evaluate(run)), ((run,) for run in runs)
        )
    values = {
        metric: mean(mean(query[MEASURES[metric]] for query in one.values()) for one in found)
        for metric in metrics
    }
    print(json.dumps({"values": values, "seconds": {"call": seconds}}))


if __name__ == "__main__":
    main()
