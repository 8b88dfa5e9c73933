# Made by tools/make_names.py; do not edit.
# ruff: noqa: A004, I001, RUF022, RUF100
from rankwell.metrics.diversity.alpha_beta import ABDCG as ABDCG
from rankwell.metrics.diversity.alpha_beta import ABHit as ABHit
from rankwell.metrics.diversity.alpha_beta import ABTopic as ABTopic
from rankwell.metrics.diversity.alpha_beta import ABnDCG as ABnDCG
from rankwell.metrics.beyond.tail import ACLT as ACLT
from rankwell.metrics.binary.precision import AP as AP
from rankwell.metrics.diversity.intents import APIA as APIA
from rankwell.metrics.beyond.tail import APLT as APLT
from rankwell.metrics.beyond.popular import ARP as ARP
from rankwell.metrics.binary.auc import AUC as AUC
from rankwell.metrics.binary.precision_recall import AUCPR as AUCPR
from rankwell.metrics.binary.auc import AUCTopK as AUCTopK
from rankwell.metrics.fairness.exposure import AWRF as AWRF
from rankwell.metrics.binary.collection import Accuracy as Accuracy
from rankwell.metrics.diversity.alpha import AlphaDCG as AlphaDCG
from rankwell.metrics.diversity.alpha import AlphanDCG as AlphanDCG
from rankwell.tables.run_qrels import Assessor as Assessor
from rankwell.metrics.binary.precision_recall import Avg11 as Avg11
from rankwell.metrics.graded.experimental import BinG as BinG
from rankwell.metrics.beyond.list_topics import BinomialDiversity as BinomialDiversity
from rankwell.suites.board import Board as Board
from rankwell.metrics.binary.incompleteness import Bpref as Bpref
from rankwell.metrics.metric import Budget as Budget
from rankwell.metrics.diversity.by_topic import ByTopic as ByTopic
from rankwell.metrics.graded.gain import CG as CG
from rankwell.metrics.beyond.calibration import Calibration as Calibration
from rankwell.metrics.beyond.list_topics import CategoryEntropy as CategoryEntropy
from rankwell.metrics.evidence.citations import CitationP as CitationP
from rankwell.metrics.evidence.citations import CitationR as CitationR
from rankwell.comparison.compare.comparison import Comparison as Comparison
from rankwell.metrics.graded.ideal import Compat as Compat
from rankwell.metrics.beyond.catalogue import Coverage as Coverage
from rankwell.metrics.graded.gain import DCG as DCG
from rankwell.metrics.fairness.exposure import DPRatio as DPRatio
from rankwell.metrics.diversity.aspects import DSharpnDCG as DSharpnDCG
from rankwell.metrics.fairness.exposure import DTR as DTR
from rankwell.metrics.beyond.popular import DeltaGAP as DeltaGAP
from rankwell.metrics.diversity.aspects import DnDCG as DnDCG
from rankwell.metrics.beyond.novelty import EFD as EFD
from rankwell.metrics.beyond.lists import EILD as EILD
from rankwell.metrics.beyond.novelty import EPC as EPC
from rankwell.metrics.beyond.familiarity import EPD as EPD
from rankwell.metrics.graded.cascade import ERR as ERR
from rankwell.metrics.diversity.err_ia import ERRIA as ERRIA
from rankwell.metrics.beyond.evenness import EffectiveItems as EffectiveItems
from rankwell.metrics.beyond.evenness import Entropy as Entropy
from rankwell.metrics.beyond.evenness import EntropyNorm as EntropyNorm
from rankwell.evaluation import Evaluator as Evaluator
from rankwell.metrics.ratings.ratings import ExplainedVariance as ExplainedVariance
from rankwell.metrics.fairness.exposure import Exposure as Exposure
from rankwell.metrics.binary.binary import F as F
from rankwell.metrics.binary.collection import Fallout as Fallout
from rankwell.metrics.binary.first import FirstRank as FirstRank
from rankwell.metrics.binary.first import FullRank as FullRank
from rankwell.metrics.graded.experimental import G as G
from rankwell.metrics.binary.auc import GAUC as GAUC
from rankwell.metrics.binary.geometric import GMAP as GMAP
from rankwell.metrics.binary.geometric import GMBpref as GMBpref
from rankwell.comparison.gate import Gate as Gate
from rankwell.metrics.beyond.evenness import Gini as Gini
from rankwell.metrics.beyond.evenness import GiniDiversity as GiniDiversity
from rankwell.metrics.beyond.evenness import GiniM1 as GiniM1
from rankwell.metrics.binary.binary import Hit as Hit
from rankwell.metrics.graded.gain import IDCG as IDCG
from rankwell.metrics.beyond.lists import ILD as ILD
from rankwell.metrics.beyond.lists import ILS as ILS
from rankwell.metrics.graded.users import INSQ as INSQ
from rankwell.metrics.graded.users import INST as INST
from rankwell.metrics.ratings.propensities import IPS as IPS
from rankwell.metrics.binary.precision_recall import IPrec as IPrec
from rankwell.metrics.diversity.topic_recall import IRec as IRec
from rankwell.metrics.binary.incompleteness import InfAP as InfAP
from rankwell.metrics.binary.incompleteness import JudgedShare as JudgedShare
from rankwell.comparison.online import Launches as Launches
from rankwell.metrics.ratings.ratings import LogLoss as LogLoss
from rankwell.metrics.ratings.ratings import MAE as MAE
from rankwell.metrics.binary.collection import MCC as MCC
from rankwell.metrics.ratings.ratings import MSE as MSE
from rankwell.metrics.beyond.novelty import MSI as MSI
from rankwell.metrics.beyond.popular import MeanPopRank as MeanPopRank
from rankwell.metrics.binary.precision import MeanPrecision as MeanPrecision
from rankwell.metrics.graded.experimental import NDCGRel as NDCGRel
from rankwell.metrics.diversity.alpha import NRBP as NRBP
from rankwell.metrics.evidence.nuggets import Nugget as Nugget
from rankwell.metrics.binary.counts import NumNonrelJudgedRet as NumNonrelJudgedRet
from rankwell.metrics.binary.counts import NumRel as NumRel
from rankwell.metrics.binary.counts import NumRelRet as NumRelRet
from rankwell.metrics.binary.counts import NumRet as NumRet
from rankwell.metrics.binary.binary import P as P
from rankwell.metrics.binary.auc import PAUC as PAUC
from rankwell.metrics.binary.auc import PAp as PAp
from rankwell.metrics.diversity.intents import PIA as PIA
from rankwell.metrics.binary.percentile import PercentileRank as PercentileRank
from rankwell.metrics.beyond.personalization import Personalization as Personalization
from rankwell.matching.policy import Policy as Policy
from rankwell.metrics.fairness.parity import PopREO as PopREO
from rankwell.metrics.fairness.parity import PopRSP as PopRSP
from rankwell.metrics.beyond.catalogue import PredictionCoverage as PredictionCoverage
from rankwell.metrics.preferences.preferences import PrefsAvgJG as PrefsAvgJG
from rankwell.metrics.preferences.preferences import PrefsAvgJGRnonrel as PrefsAvgJGRnonrel
from rankwell.metrics.preferences.preferences import PrefsNumFul as PrefsNumFul
from rankwell.metrics.preferences.preferences import PrefsNumPoss as PrefsNumPoss
from rankwell.metrics.preferences.preferences import PrefsPair as PrefsPair
from rankwell.metrics.preferences.preferences import PrefsSimp as PrefsSimp
from rankwell.metrics.graded.ideal import Q as Q
from rankwell.tables.run_qrels import Qrels as Qrels
from rankwell.metrics.binary.binary import R as R
from rankwell.metrics.ratings.ratings import R2 as R2
from rankwell.metrics.graded.users import RBP as RBP
from rankwell.metrics.graded.users import RBPResidual as RBPResidual
from rankwell.metrics.diversity.err_ia import RBU as RBU
from rankwell.metrics.ratings.ratings import RMSE as RMSE
from rankwell.metrics.graded.experimental import RNDCG as RNDCG
from rankwell.metrics.binary.precision import RPrec as RPrec
from rankwell.metrics.binary.first import RR as RR
from rankwell.metrics.diversity.intents import RRIA as RRIA
from rankwell.errors import RankwellError as RankwellError
from rankwell.results import Results as Results
from rankwell.tables.run_qrels import Run as Run
from rankwell.metrics.ratings.propensities import SNIPS as SNIPS
from rankwell.metrics.diversity.topic_recall import SPrecision as SPrecision
from rankwell.metrics.diversity.topic_recall import SRecall as SRecall
from rankwell.metrics.beyond.novelty import SelfInformation as SelfInformation
from rankwell.metrics.beyond.serendipity import Serendipity as Serendipity
from rankwell.metrics.beyond.serendipity import SerendipityKotkov as SerendipityKotkov
from rankwell.metrics.beyond.serendipity import SerendipityMurakami as SerendipityMurakami
from rankwell.metrics.binary.sets import SetAP as SetAP
from rankwell.metrics.binary.sets import SetF as SetF
from rankwell.metrics.binary.sets import SetP as SetP
from rankwell.metrics.binary.sets import SetR as SetR
from rankwell.metrics.beyond.evenness import Simpson as Simpson
from rankwell.metrics.evidence.sizes import SizeP as SizeP
from rankwell.metrics.evidence.spans import SpanF as SpanF
from rankwell.metrics.evidence.spans import SpanIoU as SpanIoU
from rankwell.metrics.evidence.spans import SpanP as SpanP
from rankwell.metrics.evidence.spans import SpanR as SpanR
from rankwell.evaluation.engines.spark.engine import Spark as Spark
from rankwell.metrics.binary.collection import Specificity as Specificity
from rankwell.evaluation.engines.stream.engine import Stream as Stream
from rankwell.suites.suite import Suite as Suite
from rankwell.metrics.beyond.familiarity import Surprise as Surprise
from rankwell.metrics.beyond.tail import TailCoverage as TailCoverage
from rankwell.metrics.beyond.catalogue import TestShare as TestShare
from rankwell.metrics.beyond.catalogue import TopicCoverage as TopicCoverage
from rankwell.comparison.trend import Trend as Trend
from rankwell.metrics.beyond.calibration import UPD as UPD
from rankwell.metrics.beyond.serendipity import Unexpectedness as Unexpectedness
from rankwell.metrics.binary.incompleteness import UnjudgedShare as UnjudgedShare
from rankwell.metrics.beyond.familiarity import Unserendipity as Unserendipity
from rankwell.metrics.evidence.sizes import Used as Used
from rankwell.metrics.beyond.catalogue import UserCoverage as UserCoverage
from rankwell.metrics.ratings.ratings import UserMAE as UserMAE
from rankwell.metrics.ratings.ratings import UserMSE as UserMSE
from rankwell.metrics.ratings.ratings import UserRMSE as UserRMSE
from rankwell.metrics.binary.collection import Utility as Utility
from rankwell.comparison.watch import Watch as Watch
from rankwell.metrics.graded.experimental import YAAP as YAAP
from rankwell.comparison.agreement.agreement import agreement as agreement
from rankwell.matching.policy import before as before
from rankwell.inspection.axioms import check_axioms as check_axioms
from rankwell import clicks as clicks
from rankwell.comparison.compare.compare import compare as compare
from rankwell.comparison.confidence_sequence import confidence_sequence as confidence_sequence
from rankwell.comparison.diff import diff as diff
from rankwell import efficiency as efficiency
from rankwell.evaluation import evaluate as evaluate
from rankwell.inspection.explanation import explain as explain
from rankwell import extend as extend
from rankwell.readers.memory.groups import from_groups as from_groups
from rankwell.comparison.fusion.fuse import fuse as fuse
from rankwell.comparison.gate import gate as gate
from rankwell.comparison.jackknife import jackknife as jackknife
from rankwell import judging as judging
from rankwell.inspection.linting import lint as lint
from rankwell.prepare.longtail import long_tail as long_tail
from rankwell.metrics.metric import metric as metric
from rankwell import metrics as metrics
from rankwell.metrics.graded.ndcg import nDCG as nDCG
from rankwell.metrics.diversity.intents import nDCGIA as nDCGIA
from rankwell.metrics.graded.cascade import nERR as nERR
from rankwell.metrics.diversity.err_ia import nERRIA as nERRIA
from rankwell.metrics.diversity.alpha import nNRBP as nNRBP
from rankwell.comparison.online import online as online
from rankwell.reporting import plot as plot
from rankwell.comparison.agreement.pool_bias import pool_bias as pool_bias
from rankwell.comparison.agreement.ppi import prediction_powered as prediction_powered
from rankwell import prepare as prepare
from rankwell.comparison.rank_overlap import rbo as rbo
from rankwell.readers.collections.collection import read_collection as read_collection
from rankwell.comparison.experiment import read_experiment as read_experiment
from rankwell.results.ledger import read_ledger as read_ledger
from rankwell.readers import read_qrels as read_qrels
from rankwell.readers import read_run as read_run
from rankwell.suites.folders import read_suite as read_suite
from rankwell.reporting.report import report as report
from rankwell.inspection.rosetta_table import rosetta as rosetta
from rankwell.comparison.agreement.stability import stability as stability
from rankwell.suites.suite import suite as suite
from rankwell.readers.top_k import top_k as top_k
from rankwell.comparison.trend import trend as trend
from rankwell.comparison.watch import watch as watch

