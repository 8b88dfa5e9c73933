"""The manual of ``-h -m NAME``: what a measure computes, its parameters, and its metric in rankwell."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import fields

from rankwell.compat.trec_eval.makers import Printed, Settings
from rankwell.compat.trec_eval.measures import BY_GROUP, MEASURES
from rankwell.compat.trec_eval.special import GainRBP
from rankwell.inspection.explaining.card import card
from rankwell.metrics.diversity.by_topic import ByTopic
from rankwell.metrics.metric import Metric
from rankwell.metrics.parameters import value_text

WIDTH, INDENT = 110, " " * 14
CUTS = "ranks, whole numbers from 1"
PAIRS = "pairs of grade and gain, such as 1=3,2=9; other grades are their own gain"
PARAMETERS = {
    **dict.fromkeys(("P", "recall", "ndcg_cut", "map_cut", "relative_P", "success", "unj", "P_avgjg"), CUTS),
    **dict.fromkeys(("iprec_at_recall", "11pt_avg"), "recall levels, 0 to 1"),
    **dict.fromkeys(("Rprec_mult", "Rprec_mult_avgjg"), "multiples of R, the number of relevant documents"),
    **dict.fromkeys(("G", "dcg", "ideal_dcg", "ndcg", "ndcg_rel", "Rndcg"), PAIRS),
    "rbp": "p=, the probability of continuing; pairs of grade and gain, such as 1=0.5,2=1",
    "set_F": "β², the weight of recall relative to precision",
    "utility": "four prices: of relevant and other documents retrieved, relevant and other ones not retrieved (with -N)",
    "relstring": "the number of ranks",
}  # fmt: skip
# measures without a metric
SENTENCES = {
    "runid": "The name of the run: the last word of its last line.",
    "num_q": "The number of topics behind the values for all topics.",
    "relstring": "The grades of the first ranks, one character each: a digit, > above 9, - for an unjudged document, . for a "
    "grade below 0.",
}  # fmt: skip
OF_ALL = {
    "count": "their sum",
    "log": "their geometric mean, with each value at least 0.00001",
    "real": "their mean",
}


def manual_of(measures: Mapping[str, str | None], settings: Settings) -> str:
    """Return the descriptions of measures, one after another.

    Raises
    ------
    UsageError
        For an invalid parameter of a measure.
    """
    return "\n".join(_measure(name, given, settings) for name, given in measures.items())


def _measure(name: str, given: str | None, settings: Settings) -> str:
    lines = MEASURES[name](name, given, settings)
    parts = [name, textwrap.fill(_sentence(name, lines), WIDTH, initial_indent="  ", subsequent_indent="  ")]
    for title, value in _facts(name, lines):
        text = value if title == "formula" else textwrap.fill(value, WIDTH - len(INDENT))
        parts.append(f"  {title:<12}" + textwrap.indent(text, INDENT).lstrip())
    return "\n".join(parts).replace("``", "") + "\n"


def _sentence(name: str, lines: list[Printed]) -> str:
    """The description of a measure: that of its metric, or the one given here."""
    metric = next((line.metric for line in lines if line.metric is not None), None)
    if metric is None:
        return SENTENCES.get(name, "0, as a multiple of R of at most 0 ends before the first document.")
    plain = metric.metric if isinstance(metric, ByTopic) else metric
    said = card(_documented(plain)).sentence
    if type(_documented(plain)) is not type(plain):
        said += f" {card(plain).sentence}"
    return said + " The mean over the judgement groups of a topic." if name in BY_GROUP else said


def _facts(name: str, lines: list[Printed]) -> Iterator[tuple[str, str]]:
    """The metric, its parameters, the value for all topics, and the metric's formula and edge cases."""
    metric = next((line.metric for line in lines if line.metric is not None), None)
    if metric is not None and type(metric) is not GainRBP:
        yield (
            "metric",
            ", ".join(f"{line.name} is {0 if line.metric is None else line.metric}" for line in lines),
        )
    yield "parameters", PARAMETERS.get(name, "none")
    if lines[0].kind != "text":
        own = "no line per topic; " if lines[0].is_summary else ""
        yield "all topics", own + ("their number" if name == "num_q" else OF_ALL[lines[0].kind])
    if metric is None:
        return
    sections = card(_documented(metric)).sections
    if "Formula" in sections:
        yield "formula", sections["Formula"]
    switches = [f.name for f in fields(metric) if f.name != "k" and getattr(metric, f.name) != f.default]
    for line in sections.get("Parameters", "").splitlines():
        name, _, meaning = line.partition(": ")
        if name in switches:
            yield "with", f"{name}={value_text(getattr(metric, name))}: {name} is {meaning}"
    if "Edge cases" in sections and type(_documented(metric)) is type(metric):
        zero = " An undefined value is printed as 0, and counts." if metric.undefined == "judgements" else ""
        yield "edge cases", " ".join(sections["Edge cases"].split()) + zero


def _documented(metric: Metric) -> Metric:
    """Return the metric, or the nearest base class whose docstring has a formula."""
    for cls in type(metric).__mro__:
        if "\nFormula\n" in inspect.cleandoc(cls.__doc__ or ""):
            found: Metric = cls()
            return found
    return metric
