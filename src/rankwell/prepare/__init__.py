"""Preparing data for an evaluation: each step returns the data and a report of what it did."""

from __future__ import annotations

from rankwell.faces import face

# public names, and the modules that they are imported from on first use
HOMES = {
    "Backtest": "rankwell.prepare.backtests",
    "Baselines": "rankwell.prepare.references",
    "Folds": "rankwell.prepare.splits",
    "PopularityCut": "rankwell.prepare.popularity",
    "JudgedChunks": "rankwell.prepare.chunks",
    "Prepared": "rankwell.prepare.report",
    "Report": "rankwell.prepare.report",
    "Share": "rankwell.prepare.report",
    "Split": "rankwell.prepare.splits",
    "backtest": "rankwell.prepare.backtests",
    "baselines": "rankwell.prepare.references",
    "check": "rankwell.prepare.checks",
    "core": "rankwell.prepare.cores",
    "folds": "rankwell.prepare.splits",
    "impute": "rankwell.prepare.imputation",
    "judge_chunks": "rankwell.prepare.chunks",
    "scale_by_tier": "rankwell.prepare.tiers",
    "split": "rankwell.prepare.splits",
}

__all__ = sorted(HOMES)  # noqa: PLE0605 - names of a table
__getattr__, __dir__ = face(__name__, HOMES)
