"""Evaluation on Apache Spark's JVM, with a session of its own."""

from __future__ import annotations

import os
import sys

import pytest
from pyspark.sql import SparkSession
from tests.evaluation.engines.spark.suite import Suite

from rankwell.evaluation.engines.spark.workers import map_batches


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "4", "spark.driver.memory": "2g"}
    settings["spark.sql.warehouse.dir"] = str(tmp_path_factory.mktemp("warehouse"))
    builder = SparkSession.builder.master("local[2]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # PySpark leaves sockets open
class TestJvm(Suite):
    """The classic session."""

    def test_workers_leave_the_archives_of_spark(self, spark):
        """Before each task a worker reads every archive again in which a package was found."""

        def archives(batches):
            import sys
            from zipimport import zipimporter

            import pyarrow as pa

            read = sum(isinstance(each, zipimporter) for each in sys.path_importer_cache.values())
            yield pa.RecordBatch.from_arrays(
                [pa.array([sum(map(len, batches))]), pa.array([read])], names=["rows", "read"]
            )

        rows = spark.range(0, 1000, 1, 8)
        first, second = (map_batches(rows, archives, "rows long, read long").collect() for _ in range(2))
        assert sum(row["rows"] for row in first) == 1000
        assert max(row["read"] for row in second) <= 3  # the archives that the path names; no package in them
