"""Plots: each a function from results to an Altair chart; one file per kind, named after it and found by being here, or in an optional room."""

from __future__ import annotations

from typing import Any as _Any

from rankwell.errors import nearest as _nearest
from rankwell.reporting.chart.charts import bind_pictures as _bind
from rankwell.reporting.chart.charts import picture_named as _named
from rankwell.reporting.pictures import save as save

__all__ = sorted([*_bind(), "save"])  # noqa: PLE0605 - the names of the files


def __getattr__(name: str) -> _Any:
    if name not in __all__:
        there = "" if name.startswith("_") else _nearest(name, __all__) or f" There are {', '.join(__all__)}."
        raise AttributeError(f"rw.plot has no {name!r}.{there}", name=name)
    return _named(name).draw


def __dir__() -> list[str]:
    return __all__
