"""Evaluation on Apache Spark's JVM by Spark Connect, from a server of its own."""

from __future__ import annotations

import os
import sys

import pytest
from pyspark.sql import SparkSession
from tests.evaluation.engines.spark.suite import Suite


@pytest.fixture(scope="module")
def spark():
    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "4", "spark.driver.memory": "2g"}
    builder = SparkSession.builder.remote("local[2]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # PySpark leaves sockets open
class TestConnect(Suite):
    """A session by Spark Connect."""
