"""The look of all pictures: colours that colour-blind readers tell apart, on light and on dark ground.

A mark never names a colour; it names a style of this file (``style="muted"``) or a range (``scheme`` left out: the range
``category``), so that one specification is drawn in both themes.
"""

from __future__ import annotations

from typing import Any

FONT = "system-ui, Segoe UI, Roboto, Noto Sans, Noto Sans KR, Noto Sans CJK KR, Apple SD Gothic Neo, Malgun Gothic, sans-serif"
MOST_COLOURS = 8  # more systems are told apart by their names, not by colours
# after Okabe and Ito (2008), darkened on light ground and lightened on dark for a contrast of 3:1
CATEGORY = {
    False: ["#0072b2", "#d55e00", "#00875f", "#b8578f", "#a87000", "#3a8fc4", "#5d3a9b", "#6b6b6b"],
    True: ["#56b4e9", "#f0813a", "#2fc79a", "#e29ac6", "#e6b122", "#9fd0ee", "#b59ae8", "#a8a8a8"],
}
INK = {False: "#1b1f24", True: "#e6e9ed"}
QUIET = {False: "#57606a", True: "#9da7b3"}
LINE = {False: "#d0d7de", True: "#3a424c"}
GROUND = {False: "#ffffff", True: "#14181d"}
BETTER = {False: "#00694f", True: "#4fc7a1"}
WORSE = {False: "#a63c06", True: "#f0975a"}


def config(*, dark: bool = False) -> dict[str, Any]:
    """Return the Vega-Lite configuration of a theme.

    Styles of marks: ``muted`` (what is no news), ``better``, ``worse``, ``accent`` (what counts), ``band`` (an interval around a
    line), ``reference`` (a zero line, a cut), ``note`` (text in the picture), ``figure`` and ``inverse`` (a number in a cell that
    is light, or filled), ``faint`` (a line that is no news).
    """
    ink, quiet, line = INK[dark], QUIET[dark], LINE[dark]
    return {
        "background": GROUND[dark],
        "font": FONT,
        "view": {"stroke": None},
        "title": {
            "anchor": "start", "color": ink, "fontSize": 15, "subtitleColor": quiet, "subtitleFontSize": 12, "offset": 12,
            "subtitlePadding": 4,
        },
        "axis": {
            "labelColor": quiet, "titleColor": ink, "gridColor": line, "gridOpacity": 0.6, "domainColor": line,
            "tickColor": line, "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal", "labelLimit": 200,
            "labelSeparation": 6,
        },
        "legend": {
            "labelColor": ink, "titleColor": quiet, "labelFontSize": 12, "titleFontSize": 12, "labelLimit": 200, "titleFontWeight": "normal",
        },
        "header": {"labelColor": ink, "titleColor": quiet},
        "range": {
            "category": CATEGORY[dark],
            "heatmap": {"scheme": "blues" if not dark else "darkblue"},
            "diverging": [WORSE[dark], LINE[dark], BETTER[dark]],
        },
        "mark": {"color": CATEGORY[dark][0]},
        "text": {"color": ink, "fontSize": 12},
        "rule": {"color": quiet},
        "style": {
            "muted": {"color": quiet, "opacity": 0.5},
            "better": {"color": BETTER[dark]},
            "worse": {"color": WORSE[dark]},
            "accent": {"color": CATEGORY[dark][0]},
            "band": {"opacity": 0.18},
            "reference": {"color": quiet, "stroke": quiet, "strokeDash": [4, 3]},
            "note": {"color": quiet, "fontSize": 12},
            "figure": {"color": ink, "fill": ink},
            "faint": {"color": quiet, "stroke": quiet, "opacity": 0.45},
            "inverse": {"color": GROUND[dark], "fill": GROUND[dark]},
        },
    }  # fmt: skip
