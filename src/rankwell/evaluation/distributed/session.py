"""Sessions of Spark: the active one, or one that is connected to an address."""

from __future__ import annotations

import socket
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from rankwell.errors import UsageError, brief

LOCAL, PORT, SECONDS = "local", 15002, 10


def active() -> Any:
    """Return the active session of Spark; UsageError if there is none."""
    session = _sessions().getActiveSession()
    if session is None:
        raise UsageError(
            "engine='spark' needs a session; give rw.Spark(session), an address (rw.Spark('sc://host:15002')), or DataFrames of Spark."
        )
    return session


@cache
def connected(address: str) -> Any:
    """Return a session at an address (``sc://host:port``), or on this machine (``local``, ``local[4]``); UsageError if there is none."""
    builder = _sessions().builder
    if address.startswith(LOCAL):
        builder = builder.master("local[*]" if address == LOCAL else address)
        return builder.config("spark.ui.showConsoleProgress", "false").getOrCreate()
    if not address.startswith("sc://"):
        raise UsageError(
            f"Spark({brief(address)}): an address is sc://host:port (Spark Connect) or 'local'; or give a session."
        )
    _refuse_silence(address)
    from pyspark.errors import PySparkException

    try:
        session = builder.remote(address).getOrCreate()
        session.version  # noqa: B018 - asks the server
    except (ImportError, PySparkException) as error:
        said = str(error).strip().splitlines() or [type(error).__name__]
        raise UsageError(f"{brief(address)}: no session of Spark there ({brief(said[0])}).") from error
    return session


def _refuse_silence(address: str) -> None:
    """Refuse an address where nobody listens: PySpark would try again for minutes."""
    place = urlsplit(address)
    try:
        with socket.create_connection((place.hostname or "", place.port or PORT), SECONDS):
            pass
    except (OSError, ValueError) as error:
        raise UsageError(f"{brief(address)}: nobody answers there ({error}).") from error


def _sessions() -> Any:
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise UsageError(f"engine='spark' needs PySpark: pip install 'rankwell[spark]' ({error}).") from error
    return SparkSession
