"""rankwell beyond accuracy: REC ITEMS TRAIN [--threads=N] METRIC... Runs where rankwell is installed.

The files are Parquet.
"""

from __future__ import annotations

import json
import sys
import time

start = time.perf_counter()
import rankwell as rw  # noqa: E402  (the import is one of the phases)


def main() -> None:
    rec, items, train, *rest = sys.argv[1:]
    threads = next((int(word.removeprefix("--threads=")) for word in rest if word.startswith("--")), None)
    metrics = [word for word in rest if not word.startswith("--")]
    imported = time.perf_counter()
    results = rw.evaluate(rec, metrics=metrics, items=items, train=train, threads=threads)
    values = {name: results[name] for name in metrics}
    evaluated = time.perf_counter()
    seconds = {"import": imported - start, "evaluate": evaluated - imported}
    print(json.dumps({"values": values, "seconds": seconds}))


if __name__ == "__main__":
    main()