__version__: str

__all__ = [
    "AP",
    "ARP",
    "AUC",
    "AlphanDCG",
    "Assessor",
    "Board",
    "Bpref",
    "Budget",
    "Calibration",
    "Comparison",
    "Coverage",
    "DCG",
    "ERR",
    "Evaluator",
    "F",
    "Gate",
    "Gini",
    "Hit",
    "ILD",
    "Launches",
    "MAE",
    "MSI",
    "P",
    "Personalization",
    "Policy",
    "Qrels",
    "R",
    "RBP",
    "RMSE",
    "RPrec",
    "RR",
    "RankwellError",
    "Results",
    "Run",
    "SRecall",
    "Spark",
    "Stream",
    "Suite",
    "Trend",
    "Watch",
    "__version__",
    "agreement",
    "before",
    "check_axioms",
    "clicks",
    "compare",
    "confidence_sequence",
    "diff",
    "efficiency",
    "evaluate",
    "explain",
    "extend",
    "from_groups",
    "fuse",
    "gate",
    "jackknife",
    "judging",
    "lint",
    "long_tail",
    "metric",
    "metrics",
    "nDCG",
    "online",
    "plot",
    "pool_bias",
    "prediction_powered",
    "prepare",
    "rbo",
    "read_collection",
    "read_experiment",
    "read_ledger",
    "read_qrels",
    "read_run",
    "read_suite",
    "report",
    "rosetta",
    "stability",
    "suite",
    "top_k",
    "trend",
    "watch",
]
