"""With RANKWELL_CI=1 every skip is a failure: of a test, of a doctest, and of a whole module while it is collected.

Where tests run on several cores a file is run by one of them, and so are all of tests/definitions: the last one there looks
at what the others compared. The tests of tests/laws/test_laws.py are given out one by one, as they are many and alike.
Laws are tried on a tenth of their cases, another one each time (RANKWELL_SEED); with RANKWELL_CI=1 on all of them.
With RANKWELL_CONFIRMATIONS=FILE the values that other programs confirmed are counted into FILE (docs/metrics.md).
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator

STRICT = os.environ.get("RANKWELL_CI") == "1"


def pytest_configure() -> None:
    """Draw the seed of the laws, which the processes of pytest-xdist inherit."""
    os.environ.setdefault("RANKWELL_SEED", str(int(time.time()) // 60 % 1_000_000))


def pytest_report_header() -> str:
    """Say which cases of the laws are tried."""
    if STRICT:
        return "laws: all cases"
    return f"laws: a tenth of the cases, drawn by RANKWELL_SEED={os.environ['RANKWELL_SEED']}"


def _fail_if_skipped(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Turn a skip into a failure that tells its reason; an expected failure (xfail) stays what it is."""
    if not STRICT or report.outcome != "skipped" or hasattr(report, "wasxfail"):
        return
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
    report.outcome = "failed"
    report.longrepr = f"RANKWELL_CI=1 allows no skip, and this was skipped: {reason}"


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    _fail_if_skipped(report)
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    _fail_if_skipped(report)
    return report


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give whole files to the cores, and all of tests/definitions to one."""
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.partition("::")[0]
            if file.endswith("laws/test_laws.py"):
                return nodeid
            return "definitions" if "/definitions/" in file else file

    return ByFile(config, log)


def pytest_sessionfinish() -> None:
    """Write what was confirmed by whom, metric by metric."""
    path = os.environ.get("RANKWELL_CONFIRMATIONS")
    outside = next(
        (module for name, module in sys.modules.items() if name.endswith("definitions.outside")), None
    )
    if path and outside:
        rows = sorted([metric, source, values] for (metric, source), values in outside.COUNTED.items())
        lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
        Path(path).write_text(f"[\n{lines}\n]\n", encoding="utf-8")
