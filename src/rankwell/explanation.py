"""explain: the definition card of a metric, made from its docstring and its fields."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass
from typing import Any

from rankwell.base import Metric
from rankwell.display import ARROWS, Column, Table
from rankwell.metrics import classes, metric_of

SECTIONS = ("Formula", "Edge cases", "Convention", "Parameters", "Example", "Reference")
BETTER = {"higher": "higher is better", "lower": "lower is better", "neither": "neither end is better"}
CUTS = {
    "required": "@k required",
    "optional": "@k optional (without it the whole list)",
    "none": "takes no @k",
}
UNDEFINED = {
    "judgements": "by the judgements (policy undefined=skip|zero|one|error)",
    "list": "by the list (left out of the mean and counted)",
    "never": "never",
}


@dataclass(frozen=True)
class Explanation:
    """The definition card of one metric; ``print`` it, or take its parts from :meth:`to_dict`."""

    metric: Metric
    sentence: str
    sections: dict[str, str]

    def to_dict(self) -> dict[str, Any]:
        """Return the parts of the card."""
        cls = type(self.metric)
        low, high = cls.range
        return {
            "metric": str(self.metric),
            "signature": self.metric.signature,
            "names": [cls.name, *cls.aliases],
            "sentence": self.sentence,
            **{title.lower(): text for title, text in self.sections.items()},
            "range": f"{low:g} to {high:g}, {BETTER[cls.better]}",
            "cut-off": CUTS[cls.cut],
            "reads": ", ".join((["judgements"] if cls.judgements else ["lists"]) + sorted(cls.needs)),
            "undefined": UNDEFINED[cls.undefined],
        }

    def __str__(self) -> str:
        lines = []
        for name, value in self.to_dict().items():
            text = ", ".join(value) if isinstance(value, list) else str(value)
            first, *others = text.splitlines() or [""]
            lines.append(f"{name:<12}{first}".rstrip())
            lines += [f"{'':<12}{line}".rstrip() for line in others]
        return "\n".join(lines)

    def _repr_markdown_(self) -> str:
        return "\n".join(
            f"**{name}** " + (", ".join(value) if isinstance(value, list) else str(value)) + "\n"
            for name, value in self.to_dict().items()
        )


def explain(metric: str | Metric | type[Metric]) -> Explanation:
    """Return the definition card of a metric: formula, edge cases, convention and its rivals, switches, source.

    Parameters
    ----------
    metric
        A text such as ``"ndcg@10"``, a metric, or its class; a cut-off may be left out.

    Raises
    ------
    UsageError
        If there is no such metric.

    Examples
    --------
    >>> print(explain("hit@10"))  # doctest: +ELLIPSIS
    metric      hit@10
    signature   hit@10
    names       hit, hr, hit_rate, success
    sentence    Hit rate (success): 1 if at least one of the first k items is relevant, else 0.
    formula     hit@k = [ |{r ≤ k : relevant}| > 0 ]
    ...
    """
    made = metric_of(metric, complete=False)
    text = inspect.cleandoc(type(made).__doc__ or "")
    sentence, *_ = re.split(r"\n\s*\n", text)
    return Explanation(made, " ".join(sentence.split()), _sections(text))


def _sections(text: str) -> dict[str, str]:
    """The indented blocks under the known headings of a docstring."""
    found: dict[str, str] = {}
    for title in SECTIONS:
        match = re.search(rf"^{title}\n((?:[ ]{{4}}.*\n?|\n)+)", text, re.MULTILINE)
        if match:
            found[title] = inspect.cleandoc(match[1]).strip()
    return found


def catalogue() -> Table:
    """Return the table of all metrics: how they are written, what they measure, range and direction."""
    rows = []
    for cls in classes():
        sentence = re.split(r"\n\s*\n", inspect.cleandoc(cls.__doc__ or ""))[0]
        cut = {"required": "@k", "optional": "[@k]", "none": ""}[cls.cut]
        low, high = cls.range
        needs = ", ".join(sorted(cls.needs & {"catalogue"})) or ("judgements" if cls.judgements else "lists")
        rows.append(
            (f"{cls.name}{cut}", f"{low:g}–{high:g} {ARROWS[cls.better]}", needs, " ".join(sentence.split()))
        )
    columns = [Column(name, "text") for name in ("metric", "range", "needs", "what it measures")]
    notes = ["`rankwell explain METRIC` prints formula, switches, edge cases and source."]
    return Table(columns, rows, notes=notes)
