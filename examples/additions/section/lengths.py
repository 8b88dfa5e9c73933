"""Lengths: how many items the lists of each system have."""

from __future__ import annotations

from rankwell.extend import Content, Material, report_section


@report_section(order=115)
def section(material: Material) -> Content | None:
    """Return the mean length of the lists of each system; None without runs."""
    rows = [{"system": name, "mean": len(run) / len(run.queries)} for name, run in material.runs.items()]
    return Content({"rows": rows}) if rows else None
