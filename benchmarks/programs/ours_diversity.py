"""rankwell's α-nDCG of a run, files read and evaluated: QRELS RUN METRIC NAME CALLS. Runs where rankwell is installed."""

from __future__ import annotations

import json
import sys
import time
from statistics import median

import rankwell as rw

AS_PYNDEVAL = rw.Policy(ties="item-asc", missing="skip", undefined="zero")


def main() -> None:
    qrels, run, metric, name, calls = *sys.argv[1:5], int(sys.argv[5])
    seconds = []
    for _ in range(calls):
        start = time.perf_counter()
        value = rw.evaluate(run, qrels, metric, policy=AS_PYNDEVAL)[metric]
        seconds.append(time.perf_counter() - start)
    print(json.dumps({"values": {name: value}, "seconds": {"read and evaluate": median(seconds)}}))


if __name__ == "__main__":
    main()
