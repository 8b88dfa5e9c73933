"""α-nDCG of a run by pyndeval, files read and evaluated: QRELS RUN METRIC CALLS. Runs in the environment of pyndeval."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from pyndeval import ScoredDoc, SubtopicQrel, ndeval


def judgements(path: str) -> Iterator[SubtopicQrel]:
    with Path(path).open() as lines:
        for line in lines:
            query, topic, item, grade = line.split()
            yield SubtopicQrel(query, topic, item, int(grade))


def scored(path: str) -> Iterator[ScoredDoc]:
    with Path(path).open() as lines:
        for line in lines:
            query, _, item, _, score, _ = line.split()
            yield ScoredDoc(query, item, float(score))


def main() -> None:
    qrels, run, metric, calls = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
    seconds = []
    for _ in range(calls):
        start = time.perf_counter()
        values = ndeval(judgements(qrels), scored(run), measures=[metric])
        mean = sum(each[metric] for each in values.values()) / len(values)
        seconds.append(time.perf_counter() - start)
    print(json.dumps({"values": {metric: mean}, "seconds": {"read and evaluate": median(seconds)}}))


if __name__ == "__main__":
    main()
