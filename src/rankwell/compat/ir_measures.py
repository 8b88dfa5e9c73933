"""Translation between ir_measures' notation and ours: ``AP@10`` there is ``ap(denom=R)@10`` here.

ir_measures covers every topic of the judgements (``missing=empty``) and uses 0 for undefined values; ties depend on the
program it calls. ``judged_only=True`` is not a parameter of a metric here but a policy: ``Policy(unjudged="condense")``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from rankwell.errors import UsageError, nearest
from rankwell.metrics import metric_of
from rankwell.metrics.metric import Metric
from rankwell.metrics.parameters import value_text

__all__ = ["from_ir_measures", "to_ir_measures"]

TEXT = re.compile(r"\s*(?P<name>\w+)\s*(?:\((?P<inside>.*)\))?\s*(?:@\s*(?P<at>[\d.]+))?\s*$")


@dataclass(frozen=True)
class Rule:
    """An ir_measures measure: the metric here, and our names for its parameters; ``at`` is the parameter after the @."""

    metric: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    at: str = "k"
    words: Mapping[str, Mapping[Any, str]] = field(
        default_factory=dict
    )  # parameter values with other names here


REL = {"rel": "rel"}
GAIN = {"dcg": {"log2": "linear", "exp-log2": "exp2"}}
# several spellings of a name are separated; the first one is used for writing
RULES: dict[str, Rule] = {
    "alpha_DCG": Rule("alpha_dcg(norm=ndeval)", REL | {"alpha": "alpha"}),
    "alpha_nDCG": Rule("alpha_ndcg", REL | {"alpha": "alpha"}),
    "AP": Rule("ap(denom=R)", REL),
    "AP_IA": Rule("ap_ia(denom=R)", REL),
    "Bpref": Rule("bpref", REL),
    "Compat": Rule("compat(depth=none)", {"p": "p"}),
    "ERR": Rule("err(max_grade=4)"),  # gdeval's scale
    "ERR_IA": Rule("err_ia(gain=binary,norm=ndeval)", REL),
    "infAP": Rule("infap", REL),
    "INSQ": Rule("insq", {"T": "T", "max_rel": "max_grade"}),
    "INST": Rule("inst", {"T": "T", "max_rel": "max_grade"}),
    "IPrec": Rule("iprec(levels=trec9)", REL, at="level"),
    "Judged": Rule("judged"),
    "nDCG": Rule("ndcg", {"dcg": "gain", "gains": "gain"}, words=GAIN),
    "nERR_IA": Rule("nerr_ia(gain=binary)", REL),
    "nNRBP": Rule("nnrbp", REL | {"alpha": "alpha", "beta": "beta"}),
    "NRBP": Rule("nrbp", REL | {"alpha": "alpha", "beta": "beta"}),
    "NumRel": Rule("num_rel", REL),
    "NumRet": Rule("num_ret"),
    "NumRelRet": Rule("num_rel_ret", REL),
    "P": Rule("p", REL),
    "P_IA": Rule("p_ia", REL),
    "R": Rule("r", REL),
    "RBP": Rule("rbp(gain=binary)", {"p": "p", "rel": "rel"}),
    "Rprec": Rule("rprec", REL),
    "RR": Rule("rr", REL),
    "SDCG": Rule("ndcg(ideal=maximal)", {"max_rel": "max_grade"}),
    "SetAP": Rule("set_ap", REL),
    "SetF": Rule("set_f", {"rel": "rel", "beta": "C"}),  # its beta is the square of beta
    "SetP": Rule("set_p", REL),
    "SetR": Rule("set_r", REL),
    "SetRelP": Rule("set_r(denom=min_rn)", REL),
    "StRecall": Rule("s_recall", REL),
    "Success": Rule("hit", REL),
}
ALIASES = {
    "MAP": "AP",
    "MRR": "RR",
    "Precision": "P",
    "Recall": "R",
    "BPref": "Bpref",
    "NDCG": "nDCG",
    "RPrec": "Rprec",
    "α_nDCG": "alpha_nDCG",
    "α_DCG": "alpha_DCG",
    "MAP_IA": "AP_IA",
}
# measures or values implied, or without effect
DEFAULTS: dict[str, Any] = {
    "rel": 1,
    "judged_only": False,
    "normalize": True,
    "min_rel": 0,
    "relative": False,
    "dcg": "log2",
}
ELSEWHERE = {
    "Accuracy": "it is the share of pairs in order within the list; see auc",
    "NumQ": "the number of queries is printed with every value",
    "BPM": "there is no such metric yet", "NERR8": "there is no such metric yet", "NERR9": "there is no such metric yet",
    "NERR10": "there is no such metric yet", "NERR11": "there is no such metric yet",
}  # fmt: skip


def from_ir_measures(text: str) -> Metric:
    """Return the metric for a measure of ir_measures.

    Raises
    ------
    UsageError
        If there is no such measure or parameter, or it is not a metric here.

    Examples
    --------
    >>> from_ir_measures("AP(rel=2)@10"), from_ir_measures("nDCG(dcg='exp-log2')@20"), from_ir_measures("IPrec@0.2")
    (ap(denom=R,rel=2)@10, ndcg(gain=exp2)@20, iprec(level=0.2,levels=trec9))
    """
    found = TEXT.match(text)
    if found is None:
        raise UsageError(f"{text!r} is not a measure of ir_measures; write for example P(rel=2)@10.")
    name = ALIASES.get(found["name"], found["name"])
    if name in ELSEWHERE:
        raise UsageError(f"{text}: {ELSEWHERE[name]}.")
    if name not in RULES:
        raise UsageError(f"{text}: {name!r} of ir_measures is unknown here.{nearest(name, RULES)}")
    rule, given = RULES[name], _parameters(text, found["inside"] or "")
    if rule.metric == "rbp(gain=binary)" and "rel" not in given:
        raise UsageError(f"{text}: give rel=; no program there computes graded RBP, which is rbp here.")
    changes = {}
    for key, value in given.items():
        if key in rule.parameters:
            changes[rule.parameters[key]] = rule.words.get(key, {}).get(value, value)
        elif value != DEFAULTS.get(key, object()):
            hint = "; it is Policy(unjudged='condense') here" if key == "judged_only" else ""
            raise UsageError(f"{text}: {key}={value!r} has no counterpart here{hint}.")
    changes = {
        key: value for key, value in changes.items() if not (key == "rel" and value == 1 and name != "RBP")
    }
    if found["at"]:
        changes[rule.at] = int(found["at"]) if rule.at == "k" else float(found["at"])
    metric = replace(metric_of(rule.metric, complete=False), **changes)
    metric.check()
    return metric


def to_ir_measures(metric: str | Metric) -> str:
    """Return a metric in the notation of ir_measures.

    Raises
    ------
    UsageError
        If it has no such measure.

    Examples
    --------
    >>> to_ir_measures("ap(denom=R)@10"), to_ir_measures("set_f(beta=2)"), to_ir_measures("hit(rel=2)@5")
    ('AP@10', 'SetF(beta=4.0)', 'Success(rel=2.0)@5')
    """
    wanted = metric_of(metric)
    for name, rule in RULES.items():
        text = _written(wanted, name, rule)
        if text is not None:
            return text
    raise UsageError(f"{wanted} has no counterpart in ir_measures.")


def _written(wanted: Metric, name: str, rule: Rule) -> str | None:
    base = metric_of(rule.metric, complete=False)
    if type(base) is not type(wanted):
        return None
    ours = {**wanted.resolved(), "k": wanted.k, "sampled": wanted.sampled}
    plain = {**base.resolved(), "k": None, "sampled": None}
    if name == "SetF":
        ours |= {"C": wanted.recall_weight, "beta": None, "c": None}  # type: ignore[attr-defined]
        plain |= {"C": 1.0, "beta": None}
    shown, at = [], ""
    for key, value in ours.items():
        theirs = [there for there, here in rule.parameters.items() if here == key]
        if key == rule.at:
            at = "" if value is None else f"@{value}"
        elif value == plain.get(key):
            continue
        elif not theirs:
            return None
        elif isinstance(value, tuple):
            shown.append(f"gains={value_text(value)}")
        else:
            there = {word: key for key, word in rule.words.get(theirs[0], {}).items()}.get(value, value)
            shown.append(f"{theirs[0]}={there!r}")
    if name == "RBP" and not any(each.startswith("rel=") for each in shown):
        shown.append("rel=1")
    return f"{name}({', '.join(shown)}){at}" if shown else f"{name}{at}"


def _parameters(text: str, inside: str) -> dict[str, Any]:
    """Parse the parameters in parentheses, which use Python syntax."""
    try:
        call = ast.parse(f"dict({inside})", mode="eval").body
        assert isinstance(call, ast.Call)
        found = {str(word.arg): ast.literal_eval(word.value) for word in call.keywords}
    except (SyntaxError, ValueError) as error:
        raise UsageError(f"{text}: cannot read the parameters ({error}).") from error
    if call.args:
        raise UsageError(f"{text}: parameters need names, such as rel=2.")
    return found
