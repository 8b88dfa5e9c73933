"""Runs in memory fused in one way: WAY RUN RUN RUN. Runs where rankwell is installed."""

from __future__ import annotations

import json
import sys
import time
from statistics import median

from fusion_words import WAYS, WEIGHTS, values

import rankwell as rw

CALLS = 5


def main() -> None:
    way, *paths = sys.argv[1:]
    runs = [rw.read_run(path) for path in paths]
    method, norm, *_ = WAYS[way]
    weights = WEIGHTS if way == "weighted" else None
    seconds = []
    for _ in range(CALLS):
        start = time.perf_counter()
        fused = rw.fuse(runs, method, norm=norm, weights=weights)
        seconds.append(time.perf_counter() - start)
    found = values(way, fused.to_frame()["score"].to_list())
    print(json.dumps({"values": found, "seconds": {"call": median(seconds)}}))


if __name__ == "__main__":
    main()
