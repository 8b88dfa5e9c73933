"""The section on a board: rank intervals, the table, and the places on each task."""

from __future__ import annotations

from rankwell.reporting.chart.charts import spec_of
from rankwell.reporting.material import Material
from rankwell.reporting.section import Content, cells_of, report_section
from rankwell.suites.board import Board
from rankwell.suites.plots.heatmap import heatmap
from rankwell.suites.plots.ranks import ranks


@report_section(order=22, of_subjects=True)
def section(material: Material) -> Content | None:
    """Return a row per system with the pictures; None if the report is not of a board."""
    board, words = material.subject, material.words
    if not isinstance(board, Board):
        return None
    data = cells_of(board.to_table(words)) | {"values": board.to_dict(), "notes": board.notes(words)}
    for at, column in enumerate(data["columns"]):
        if column["kind"] == "text" and at != 1:  # ranges of numbers are aligned as numbers are
            column["kind"] = "value"
    charts = {
        "ranks": spec_of(ranks(board, lang=words.lang)),
        "heatmap": spec_of(heatmap(board, lang=words.lang)),
    }
    return Content(data, charts)
