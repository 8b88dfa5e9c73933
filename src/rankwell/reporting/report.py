"""The ``report`` function, and what it returns: one page that shows an evaluation, and its data."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

from rankwell import __version__
from rankwell.display.output import whole_file
from rankwell.display.page import QUERIES, called, check_noun, noun_of_column, words_of
from rankwell.display.saved_files import kind_of
from rankwell.display.text import HTML
from rankwell.errors import UsageError, brief, one_of
from rankwell.metrics import Wanted
from rankwell.records import cached_property
from rankwell.reporting.chart.charts import require_extra
from rankwell.reporting.chart.texts import brief_name
from rankwell.reporting.material import Material
from rankwell.reporting.page import page_of
from rankwell.reporting.request import ReportRequest, material_of
from rankwell.reporting.section import Section, redact_material, redact_section, section_kinds, warn_of_ids
from rankwell.tables.arguments import ordered
from rankwell.tables.redaction import Redaction, redaction_of

SCHEMA = 1  # version of the JSON layout
KIND = "report"
SUFFIXES = (".html", ".htm", ".json")
ORDER = (
    "report takes the runs, the judgements and the metrics in this order, and the file to write by name: "
    "rw.report(runs, qrels, metrics, path='report.html'); of a comparison or results rw.report(found, path='report.html')."
)


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """A report: its sections as plain data, which the page and the JSON are both made of.

    Examples
    --------
    >>> import rankwell as rw
    >>> qrels = {str(q): {"a": 1} for q in range(8)}
    >>> old = {str(q): ["b", "a"] for q in range(8)}
    >>> new = old | {str(q): ["a", "b"] for q in range(7)}
    >>> found = rw.report({"old": old, "new": new}, qrels, ["rr"], baseline="old")
    >>> found.answer
    'Clear winner: new is better than old, on average over 8 queries (rr 0.9375 and 0.5000; difference 0.4375, between 0.2897 and 0.5853).'
    """

    title: str
    lang: str
    sections: tuple[Section, ...]
    noun: str = QUERIES

    @property
    def answer(self) -> str:
        """The sentence at the top."""
        sentence: str = self.section("answer").data["sentence"]
        return sentence

    def section(self, name: str) -> Section:
        """Return a section by its name; raises UsageError if the report has none of it."""
        names = [section.name for section in self.sections]
        if name not in names:
            raise UsageError(f"the report has no section {brief(name)}; it has {one_of(names)}.")
        return self.sections[names.index(name)]

    def to_dict(self) -> dict[str, Any]:
        """Return everything that the page says as plain values; undefined is None."""
        return {
            "title": self.title,
            "lang": self.lang,
            "sections": [
                {
                    "name": section.name,
                    "title": section.title,
                    "data": dict(section.data),
                    "charts": dict(section.charts),
                }
                for section in self.sections
            ],
        }

    def to_json(self) -> str:
        """Return the same as JSON text, in full precision."""
        data = {"rankwell": __version__, "kind": KIND, "schema": SCHEMA, **self.to_dict()}
        return json.dumps(data, ensure_ascii=False, indent=1, allow_nan=False)

    @cached_property
    def _page(self) -> str:
        with called(self.noun):
            return page_of(self.title, self.sections, words_of(self.lang))

    def to_html(self) -> str:
        """Return the page: one file with everything in it, which opens from disk."""
        return self._page

    def save(self, path: str | Path) -> None:
        """Write the page (``.html``) or its data (``.json``); the file appears only once it is complete.

        Raises
        ------
        UsageError, InputError
            For another suffix, or if the file cannot be written.
        """
        target = Path(path)
        require_suffix(target)
        text = self.to_json() if target.suffix.lower() == ".json" else self.to_html()
        with whole_file(target) as file:
            file.write_text(text.rstrip("\n") + "\n", encoding="utf-8")

    def _repr_html_(self) -> str:
        inside = self.to_html().translate({ord(c): HTML[ord(c)] for c in '&<>"'})
        return (
            f'<iframe srcdoc="{inside}" title="{self.title.translate(HTML)}" sandbox="allow-scripts" '
            f'style="width: 100%; height: 48rem; border: 1px solid #8c959f;"></iframe>'
        )

    def __repr__(self) -> str:
        names = ", ".join(section.name for section in self.sections)
        return f"Report {self.title!r}: {names}. {self.answer}"


def _place(path: Any) -> Path:
    """Where a page is saved."""
    if not isinstance(path, str | PathLike):
        raise UsageError(f"path={brief(path)}: must be the file to write, such as 'report.html'.")
    return Path(path)


def _is_page(qrels: Any, metrics: Any) -> bool:
    """Whether the file of a page, or of its data, stands in the place of judgements."""
    if not isinstance(qrels, str | PathLike):
        return False
    suffix = Path(qrels).suffix.lower()
    if suffix != ".json":  # in which judgements may be as well
        return suffix in SUFFIXES
    return kind_of(Path(qrels)) == KIND if os.path.exists(qrels) else metrics is None  # noqa: PTH110 - Path refuses long names


def require_suffix(path: Path) -> None:
    """Refuse, before the work, a file that is neither a page nor its data."""
    if path.suffix.lower() not in SUFFIXES:
        raise UsageError(
            f"{path}: unknown suffix; a report is {one_of(SUFFIXES)}. A browser prints .html to PDF."
        )


@ordered(ORDER, "what")
def report(
    runs: Any,
    qrels: Any = None,
    metrics: Iterable[Wanted] | Wanted | None = None,
    *,
    path: Any = None,
    baseline: str | None = None,
    primary: Wanted | None = None,
    margins: Mapping[str, float] | float | None = None,
    costs: Any = None,
    by: str | Iterable[str] | None = None,
    train: Any = None,
    items: Any = None,
    users: Any = None,
    queries: Any = None,
    text: str | None = None,
    image: str | None = None,
    redact: bool | bytes | Redaction = False,
    title: str | None = None,
    lang: str = "en",
    noun: str | None = None,
    command: str = "",
    **options: Any,
) -> Report:
    """Make one HTML page of an evaluation: the answer in a sentence, tables, pictures, and every definition behind them.

    Parameters
    ----------
    runs
        Systems by name (anything that ``evaluate`` reads, ``Results``, or paths of saved ones), one of these alone, or a
        ``Comparison``, a ``Trend`` or a ``Board`` of ``Suite.board``, of which only the values are known.
    qrels, metrics
        As for ``evaluate``; not needed for ``Results`` and a ``Comparison``.
    path
        Where to write it, by the suffix: ``.html``, or ``.json`` for its data; None to only return it.
    baseline, primary, margins
        As for ``compare``: the system that the others are compared with, the metric that decides (default: the first), the
        difference that matters.
    costs
        What the systems cost, as ``rankwell.efficiency.measure`` returns it; of several loads choose one: ``costs.under(load)``.
    by, users
        Columns of ``users``, a table with a query column, that divide the queries into segments.
    train, items
        The training data and the catalogue, for metrics that need them and for the long tail of items.
    queries, text
        The texts of queries (a table with a query column and one of texts, or ``{id: text}``), and the column of ``items`` with
        the text of each item; by default one called text, title or name.
    image
        The column of ``items`` with a picture of each item: a file in the folder of the table, or a data URI; by default one called
        image, picture, poster, cover or thumbnail.
    redact
        Whether the page shows ids as hashes, no texts, no pictures, and no segment of fewer than 5 queries: True, or a key of at
        least 16 bytes, under which an id has the same hash each time.
    title, lang
        The title of the page, and its language: ``en`` or ``ko``.
    noun
        What the page calls queries, in the plural, such as ``users`` (``person/people`` gives the singular too); by default what the
        name of their column says, such as user_id, else queries.
    command
        The command that made the page, which it shows.
    options
        Other arguments of ``compare`` (``test``, ``correction``, ``seeds`` …) and of ``Evaluator`` (``policy``, ``rel`` …). With
        ``bounds=True`` (and ``pool``, ``scale``) the page shows what judging unjudged items could change.

    Returns
    -------
    Report
        ``found.answer``, ``found.save(path)``, ``found.to_html()``, ``found.to_json()``; a notebook shows the page.

    Raises
    ------
    RankwellError
        If the extra ``report`` is not installed, arguments do not go together, or data are bad.

    Notes
    -----
    The page is one file without any address: scripts, pictures and data are inside. It shows no part that it has no data for.

    Examples
    --------
    >>> import rankwell as rw
    >>> run, qrels = {"q": {"a": 2.0, "b": 1.0}}, {"q": {"b": 1}}
    >>> rw.report(rw.read_run(run, name="bm25"), qrels, ["rr"], path="report.html").answer
    'bm25 has rr 0.5000, over 1 query; there is no other system to compare it with.'
    """
    require_extra()
    if _is_page(qrels, metrics):
        raise UsageError(ORDER)
    if path is not None:
        require_suffix(_place(path))
    words = words_of(lang)
    if noun is not None:
        check_noun(noun)
    options |= {"baseline": baseline, "primary": primary, "margins": margins, "costs": costs}
    request = ReportRequest(
        qrels=qrels,
        metrics=metrics,
        by=by,
        train=train,
        items=items,
        users=users,
        queries=queries,
        text=text,
        image=image,
        redaction=redaction_of(redact),
        command=command,
        options={name: value for name, value in options.items() if value is not None},
    )
    material = material_of(runs, words, request)
    warn_of_ids(material, stacklevel=5)
    noun = _noun_of(material) if noun is None else noun
    with called(noun):
        material = replace(material, words=words_of(lang))
        page = Report(title or _title(material), lang, _sections(redact_material(material)), noun)
    if path is not None:
        page.save(path)
    return page


def _noun_of(material: Material) -> str:
    """What queries are by the names of their columns, if one says so."""
    tables = (material.qrels, *material.runs.values(), material.train)
    columns = [table.words["query"] for table in tables if table is not None and "query" in table.words]
    for saved in (material.comparison, material.trend, *material.results.values()):
        columns += () if saved is None else saved.query_columns
    return next((noun for noun in map(noun_of_column, columns) if noun), QUERIES)


def _title(material: Material) -> str:
    """What a page without a title is called: its systems, or how many they are."""
    words = material.words
    if material.subject is not None:
        return material.subject.title(words)
    if material.trend is not None:
        return words("plots.trend.title", metrics=", ".join(map(str, material.metrics)))
    names = material.systems
    if len(names) == 1:
        return words("report.title_one", system=brief_name(names[0]))
    if len(names) > 2:
        return words("report.title_many", n=len(names))
    comparison = material.comparison
    baseline = comparison.baseline if comparison is not None and comparison.baseline in names else names[0]
    (other,) = [name for name in names if name != baseline]
    return words("report.title_two", first=brief_name(other), second=brief_name(baseline))


def _sections(material: Material) -> tuple[Section, ...]:
    """The sections that the material has data for, in the order of the page."""
    from altair.utils.schemapi import debug_mode

    # one switch for all charts of the page
    with debug_mode(False):  # as `drawing` draws
        made = [part(material) for part in section_kinds()]
    return tuple(redact_section(section, material.redaction) for section in made if section is not None)
