"""Runs in memory fused in one way by ranx: WAY RUN RUN RUN. Runs in the environment of ranx.

What it compiles, it compiles in a first call, on the first query alone, which is not timed.
"""

from __future__ import annotations

import json
import sys
import time
from statistics import median

from fusion_words import WAYS, values
from ranx import Run, fuse

CALLS = 3


def read(path: str) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    with open(path) as file:
        for line in file:
            query, _, item, _, score, _ = line.split()
            found.setdefault(query, {})[item] = float(score)
    return found


def main() -> None:
    way, *paths = sys.argv[1:]
    _, _, method, norm, parameters = WAYS[way]
    lists = [read(path) for path in paths]
    first = next(iter(lists[0]))
    fuse([Run({first: each[first]}) for each in lists], norm=norm, method=method, params=dict(parameters))
    runs = [Run(each) for each in lists]
    del lists
    seconds = []
    for _ in range(CALLS):
        start = time.perf_counter()
        fused = fuse(runs, norm=norm, method=method, params=dict(parameters))
        seconds.append(time.perf_counter() - start)
    found = values(way, (score for items in fused.run.values() for score in items.values()))
    print(json.dumps({"values": found, "seconds": {"call": median(seconds)}}))


if __name__ == "__main__":
    main()
