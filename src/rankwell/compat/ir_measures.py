"""Translation between ir_measures' notation and ours: ``AP@10`` there is ``ap(denom=R)@10`` here.

ir_measures covers every topic of the judgements (``missing=empty``) and uses 0 for undefined values; ties depend on the
program it calls. ``judged_only=True`` is not a parameter of a metric here but a policy: ``Policy(unjudged="condense")``.
What is written is what ir_measures takes and one of its programs computes: ``rel`` is a whole number from 1, and measures of
topics have a cut-off. Grades that ``gains=`` does not name gain themselves there, so the table here has ``others:own``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any, Literal

from rankwell.errors import UsageError, brief, nearest
from rankwell.metrics import metric_of
from rankwell.metrics.metric import Metric
from rankwell.metrics.parameters import named_gains
from rankwell.records import record

__all__ = ["from_ir_measures", "to_ir_measures"]

TEXT = re.compile(r"\s*(?P<name>\w+)\s*(?:\((?P<inside>.*)\))?\s*(?:@\s*(?P<at>[\d.]+))?\s*$")
# parameters without a counterpart here, and the value at which they change nothing
NEUTRAL: Mapping[str, Any] = {
    "judged_only": False,
    "normalize": True,
    "min_rel": 0,
    "relative": False,
    "dcg": "log2",
}
KINDS: Mapping[str, type] = {
    **dict.fromkeys(("rel", "max_rel", "min_rel"), int),
    **dict.fromkeys(("T", "p", "alpha", "beta"), float),
    **dict.fromkeys(("judged_only", "normalize", "relative"), bool),
    "dcg": str, "gains": dict,
}  # fmt: skip


@record
class MeasureRule:
    """An ir_measures measure: the metric here, and the name here of each of its parameters.

    ``at`` is what follows the @ here, "" if nothing may; ``needs`` names what must be given.
    """

    metric: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    neutral: tuple[str, ...] = ()
    at: Literal["k", "level", ""] = "k"
    needs: tuple[str, ...] = ()

    @property
    def known(self) -> list[str]:
        """The names of all parameters."""
        return [*self.parameters, *self.neutral]


REL = {"rel": "rel"}
JUDGED = ("judged_only",)
CUT = ("@",)
GAINS = {"log2": "linear", "exp-log2": "exp2"}
# the first name is used for writing
RULES: dict[str, MeasureRule] = {
    "alpha_DCG": MeasureRule("alpha_dcg(norm=ndeval)", REL | {"alpha": "alpha"}, JUDGED, needs=CUT),
    "alpha_nDCG": MeasureRule("alpha_ndcg", REL | {"alpha": "alpha"}, JUDGED, needs=CUT),
    "AP": MeasureRule("ap(denom=R)", REL, JUDGED),
    "AP_IA": MeasureRule("ap_ia(denom=R)", REL, JUDGED, at=""),
    "Bpref": MeasureRule("bpref", REL, at=""),
    "Compat": MeasureRule("compat(depth=none)", {"p": "p"}, ("normalize",), at=""),
    "ERR": MeasureRule("err(max_grade=4)", needs=CUT),  # gdeval's scale
    "ERR_IA": MeasureRule("err_ia(gain=binary,norm=ndeval)", REL, JUDGED, needs=CUT),
    "infAP": MeasureRule("infap", REL, at=""),
    "INSQ": MeasureRule("insq", {"T": "T", "max_rel": "max_grade"}, ("min_rel",), at="", needs=("max_rel",)),
    "INST": MeasureRule("inst", {"T": "T", "max_rel": "max_grade"}, ("min_rel",), at="", needs=("max_rel",)),
    "IPrec": MeasureRule("iprec(levels=trec9)", REL, JUDGED, at="level", needs=CUT),
    "Judged": MeasureRule("judged"),
    "nDCG": MeasureRule("ndcg", {"dcg": "gain", "gains": "gain"}, JUDGED),
    "nERR_IA": MeasureRule("nerr_ia(gain=binary)", REL, JUDGED, needs=CUT),
    "nNRBP": MeasureRule("nnrbp", REL | {"alpha": "alpha", "beta": "beta"}, at=""),
    "NRBP": MeasureRule("nrbp", REL | {"alpha": "alpha", "beta": "beta"}, at=""),
    "NumRel": MeasureRule("num_rel", REL, at=""),
    "NumRet": MeasureRule("num_ret", at=""),
    "NumRelRet": MeasureRule("num_rel_ret", REL, at=""),
    "P": MeasureRule("p", REL, JUDGED, needs=CUT),
    "P_IA": MeasureRule("p_ia", REL, JUDGED, needs=CUT),
    "R": MeasureRule("r", REL, JUDGED, needs=CUT),
    "RBP": MeasureRule("rbp(gain=binary)", {"p": "p", "rel": "rel"}, at="", needs=("rel",)),
    "Rprec": MeasureRule("rprec", REL, JUDGED, at=""),
    "RR": MeasureRule("rr", REL, JUDGED),
    "SDCG": MeasureRule(
        "ndcg(ideal=maximal)", {"max_rel": "max_grade"}, ("min_rel", "dcg"), needs=("@", "max_rel")
    ),
    "SetAP": MeasureRule("set_ap", REL, JUDGED, at=""),
    "SetF": MeasureRule(
        "set_f", {"rel": "rel", "beta": "C"}, JUDGED, at=""
    ),  # its beta is the square of beta
    "SetP": MeasureRule("set_p", REL, ("relative", *JUDGED), at=""),
    "SetR": MeasureRule("set_r", REL, at=""),
    "SetRelP": MeasureRule("set_r(denom=min_rn)", REL, JUDGED, at=""),
    "StRecall": MeasureRule("s_recall", REL, needs=CUT),
    "Success": MeasureRule("hit", REL, JUDGED, needs=CUT),
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
ELSEWHERE = {
    "Accuracy": "it is the share of pairs in order within the list; see auc",
    "NumQ": "the number of queries is printed with every value",
    "BPM": "there is no such metric yet", "NERR8": "there is no such metric yet", "NERR9": "there is no such metric yet",
    "NERR10": "there is no such metric yet", "NERR11": "there is no such metric yet",
}  # fmt: skip
NO_PROGRAM = "; no program there computes it"


def from_ir_measures(text: str) -> Metric:
    """Return the metric for a measure of ir_measures.

    Raises
    ------
    UsageError
        If there is no such measure, it has no such parameter, or it is not a metric here.

    Examples
    --------
    >>> from_ir_measures("AP(rel=2)@10"), from_ir_measures("nDCG(dcg='exp-log2')@20"), from_ir_measures("IPrec@0.2")
    (ap(denom=R,rel=2)@10, ndcg(gain=exp2)@20, iprec(level=0.2,levels=trec9))
    >>> from_ir_measures("nDCG(gains={1:3,2:9})@10"), from_ir_measures("NumRet(rel=1)")
    (ndcg(gain={1:3,2:9,others:own})@10, num_rel_ret)
    """
    match = TEXT.match(text)
    if match is None:
        raise UsageError(f"{brief(text)} is not a measure of ir_measures; write for example P(rel=2)@10.")
    name = ALIASES.get(match["name"], match["name"])
    if name in ELSEWHERE:
        raise UsageError(f"{text}: {ELSEWHERE[name]}.")
    if name not in RULES:
        raise UsageError(f"{text}: {brief(name)} of ir_measures is unknown here.{nearest(name, RULES)}")
    parameters = _parameters(text, match["inside"] or "")
    if name == "NumRet" and "rel" in parameters:  # with rel it counts the relevant ones retrieved
        name = "NumRelRet"
    if name in ("SetP", "SetRelP") and parameters.get("relative"):
        name, parameters = "SetRelP", {key: value for key, value in parameters.items() if key != "relative"}
    rule = RULES[name]
    _check(text, name, parameters, match["at"])
    changes = {rule.parameters[key]: value for key, value in parameters.items() if key in rule.parameters}
    if name == "nDCG" and "gain" in changes:
        changes["gain"] = (
            _gains(text, parameters["gains"]) if "gains" in parameters else GAINS[parameters["dcg"]]
        )
    if changes.get("rel") == 1 and name != "RBP":
        del changes["rel"]
    if match["at"]:
        changes[rule.at] = int(match["at"]) if rule.at == "k" else float(match["at"])
    metric = replace(metric_of(rule.metric, complete=False), **changes)
    metric.check()
    return metric


def _check(text: str, name: str, parameters: Mapping[str, Any], at: str | None) -> None:
    """Refuse what the measure does not have there, what it lacks, and what has no counterpart here."""
    rule = RULES[name]
    if at and not rule.at:
        raise UsageError(f"{text}: {name} has no @{NO_PROGRAM if name == 'RBP' else ''}.")
    if at and rule.at == "k" and not at.isdigit():
        raise UsageError(f"{text}: {at} is no whole number; write for example {name}@10.")
    for key, value in parameters.items():
        if key not in rule.known:
            has = f"it has {', '.join(rule.known)}" if rule.known else "it has none"
            raise UsageError(
                f"{text}: {name} of ir_measures has no parameter {brief(key)}; {has}.{nearest(key, rule.known)}"
            )
        kind = KINDS[key]
        if not (type(value) is kind or (kind is float and type(value) is int)):
            raise UsageError(f"{text}: {key}={brief(value)} must be of type {kind.__name__}.")
        if key in rule.neutral and value != NEUTRAL[key]:
            hint = "; it is Policy(unjudged='condense') here" if key == "judged_only" else ""
            raise UsageError(f"{text}: {key}={brief(value)} has no counterpart here{hint}.")
    if parameters.get("rel", 1) < 1:
        raise UsageError(
            f"{text}: rel={parameters['rel']} must be at least 1, as in the programs behind ir_measures."
        )
    if name == "NumRel" and parameters.get("rel", 1) != 1:
        raise UsageError(f"{text}: NumRel counts from rel=1{NO_PROGRAM} for another.")
    if parameters.get("dcg", "log2") not in GAINS:
        raise UsageError(
            f"{text}: dcg={brief(parameters['dcg'])} must be one of {', '.join(map(repr, GAINS))}."
        )
    if parameters.get("dcg") == "exp-log2" and ("gains" in parameters or not at):
        why = "give it a cut-off and no gains" if "gains" in parameters else "give it a cut-off"
        raise UsageError(f"{text}: {why}{NO_PROGRAM} otherwise.")
    for key in rule.needs:
        if key == "@" and not at:
            raise UsageError(
                f"{text}: {name} needs a cut-off{NO_PROGRAM} without; write {name}@{'10' if rule.at == 'k' else '0.5'}."
            )
        if key != "@" and key not in parameters:
            why = NO_PROGRAM.replace("it", "graded RBP, which is rbp here") if name == "RBP" else ""
            raise UsageError(f"{text}: give {key}={why}.")


def to_ir_measures(metric: str | Metric) -> str:
    """Return a metric in the notation of ir_measures.

    Raises
    ------
    UsageError
        If it has no such measure, or no program behind ir_measures computes it.

    Examples
    --------
    >>> to_ir_measures("ap(denom=R)@10"), to_ir_measures("set_f(beta=2)"), to_ir_measures("hit(rel=2)@5")
    ('AP@10', 'SetF(beta=4.0)', 'Success(rel=2)@5')
    """
    ours = metric_of(metric)
    for name, rule in RULES.items():
        text = _write(ours, name, rule)
        if text is not None:
            return text
    gain = getattr(ours, "gain", "")
    lacks_own = not isinstance(gain, str) and not named_gains(gain)[1]
    hint = " There, grades that a table does not name gain themselves: write others:own, as in gain={1:3,others:own}, if that is meant."
    raise UsageError(f"{ours} has no counterpart in ir_measures.{hint if lacks_own else ''}")


def _write(metric: Metric, name: str, rule: MeasureRule) -> str | None:
    """The measure of this name that is the metric, if there is one."""
    base = metric_of(rule.metric, complete=False)
    if type(base) is not type(metric):
        return None
    ours = {**metric.resolved(), "k": metric.k, "sampled": metric.sampled, "budget": metric.budget}
    plain = {**base.resolved(), "k": None, "sampled": None, "budget": None}
    if name == "SetF":
        ours |= {"C": metric.recall_weight, "beta": None, "c": None}  # type: ignore[attr-defined]
        plain |= {"C": 1.0, "beta": None}
    if name == "RBP" and ours["rel"] is None:
        ours["rel"] = 1
    parameters: dict[str, Any] = {}
    at = "" if ours.get(rule.at) is None else f"@{ours.get(rule.at)}"
    for key, value in ours.items():
        if (key == rule.at and rule.at) or value == plain.get(key):
            continue
        translation = _translate(rule, key, value)
        if translation is None:
            return None
        if translation != ("rel", 1) or name == "RBP":
            parameters[translation[0]] = translation[1]
    text = (
        f"{name}({', '.join(f'{key}={brief(value)}' for key, value in parameters.items())})"
        if parameters
        else name
    )
    try:
        _check(text, name, parameters, at[1:])
    except UsageError:  # ir_measures would refuse it
        return None
    return text + at


def _translate(rule: MeasureRule, key: str, value: Any) -> tuple[str, Any] | None:
    """The name and the value there of a parameter here, None if it has none."""
    names = [there for there, here in rule.parameters.items() if here == key]
    if not names:
        return None
    if key == "gain":
        words = {word: there for there, word in GAINS.items()}
        if isinstance(value, str):
            return ("dcg", words[value]) if value in words else None
        pairs, has_own = named_gains(value)
        is_theirs = has_own and all(each >= 0 and float(each).is_integer() for pair in pairs for each in pair)
        return ("gains", {int(grade): int(gain) for grade, gain in pairs}) if is_theirs else None
    kind = KINDS[names[0]]
    if isinstance(value, str) or value is None or (kind is int and not float(value).is_integer()):
        return None
    return names[0], kind(value)


def _gains(text: str, gains: Mapping[Any, Any]) -> Any:
    """Return the gain here: there it takes the place of the grade, so other grades gain themselves and a gain below 0 is none."""
    if not all(type(number) is int for pair in gains.items() for number in pair) or min(gains, default=0) < 0:
        raise UsageError(
            f"{text}: gains={brief(dict(gains))} must be gains of grades from 0, all whole numbers."
        )
    named = {grade: max(gain, 0) for grade, gain in gains.items()}
    return {**named, "others": "own"} if named else "linear"


def _parameters(text: str, inside: str) -> dict[str, Any]:
    """Parse the parameters in parentheses, which use Python syntax."""
    try:
        call = ast.parse(f"dict({inside})", mode="eval").body
        assert isinstance(call, ast.Call)
        parameters = {str(word.arg): ast.literal_eval(word.value) for word in call.keywords}
    except (SyntaxError, ValueError) as error:
        raise UsageError(f"{text}: cannot read the parameters ({error}).") from error
    if call.args:
        raise UsageError(f"{text}: parameters need names, such as rel=2.")
    return parameters
