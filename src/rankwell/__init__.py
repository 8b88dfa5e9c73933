"""rankwell tells people how well a system ranks: a recommender's lists or a search engine's runs."""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

# each public name and the module that it is loaded from, when somebody asks for it
_HOMES = {
    "AP": "metrics.precision",
    "AUC": "metrics.auc",
    "AUCPR": "metrics.interpolated",
    "AUCTopK": "metrics.auc",
    "Accuracy": "metrics.collection",
    "Avg11": "metrics.interpolated",
    "BinG": "metrics.experimental",
    "Bpref": "metrics.judged",
    "ByTopic": "metrics.by_topic",
    "CG": "metrics.gain",
    "Compat": "metrics.ideal",
    "Coverage": "metrics.catalogue",
    "DCG": "metrics.gain",
    "ERR": "metrics.cascade",
    "Evaluator": "evaluation",
    "F": "metrics.binary",
    "Fallout": "metrics.collection",
    "FirstRank": "metrics.first",
    "FullRank": "metrics.first",
    "G": "metrics.experimental",
    "GMAP": "metrics.geometric",
    "GMBpref": "metrics.geometric",
    "Hit": "metrics.binary",
    "IDCG": "metrics.gain",
    "INSQ": "metrics.users",
    "INST": "metrics.users",
    "IPrec": "metrics.interpolated",
    "InfAP": "metrics.judged",
    "JudgedShare": "metrics.judged",
    "MeanPrecision": "metrics.precision",
    "NDCGRel": "metrics.experimental",
    "NumNonrelJudgedRet": "metrics.counts",
    "NumRel": "metrics.counts",
    "NumRelRet": "metrics.counts",
    "NumRet": "metrics.counts",
    "P": "metrics.binary",
    "PAUC": "metrics.auc",
    "PAp": "metrics.auc",
    "Policy": "policy",
    "PrefsAvgJG": "metrics.preferences",
    "PrefsAvgJGRnonrel": "metrics.preferences_fair",
    "PrefsNumFul": "metrics.preference_counts",
    "PrefsNumPoss": "metrics.preference_counts",
    "PrefsPair": "metrics.preferences",
    "PrefsSimp": "metrics.preferences",
    "Q": "metrics.ideal",
    "Qrels": "tables",
    "R": "metrics.binary",
    "RBP": "metrics.users",
    "RBPResidual": "metrics.users",
    "RNDCG": "metrics.experimental",
    "RPrec": "metrics.precision",
    "RR": "metrics.first",
    "RankwellError": "errors",
    "Results": "results",
    "Run": "tables",
    "SetAP": "metrics.sets",
    "SetF": "metrics.sets",
    "SetP": "metrics.sets",
    "SetR": "metrics.sets",
    "Specificity": "metrics.collection",
    "UnjudgedShare": "metrics.judged",
    "Utility": "metrics.collection",
    "YAAP": "metrics.experimental",
    "evaluate": "evaluation",
    "explain": "explanation",
    "lint": "linting",
    "metric": "base",
    "nDCG": "metrics.gain",
    "nERR": "metrics.cascade",
    "read_qrels": "readers",
    "read_run": "readers",
    "rosetta": "translation",
}

__all__ = [*sorted(_HOMES), "__version__"]  # noqa: PLE0604 - names of a table


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        msg = f"module 'rankwell' has no attribute {name!r}"
        raise AttributeError(msg)
    value = getattr(importlib.import_module(f"rankwell.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
