"""Evaluation on Spark beside Spark MLlib's RankingMetrics and Microsoft recommenders', and beside rankwell in memory.

    python -m benchmarks.spark [--users 1000000] [--times 3] [--folder FOLDER]

Lists of 20 items and 10 judgements for each user, in Parquet, are evaluated to precision, recall, MAP and nDCG at 10 under MLlib's
definitions. Each tool runs in turn, in a process of its own with a session of its own; what is timed begins with DataFrames that nobody has
read yet and ends with the four values, after the same was done once with the data of 1,000 users, so that the start of Spark is left out. It
needs build/spark (``make test-spark``), and installs Microsoft's package there without what else that package would bring.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

K, PARTITIONS = 10, 8
METRICS = ["p@10", "r@10", "ap@10", "ndcg@10"]
PYTHON = Path("build/spark/bin/python")
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.driver.memory": "8g",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": str(PARTITIONS),
}
SERVERS: list[Any] = []  # one that nobody holds stops
Evaluated = Callable[[Path], list[float]]


def jvm() -> Any:
    """Return a classic session."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]")
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


def sail() -> Any:
    """Return a session of Sail, from a server in this process."""
    from pysail.spark import SparkConnectServer
    from pyspark.sql import SparkSession

    server = SparkConnectServer()
    server.start(background=True)
    SERVERS.append(server)
    session = SparkSession.builder.remote(f"sc://127.0.0.1:{server.listening_address[1]}").getOrCreate()
    session.conf.set("spark.sql.shuffle.partitions", str(PARTITIONS))
    return session


def with_rankwell(engine: Any) -> Evaluated:
    """Return the evaluation by rankwell, on an engine."""
    import rankwell as rw

    def evaluated(folder: Path) -> list[float]:
        files = (str(folder / f"{name}.parquet") for name in ("run", "qrels"))
        # the definitions of MLlib, without its order of rows: rows of Spark are in none
        options = {"grades": "interactions", "missing": "skip", "undefined": "zero"}
        metrics = ["p@10", "r@10", "ap(denom=min_rk)@10", "ndcg@10"]
        res = rw.evaluate(*files, metrics, engine=engine, per_query=False, **options)
        return list(res.mean.values())

    return evaluated


def with_mllib(session: Any) -> Evaluated:
    """Return the evaluation by MLlib: lists and truth are collected by user and joined, and kept while four values are asked for."""
    from pyspark.mllib.evaluation import RankingMetrics
    from pyspark.sql import functions as sql

    def evaluated(folder: Path) -> list[float]:
        run, qrels = (session.read.parquet(str(folder / f"{name}.parquet")) for name in ("run", "qrels"))
        ordered = sql.sort_array(sql.collect_list(sql.struct("score", "item")), asc=False)
        lists = run.groupBy("query").agg(ordered.getField("item").alias("predicted"))
        truth = qrels.groupBy("query").agg(sql.collect_list("item").alias("truth"))
        both = lists.join(truth, "query").select("predicted", "truth")
        rows = both.rdd.map(lambda row: (row[0], row[1])).cache()
        metrics = RankingMetrics(rows)
        found = [
            metrics.precisionAt(K),
            metrics.recallAt(K),
            metrics.meanAveragePrecisionAt(K),
            metrics.ndcgAt(K),
        ]
        rows.unpersist()
        return found

    return evaluated


def with_microsoft(session: Any) -> Evaluated:
    """Return the evaluation by Microsoft's class on top of MLlib."""
    from recommenders.evaluation.spark_evaluation import SparkRankingEvaluation

    def evaluated(folder: Path) -> list[float]:
        run, qrels = (session.read.parquet(str(folder / f"{name}.parquet")) for name in ("run", "qrels"))
        found = SparkRankingEvaluation(
            qrels, run, k=K, col_user="query", col_item="item", col_rating="grade", col_prediction="score"
        )
        return [found.precision_at_k(), found.recall_at_k(), found.map_at_k(), found.ndcg_at_k()]

    return evaluated


TOOLS: dict[str, Callable[[], Evaluated]] = {
    "rankwell, JVM": lambda: with_rankwell(_engine(jvm())),
    "rankwell, Sail": lambda: with_rankwell(_engine(sail())),
    "rankwell, memory": lambda: with_rankwell("memory"),
    "MLlib": lambda: with_mllib(jvm()),
    "Microsoft": lambda: with_microsoft(jvm()),
}


def _engine(session: Any) -> Any:
    import rankwell as rw

    return rw.Spark(session)


def one(tool: str, few: Path, many: Path) -> None:
    """Print the seconds and the values of one tool."""
    evaluated = TOOLS[tool]()
    evaluated(few)
    begun = time.perf_counter()
    values = evaluated(many)
    print(json.dumps({"seconds": time.perf_counter() - begun, "values": values}), flush=True)
    os._exit(0)  # servers in this process take their time to stop


def measured(tool: str, few: Path, many: Path) -> dict[str, Any]:
    """Run one tool in a process of its own."""
    command = [str(PYTHON), "-m", "benchmarks.spark", "--one", tool, str(few), str(many)]
    paths = {"PYTHONPATH": os.pathsep.join(("src", "."))}
    found = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | paths)
    if found.returncode:
        raise SystemExit(f"{tool}: {found.stderr[-2000:]}")
    return json.loads(found.stdout.strip().splitlines()[-1])


def main() -> None:
    """Measure all tools in turn, and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--users", type=int, default=1_000_000)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--tools", nargs="*", default=list(TOOLS))
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        one(given.one[0], *map(Path, given.one[1:]))
        return
    from benchmarks.scale import make

    wanted = ["pip", "--disable-pip-version-check", "--quiet", "install", "--no-deps", "recommenders==1.2.1"]
    subprocess.run([str(PYTHON), "-m", *wanted], check=True)
    folder = Path(tempfile.mkdtemp(prefix="rankwell-spark-", dir=given.folder))
    try:
        few, many = folder / "few", folder / "many"
        make(few, 1_000, shuffle=False)
        make(many, given.users, shuffle=False)
        print(f"{given.users:,} users, load {os.getloadavg()[0]:.1f}, {len(os.sched_getaffinity(0))} cores")
        found: dict[str, list[dict[str, Any]]] = {tool: [] for tool in given.tools}
        for _ in range(given.times):
            for tool in given.tools:
                found[tool].append(measured(tool, few, many))
                print(f"  {tool}: {found[tool][-1]['seconds']:.1f} s", flush=True)
        own = statistics.median(each["seconds"] for each in found[given.tools[0]])
        wanted_values = found[given.tools[0]][0]["values"]
        print(f"{'tool':18} {'seconds':>8} {'lowest':>8} {'highest':>8} {'÷ first':>8}  {' '.join(METRICS)}")
        for tool, runs in found.items():
            spent = [each["seconds"] for each in runs]
            values = runs[0]["values"]
            same = all(abs(a - b) < 1e-6 for a, b in zip(values, wanted_values, strict=True))
            said = " ".join(f"{value:.6f}" for value in values) + ("" if same else " DIFFERENT")
            middle = statistics.median(spent)
            print(f"{tool:18} {middle:8.2f} {min(spent):8.2f} {max(spent):8.2f} {middle / own:8.2f}  {said}")
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
