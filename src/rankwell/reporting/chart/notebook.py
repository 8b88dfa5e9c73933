"""How charts are shown in a notebook: from what is on this machine."""

from __future__ import annotations

from typing import Any


def show_without_network() -> None:
    """Let Altair show charts without a network, unless somebody chose one of its renderers.

    Altair's default loads its libraries from the network each time that a chart is looked at. Here a viewer that knows Vega-Lite
    (JupyterLab, VS Code) gets the specification, and any other a picture.
    """
    import altair as alt

    if alt.renderers.active == "default":
        alt.renderers.register("rankwell", _rendered)
        alt.renderers.enable("rankwell")


def _rendered(spec: dict[str, Any], **_: Any) -> dict[str, Any]:
    import altair as alt
    import vl_convert

    return {
        # not ``.json``, as Altair 6 has it: such a notebook is not valid and cannot be saved
        f"application/vnd.vegalite.{alt.SCHEMA_VERSION.partition('.')[0]}+json": spec,
        "image/svg+xml": vl_convert.vegalite_to_svg(spec),
        "text/plain": "a chart, drawn with Vega-Lite",
    }
