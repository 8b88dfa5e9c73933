from rankwell import prepare as prepare
from rankwell.axioms import check_axioms as check_axioms
from rankwell.comparison.leaving_out import jackknife as jackknife
from rankwell.errors import RankwellError as RankwellError
from rankwell.evaluation import Evaluator as Evaluator
from rankwell.evaluation import evaluate as evaluate
from rankwell.explanation import explain as explain
from rankwell.functions import metric as metric
from rankwell.judge.policy import Policy as Policy
from rankwell.linting import lint as lint
from rankwell.longtail import long_tail as long_tail
from rankwell.metrics.alpha import NRBP as NRBP
from rankwell.metrics.alpha import AlphaDCG as AlphaDCG
from rankwell.metrics.alpha import AlphanDCG as AlphanDCG
from rankwell.metrics.alpha import nNRBP as nNRBP
from rankwell.metrics.aspects import DnDCG as DnDCG
from rankwell.metrics.aspects import DSharpnDCG as DSharpnDCG
from rankwell.metrics.auc import AUC as AUC
from rankwell.metrics.auc import PAUC as PAUC
from rankwell.metrics.auc import AUCTopK as AUCTopK
from rankwell.metrics.auc import PAp as PAp
from rankwell.metrics.binary import F as F
from rankwell.metrics.binary import Hit as Hit
from rankwell.metrics.binary import P as P
from rankwell.metrics.binary import R as R
from rankwell.metrics.by_topic import ByTopic as ByTopic
from rankwell.metrics.calibration import UPD as UPD
from rankwell.metrics.calibration import Calibration as Calibration
from rankwell.metrics.cascade import ERR as ERR
from rankwell.metrics.cascade import nERR as nERR
from rankwell.metrics.catalogue import Coverage as Coverage
from rankwell.metrics.catalogue import PredictionCoverage as PredictionCoverage
from rankwell.metrics.catalogue import TestShare as TestShare
from rankwell.metrics.collection import Accuracy as Accuracy
from rankwell.metrics.collection import Fallout as Fallout
from rankwell.metrics.collection import Specificity as Specificity
from rankwell.metrics.collection import Utility as Utility
from rankwell.metrics.counts import NumNonrelJudgedRet as NumNonrelJudgedRet
from rankwell.metrics.counts import NumRel as NumRel
from rankwell.metrics.counts import NumRelRet as NumRelRet
from rankwell.metrics.counts import NumRet as NumRet
from rankwell.metrics.evenness import EffectiveItems as EffectiveItems
from rankwell.metrics.evenness import Entropy as Entropy
from rankwell.metrics.evenness import EntropyNorm as EntropyNorm
from rankwell.metrics.evenness import Gini as Gini
from rankwell.metrics.evenness import GiniDiversity as GiniDiversity
from rankwell.metrics.evenness import GiniM1 as GiniM1
from rankwell.metrics.evenness import Simpson as Simpson
from rankwell.metrics.experimental import RNDCG as RNDCG
from rankwell.metrics.experimental import YAAP as YAAP
from rankwell.metrics.experimental import BinG as BinG
from rankwell.metrics.experimental import G as G
from rankwell.metrics.experimental import NDCGRel as NDCGRel
from rankwell.metrics.exposure import AWRF as AWRF
from rankwell.metrics.exposure import DTR as DTR
from rankwell.metrics.exposure import DPRatio as DPRatio
from rankwell.metrics.exposure import Exposure as Exposure
from rankwell.metrics.familiarity import EPD as EPD
from rankwell.metrics.familiarity import Surprise as Surprise
from rankwell.metrics.familiarity import Unserendipity as Unserendipity
from rankwell.metrics.first import RR as RR
from rankwell.metrics.first import FirstRank as FirstRank
from rankwell.metrics.first import FullRank as FullRank
from rankwell.metrics.gain import CG as CG
from rankwell.metrics.gain import DCG as DCG
from rankwell.metrics.gain import IDCG as IDCG
from rankwell.metrics.gain import nDCG as nDCG
from rankwell.metrics.geometric import GMAP as GMAP
from rankwell.metrics.geometric import GMBpref as GMBpref
from rankwell.metrics.ideal import Compat as Compat
from rankwell.metrics.ideal import Q as Q
from rankwell.metrics.intents import APIA as APIA
from rankwell.metrics.intents import PIA as PIA
from rankwell.metrics.intents import RRIA as RRIA
from rankwell.metrics.intents import nDCGIA as nDCGIA
from rankwell.metrics.interpolated import AUCPR as AUCPR
from rankwell.metrics.interpolated import Avg11 as Avg11
from rankwell.metrics.interpolated import IPrec as IPrec
from rankwell.metrics.judged import Bpref as Bpref
from rankwell.metrics.judged import InfAP as InfAP
from rankwell.metrics.judged import JudgedShare as JudgedShare
from rankwell.metrics.judged import UnjudgedShare as UnjudgedShare
from rankwell.metrics.lists import EILD as EILD
from rankwell.metrics.lists import ILD as ILD
from rankwell.metrics.lists import ILS as ILS
from rankwell.metrics.novelty import EFD as EFD
from rankwell.metrics.novelty import EPC as EPC
from rankwell.metrics.novelty import MSI as MSI
from rankwell.metrics.novelty import SelfInformation as SelfInformation
from rankwell.metrics.parity import PopREO as PopREO
from rankwell.metrics.parity import PopRSP as PopRSP
from rankwell.metrics.personalization import Personalization as Personalization
from rankwell.metrics.popular import ARP as ARP
from rankwell.metrics.popular import DeltaGAP as DeltaGAP
from rankwell.metrics.precision import AP as AP
from rankwell.metrics.precision import MeanPrecision as MeanPrecision
from rankwell.metrics.precision import RPrec as RPrec
from rankwell.metrics.preference_counts import PrefsNumFul as PrefsNumFul
from rankwell.metrics.preference_counts import PrefsNumPoss as PrefsNumPoss
from rankwell.metrics.preferences import PrefsAvgJG as PrefsAvgJG
from rankwell.metrics.preferences import PrefsPair as PrefsPair
from rankwell.metrics.preferences import PrefsSimp as PrefsSimp
from rankwell.metrics.preferences_fair import PrefsAvgJGRnonrel as PrefsAvgJGRnonrel
from rankwell.metrics.propensities import IPS as IPS
from rankwell.metrics.propensities import SNIPS as SNIPS
from rankwell.metrics.ratings import MAE as MAE
from rankwell.metrics.ratings import MSE as MSE
from rankwell.metrics.ratings import RMSE as RMSE
from rankwell.metrics.ratings import UserMAE as UserMAE
from rankwell.metrics.ratings import UserMSE as UserMSE
from rankwell.metrics.ratings import UserRMSE as UserRMSE
from rankwell.metrics.reach import TopicCoverage as TopicCoverage
from rankwell.metrics.reach import UserCoverage as UserCoverage
from rankwell.metrics.reaching import IRec as IRec
from rankwell.metrics.reaching import SPrecision as SPrecision
from rankwell.metrics.reaching import SRecall as SRecall
from rankwell.metrics.serendipity import Serendipity as Serendipity
from rankwell.metrics.serendipity import SerendipityKotkov as SerendipityKotkov
from rankwell.metrics.serendipity import SerendipityMurakami as SerendipityMurakami
from rankwell.metrics.serendipity import Unexpectedness as Unexpectedness
from rankwell.metrics.sets import SetAP as SetAP
from rankwell.metrics.sets import SetF as SetF
from rankwell.metrics.sets import SetP as SetP
from rankwell.metrics.sets import SetR as SetR
from rankwell.metrics.stopping import ERRIA as ERRIA
from rankwell.metrics.stopping import RBU as RBU
from rankwell.metrics.stopping import nERRIA as nERRIA
from rankwell.metrics.tail import ACLT as ACLT
from rankwell.metrics.tail import APLT as APLT
from rankwell.metrics.tail import TailCoverage as TailCoverage
from rankwell.metrics.users import INSQ as INSQ
from rankwell.metrics.users import INST as INST
from rankwell.metrics.users import RBP as RBP
from rankwell.metrics.users import RBPResidual as RBPResidual
from rankwell.readers import read_qrels as read_qrels
from rankwell.readers import read_run as read_run
from rankwell.results import Results as Results
from rankwell.tables.run_qrels import Qrels as Qrels
from rankwell.tables.run_qrels import Run as Run
from rankwell.translation import rosetta as rosetta

