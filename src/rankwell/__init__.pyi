from rankwell.base import metric as metric
from rankwell.errors import RankwellError as RankwellError
from rankwell.evaluation import Evaluator as Evaluator
from rankwell.evaluation import evaluate as evaluate
from rankwell.explanation import explain as explain
from rankwell.linting import lint as lint
from rankwell.metrics.auc import AUC as AUC
from rankwell.metrics.auc import PAUC as PAUC
from rankwell.metrics.auc import AUCTopK as AUCTopK
from rankwell.metrics.auc import PAp as PAp
from rankwell.metrics.binary import F as F
from rankwell.metrics.binary import Hit as Hit
from rankwell.metrics.binary import P as P
from rankwell.metrics.binary import R as R
from rankwell.metrics.by_topic import ByTopic as ByTopic
from rankwell.metrics.cascade import ERR as ERR
from rankwell.metrics.cascade import nERR as nERR
from rankwell.metrics.catalogue import Coverage as Coverage
from rankwell.metrics.collection import Accuracy as Accuracy
from rankwell.metrics.collection import Fallout as Fallout
from rankwell.metrics.collection import Specificity as Specificity
from rankwell.metrics.collection import Utility as Utility
from rankwell.metrics.counts import NumNonrelJudgedRet as NumNonrelJudgedRet
from rankwell.metrics.counts import NumRel as NumRel
from rankwell.metrics.counts import NumRelRet as NumRelRet
from rankwell.metrics.counts import NumRet as NumRet
from rankwell.metrics.experimental import RNDCG as RNDCG
from rankwell.metrics.experimental import YAAP as YAAP
from rankwell.metrics.experimental import BinG as BinG
from rankwell.metrics.experimental import G as G
from rankwell.metrics.experimental import NDCGRel as NDCGRel
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
from rankwell.metrics.interpolated import AUCPR as AUCPR
from rankwell.metrics.interpolated import Avg11 as Avg11
from rankwell.metrics.interpolated import IPrec as IPrec
from rankwell.metrics.judged import Bpref as Bpref
from rankwell.metrics.judged import InfAP as InfAP
from rankwell.metrics.judged import JudgedShare as JudgedShare
from rankwell.metrics.judged import UnjudgedShare as UnjudgedShare
from rankwell.metrics.precision import AP as AP
from rankwell.metrics.precision import MeanPrecision as MeanPrecision
from rankwell.metrics.precision import RPrec as RPrec
from rankwell.metrics.preference_counts import PrefsNumFul as PrefsNumFul
from rankwell.metrics.preference_counts import PrefsNumPoss as PrefsNumPoss
from rankwell.metrics.preferences import PrefsAvgJG as PrefsAvgJG
from rankwell.metrics.preferences import PrefsPair as PrefsPair
from rankwell.metrics.preferences import PrefsSimp as PrefsSimp
from rankwell.metrics.preferences_fair import PrefsAvgJGRnonrel as PrefsAvgJGRnonrel
from rankwell.metrics.sets import SetAP as SetAP
from rankwell.metrics.sets import SetF as SetF
from rankwell.metrics.sets import SetP as SetP
from rankwell.metrics.sets import SetR as SetR
from rankwell.metrics.users import INSQ as INSQ
from rankwell.metrics.users import INST as INST
from rankwell.metrics.users import RBP as RBP
from rankwell.metrics.users import RBPResidual as RBPResidual
from rankwell.policy import Policy as Policy
from rankwell.readers import read_qrels as read_qrels
from rankwell.readers import read_run as read_run
from rankwell.results import Results as Results
from rankwell.tables import Qrels as Qrels
from rankwell.tables import Run as Run
from rankwell.translation import rosetta as rosetta

__version__: str
__all__ = [
    "AP",
    "AUC",
    "AUCPR",
    "CG",
    "DCG",
    "ERR",
    "GMAP",
    "IDCG",
    "INSQ",
    "INST",
    "PAUC",
    "RBP",
    "RNDCG",
    "RR",
    "YAAP",
    "AUCTopK",
    "Accuracy",
    "Avg11",
    "BinG",
    "Bpref",
    "ByTopic",
    "Compat",
    "Coverage",
    "Evaluator",
    "F",
    "Fallout",
    "FirstRank",
    "FullRank",
    "G",
    "GMBpref",
    "Hit",
    "IPrec",
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
    "Policy",
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
    "SetAP",
    "SetF",
    "SetP",
    "SetR",
    "Specificity",
    "UnjudgedShare",
    "Utility",
    "__version__",
    "evaluate",
    "explain",
    "lint",
    "metric",
    "nDCG",
    "nERR",
    "read_qrels",
    "read_run",
    "rosetta",
]
