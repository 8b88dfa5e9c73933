"""The ``report`` function, and what it returns: one page that shows an evaluation, and its data; every table is read once, every run evaluated
once.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from rankwell import __version__
from rankwell.comparison.compare.alignment import columns_of
from rankwell.comparison.compare.compare import compare
from rankwell.comparison.compare.comparison import KIND as COMPARISON
from rankwell.comparison.compare.comparison import Comparison
from rankwell.comparison.compare.costs import costs_of
from rankwell.comparison.trend import KIND as TREND
from rankwell.comparison.trend import Trend
from rankwell.display.output import whole_file
from rankwell.display.page import QUERIES, PageStrings, called, check_noun, noun_of_column, words_of
from rankwell.display.saved_files import class_of, kind_of, load_kind
from rankwell.display.text import HTML
from rankwell.errors import UsageError, brief, one_of
from rankwell.evaluation import Evaluator
from rankwell.evaluation.inputs import with_needs
from rankwell.evaluation.request import READING, beside, reading_in, reading_of
from rankwell.matching.policy import Policy
from rankwell.metrics import Wanted, metrics_of
from rankwell.metrics.metric import Metric
from rankwell.readers import open_named, read_qrels
from rankwell.readers.bytes.paths import short_name
from rankwell.readers.sources import is_one_run, names_as_text
from rankwell.readers.texts import folder_of, images_of_items, texts_of_items, texts_of_queries
from rankwell.records import cached_property, record
from rankwell.reporting.chart.charts import require_extra
from rankwell.reporting.chart.texts import brief_name
from rankwell.reporting.material import InputFile, Material, Subject, input_files
from rankwell.reporting.page import page_of
from rankwell.reporting.section import Section, redact_material, redact_section, section_kinds, warn_of_ids
from rankwell.results import Results
from rankwell.results.redaction import Redaction, redaction_of
from rankwell.results.saving.load import is_saved, load_all
from rankwell.tables.arguments import ordered
from rankwell.tables.items_users import Items, Users
from rankwell.tables.run_qrels import Qrels, Run, refuse_labels

SCHEMA = 1  # version of the JSON layout
KIND = "report"
SUFFIXES = (".html", ".htm", ".json")
ORDER = (
    "report takes the runs, the judgements and the metrics in this order, and the file to write by name: "
    "rw.report(runs, qrels, metrics, path='report.html'); of a comparison or results rw.report(found, path='report.html')."
)
T = TypeVar("T", Comparison, Trend)
ONE = "run"  # what a system without a name is called
# arguments of compare that are not those of an evaluation
STATISTICS = (
    "baseline", "primary", "margins", "rope", "seeds", "folds", "weights", "clusters", "test", "correction", "family", "alpha",
    "power", "flips", "resamples", "seed", "experiment", "costs",
)  # fmt: skip


@record(kw_only=True)
class ReportRequest:
    """What a report is asked of beside its systems, as people give it; ``options`` are those of ``compare`` and ``Evaluator``."""

    qrels: Any
    metrics: Iterable[Wanted] | Wanted | None
    by: str | Iterable[str] | None
    train: Any
    items: Any
    users: Any
    queries: Any
    text: str | None
    image: str | None
    redaction: Redaction | None
    command: str
    options: Mapping[str, Any]

    @property
    def sources(self) -> dict[str, Any]:
        """Where the tables come from."""
        return {name: getattr(self, name) for name in ("qrels", "train", "items", "users", "queries")}

    @property
    def statistics(self) -> dict[str, Any]:
        """The options of ``compare``."""
        return {name: value for name, value in self.options.items() if name in STATISTICS}

    @property
    def rules(self) -> dict[str, Any]:
        """The options of ``Evaluator``."""
        return {name: value for name, value in self.options.items() if name not in STATISTICS}

    @property
    def reading(self) -> dict[str, Any]:
        """The options of ``read_qrels``."""
        return reading_of(reading_in(self.options))[1]


@record
class ReportTables:
    """The tables of a report, each read once; None if it was not given."""

    qrels: Qrels | None = None
    train: Qrels | None = None
    items: Items | None = None
    users: Users | None = None

    @classmethod
    def of(cls, request: ReportRequest) -> ReportTables:
        """Read what was given."""
        from rankwell.readers.items_users import read_catalogue, read_users

        how = partial(beside, *reading_of(reading_in(request.options)))
        train, log = request.train, None
        metrics = None if request.metrics is None else metrics_of(request.metrics)
        needs = frozenset[str]().union(*(metric.needs for metric in metrics or ()))
        if train is not None:
            name = None if isinstance(train, (str, Path)) else "train"
            log = read_qrels(train, name=name, **how("train"))
            refuse_labels(log.matrix)
        return cls(
            None
            if request.qrels is None
            else read_qrels(request.qrels, **with_needs(request.reading, metrics)),
            log,
            None if request.items is None else read_catalogue(request.items, **how("items"), needs=needs),
            None if request.users is None else read_users(request.users, **how("users")),
        )


def material_of(what: Any, words: PageStrings, request: ReportRequest) -> Material:
    """Return the material of a report.

    Raises
    ------
    RankwellError
        If what was asked does not go together, or data cannot be read or evaluated.
    """
    named, tables = _by_name(what), ReportTables.of(request)
    shared = _texts(request, tables) | {"words": words, **vars(tables)}
    only = next(iter(named.values())) if len(named) == 1 else None
    if (comparison := _loaded(only, COMPARISON, Comparison)) is not None:
        _refuse_evaluation(request, "a comparison")
        return Material({}, comparison, inputs=_files(request, named), costs=comparison.costs, **shared)
    if (trend := _loaded(only, TREND, Trend)) is not None:
        _refuse_evaluation(request, "a trend")
        return Material({}, None, inputs=_files(request, named), trend=trend, **shared)
    if isinstance(only, str | Path) and (kind := kind_of(only)) and class_of(kind) is not None:
        only = load_kind(only, kind)
    if isinstance(only, Subject):
        _refuse_evaluation(request, "it")
        return Material({}, None, subject=only, **shared)
    systems = _open_systems(named)
    wanted = None if request.metrics is None else metrics_of(request.metrics)
    columns = list(columns_of(request.by)) or None
    new = {name: system for name, system in systems.items() if not isinstance(system, Results)}
    # results are evaluated already; runs share one evaluator, so that tables are matched once
    evaluator = _evaluator(request, tables, wanted, columns) if new else None
    runs: dict[str, Run] = {}
    results = systems
    if evaluator is None and request.options.get("ledger") is not None:
        raise UsageError("ledger= is for runs; saved results were evaluated before.")
    if evaluator is None and request.options.get("bounds"):
        raise UsageError(
            "bounds=True (--bounds) needs the runs themselves; results that were evaluated with bounds show them without it."
        )
    if evaluator is not None:
        runs = open_named(new, evaluator.read)
        results = systems | evaluator.warned_results(runs, stacklevel=4)
    if len(results) > 1:
        users, threads = tables.users, request.options.get("threads")
        comparison = compare(
            results, metrics=wanted, by=columns, users=users, threads=threads, **request.statistics
        )
        costs = comparison.costs
        if evaluator is not None and request.options.get("bounds"):
            from rankwell.comparison.compare.compare import with_bounds
            from rankwell.comparison.compare.decisions import EvaluatedRuns

            comparison = with_bounds(comparison, EvaluatedRuns(evaluator, runs))
    else:
        costs = None if (own := request.options.get("costs")) is None else costs_of(list(results), [], own)
        results = _one(results, request.statistics)
    inputs = _files(request, runs or named)
    return Material(results, comparison, evaluator=evaluator, runs=runs, inputs=inputs, costs=costs, **shared)


def _texts(request: ReportRequest, tables: ReportTables) -> dict[str, Any]:
    """Texts and pictures, and what is said of the page itself."""
    encoding = request.reading.get("encoding")
    images = images_of_items(tables.items, request.image, folder_of(request.items))
    # the only column left is that of pictures, whose addresses are no titles
    alone = images and images.is_alone and request.text is None
    return {
        "query_texts": texts_of_queries(request.queries, tables.qrels, encoding),
        "item_texts": texts_of_items(None if alone else tables.items, request.text, encoding),
        "item_images": images,
        "redaction": request.redaction,
        "command": request.command,
    }


def _evaluator(
    request: ReportRequest, tables: ReportTables, metrics: tuple[Metric, ...] | None, by: list[str] | None
) -> Evaluator:
    return Evaluator(
        tables.qrels,
        metrics,
        train=tables.train,
        items=tables.items,
        users=tables.users,
        by=by,
        weights=request.options.get("weights"),
        **request.rules,
    )


def _one(results: Mapping[str, Results], statistics: Mapping[str, Any]) -> dict[str, Results]:
    """The results of a system that is alone; what only a comparison needs is refused."""
    for name in ("baseline", "primary", "margins", "rope", "seeds", "folds"):
        if statistics.get(name) is not None:
            raise UsageError(
                f"{name}= is for several systems; there is one. Give at least two, or leave it out."
            )
    origin = statistics.get("experiment")
    return {
        name: replace(res, name=name, experiment=origin or res.experiment) for name, res in results.items()
    }


def _loaded(only: Any, kind: str, cls: type[T]) -> T | None:
    """The comparison or the trend that was given alone, itself or as a file that it was saved to; None if systems were given."""
    if isinstance(only, (str, Path)) and kind_of(only) == kind:
        return cls.load(only)
    return only if isinstance(only, cls) else None


def _by_name(what: Any) -> dict[str, Any]:
    """The systems by name; one alone has its own."""
    if isinstance(what, Mapping) and not is_one_run(what):
        if not what:
            raise UsageError("a report needs at least one system; give runs by name, such as {'bm25': run}.")
        return names_as_text(what)
    if isinstance(what, Path) or (isinstance(what, str) and not is_saved(what)):
        return {short_name(what): what}
    return {getattr(what, "name", ONE) if not isinstance(what, str) else short_name(what): what}


def _open_systems(named: Mapping[str, Any]) -> dict[str, Any]:
    """The same systems, where those of saved results are loaded, of which a file may hold several."""
    systems: dict[str, Any] = {}
    for name, system in named.items():
        loaded = load_all(system) if isinstance(system, (str, Path)) and is_saved(system) else []
        more = (
            {res.name: res for res in loaded} if len(loaded) > 1 else {name: loaded[0] if loaded else system}
        )
        for own, res in more.items():
            if own in systems:
                raise UsageError(f"two systems are called {brief(own)}; rename one.")
            systems[own] = res
    return systems


def _files(request: ReportRequest, systems: Mapping[str, Any]) -> tuple[InputFile, ...]:
    """The files behind what was given, the systems last."""
    sources = (*request.sources.items(), *systems.items())
    return tuple(file for role, source in sources for file in input_files(role, source))


def _refuse_evaluation(request: ReportRequest, kind: str) -> None:
    """Refuse, beside a comparison or a trend, what would have to be evaluated."""
    arguments = {"qrels": request.qrels, "metrics": request.metrics, "by": request.by, **request.options}
    idle = ("read", "threads", "experiment", *READING)
    plain = {
        name
        for name, value in arguments.items()
        if value is None or (isinstance(value, Policy) and value == Policy())
    }
    wrong = [name for name in arguments if name not in plain and name not in idle]
    if wrong:
        raise UsageError(
            f"{kind} is evaluated already, so {wrong[0]}= means nothing beside it; give the runs by name instead."
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
