"""With RANKWELL_CI=1 every skip is a failure: of a test, of a doctest, and of a whole module while it is collected.

Whole files are shared out among the cores (Makefile), so what a file makes once is made once.
Laws are tried on one of 25 cases, another one each time (RANKWELL_SEED); with RANKWELL_CASES=all on all (tests/cases.py).
Tests of training loops need PyTorch and more (`make test-training` installs it); without it they are left out, and the first lines
of the output say so; with RANKWELL_CI=1 they fail.
With RANKWELL_CONFIRMATIONS=FILE the values that other programs confirmed are written to FILE (tools/make_metrics_page.py).
"""

from __future__ import annotations

import gc
import json
import os
import time
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings
from tests.cases import FEWER

if TYPE_CHECKING:
    from collections.abc import Generator

STRICT = os.environ.get("RANKWELL_CI") == "1"
ROOT = Path(__file__).parents[1]
ON_SPARK = [ROOT / f"tests/evaluation/engines/spark/test_{kind}.py" for kind in ("sail", "jvm", "connect")]
TRAINING = [  # what imports one of these packages
    ROOT / path
    for path in (
        "docs/training.md",
        "src/rankwell/compat/lightning.py",
        "src/rankwell/compat/mteb.py",
        "src/rankwell/compat/sentence_transformers.py",
        "src/rankwell/compat/torchmetrics.py",
        "src/rankwell/compat/transformers.py",
        "tests/compat/test_lightning.py",
        "tests/compat/test_mteb.py",
        "tests/compat/test_sentence_transformers.py",
        "tests/compat/test_torchmetrics.py",
        "tests/compat/test_transformers.py",
        "tests/readers/test_tensors.py",
    )
]
NEEDED = ("torch", "torchmetrics", "lightning", "transformers", "sentence_transformers", "mteb", "jax")
LACKING = [name for name in NEEDED if find_spec(name) is None]


def pytest_report_header() -> list[str]:
    """Say which cases of the laws are tried, and whether tests of training loops are left out."""
    share = "all cases" if FEWER == 1 else "one case of 25"
    said = [f"laws: {share}, drawn by RANKWELL_SEED={os.environ['RANKWELL_SEED']}"]
    if LACKING and not STRICT:
        said.append(
            f"training loops: left out without {', '.join(LACKING)}; make test-training installs what they need"
        )
    return said


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for no garbage while all that stays is loaded, nor in it later: this took a third of the time of collecting tests."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out the tests of training loops where packages that they need are not installed, unless nothing may be left out."""
    if collection_path in ON_SPARK and find_spec("pyspark") is None:
        return True  # `make test-spark` installs PySpark and runs these
    return True if LACKING and not STRICT and collection_path in TRAINING else None


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


@pytest.fixture(autouse=True)
def _examples_run_in_a_folder_of_their_own(request: pytest.FixtureRequest) -> None:
    """What an example in a document or docstring writes does not land in the repository."""
    if isinstance(request.node, pytest.DoctestItem):
        request.getfixturevalue("monkeypatch").chdir(request.getfixturevalue("tmp_path"))


class Confirmations:
    """What outside sources confirmed, taken from the reports of tests that passed, wherever they ran."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.values: Counter[tuple[str, str]] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.passed:
            for name, content in report.user_properties:
                if name == "confirmed":
                    metric, source, values = content
                    self.values[metric, source] += values

    def pytest_sessionfinish(self) -> None:
        rows = sorted([metric, source, values] for (metric, source), values in self.values.items())
        lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def pytest_configure(config: pytest.Config) -> None:
    settings.register_profile("rankwell", deadline=None)  # a busy machine takes its time
    settings.load_profile("rankwell")
    # the seed of the laws, which the processes of pytest-xdist inherit
    os.environ.setdefault("RANKWELL_SEED", str(int(time.time()) // 60 % 1_000_000))
    path = os.environ.get("RANKWELL_CONFIRMATIONS")
    is_worker = hasattr(
        config, "workerinput"
    )  # of xdist, which sends its reports to the process that started it
    if path and not is_worker:
        config.pluginmanager.register(Confirmations(Path(path)))
