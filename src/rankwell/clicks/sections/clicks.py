"""The section on clicks: the tables of an answer, with its picture and notes."""

from __future__ import annotations

from rankwell.clicks.interleaving import Interleaving
from rankwell.clicks.new_order import Counterfactual
from rankwell.clicks.plots.positions import positions
from rankwell.clicks.plots.preference import preference
from rankwell.clicks.plots.weights import weights
from rankwell.clicks.position_bias import Positions
from rankwell.clicks.results import FromLog
from rankwell.reporting.chart.charts import spec_of
from rankwell.reporting.material import Material
from rankwell.reporting.section import Content, cells_of, report_section


@report_section(order=23, of_subjects=True)
def section(material: Material) -> Content | None:
    """Return the tables as they are shown, the values, and the picture; None if the report is not of clicks."""
    found, words = material.subject, material.words
    if not isinstance(found, FromLog):
        return None
    # what the answer above says is not said again
    said = 1 if isinstance(found, Interleaving) and len(found.pairs) == 1 else 0
    tables = found.tables(words)
    data = {
        "tables": [
            cells_of(table) | {"caption": table.caption if at else ""} for at, table in enumerate(tables)
        ],
        "values": found.to_dict(),
        "notes": found.notes(words)[said:],
    }
    draw = {Interleaving: preference, Positions: positions}.get(type(found), weights)
    is_empty = isinstance(found, Counterfactual) and found.weights is None
    return Content(data, {} if is_empty else {"picture": spec_of(draw(found, lang=words.lang))})
