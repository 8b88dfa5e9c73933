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
from rankwell.metrics.binary.precision_recall import Avg11 as Avg11
from rankwell.metrics.graded.experimental import BinG as BinG
from rankwell.metrics.beyond.list_topics import BinomialDiversity as BinomialDiversity
from rankwell.metrics.binary.incompleteness import Bpref as Bpref
from rankwell.metrics.diversity.by_topic import ByTopic as ByTopic
from rankwell.metrics.graded.gain import CG as CG
from rankwell.metrics.beyond.calibration import Calibration as Calibration
from rankwell.metrics.beyond.list_topics import CategoryEntropy as CategoryEntropy
from rankwell.metrics.evidence.citations import CitationP as CitationP
from rankwell.metrics.evidence.citations import CitationR as CitationR
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
from rankwell.metrics.binary.collection import Specificity as Specificity
from rankwell.metrics.beyond.familiarity import Surprise as Surprise
from rankwell.metrics.beyond.tail import TailCoverage as TailCoverage
from rankwell.metrics.beyond.catalogue import TestShare as TestShare
from rankwell.metrics.beyond.catalogue import TopicCoverage as TopicCoverage
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
from rankwell.metrics.grammar import Wanted as Wanted
from rankwell.metrics.graded.experimental import YAAP as YAAP
from rankwell.metrics.registry import classes as classes
from rankwell.metrics.registry import find as find
from rankwell.metrics.grammar import metric_of as metric_of
from rankwell.metrics.grammar import metrics_of as metrics_of
from rankwell.metrics.graded.ndcg import nDCG as nDCG
from rankwell.metrics.diversity.intents import nDCGIA as nDCGIA
from rankwell.metrics.graded.cascade import nERR as nERR
from rankwell.metrics.diversity.err_ia import nERRIA as nERRIA
from rankwell.metrics.diversity.alpha import nNRBP as nNRBP
from rankwell.metrics.registry import registry as registry

__all__ = [
    "ABDCG",
    "ABHit",
    "ABTopic",
    "ABnDCG",
    "ACLT",
    "AP",
    "APIA",
    "APLT",
    "ARP",
    "AUC",
    "AUCPR",
    "AUCTopK",
    "AWRF",
    "Accuracy",
    "AlphaDCG",
    "AlphanDCG",
    "Avg11",
    "BinG",
    "BinomialDiversity",
    "Bpref",
    "ByTopic",
    "CG",
    "Calibration",
    "CategoryEntropy",
    "CitationP",
    "CitationR",
    "Compat",
    "Coverage",
    "DCG",
    "DPRatio",
    "DSharpnDCG",
    "DTR",
    "DeltaGAP",
    "DnDCG",
    "EFD",
    "EILD",
    "EPC",
    "EPD",
    "ERR",
    "ERRIA",
    "EffectiveItems",
    "Entropy",
    "EntropyNorm",
    "ExplainedVariance",
    "Exposure",
    "F",
    "Fallout",
    "FirstRank",
    "FullRank",
    "G",
    "GAUC",
    "GMAP",
    "GMBpref",
    "Gini",
    "GiniDiversity",
    "GiniM1",
    "Hit",
    "IDCG",
    "ILD",
    "ILS",
    "INSQ",
    "INST",
    "IPS",
    "IPrec",
    "IRec",
    "InfAP",
    "JudgedShare",
    "LogLoss",
    "MAE",
    "MCC",
    "MSE",
    "MSI",
    "MeanPopRank",
    "MeanPrecision",
    "NDCGRel",
    "NRBP",
    "Nugget",
    "NumNonrelJudgedRet",
    "NumRel",
    "NumRelRet",
    "NumRet",
    "P",
    "PAUC",
    "PAp",
    "PIA",
    "PercentileRank",
    "Personalization",
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
    "R",
    "R2",
    "RBP",
    "RBPResidual",
    "RBU",
    "RMSE",
    "RNDCG",
    "RPrec",
    "RR",
    "RRIA",
    "SNIPS",
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
    "SizeP",
    "SpanF",
    "SpanIoU",
    "SpanP",
    "SpanR",
    "Specificity",
    "Surprise",
    "TailCoverage",
    "TestShare",
    "TopicCoverage",
    "UPD",
    "Unexpectedness",
    "UnjudgedShare",
    "Unserendipity",
    "Used",
    "UserCoverage",
    "UserMAE",
    "UserMSE",
    "UserRMSE",
    "Utility",
    "Wanted",
    "YAAP",
    "classes",
    "find",
    "metric_of",
    "metrics_of",
    "nDCG",
    "nDCGIA",
    "nERR",
    "nERRIA",
    "nNRBP",
    "registry",
]
