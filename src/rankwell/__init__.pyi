from rankwell.base import metric as metric
from rankwell.errors import RankwellError as RankwellError
from rankwell.evaluation import Evaluator as Evaluator
from rankwell.evaluation import evaluate as evaluate
from rankwell.explanation import explain as explain
from rankwell.linting import lint as lint
from rankwell.metrics.binary import AP as AP
from rankwell.metrics.binary import RR as RR
from rankwell.metrics.binary import Hit as Hit
from rankwell.metrics.binary import P as P
from rankwell.metrics.binary import R as R
from rankwell.metrics.catalogue import Coverage as Coverage
from rankwell.metrics.gain import ERR as ERR
from rankwell.metrics.gain import nDCG as nDCG
from rankwell.metrics.judged import Bpref as Bpref
from rankwell.metrics.judged import JudgedShare as JudgedShare
from rankwell.policy import Policy as Policy
from rankwell.readers import read_qrels as read_qrels
from rankwell.readers import read_run as read_run
from rankwell.results import Results as Results
from rankwell.tables import Qrels as Qrels
from rankwell.tables import Run as Run

__version__: str
__all__ = [
    "AP",
    "ERR",
    "RR",
    "Bpref",
    "Coverage",
    "Evaluator",
    "Hit",
    "JudgedShare",
    "P",
    "Policy",
    "Qrels",
    "R",
    "RankwellError",
    "Results",
    "Run",
    "__version__",
    "evaluate",
    "explain",
    "lint",
    "metric",
    "nDCG",
    "read_qrels",
    "read_run",
]
