"""A number of another tool and the metric of ours that must equal it, with helpers for calling tools.

A measure says `metric`, the text of our metric that must be equal, or null and in `note` how its definition differs.
`times`: our value is theirs times this. `items`: the catalogue of our metric, if it is not all items of the catalogue
(`train`: the items of train; `shown`: the items of the lists). `within`: how far our value may be off, for what the
tool rounds or computes in single precision. `propensity`: how likely each judgement was observed, where hits are
weighed: `place`, 1 ÷ its item's place among its user's by id; `share`, its item's share of all judgements. `of`:
`ratings` for errors of predicted ratings, which are not of the lists but of all test ratings; the prediction is the
mean train rating of the item, or of all where train lacks the item.
"""

from __future__ import annotations

import importlib.util
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import files
from typing import Any

import pandas as pd


@dataclass
class Measure:
    """One number of a tool."""

    compute: Callable[[], Any]
    metric: str | None
    note: str = ""
    times: float = 1.0
    items: str = ""
    within: float = 0.0
    propensity: str = ""
    of: str = "lists"

    def says(self) -> dict:
        rest = {
            "of": self.of,
            "note": self.note,
            "times": self.times,
            "items": self.items,
            "within": self.within,
            "propensity": self.propensity,
        }
        unsaid = {"of": "lists", "note": "", "times": 1.0, "items": "", "within": 0.0, "propensity": ""}
        return {"metric": self.metric} | {key: value for key, value in rest.items() if value != unsaid[key]}


def table(rows):
    """A table of user, item, rank and a rating that falls with the rank."""
    cells = [(user, item, n, 101.0 - n) for user, row in rows.items() for n, item in enumerate(row, 1)]
    return pd.DataFrame(cells, columns=["user", "item", "rank", "rating"])


def module_of(distribution, path):
    """One file of an installed distribution as a module, without the package around it."""
    file = next(file for file in files(distribution) if str(file) == path).locate()
    spec = importlib.util.spec_from_file_location(path.replace("/", "_").removesuffix(".py"), file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def stand_in(*names, **attributes):
    """Empty modules for what a tool imports and does not need here."""
    for name in names:
        module = sys.modules.setdefault(name, types.ModuleType(name))
        module.__path__ = getattr(module, "__path__", [])
        for key, value in attributes.items():
            setattr(module, key, value)


def mean_and_each(values):
    return float(values.mean()), values.to_dict()
