"""rankwell tells people how well a system ranks: a recommender's lists or a search engine's runs."""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

# each public name and the module that it is loaded from, when somebody asks for it
_HOMES = {
    "AP": "metrics.binary",
    "Bpref": "metrics.judged",
    "Coverage": "metrics.catalogue",
    "ERR": "metrics.gain",
    "Evaluator": "evaluation",
    "Hit": "metrics.binary",
    "JudgedShare": "metrics.judged",
    "P": "metrics.binary",
    "Policy": "policy",
    "Qrels": "tables",
    "R": "metrics.binary",
    "RR": "metrics.binary",
    "RankwellError": "errors",
    "Results": "results",
    "Run": "tables",
    "evaluate": "evaluation",
    "explain": "explanation",
    "lint": "linting",
    "metric": "base",
    "nDCG": "metrics.gain",
    "read_qrels": "readers",
    "read_run": "readers",
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
