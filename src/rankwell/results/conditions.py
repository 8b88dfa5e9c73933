"""Conditions of an evaluation; results can be added only if their conditions are the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from rankwell.matching.batch import Context
from rankwell.matching.policy import Policy
from rankwell.matching.pool import Pool
from rankwell.matching.scale import Scale
from rankwell.metrics.metric import Metric
from rankwell.records import record
from rankwell.tables.ids import Ids, fingerprints_of
from rankwell.tables.items_users import Items, Users

if TYPE_CHECKING:
    import polars as pl

DIGESTS = ("catalogue", "train", "users", "qrels")


@record(eq=False)
class Conditions:
    """Everything besides lists and judgements that values depend on: the policy, the grade scale and its ends, other tables.

    Only digests are kept, so that results stay small: of the catalogue (if a metric counts items, or there are training data;
    with its columns, if such a metric reads them), of the training data, of the table of users, if a metric reads it, and of all
    judgements (``qrels``), also of queries that have no list. ``is_known`` is False for files that do not hold the conditions.
    """

    policy: Policy
    scale: Scale
    grade_max: float | None = None
    grade_min: float | None = None
    collection_size: int | None = None
    catalogue: bytes | None = None
    train: bytes | None = None
    users: bytes | None = None
    qrels: bytes | None = None
    is_known: bool = True

    @classmethod
    def of(cls, policy: Policy, context: Context, pool: Pool, corpus: Iterable[Metric]) -> Conditions:
        """Return the conditions of an evaluation, of whose metrics ``corpus`` are those without a value per query."""
        counting = [metric for metric in corpus if "item" in metric.needs]
        # a catalogue that no value depends on may differ between two days: only what counts is held against it
        is_compared = context.catalogue is not None and (context.train is not None or counting)
        reads_columns = bool(counting) and any("features" in metric.needed() for metric in counting)
        return cls(
            policy,
            context.scale,
            context.grade_max,
            context.grade_min,
            None if context.items is None else len(context.items),
            context.once(_digest_of_catalogue, reads_columns) if is_compared else None,
            None if context.train is None else context.once(_digest_of_train),
            None if context.users is None else context.once(_digest_of_users),
            pool.digest.to_bytes(),
        )

    def meaning(self, metrics: Iterable[Metric]) -> str:
        """Return a sentence that says how the grades were interpreted."""
        if all(not metric.judgements for metric in metrics):
            return "no judgements were needed"
        above = "above 0" if self.scale.rel is None else f"from {self.scale.rel:g}"
        meaning = {
            "judgements": f"grades are judgements: an item is relevant {above}",
            "ratings": f"grades are ratings: an item is relevant {above}, and gains count from there",
            "interactions": "grades are not used: every judged row is a 1 (interactions)",
        }
        return meaning[self.scale.kind]


def _digest_of_catalogue(context: Context, with_columns: bool) -> bytes:
    assert context.catalogue is not None
    frame = context.items.frame if with_columns and context.items is not None else None
    return _digest(*_of_ids(context.catalogue.ids), *_of_frame(frame))


def _digest_of_train(context: Context) -> bytes:
    assert context.train is not None
    return context.train.everyone.digest.to_bytes()


def _digest_of_users(context: Context) -> bytes:
    assert context.users is not None
    return _digest(*_of_ids(context.users.query), *_of_frame(context.users.frame))


def digest_of_tables(items: Items | None, users: Users | None) -> str:
    """Return what identifies a catalogue and a table of users, with all their columns."""
    columns: list[np.ndarray] = []
    if items is not None:
        columns += [*_of_ids(items.item), *_of_frame(items.frame)]
    if users is not None:
        columns += [*_of_ids(users.query), *_of_frame(users.frame)]
    return _digest(*columns).hex()


def _of_ids(ids: Ids) -> list[np.ndarray]:

    return [fingerprints_of(ids) if ids.is_text else ids.integers]


def _of_frame(frame: pl.DataFrame | None) -> Iterator[np.ndarray]:
    """The names, the types and the values of all columns, whatever they are."""
    for column in () if frame is None else frame:
        yield _of_text(f"{column.name} {column.dtype}")
        yield from _of_column(column)


def _of_column(column: pl.Series) -> Iterator[np.ndarray]:
    import polars as pl

    yield column.is_null().to_numpy()
    kind = column.dtype
    # not hash_rows: its numbers change from one version of Polars to another, and files outlive versions
    if isinstance(kind, pl.Array):
        column, kind = column.arr.to_list(), pl.List(pl.Null)
    if isinstance(kind, pl.List):
        yield column.list.len().fill_null(0).to_numpy()
        yield from _of_column(column.explode())
    elif (kind.is_numeric() and not kind.is_decimal()) or kind == pl.Boolean:
        yield column.fill_null(0 if kind != pl.Boolean else False).to_numpy()
    elif kind == pl.Struct:
        for part in column.struct.unnest():
            yield from _of_column(part)
    else:
        texts = column.cast(pl.String, strict=False).fill_null("")
        yield texts.str.len_bytes().to_numpy()
        yield _of_text(texts.str.join("").item() if len(texts) else "")


def _of_text(text: str) -> np.ndarray:
    return np.frombuffer(text.encode(), np.uint8)


def _digest(*columns: np.ndarray) -> bytes:
    import hashlib  # loads OpenSSL, which evaluations without such tables do without

    digest = hashlib.sha256()  # most processors have instructions for it
    for column in columns:
        digest.update(f"{column.dtype.str} {len(column)} ".encode())
        digest.update(np.ascontiguousarray(column).data)
    return digest.digest()[:16]
