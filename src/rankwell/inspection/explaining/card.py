"""Definition cards of metrics, made from their docstrings and fields, and the table of all metrics."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from rankwell.display.table import ARROWS, Column, Table
from rankwell.errors import UsageError, nearest
from rankwell.metrics import classes
from rankwell.metrics.corpus_metric import CorpusMetric
from rankwell.metrics.docstrings import sections, sentence
from rankwell.metrics.grammar import FOREIGN
from rankwell.metrics.metric import Metric
from rankwell.records import record

SECTIONS = ("Formula", "Edge cases", "Convention", "Parameters", "Example", "Reference")
BETTER = {"higher": "higher is better", "lower": "lower is better", "neither": "neither end is better"}
TABLES = {"catalogue": "items", "features": "items", "history": "train", "counts": "train"}
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


@record
class Explanation:
    """The definition card of one metric; ``print`` it, or get its parts with ``to_dict``.

    Of a name that other tools give to what is no metric here, ``metric`` is None.
    """

    metric: Metric | None
    sentence: str
    sections: dict[str, str]

    def to_dict(self) -> dict[str, Any]:
        """Return the parts of the card, in display order."""
        if self.metric is None:
            return {
                "sentence": self.sentence,
                **{title.lower(): text for title, text in self.sections.items()},
            }
        cls = type(self.metric)
        low, high = self.metric.range
        return {
            "metric": str(self.metric),
            "signature": self.metric.signature,
            "names": [cls.name, *cls.aliases],
            "sentence": self.sentence,
            **{title.lower(): text for title, text in self.sections.items()},
            "range": f"{_end(low)} to {_end(high)}, {BETTER[self.metric.better]}",
            "cut-off": CUTS[cls.cut],
            "reads": ", ".join((["judgements"] if self.metric.judgements else ["lists"]) + sorted(cls.needs)),
            "undefined": _undefined(self.metric),
        }

    def to_json(self) -> str:
        """Return the card as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2)

    def to_text(self) -> str:
        """Return the card as text, one part below the other."""
        lines = []
        for name, value in self.to_dict().items():
            text = ", ".join(value) if isinstance(value, list) else value.replace("``", "")
            first, *others = text.splitlines() or [""]
            lines.append(f"{name:<12}{first}".rstrip())
            lines += [f"{'':<12}{line}".rstrip() for line in others]
        return "\n".join(lines)

    def to_markdown(self) -> str:
        """Return the card as Markdown."""
        blocks = []
        for name, value in self.to_dict().items():
            if name in ("metric", "signature", "names"):
                texts = value if isinstance(value, list) else [value]
                blocks.append(f"**{name}** " + ", ".join(f"`{text}`" for text in texts))
            elif name in ("formula", "example"):
                language = "python" if name == "example" else "text"
                blocks.append(f"**{name}**\n\n```{language}\n{value}\n```")
            elif name == "parameters":
                blocks.append("**parameters**\n\n" + re.sub(r"^(?=\S)", "- ", value, flags=re.MULTILINE))
            else:
                blocks.append(f"**{name}** {value}")
        # Markdown uses single backticks where docstrings use double ones; three would open a code block
        return re.sub(r"(?<!`)``(?!`)", "`", "\n\n".join(blocks)) + "\n"

    __str__, _repr_markdown_ = to_text, to_markdown


def card(metric: Metric) -> Explanation:
    """Return the definition card of a metric."""
    cls = type(metric)
    return Explanation(metric, sentence(cls), sections(cls, SECTIONS))


def card_of_name(name: str) -> Explanation:
    """Return the card of a name of other tools: what each means by it, and the metric here."""
    meanings = [f"{tools}: {meaning}; here: {here}" for tools, meaning, here in FOREIGN[name]]
    sentence = (
        f"{name} is no metric here, but the name of other tools for what they compute each in its own way."
    )
    return Explanation(None, sentence, {"Meanings": "\n".join(meanings)})


def catalogue(words: Sequence[str] = ()) -> Table:
    """Return the table of all metrics, or of those that have all ``words``: names, what they measure, range and direction.

    Raises
    ------
    UsageError
        If no metric has the words.
    """
    wanted = [word.partition("@")[0].lower() for word in words]
    metrics = [cls for cls in classes() if all(word in _text(cls) for word in wanted)]
    if not metrics:
        names = [name for cls in classes() for name in (cls.name, *cls.aliases)]
        raise UsageError(
            f"no metric has {' and '.join(map(repr, words))} in its names or first sentence.{nearest(words[0], names)}"
        )
    metrics.sort(
        key=lambda cls: not {cls.name, *cls.aliases} & {*wanted}
    )  # a metric of that name comes first
    rows = [_row(cls) for cls in metrics]
    columns = [Column(name, "text") for name in ("metric", "range", "needs", "what it measures")]
    notes = ["`rankwell explain METRIC` prints formula, switches, edge cases and source."]
    notes.append("items, train: the tables of --items and --train")
    notes.append("size: the number of items that could be retrieved, as collection= or the rows of --items")
    return Table(columns, rows, notes=notes)


def _row(cls: type[Metric]) -> tuple[str, str, str, str]:
    cut = {"required": "@k", "optional": "[@k]", "none": ""}[cls.cut]
    metric = cls()
    low, high = metric.range
    tables = ["judgements" if metric.judgements else "lists"]
    tables += sorted({TABLES[need] for need in (cls.needs | metric.needed()) & TABLES.keys()})
    needed = [word for word in ("topics", "collection_size") if word in metric.needed()]
    needs = ", ".join([*tables, *(word.replace("collection_", "") for word in needed)])
    ends = f"{_end(low)}–{_end(high)} {ARROWS[metric.better]}"
    return f"{cls.name}{cut}", ends, needs, sentence(cls).replace("``", "")


def _text(cls: type[Metric]) -> str:
    """What a metric is found by, in lower case."""
    return " ".join((cls.name, *cls.aliases, sentence(cls))).lower()


def _undefined(metric: Metric) -> str:
    """When the metric has no value."""
    if isinstance(metric, CorpusMetric):
        return "as a whole, where the edge cases say so"
    return UNDEFINED[metric.undefined]


def _end(value: float) -> str:
    """One end of a range."""
    return f"{value:g}".replace("inf", "∞")
