"""Print what every registered metric gives on the bundled data, and a hash of it: python tools/fingerprint.py [FILE]

Two checkouts with the same hash give the same numbers to the last bit: values per query, means, counts of queries, and why a metric
could not be computed. FILE keeps the lines, for a diff where the hashes are not the same.
"""

from __future__ import annotations

import hashlib
import sys
import warnings
from pathlib import Path

import polars as pl

import rankwell as rw

# metrics that cannot be asked for by their name and a cut-off alone
WITH_PARAMETERS = (
    "ips(metric=p@10)",
    "snips(metric=ndcg@10)",
    "serendipity_kotkov(distance=0.5)@10",
    "exposure(groups=genres)@10",
)
DATA = Path(rw.__file__).parent / "data"
MOVIES, SEARCH = DATA / "movietweetings", DATA / "trec_eval"


def inputs() -> dict[str, tuple[object, object, dict[str, object]]]:
    """Return runs, judgements and tables by name: a recommender's, a search engine's, and one with topics made from these."""
    found: dict[str, tuple[object, object, dict[str, object]]] = {}
    # two groups of items, and chances of being observed, by a rule on the row: the bundled tables have neither
    items = pl.read_parquet(MOVIES / "items.parquet").with_columns(
        group=pl.lit("a") + (pl.int_range(pl.len()) % 2).cast(str)
    )
    test = pl.read_parquet(MOVIES / "test.parquet").with_columns(
        propensity=(1 + pl.int_range(pl.len()) % 10) / 10
    )
    tables = {"train": MOVIES / "train.parquet", "items": items}
    for run in (MOVIES / f"{name}.parquet" for name in ("als", "itemknn", "popular", "random")):
        found[run.name] = run, test, {**tables, "rel": 7}
    qrels = next(iter(sorted(SEARCH.glob("qrels*"))))
    for run in sorted(SEARCH.glob("results*")):
        found[run.name] = run, qrels, {"format_in": "trec"}
        lines = [line.split() for line in qrels.read_text().splitlines()]
        # subtopics 1 to 3 by a rule on the line, so that metrics of diversity have something to say
        topics = [(q, str(1 + n % 3), d, int(g)) for n, (q, _, d, g) in enumerate(lines)]
        frame = pl.DataFrame(topics, schema=["query", "topic", "item", "grade"], orient="row")
        found[f"{run.name} with topics"] = rw.read_run(run, format_in="trec"), frame, {}
    return found


def lines() -> list[str]:
    """Return a line for each data set, metric and query."""
    classes = sorted(rw.metrics.classes(), key=lambda cls: cls.name)
    made = [text for cls in classes for text in (cls.name, f"{cls.name}@10")] + list(WITH_PARAMETERS)
    found = []
    for data, (run, qrels, tables) in inputs().items():
        for text in made:
            try:
                res = rw.evaluate(run, qrels, [text], **tables)
                frame = res.per_query
                values = [] if frame is None else frame.rows()
                found += [f"{data}\t{text}\tmean\t{name}\t{res.mean[name]!r}" for name in res.mean]
                for query, *numbers in values:
                    found.append(
                        f"{data}\t{text}\t{query}\t"
                        + "\t".join("" if x is None else float(x).hex() for x in numbers)
                    )
            except rw.RankwellError as error:
                found.append(f"{data}\t{text}\t{type(error).__name__}")
    return found


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    text = "\n".join(lines()) + "\n"
    if sys.argv[1:]:
        Path(sys.argv[1]).write_text(text, encoding="utf-8")
    numbers = sum("\t0x" in line or "\t-0x" in line for line in text.splitlines())
    print(
        f"{text.count(chr(10)):,} lines, {numbers:,} with values, SHA-256 {hashlib.sha256(text.encode()).hexdigest()}"
    )
