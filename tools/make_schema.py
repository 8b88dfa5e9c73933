"""Write the JSON schema of experiment files, which editors check and complete ``rankwell.toml`` by: python tools/make_schema.py

A test fails when src/rankwell/data/config.schema.json is not what this writes.
"""

from __future__ import annotations

import json
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from rankwell.cli.arguments import explained
from rankwell.comparison.compare.methods import Methods
from rankwell.comparison.experiment import (
    AMOUNT,
    AMOUNTS,
    COLUMNS,
    FILE,
    FORMS,
    LIST,
    NUMBER,
    RUNS,
    SHARE,
    TEXT,
)
from rankwell.matching.policy import Policy

SCHEMA = Path(__file__).resolve().parents[1] / "src" / "rankwell" / "data" / "config.schema.json"
TEXTS = {"type": "array", "items": {"type": "string"}}
SHARES = {"type": ["number", "string"], "pattern": f"^({SHARE.pattern})$"}
KINDS: dict[Any, dict[str, Any]] = {
    TEXT: {"type": "string"},
    FILE: {"type": "string"},
    RUNS: TEXTS,
    NUMBER: {"type": "number"},
    AMOUNT: SHARES,
    LIST: {"anyOf": [{"type": "string"}, TEXTS]},
    AMOUNTS: {"anyOf": [{"type": ["number", "string"]}, TEXTS, {"type": "object", "additionalProperties": SHARES}]},
    COLUMNS: {"anyOf": [{"type": "string"}, TEXTS, {"type": "object", "additionalProperties": {"type": "string"}}]},
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
}  # fmt: skip
ABOUT = {
    "qrels": "the judgements: a file, named from the folder of this one",
    "metrics": "the metrics, such as ndcg@10; `rankwell metrics` lists all",
    "baseline": "the run that all others are compared with",
    "primary": "the metric that decides; the others are exploratory",
    "by": "columns of users: a row per segment",
    "weights": "a column of users: the weight of each query in the means",
    "clusters": "a column of users: what queries belong to and vary with as a whole",
    "runs": "the runs: a name and a file each",
    "tables": "train, items and users: files",
    "policy": "rules other than the default",
    "margins": "by metric: the drop that the gate tolerates, the difference that matters to compare",
    "rope": "by metric: the difference that counts as none",
    "seeds": "the runs of one method trained several times, by the name of the method",
    "folds": "the runs of the folds of a cross-validation, by the name of the system",
    "statistics": "how differences are tested",
    "read": "how files are read, where they are not recognised",
    "gate": "what `rankwell gate` lets through",
}
TOLD = {"policy": explained(Policy), "statistics": explained(Methods)}


def kind_of(form: Any) -> dict[str, Any]:
    """Return the schema of a kind of value."""
    if get_origin(form) in (Union, UnionType):
        (form,) = [each for each in get_args(form) if each is not NoneType]
    if get_origin(form) is Literal:
        return {"enum": list(get_args(form))}
    return KINDS[form]


def schema() -> dict[str, Any]:
    """Return the schema."""
    properties: dict[str, Any] = {}
    for word, form in FORMS.items():
        if not isinstance(form, dict):
            properties[word] = {"description": ABOUT[word], **kind_of(form)}
            continue
        told = TOLD.get(word, {})
        own = {
            name: ({"description": told[name]} if name in told else {}) | kind_of(kind)
            for name, kind in form.items()
            if name is not ...
        }
        others = kind_of(form[...]) if ... in form else False
        properties[word] = {
            "description": ABOUT[word],
            "type": "object",
            "additionalProperties": others,
            **({"properties": own} if own else {}),
        }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "An experiment of rankwell",
        "description": "What rankwell.toml may hold: what is evaluated, compared and let through. Made by tools/make_schema.py.",
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
    }


def text() -> str:
    """Return the schema as it stands in the file."""
    return json.dumps(schema(), ensure_ascii=False, indent=2) + "\n"


if __name__ == "__main__":
    SCHEMA.write_text(text(), encoding="utf-8")
