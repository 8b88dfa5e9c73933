"""Evaluation on Sail, a server of Spark Connect without a JVM; and the command line, which connects to it."""

from __future__ import annotations

import json
import subprocess
import sys

import polars as pl
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from tests.evaluation.engines.spark.suite import Suite, compared_by_sums
from tests.evaluation.engines.stream.test_stream import frame, made

import rankwell as rw
from rankwell.cli import run as command
from rankwell.evaluation.engines.spark.engine import connect
from rankwell.evaluation.engines.spark.workers import our_errors

# A process of its own, as in life: within that of its client, an answer came damaged about once in a thousand tests.
SERVER = """
import sys
from pysail.spark import SparkConnectServer
server = SparkConnectServer()
server.start(background=True)
print(server.listening_address[1], flush=True)
sys.stdin.read()
server.stop()
"""


@pytest.fixture(scope="module")
def address():
    with subprocess.Popen(
        [sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        place = f"sc://127.0.0.1:{server.stdout.readline().strip()}"
        yield place
        connect(place).stop()  # or its client would look for the server for minutes
        server.stdin.close()


@pytest.fixture(scope="module")
def spark(address):
    session = SparkSession.builder.remote(address).getOrCreate()
    yield session
    session.stop()


class TestSail(Suite):
    """A session of Sail."""

    def test_a_hundred_thousand_queries_are_compared_by_sums_without_being_told(self, spark, monkeypatch):
        compared_by_sums(spark, monkeypatch, 100_300, {"baseline": "old"}, {"missing": "skip"})


def test_a_job_that_spark_connect_does_not_take_is_one_clear_error():
    with (
        pytest.raises(rw.RankwellError, match=r"are 305 MiB, and Spark Connect takes at most 128 MiB"),
        our_errors(),
    ):
        raise PySparkException(
            "status = RESOURCE_EXHAUSTED: Sent message larger than max (320006412 vs. 134217728)"
        )


def test_the_command_line_connects_to_an_address(address, tmp_path, capsys):
    run, qrels = (frame(table, word) for table, word in zip(made(), ("score", "grade"), strict=True))
    tables = {"qrels": qrels, "new": run, "old": run.with_columns(score=-pl.col("score"))}
    for name, table in tables.items():
        table.write_parquet(tmp_path / f"{name}.parquet")
    paths = {name: str(tmp_path / f"{name}.parquet") for name in tables}
    remote = ["-m", "ap,ndcg@5", "--format", "json", "--engine", "spark", "--remote", address]
    assert command(["evaluate", paths["qrels"], paths["new"], *remote, "--per-query"]) == 0
    [found], whole = json.loads(capsys.readouterr().out)["runs"], rw.evaluate(run, qrels, ["ap", "ndcg@5"])
    assert found["mean"] == whole.mean
    assert found["run"] == "new"
    assert found["per_query"] == whole.to_dict(per_query=True)["per_query"]
    named = [f"{name}={paths[name]}" for name in ("old", "new")]
    assert command(["compare", paths["qrels"], *named, "--baseline", "old", *remote]) == 0
    compared = json.loads(capsys.readouterr().out)
    assert command(["compare", paths["qrels"], *named, "--baseline", "old", *remote[:4]]) == 0
    assert compared == json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--remote", "sc://127.0.0.1:1"], "'sc://127.0.0.1:1': nobody answers there"),
        (["--remote", "http://x"], "an address is sc://host:port"),
        (["--engine", "stream", "--remote", "sc://x"], "--remote is for --engine spark"),
        (["--engine", "spark", "--memory", "2GiB"], "--memory and --resume are for --engine stream"),
    ],
    ids=lambda each: each[-1] if isinstance(each, list) else None,
)
def test_addresses_where_nothing_is(options, said, tmp_path, capsys):
    run, qrels = (frame(table, word) for table, word in zip(made(), ("score", "grade"), strict=True))
    run.write_parquet(tmp_path / "run.parquet")
    qrels.write_parquet(tmp_path / "qrels.parquet")
    paths = [str(tmp_path / f"{name}.parquet") for name in ("qrels", "run")]
    assert command(["evaluate", *paths, "-m", "ap", *options]) == 2
    assert said in capsys.readouterr().err
