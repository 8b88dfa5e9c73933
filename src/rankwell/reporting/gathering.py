"""Gathering: what a report is asked of becomes its material; every table is read once, what is a run is evaluated once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rankwell.comparison.comparing import compare
from rankwell.comparison.comparison import Comparison
from rankwell.comparison.groups import columns_of
from rankwell.comparison.texts import texts_of_items, texts_of_queries
from rankwell.display.page import Words
from rankwell.errors import UsageError, brief
from rankwell.evaluation import Evaluator
from rankwell.evaluation.inputs import reading_of
from rankwell.metrics import Wanted, metrics_of
from rankwell.readers import open_run, read_qrels
from rankwell.reporting.explorer.images import folder_of, images_of_items
from rankwell.reporting.input_files import InputFile, input_files
from rankwell.reporting.material import Material
from rankwell.results import Results
from rankwell.results.loading import all_loaded, is_saved
from rankwell.tables.items_users import Items, Users
from rankwell.tables.matrix import refuse_labels
from rankwell.tables.redaction import Redaction
from rankwell.tables.run_qrels import Qrels

ONE = "run"  # what a system without a name is called
# arguments of compare that are not those of an evaluation
STATISTICS = (
    "baseline", "primary", "margins", "rope", "seeds", "folds", "weights", "clusters", "test", "correction", "family", "alpha",
    "power", "flips", "resamples", "seed", "experiment",
)  # fmt: skip


@dataclass(frozen=True)
class Tables:
    """The tables of a report, each read once; None if it was not given."""

    qrels: Qrels | None = None
    train: Qrels | None = None
    items: Items | None = None
    users: Users | None = None

    @classmethod
    def read(cls, qrels: Any, train: Any, items: Any, users: Any, options: Mapping[str, Any]) -> Tables:
        """Read what was given; ``options`` are those of ``read_qrels``."""
        from rankwell.readers.items_users import read_catalogue, read_users

        encoding = options.get("encoding")
        log = None
        if train is not None:
            log = read_qrels(
                train, name=None if isinstance(train, (str, Path)) else "train", encoding=encoding
            )
            refuse_labels(log.matrix)
        return cls(
            None if qrels is None else read_qrels(qrels, **options),
            log,
            None if items is None else read_catalogue(items, encoding=encoding),
            None if users is None else read_users(users, encoding=encoding),
        )


def material_of(
    what: Any,
    words: Words,
    *,
    qrels: Any,
    metrics: Iterable[Wanted] | Wanted | None,
    by: str | Iterable[str] | None,
    train: Any,
    items: Any,
    users: Any,
    queries: Any,
    text: str | None,
    image: str | None,
    redaction: Redaction | None,
    command: str,
    options: Mapping[str, Any],
) -> Material:
    """Return the material of a report.

    Raises
    ------
    RankwellError
        If what was asked does not go together, or data cannot be read or evaluated.
    """
    _, reading = reading_of(options.get("read"))
    tables = Tables.read(qrels, train, items, users, reading)
    given = {"qrels": qrels, "train": train, "items": items, "users": users, "queries": queries}
    images = images_of_items(tables.items, image, folder_of(items))
    shared: dict[str, Any] = {
        "words": words,
        **vars(tables),
        "query_texts": texts_of_queries(queries, reading.get("encoding")),
        "item_texts": texts_of_items(
            None if images and images.is_alone and text is None else tables.items,
            text,
            reading.get("encoding"),
        ),
        "item_images": images,
        "redaction": redaction,
        "command": command,
    }
    if isinstance(what, Comparison):
        _refuse_evaluation({"qrels": qrels, "metrics": metrics, "by": by, **options})
        return Material({}, what, inputs=_files(given, {}), **shared)
    named = _named(what)
    systems = _opened(named)
    wanted = None if metrics is None else metrics_of(metrics)
    columns = columns_of(by)
    statistics = {name: value for name, value in options.items() if name in STATISTICS}
    others = {name: value for name, value in options.items() if name not in STATISTICS}
    new = {name: each for name, each in systems.items() if not isinstance(each, Results)}
    evaluator, runs, found = None, {}, {}
    if new:
        evaluator = Evaluator(
            tables.qrels,
            wanted,
            train=tables.train,
            items=tables.items,
            users=tables.users,
            by=list(columns) or None,
            weights=statistics.get("weights"),
            **others,
        )
        runs = {name: open_run(run, name=name, **evaluator.read) for name, run in new.items()}
        found = evaluator.results_of_all(runs)
    results = {name: found.get(name, each) for name, each in systems.items()}
    comparison = None
    if len(results) > 1:
        comparison = compare(
            results,
            metrics=wanted,
            by=list(columns) or None,
            users=tables.users,
            threads=options.get("threads"),
            **statistics,
        )
    else:
        _refuse_comparing(statistics)
        results = {name: replace(res, name=name) for name, res in results.items()}
    inputs = _files(given, runs or named)
    return Material(results, comparison, evaluator=evaluator, runs=runs, inputs=inputs, **shared)


def _named(what: Any) -> dict[str, Any]:
    """The systems by name; one alone has its own."""
    if isinstance(what, Mapping):
        if not what:
            raise UsageError("a report needs at least one system; give runs by name, such as {'bm25': run}.")
        return {name if isinstance(name, str) else brief(name): each for name, each in what.items()}
    if isinstance(what, Path) or (isinstance(what, str) and not is_saved(what)):
        return {Path(what).name: what}
    return {getattr(what, "name", ONE) if not isinstance(what, str) else Path(what).name: what}


def _opened(named: Mapping[str, Any]) -> dict[str, Any]:
    """The same systems, where those of saved results are loaded, of which a file may hold several."""
    found: dict[str, Any] = {}
    for name, each in named.items():
        loaded = all_loaded(each) if isinstance(each, (str, Path)) and is_saved(each) else []
        more = {res.name: res for res in loaded} if len(loaded) > 1 else {name: loaded[0] if loaded else each}
        for own, res in more.items():
            if own in found:
                raise UsageError(f"two systems are called {brief(own)}; rename one.")
            found[own] = res
    return found


def _files(given: Mapping[str, Any], systems: Mapping[str, Any]) -> tuple[InputFile, ...]:
    """The files behind what was given, the systems last."""
    return tuple(file for role, source in {**given, **systems}.items() for file in input_files(role, source))


def _refuse_evaluation(given: Mapping[str, Any]) -> None:
    """Refuse, beside a comparison, what would have to be evaluated."""
    wrong = [name for name, value in given.items() if value is not None and name != "read"]
    if wrong:
        raise UsageError(
            f"a comparison is evaluated already, so {wrong[0]}= means nothing beside it; give the runs by name instead."
        )


def _refuse_comparing(statistics: Mapping[str, Any]) -> None:
    """Refuse, for one system, what only a comparison needs."""
    for name in ("baseline", "primary", "margins", "rope", "seeds", "folds"):
        if statistics.get(name) is not None:
            raise UsageError(
                f"{name}= is for several systems; there is one. Give at least two, or leave it out."
            )
