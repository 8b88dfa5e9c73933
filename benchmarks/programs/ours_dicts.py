"""rankwell over dicts, each used once, values read: dict|run|once SHAPE SEED METRIC... Runs where rankwell is installed."""

from __future__ import annotations

import json
import sys

from dict_inputs import pairs, runs_of_one, seconds_per_call

import rankwell as rw


def main() -> None:
    way, shape, seed, *metrics = sys.argv[1:]
    qrels, runs = runs_of_one(shape, int(seed))
    evaluator = rw.Evaluator(qrels, metrics)
    values: list[list[float]] = []

    def reused(run: object) -> None:
        values.append(list(evaluator.evaluate(run).mean.values()))

    def once(run: object, judged: object) -> None:
        values.append(list(rw.evaluate(run, judged, metrics).mean.values()))

    if way == "dict":
        seconds = seconds_per_call(reused, ((run,) for run in runs))
    elif way == "run":
        seconds = seconds_per_call(reused, ((rw.read_run(run),) for run in runs))
    else:
        seconds = seconds_per_call(once, pairs(shape, int(seed)))
    columns = zip(metrics, zip(*values, strict=True), strict=True)
    means = {metric: sum(column) / len(column) for metric, column in columns}
    print(json.dumps({"values": means, "seconds": {"call": seconds}}))


if __name__ == "__main__":
    main()
