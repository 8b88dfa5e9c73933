"""rankwell tells people how well a system ranks: a recommender's lists or a search engine's runs."""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

# public names that are no metrics, and the modules that they are imported from on first use
HOMES = {
    "Assessor": "rankwell.tables.run_qrels",
    "Board": "rankwell.suites.board",
    "Budget": "rankwell.metrics.metric",
    "Comparison": "rankwell.comparison.compare.comparison",
    "Evaluator": "rankwell.evaluation",
    "Gate": "rankwell.comparison.gate",
    "Launches": "rankwell.comparison.online",
    "Policy": "rankwell.matching.policy",
    "Qrels": "rankwell.tables.run_qrels",
    "RankwellError": "rankwell.errors",
    "Results": "rankwell.results",
    "Run": "rankwell.tables.run_qrels",
    "Spark": "rankwell.evaluation.engines.spark.engine",
    "Stream": "rankwell.evaluation.engines.stream.engine",
    "Suite": "rankwell.suites.suite",
    "Trend": "rankwell.comparison.trend",
    "Watch": "rankwell.comparison.watch",
    "agreement": "rankwell.comparison.agreement.agreement",
    "before": "rankwell.matching.policy",
    "check_axioms": "rankwell.inspection.axioms",
    "clicks": "rankwell",
    "compare": "rankwell.comparison.compare.compare",
    "confidence_sequence": "rankwell.comparison.confidence_sequence",
    "diff": "rankwell.comparison.diff",
    "efficiency": "rankwell",
    "evaluate": "rankwell.evaluation",
    "explain": "rankwell.inspection.explanation",
    "extend": "rankwell",
    "from_groups": "rankwell.readers.memory.groups",
    "fuse": "rankwell.comparison.fusion.fuse",
    "gate": "rankwell.comparison.gate",
    "jackknife": "rankwell.comparison.jackknife",
    "judging": "rankwell",
    "lint": "rankwell.inspection.linting",
    "long_tail": "rankwell.prepare.longtail",
    "metric": "rankwell.metrics.metric",
    "metrics": "rankwell",
    "online": "rankwell.comparison.online",
    "plot": "rankwell.reporting",
    "pool_bias": "rankwell.comparison.agreement.pool_bias",
    "prediction_powered": "rankwell.comparison.agreement.ppi",
    "prepare": "rankwell",
    "rbo": "rankwell.comparison.rank_overlap",
    "read_collection": "rankwell.readers.collections.collection",
    "read_experiment": "rankwell.comparison.experiment",
    "read_ledger": "rankwell.results.ledger",
    "read_qrels": "rankwell.readers",
    "read_run": "rankwell.readers",
    "read_suite": "rankwell.suites.folders",
    "report": "rankwell.reporting.report",
    "rosetta": "rankwell.inspection.rosetta_table",
    "stability": "rankwell.comparison.agreement.stability",
    "suite": "rankwell.suites.suite",
    "top_k": "rankwell.readers.top_k",
    "trend": "rankwell.comparison.trend",
    "watch": "rankwell.comparison.watch",
}

# dir() shows the metrics that most people look for; rankwell.metrics lists all of them
BEST_KNOWN = (
    "P", "R", "F", "Hit", "AP", "RR", "RPrec", "Bpref", "AUC", "nDCG", "DCG", "ERR", "RBP", "RMSE", "MAE",
    "Coverage", "Gini", "Personalization", "ILD", "MSI", "ARP", "Calibration", "AlphanDCG", "SRecall",
)  # fmt: skip

__all__ = [*sorted([*HOMES, *BEST_KNOWN]), "__version__"]  # noqa: PLE0604 - names of a table


def __getattr__(name: str) -> Any:
    if name.startswith("_"):  # asked for by tools that look at modules: nothing is loaded
        raise AttributeError(f"module 'rankwell' has no attribute {name!r}", name=name)
    if HOMES.get(name) == "rankwell":
        value = importlib.import_module(f"rankwell.{name}")
    elif name in HOMES:
        value = getattr(importlib.import_module(HOMES[name]), name)
    else:
        registry = importlib.import_module("rankwell.metrics.registry")
        value = registry.class_named(name, module="rankwell", others=HOMES)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
