# Made by tools/make_names.py; do not edit.
# ruff: noqa: A004, I001, RUF022, RUF100
from rankwell.prepare.backtests import Backtest as Backtest
from rankwell.prepare.references import Baselines as Baselines
from rankwell.prepare.splits import Folds as Folds
from rankwell.prepare.chunks import JudgedChunks as JudgedChunks
from rankwell.prepare.popularity import PopularityCut as PopularityCut
from rankwell.prepare.report import Prepared as Prepared
from rankwell.prepare.report import Report as Report
from rankwell.prepare.report import Share as Share
from rankwell.prepare.splits import Split as Split
from rankwell.prepare.backtests import backtest as backtest
from rankwell.prepare.references import baselines as baselines
from rankwell.prepare.checks import check as check
from rankwell.prepare.cores import core as core
from rankwell.prepare.splits import folds as folds
from rankwell.prepare.imputation import impute as impute
from rankwell.prepare.chunks import judge_chunks as judge_chunks
from rankwell.prepare.tiers import scale_by_tier as scale_by_tier
from rankwell.prepare.splits import split as split

__all__ = [
    "Backtest",
    "Baselines",
    "Folds",
    "JudgedChunks",
    "PopularityCut",
    "Prepared",
    "Report",
    "Share",
    "Split",
    "backtest",
    "baselines",
    "check",
    "core",
    "folds",
    "impute",
    "judge_chunks",
    "scale_by_tier",
    "split",
]