__version__: str
__all__ = [
    "ACLT",
    "AP",
    "APIA",
    "APLT",
    "ARP",
    "AUC",
    "AUCPR",
    "AWRF",
    "CG",
    "DCG",
    "DTR",
    "EFD",
    "EILD",
    "EPC",
    "EPD",
    "ERR",
    "ERRIA",
    "GMAP",
    "IDCG",
    "ILD",
    "ILS",
    "INSQ",
    "INST",
    "IPS",
    "MAE",
    "MSE",
    "MSI",
    "NRBP",
    "PAUC",
    "PIA",
    "RBP",
    "RBU",
    "RMSE",
    "RNDCG",
    "RR",
    "RRIA",
    "SNIPS",
    "UPD",
    "YAAP",
    "AUCTopK",
    "Accuracy",
    "AlphaDCG",
    "AlphanDCG",
    "Avg11",
    "BinG",
    "Bpref",
    "ByTopic",
    "Calibration",
    "Compat",
    "Coverage",
    "DPRatio",
    "DSharpnDCG",
    "DeltaGAP",
    "DnDCG",
    "EffectiveItems",
    "Entropy",
    "EntropyNorm",
    "Evaluator",
    "Exposure",
    "F",
    "Fallout",
    "FirstRank",
    "FullRank",
    "G",
    "GMBpref",
    "Gini",
    "GiniDiversity",
    "GiniM1",
    "Hit",
    "IPrec",
    "IRec",
    "InfAP",
    "JudgedShare",
    "MeanPrecision",
    "NDCGRel",
    "NumNonrelJudgedRet",
    "NumRel",
    "NumRelRet",
    "NumRet",
    "P",
    "PAp",
    "Personalization",
    "Policy",
    "PopREO",
    "PopRSP",
    "PredictionCoverage",
    "PrefsAvgJG",
    "PrefsAvgJGRnonrel",
    "PrefsNumFul",
    "PrefsNumPoss",
    "PrefsPair",
    "PrefsSimp",
    "Q",
    "Qrels",
    "R",
    "RBPResidual",
    "RPrec",
    "RankwellError",
    "Results",
    "Run",
    "SPrecision",
    "SRecall",
    "SelfInformation",
    "Serendipity",
    "SerendipityKotkov",
    "SerendipityMurakami",
    "SetAP",
    "SetF",
    "SetP",
    "SetR",
    "Simpson",
    "Specificity",
    "Surprise",
    "TailCoverage",
    "TestShare",
    "TopicCoverage",
    "Unexpectedness",
    "UnjudgedShare",
    "Unserendipity",
    "UserCoverage",
    "UserMAE",
    "UserMSE",
    "UserRMSE",
    "Utility",
    "__version__",
    "check_axioms",
    "evaluate",
    "explain",
    "jackknife",
    "lint",
    "long_tail",
    "metric",
    "nDCG",
    "nDCGIA",
    "nERR",
    "nERRIA",
    "nNRBP",
    "prepare",
    "read_qrels",
    "read_run",
    "rosetta",
]
