"""A backtest of MovieTweetings: ours (12 origins, four recommenders each, a trend of each) | plain (its pairs by plain datetimes)."""

from __future__ import annotations

import datetime as dt
import json
import sys
import zlib
from collections.abc import Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.evidence import evidence

LOG = evidence("movietweetings-100k") / "ratings.dat"
DAYS = 14
KINDS = "random", "popular", "recent", "ideal"


def checksum(lines: Iterable[str]) -> int:
    """Return one number of some lines of the log, in their order."""
    return zlib.crc32("\n".join(lines).encode())


def ours() -> dict[str, float]:
    """Evaluate the recommenders at each origin, and return what tells the pairs apart."""
    import polars as pl

    import rankwell as rw

    values: dict[str, float] = {}
    results: dict[str, dict[dt.date, rw.Results]] = {kind: {} for kind in KINDS}
    for pair in rw.prepare.backtest(str(LOG), every=f"{DAYS}d", horizon=f"{DAYS}d"):
        lists = rw.prepare.baselines(pair.train, pair.test, k=10, kinds=KINDS).lists
        for kind, run in lists.items():
            results[kind][pair.origin] = rw.evaluate(run, pair.test, ["ndcg@10"], rel=7)
        for side in ("train", "test"):
            rows = getattr(pair, side).select(pl.concat_str(pl.all().cast(pl.String), separator="::"))
            values[f"{pair.origin} {side}"] = checksum(rows.to_series())
    for kind, by_origin in results.items():
        print(kind, rw.trend(by_origin), sep="\n")
    return values


def plain() -> dict[str, float]:
    """Return the same numbers of pairs that a loop over the lines makes."""
    lines = LOG.read_text(encoding="utf-8").splitlines()
    moments = [dt.datetime.fromtimestamp(int(line.rpartition(":")[2]), dt.UTC) for line in lines]
    first, last = (dt.datetime.combine(end(moments).date(), dt.time(), dt.UTC) for end in (min, max))
    step, values = dt.timedelta(days=DAYS), {}
    origin = first + step
    while origin + step <= last + dt.timedelta(days=1):
        for side, start, end in (("train", first, origin), ("test", origin, origin + step)):
            own = (line for line, moment in zip(lines, moments, strict=True) if start <= moment < end)
            values[f"{origin.date()} {side}"] = checksum(own)
        origin += step
    return values


if __name__ == "__main__":
    print(json.dumps({"values": {"ours": ours, "plain": plain}[sys.argv[1]]()}))
