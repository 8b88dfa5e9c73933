"""Preparing a recommender's data: each step returns the data and a report of what it did."""

from __future__ import annotations

from rankwell.prepare.checks import check
from rankwell.prepare.cores import core
from rankwell.prepare.folding import Folds, folds
from rankwell.prepare.imputing import impute
from rankwell.prepare.popular import PopularityCut
from rankwell.prepare.references import Baselines, baselines
from rankwell.prepare.reporting import Prepared, Report, Share
from rankwell.prepare.splitting import Split, split
from rankwell.prepare.tiers import scale_by_tier

__all__ = [
    "Baselines",
    "Folds",
    "PopularityCut",
    "Prepared",
    "Report",
    "Share",
    "Split",
    "baselines",
    "check",
    "core",
    "folds",
    "impute",
    "scale_by_tier",
    "split",
]
