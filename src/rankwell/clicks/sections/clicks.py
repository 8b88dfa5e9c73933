"""The section on clicks: the tables of an interleaving or of position bias, with its picture and notes."""

from __future__ import annotations

from rankwell.clicks.interleaving import Interleaving
from rankwell.clicks.plots.positions import positions
from rankwell.clicks.plots.preference import preference
from rankwell.clicks.position_bias import Positions
from rankwell.reporting.chart.charts import spec_of
from rankwell.reporting.material import Material
from rankwell.reporting.section import Content, cells_of, report_section


@report_section(order=23, of_subjects=True)
def section(material: Material) -> Content | None:
    """Return the tables as they are shown, the values, and the picture; None if the report is not of clicks."""
    found, words = material.subject, material.words
    if not isinstance(found, Interleaving | Positions):
        return None
    said = (
        len(found.pairs) if isinstance(found, Interleaving) and len(found.pairs) == 1 else 0
    )  # in the answer above
    draw = preference if isinstance(found, Interleaving) else positions
    data = {
        "tables": [cells_of(table) for table in found.tables()],
        "values": found.to_dict(),
        "notes": found.notes(words)[said:],
    }
    return Content(data, {"picture": spec_of(draw(found, lang=words.lang))})
