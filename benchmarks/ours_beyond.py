"""rankwell beyond accuracy: REC ITEMS TRAIN [--users=N] METRIC... Runs where rankwell is installed.

The files are Parquet. With --users, the rows of the first N users are in memory before the time is taken.
"""

from __future__ import annotations

import json
import sys
import time

start = time.perf_counter()
import rankwell as rw  # noqa: E402  (the import is one of the phases)


def first_users(path: str, user: str, users: int) -> object:
    import polars as pl

    return pl.scan_parquet(path).filter(pl.col(user) < users).collect()


def main() -> None:
    rec, items, train, *rest = sys.argv[1:]
    limit = next((int(word.removeprefix("--users=")) for word in rest if word.startswith("--users=")), None)
    metrics = [word for word in rest if not word.startswith("--")]
    imported = time.perf_counter()
    if limit is None:
        run, log = rec, train
    else:
        run, log = first_users(rec, "user_id", limit), first_users(train, "query", limit)
    loaded = time.perf_counter()
    results = rw.evaluate(run, metrics=metrics, items=items, train=log)
    values = {name: results[name] for name in metrics}
    evaluated = time.perf_counter()
    seconds = {"import": imported - start, "load": loaded - imported, "evaluate": evaluated - loaded}
    print(json.dumps({"values": values, "seconds": seconds}))


if __name__ == "__main__":
    main()
