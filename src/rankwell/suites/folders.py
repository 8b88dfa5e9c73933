"""The ``read_suite`` function: folders of results of MTEB, of runs and judgements, of saved results, and tables."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from rankwell.display.saved_files import kind_of
from rankwell.errors import DataError, InputError, UsageError, brief, few_of, nearest
from rankwell.evaluation import Evaluator
from rankwell.matching.policy import Policy
from rankwell.readers.bytes.paths import short_name
from rankwell.results.saving.load import load_results
from rankwell.suites.board import Board
from rankwell.suites.suite import Suite, key_of, known_as, suite, suite_of_rows
from rankwell.tables.arguments import as_path, checked

SHAPES = (
    "MTEB's MODEL/REVISION/TASK.json, TASK/qrels/test.tsv beside TASK/runs/SYSTEM.run, saved results TASK/SYSTEM.parquet, or a table with the "
    "columns task, system and value"
)
SAVED = (".json", ".parquet")
META = ("model_meta.json", "_predictions.json")
NO_SYSTEMS = ("corpus", "queries", "qrels")
NO_METRICS = ("evaluation_time", "kg_co2_emissions")
SIMILARITIES = {"cos_sim", "manhattan", "euclidean", "dot", "max"}  # of which older files have values by name
KEY_OF_REVISION = 8  # characters that tell revisions apart
MOST = 9  # languages that a note names


@checked
def read_suite(
    source: str | Path,
    metric: str | None = None,
    *,
    split: str | None = None,
    languages: Any = None,
    policy: Policy | None = None,
) -> Suite:
    """Read a suite from a folder or a table, to be ranked by ``Suite.board``.

    Parameters
    ----------
    source
        A folder of MTEB (``MODEL/REVISION/TASK.json``, or ``MODEL/TASK.json`` as before version 1.11), of runs and judgements
        (``TASK/qrels/test.tsv`` or ``TASK/qrels.txt``, beside ``TASK/runs/SYSTEM.run``), or of saved results (``TASK/SYSTEM.parquet``); or a table,
        as ``suite`` takes it. A folder of tasks in the place of a task is a group of sub-tasks.
    metric
        The metric, such as ``ndcg@10``, or a name of MTEB (``ndcg_at_10``, ``v_measure``).
    split, languages
        The split, which has to be said where there are several; and of MTEB's subsets those in some languages: ``eng``, ``eng-Latn``, or the name of
        a subset. Subsets of a task are a group of sub-tasks.
    policy
        The rules for runs that are evaluated here.

    Returns
    -------
    Suite
        ``suite.notes`` say which splits and languages were read. Revisions of a model are different systems.

    Raises
    ------
    RankwellError
        If a folder has none of these shapes, a file is damaged, a split or the metric has to be said, a task is there twice, systems have other splits
        or revisions of its data, or a system has no task.

    Notes
    -----
    MTEB's ``map_at_10`` is ``ap(denom=R)@10``, and ``recall_at_10`` is ``r@10``. Values that are null are missing; none is ever filled in.

    Examples
    --------
    >>> import json, pathlib, tempfile
    >>> import rankwell as rw
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for model, value in {"org__a": 0.61, "org__b": 0.5}.items():
    ...     (folder / model / "r1").mkdir(parents=True)
    ...     entry = {"hf_subset": "default", "languages": ["eng-Latn"], "ndcg_at_10": value}
    ...     text = json.dumps({"task_name": "News", "dataset_revision": "1", "scores": {"test": [entry]}})
    ...     _ = (folder / model / "r1" / "News.json").write_text(text)
    >>> rw.read_suite(folder, "ndcg@10")
    ndcg@10 by system and task
    <BLANKLINE>
    system    News
    ──────────────
    org/a   0.6100
    org/b   0.5000
    <BLANKLINE>
    split test; languages: eng-Latn
    """
    path = as_path("source", source)
    if path.is_file():
        _refuse_unused("a table", split=split, languages=languages, policy=policy)
        return suite(path, metric=metric)
    if not path.is_dir():
        raise InputError(f"{path}: there is no such file or folder. A suite is read from {SHAPES}.")
    tasks = [*_tasks_in(path)]
    if any(task.qrels for task in tasks):
        _refuse_unused("runs", languages=languages)
        return _of_runs(tasks, metric, split, policy, _not_read(path, tasks))
    if tasks:
        _refuse_unused("saved results", split=split, languages=languages, policy=policy)
        loaded = [
            {name: load_results(file) for name, file in _by_name(task.folder, SAVED).items()}
            for task in tasks
        ]
        rows = [(task.name, task.group, row) for task, row in zip(tasks, loaded, strict=True)]
        return suite_of_rows(rows, metric, *_not_read(path, tasks))
    _refuse_unused("results of MTEB", policy=policy)
    wanted = [languages] if isinstance(languages, str) else list(languages or ())
    return _of_mteb(path / "results" if (path / "results").is_dir() else path, metric, split, wanted)


def _refuse_unused(what: str, **given: Any) -> None:
    for word in [word for word, value in given.items() if value is not None]:
        raise UsageError(f"{word}= changes nothing of {what}; leave it out.")


def board_in(source: Any, metric: Any) -> Board:
    """Return a board, or that of what ``read_suite`` reads, ranked by the mean."""
    if isinstance(source, Board):
        return source
    named = None if metric is None else str(metric)
    return source.board() if isinstance(source, Suite) else read_suite(source, named).board()


class TaskFolder(NamedTuple):
    """The folder of a task: its name, that of its group, and its judgements, if it holds runs."""

    name: str
    group: str
    folder: Path
    qrels: Path | None


def _listed(folder: Path, *, files: bool) -> list[Path]:
    """The files, or the folders, in a folder, sorted by name; hidden ones are none."""
    own = (each for each in folder.iterdir() if not each.name.startswith("."))
    return sorted(each for each in own if (each.is_file() if files else each.is_dir()))


def _by_name(folder: Path, suffixes: tuple[str, ...] = ("",)) -> dict[str, Path]:
    """The files in a folder by name without suffixes; DataError if two have the same."""
    named: dict[str, Path] = {}
    for file in _listed(folder, files=True):
        if file.name.endswith(suffixes) and file.name.partition(".")[0] not in NO_SYSTEMS:
            other = named.setdefault(short_name(file), file)
            if other is not file:
                raise DataError(
                    f"{file}: {other.name} beside it has the same name. Leave out or rename one of them."
                )
    return named


def _tasks_in(path: Path, group: str = "") -> Iterator[TaskFolder]:
    """Yield the folders that hold runs and judgements, or saved results; a folder of such folders is a group."""
    for folder in _listed(path, files=False):
        names = sorted(each.name for each in folder.iterdir() if not each.name.startswith("."))
        qrels = [folder / each for each in names if each.partition(".")[0] == "qrels"]
        if len(qrels) > 1:
            raise DataError(
                f"{qrels[0]}: {qrels[1].name} beside it holds judgements, too. Keep one, or give each split a file qrels/SPLIT.tsv."
            )
        # the first file tells: a folder of MTEB may hold hundreds
        saved = next((each for each in names if each.endswith(SAVED)), "")
        if qrels or (saved and kind_of(folder / saved) == "results"):
            name = f"{group}/{folder.name}" if group else folder.name
            yield TaskFolder(name, group or folder.name, folder, next(iter(qrels), None))
        elif not group:
            yield from _tasks_in(folder, folder.name)


def _not_read(path: Path, tasks: Sequence[TaskFolder]) -> list[str]:
    """A note on folders beside those of tasks that hold nothing which is read."""
    read = {folder for task in tasks for folder in (task.folder, task.folder.parent)}
    parents = sorted({path, *(task.folder.parent for task in tasks)})
    names = [each.name for parent in parents for each in _listed(parent, files=False) if each not in read]
    return [f"folders not read: {', '.join(names)}"] if names else []


def _of_runs(
    tasks: Sequence[TaskFolder],
    metric: str | None,
    split: str | None,
    policy: Policy | None,
    notes: list[str],
) -> Suite:
    if metric is None:
        place = tasks[0].folder
        raise UsageError(
            f"{place} holds runs, which are evaluated here: say metric='ndcg@10', or another one (-m)."
        )
    rows, splits = [], set[str]()
    for task, group, folder, qrels in tasks:
        if qrels is None:
            raise DataError(
                f"{folder}: there are no judgements, qrels.* or qrels/SPLIT.tsv, as other tasks have. Add them, or move the folder."
            )
        if qrels.is_dir():
            files = _by_name(qrels)
            name = _only(str(qrels), files, split)
            qrels, splits = files[name], splits | {name}
        runs = _by_name(folder / "runs" if (folder / "runs").is_dir() else folder)
        if not runs:
            raise DataError(f"{folder}: there is no run; runs are files in runs/, or beside the judgements.")
        rows.append((task, group, Evaluator(qrels, [metric], policy=policy).evaluate_all(runs)))
    said = [f"split {', '.join(sorted(splits))}"] if splits else []
    return suite_of_rows(rows, metric, *said, *notes)


def _only(place: str, splits: Iterable[str], split: str | None) -> str:
    """The split that is read: the one asked for, or the only one."""
    names = sorted(splits)
    listed = ", ".join(names) or "nothing"
    if split is None and len(names) > 1:
        remedy = f"say split={brief(names[-1])} (--split {names[-1]})"
        raise UsageError(f"{place} has {len(names)} splits ({listed}): {remedy}.")
    if not names or (split or names[0]) not in names:
        raise DataError(
            f"{place} has no split {brief(split or 'test')}, but {listed}.{nearest(split, names)}"
        )
    return split or names[0]


class MtebCell(NamedTuple):
    """What a file of MTEB says of a task: its name, the revision of its data, its split, and the value and languages of each subset."""

    task: str
    revision: str
    split: str
    values: dict[str, float | None]
    languages: tuple[str, ...]
    file: str


def _of_mteb(path: Path, metric: str | None, split: str | None, languages: Sequence[str]) -> Suite:
    if metric is None:
        raise UsageError(f"{path}: say the metric, such as metric='ndcg@10', or main_score (-m).")
    decode, key = msgspec.json.Decoder(dict[str, Any]).decode, key_of(metric)
    folders: dict[tuple[str, ...], dict[str, MtebCell]] = {}
    for folder, _, names in os.walk(path):
        own: dict[str, MtebCell] = {}
        files = [name for name in names if name.endswith(".json") and not name.endswith(META)]
        for file in (f"{folder}{os.sep}{name}" for name in files):
            try:
                with open(file, "rb") as opened:
                    content = decode(opened.read())
            except (OSError, ValueError, RecursionError) as error:
                why = f"this is no result of MTEB ({error}). A suite is read from {SHAPES}."
                raise DataError(f"{file}: {why}") from error
            cell = _cell_of(content, file, key, split, languages)
            if cell.task in own:
                raise DataError(
                    f"{file}: the task {cell.task} is in {own[cell.task].file}, too. Leave out one of them."
                )
            if cell.values:
                own[cell.task] = cell
        if files or META[0] in names:
            folders[Path(folder).relative_to(path).parts] = own
    if not folders:
        raise DataError(f"{path}: there is nothing that a suite is read from: {SHAPES}.")
    return _suite_of_cells(_names_of(folders), known_as(key))


def _cell_of(
    content: Mapping[str, Any], file: str, key: str, split: str | None, languages: Sequence[str]
) -> MtebCell:
    """What a file says of a task, without values if it has no subset in the languages wanted."""
    task, scores = content.get("task_name") or content.get("mteb_dataset_name"), content.get("scores")
    if scores is None:  # before version 1.11 splits stand beside what the file is about
        scores = {name: _entries(own, key) for name, own in content.items() if isinstance(own, dict)}
    try:
        task, scores = msgspec.convert((task, scores), tuple[str, dict[str, list[dict[str, Any]]]])
    except msgspec.ValidationError as error:
        why = f"this is no result of MTEB, which has task_name and scores. A suite is read from {SHAPES}."
        raise DataError(f"{file}: {why}") from error
    name = _only(f"{file}: {task}", scores, split)
    values, spoken = dict[str, float | None](), dict[str, None]()
    wanted = tuple(f"{one}-" for one in languages) if languages else ""
    for entry in scores[name]:
        subset, own = str(entry.get("hf_subset", "default")), entry.get("languages")
        own = [str(each) for each in own] if isinstance(own, list) else []
        if not any(f"{each}-".startswith(wanted) for each in (subset, *own)):
            continue
        if key not in entry:
            metrics = [each for each, value in entry.items() if isinstance(value, int | float)]
            metrics = [each for each in metrics if each not in NO_METRICS]
            raise DataError(
                f"{file}: {task} has no {key} in its subset {subset}.{nearest(key, entry)} Its metrics are {few_of(metrics, 8)}."
            )
        if subset in values:
            raise DataError(f"{file}: the subset {subset} of {task} is there twice. Leave out one of them.")
        values[subset] = entry[key]
        spoken.update(dict.fromkeys(own))
    return MtebCell(task, str(content.get("dataset_revision") or ""), name, values, tuple(spoken), file)


def _entries(split: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    """The subsets of a split as older files have it: its values, or those of each language by its name."""
    inner = {name: own for name, own in split.items() if isinstance(own, dict)}
    if key in split or not inner.keys() - SIMILARITIES:
        return [_flat(split)]
    return [{"hf_subset": name, **_flat(own)} for name, own in inner.items()]


def _flat(values: Mapping[str, Any]) -> dict[str, Any]:
    """Values of each kind of similarity by the names that newer files have: ``cosine_spearman``."""
    kinds = {name: own for name, own in values.items() if name in SIMILARITIES and isinstance(own, dict)}
    names = {name: name.replace("cos_sim", "cosine") for name in kinds}
    return {**values, **{f"{names[name]}_{each}": own[each] for name, own in kinds.items() for each in own}}


def _names_of(folders: Mapping[tuple[str, ...], dict[str, MtebCell]]) -> dict[str, dict[str, MtebCell]]:
    """The cells by system: a model, with what tells its revisions and experiments apart if there are several."""
    models = Counter(parts[:1] for parts in folders)
    named: dict[str, dict[str, MtebCell]] = {}
    for parts, own in sorted(folders.items()):
        model, *rest = parts or ("model",)
        name = model.replace("__", "/")
        if models[parts[:1]] > 1:
            revision = [part[:KEY_OF_REVISION] for part in rest[:1]]
            short = "/".join([*revision, *(part for part in rest[1:] if part != "experiments")])
            name = f"{name}@{'/'.join(rest) if f'{name}@{short}' in named else short}".removesuffix("@")
        if not own:
            raise DataError(
                f"{name} has a value on no task: {'/'.join(parts)} holds no result of it. Leave the folder out."
            )
        named[name] = own
    return named


def _suite_of_cells(named: Mapping[str, Mapping[str, MtebCell]], metric: str) -> Suite:
    tasks: dict[str, dict[str, MtebCell]] = defaultdict(dict)
    for system, own in named.items():
        for task, cell in own.items():
            tasks[task][system] = cell
    rows = []
    for task, row in sorted(tasks.items()):
        for what, is_of, remedy in (
            ("split", {cell.split: system for system, cell in row.items()}, "say split="),
            ("revision of the data", {cell.revision: system for system, cell in row.items() if cell.revision},
             "evaluate them on one, or leave some out"),
        ):  # fmt: skip
            for (first, one), (second, other) in pairwise(is_of.items()):
                raise DataError(
                    f"{task}: {one} has the {what} {first}, {other} {second}: these are different tasks; {remedy}."
                )
        subsets = list(dict.fromkeys(subset for cell in row.values() for subset in cell.values))
        for subset in subsets:
            values = {name: row[name].values.get(subset) if name in row else None for name in named}
            rows.append((task if len(subsets) == 1 else f"{task}: {subset}", task, values))
    cells = [cell for row in tasks.values() for cell in row.values()]
    spoken = sorted({each for cell in cells for each in cell.languages})
    some = ", ".join(spoken[:MOST]) + (f" and {len(spoken) - MOST} more" if len(spoken) > MOST else "")
    splits = ", ".join(sorted({cell.split for cell in cells}))
    return suite_of_rows(rows, metric, f"split {splits}; languages: {some or 'not said'}")
