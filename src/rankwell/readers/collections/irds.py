"""Collections of ir_datasets by their ids: ``irds:beir/scifact/test``; needs the extra ``ir_datasets``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from rankwell.errors import InputError, UsageError
from rankwell.readers.sources import IRDS
from rankwell.tables.ids import Ids
from rankwell.tables.items_users import Items
from rankwell.tables.run_qrels import Qrels, Run

if TYPE_CHECKING:
    import polars as pl

CHUNK = 100_000


def read_run(source: str, *, name: str | None, columns: Mapping[str, str]) -> Run:
    """Return the scored documents of a collection, such as its first-stage run."""
    fields = _rows(source, "scoreddocs", ("query_id", "doc_id", "score"), columns)
    return Run(fields["query_id"], fields["doc_id"], fields["score"], name=name or source)


def read_qrels(source: str, *, name: str | None, columns: Mapping[str, str]) -> Qrels:
    """Return the judgements of a collection; a subtopic or iteration is the topic."""
    names = ("query_id", "doc_id", "relevance", "subtopic_id", "iteration")
    fields = _rows(source, "qrels", names, columns)
    topic = fields.get("subtopic_id", fields.get("iteration"))
    return Qrels(
        fields["query_id"],
        fields["doc_id"],
        fields["relevance"],
        topic,
        name=name or source,
    )


def read_items(source: str, *, name: str | None, columns: Mapping[str, str]) -> Items:
    """Return the documents of a collection as the catalogue."""
    return Items(_rows(source, "docs", ("doc_id",), columns)["doc_id"], name=name or source)


def read_texts(source: str, kind: Literal["docs", "queries"]) -> tuple[Ids, pl.DataFrame]:
    """Return the ids of documents or queries, and their fields of text."""
    import polars as pl

    dataset = _dataset(source, kind)
    own = "doc_id" if kind == "docs" else "query_id"
    types = getattr(dataset, f"{kind}_cls")().__annotations__
    fields = [name for name, type_ in types.items() if name != own and type_ in (str, "str")]
    try:
        rows = [
            (getattr(row, own), *(getattr(row, name) for name in fields))
            for row in getattr(dataset, f"{kind}_iter")()
        ]
    except (OSError, RuntimeError, ValueError) as error:
        raise _unreadable(source, error) from error
    frame = pl.DataFrame(rows, schema=dict.fromkeys(("", *fields), pl.String), orient="row")
    return Ids.of_series(frame[""], own), frame.select(fields)


def _rows(source: str, kind: str, names: tuple[str, ...], columns: Mapping[str, str]) -> dict[str, Any]:
    """The fields of all rows of one kind: ids as columns, numbers as lists."""
    if columns:
        raise UsageError(f"{source}: it has no columns to name; columns= is for tables.")
    dataset = _dataset(source, kind)
    fields = [name for name in names if name in getattr(dataset, f"{kind}_cls")()._fields]
    rows: list[tuple[Any, ...]] = []
    parts: list[dict[str, Any]] = []
    try:
        for row in getattr(dataset, f"{kind}_iter")():
            rows.append(tuple(getattr(row, field) for field in fields))
            if len(rows) == CHUNK:  # rows of Python objects become columns before they take much memory
                parts.append(_columns(rows, fields))
                rows = []
    except (OSError, RuntimeError, ValueError) as error:
        raise _unreadable(source, error) from error
    if rows or not parts:
        parts.append(_columns(rows, fields))
    return {field: _joined([part[field] for part in parts]) for field in fields}


def _dataset(source: str, kind: str) -> Any:
    """The collection; an error if the package or the collection is missing, or it has no rows of a kind."""
    try:
        import ir_datasets
    except ImportError:
        raise UsageError(f"{source}: needs ir_datasets: pip install 'rankwell[ir_datasets]'.") from None
    try:
        dataset = ir_datasets.load(source.removeprefix(IRDS))
    except KeyError:
        raise InputError(
            f"{source}: ir_datasets knows no such collection (https://ir-datasets.com lists all)."
        ) from None
    if not getattr(dataset, f"has_{kind}")():
        raise InputError(f"{source}: the collection has no {kind}.")
    return dataset


def _unreadable(source: str, error: Exception) -> InputError:
    return InputError(f"{source}: ir_datasets cannot read it ({' '.join(str(error).split())[:200]}).")


def _columns(rows: list[tuple[Any, ...]], fields: list[str]) -> dict[str, Any]:
    """Some rows as columns."""
    columns: Iterable[tuple[Any, ...]] = zip(*rows, strict=True) if rows else ((),) * len(fields)
    named = dict(zip(fields, columns, strict=True))
    return {
        field: list(column) if field in ("score", "relevance") else Ids.of(list(column), field)
        for field, column in named.items()
    }


def _joined(parts: list[Any]) -> Any:
    return (
        Ids.concatenate(parts) if isinstance(parts[0], Ids) else [value for part in parts for value in part]
    )
