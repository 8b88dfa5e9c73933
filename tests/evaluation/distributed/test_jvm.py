"""Evaluation on Apache Spark's JVM, with a session of its own."""

from __future__ import annotations

import os
import sys

import pytest
from pyspark.sql import SparkSession
from tests.evaluation.distributed.suite import Suite


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
