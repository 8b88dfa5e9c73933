"""Charts: what every picture is made with: Altair, imported when one is drawn, rows as its data, and what finishes a chart; and Picture, a kind
of picture, found by its file in ``plots/`` here or in an optional room, which is named after it.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, wraps
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal, ParamSpec

from rankwell.display.page import PageStrings
from rankwell.errors import UsageError
from rankwell.faces import shared
from rankwell.records import record
from rankwell.reporting.chart.theme import config

P = ParamSpec("P")
# modules of the extra ``report``, and their packages
PACKAGES = {"altair": "altair", "vl_convert": "vl-convert-python", "jinja2": "jinja2"}


def require_extra() -> None:
    """Refuse, before the work, to draw without the packages of the extra ``report``.

    Raises
    ------
    UsageError
        If one of them is not installed.
    """
    missing = [package for module, package in PACKAGES.items() if find_spec(module) is None]
    if missing:
        raise UsageError(
            f"pictures and reports need {' and '.join(missing)}: pip install 'rankwell[report]'."
        )


def altair() -> Any:
    """Return Altair; UsageError says how to install it."""
    try:
        import altair as alt
    except ImportError as error:
        raise UsageError("pictures are drawn by Altair: pip install 'rankwell[report]'.") from error
    return alt


def drawing(draw: Callable[P, Any]) -> Callable[P, Any]:
    """Return a function that draws without Altair checking each part as it is made, which took most of the time.

    A chart is checked against the schema of Vega-Lite as a whole when it is shown or saved.
    """

    @wraps(draw)
    def draw_unchecked(*args: P.args, **options: P.kwargs) -> Any:
        altair()
        from altair.utils.schemapi import debug_mode

        with debug_mode(False):
            return draw(*args, **options)

    return draw_unchecked


def data(rows: Iterable[Mapping[str, Any]]) -> Any:
    """Return a chart of plain rows, without a mark yet; layers of the same rows share them in the specification."""
    return altair().Chart(_shared_rows()(values=[dict(row) for row in rows]))


@cache
def _shared_rows() -> Any:
    class SharedRows(altair().InlineData):  # type: ignore[misc] # Altair is imported when it is needed
        # Altair copies a chart, with all of its rows, whenever something is added to it; rows never change
        def __deepcopy__(self, _: Any) -> Any:
            return self

    return SharedRows


def tooltips(words: PageStrings, **keys: str) -> list[Any]:
    """Return what is shown beside a mark that is pointed at: the text of each field, under the word of its key."""
    return [altair().Tooltip(f"{field}:N", title=words(key)) for field, key in keys.items()]


def add_texts(rows: Iterable[Mapping[str, Any]], **forms: Callable[[Any], str]) -> list[dict[str, Any]]:
    """Return rows with some fields also as text for people, ``FIELD_text``: what is tiny does not read as 0 there.

    >>> add_texts([{"share": 0.5}], share=lambda value: f"{value:g}")
    [{'share': 0.5, 'share_text': '0.5'}]
    """
    return [{**row, **{f"{field}_text": form(row[field]) for field, form in forms.items()}} for row in rows]


def finish(chart: Any, title: str, subtitle: str | Sequence[str] = (), *, dark: bool = False) -> Any:
    """Return the chart with its title, a subtitle (what is shown, of how much) and the theme, to be shown without a network."""
    alt = altair()
    _show_without_network()
    lines = [subtitle] if isinstance(subtitle, str) else list(subtitle)
    # not by the methods of these names, each of which copies the chart layer by layer, and takes longer the deeper layers are nested
    chart.title = alt.Title(title, subtitle=lines)
    chart.config = alt.Config(**config(dark=dark))
    return chart


def spec_of(chart: Any) -> dict[str, Any]:
    """Return the Vega-Lite specification of a finished chart without its theme, which a page gives it."""
    spec: dict[str, Any] = chart.to_dict(validate=False)
    return {key: value for key, value in spec.items() if key != "config"}


def _show_without_network() -> None:
    """Let Altair show charts in a notebook without a network, unless somebody chose one of its renderers.

    Altair's default loads its libraries from the network each time that a chart is looked at. Here a viewer that knows Vega-Lite
    (JupyterLab, VS Code) gets the specification, and any other a picture.
    """
    alt = altair()
    if alt.renderers.active == "default":
        alt.renderers.register("rankwell", _render)
        alt.renderers.enable("rankwell")


def _render(spec: dict[str, Any], **_: Any) -> dict[str, Any]:
    import vl_convert

    return {
        # not ``.json``, as Altair 6 has it: such a notebook is not valid and cannot be saved
        f"application/vnd.vegalite.{altair().SCHEMA_VERSION.partition('.')[0]}+json": spec,
        "image/svg+xml": vl_convert.vegalite_to_svg(spec),
        "text/plain": "a chart, drawn with Vega-Lite",
    }


FOLDER = "reporting", "plots"
Asked = Literal["by", "bounds", "costs"]


@record
class Picture:
    """A kind of picture: the function that draws it, and what has to be asked for when its data are made from files.

    What the function takes says what it is drawn from: ``results`` or a ``comparison``, ``runs``, ``run``, ``qrels``, ``costs``, or files. ``asks`` says
    what these must hold beside: segments (``by``), ``bounds`` under unjudged items, ``costs`` of the systems. Every other argument is an option of the command, but
    those ``in_python``.
    """

    draw: Callable[..., Any]
    asks: tuple[Asked, ...] = ()
    in_python: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of the function, and of its file."""
        return self.draw.__name__

    @property
    def title(self) -> str:
        """What it draws: the first sentence of the function's docstring."""
        return " ".join((inspect.getdoc(self.draw) or "").partition("\n\n")[0].split())


def picture_named(kind: str) -> Picture:
    """Return a kind of picture by its name.

    >>> picture_named("wins").title
    'Draw on how many queries one system of a pair is better, both are equal, or the other one is better.'
    """
    picture: Picture = import_module(shared(*FOLDER)[kind]).PICTURE
    return picture


def bind_pictures() -> list[str]:
    """Return the names of all kinds, after giving each function of the folder to it, where its file has the same name.

    What the rooms draw is given when it is asked for: their files import this room, and may be the first to do so.
    """
    folder = ".".join(("rankwell", *FOLDER))
    for kind, file in shared(*FOLDER).items():
        if file.startswith(f"{folder}."):
            setattr(sys.modules[folder], kind, picture_named(kind).draw)
    return [*shared(*FOLDER)]
