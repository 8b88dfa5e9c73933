"""What is said of the reading of a source beside the source itself, and what is refused because it does not apply to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from rankwell.errors import UsageError
from rankwell.readers import objects
from rankwell.readers.cells import Named, argument_of

if TYPE_CHECKING:
    from rankwell.readers.shape import Shape

NO_COLUMNS: Mapping[str, str] = {}
TABLES = ("delimited", "recbole", "ndjson", "json", "parquet", "arrow")  # which may hold lists in their cells


class Options(NamedTuple):
    """How a source is read: its format and its encoding if they are given, what its columns mean, and the ids of its answers."""

    format_in: str | None
    columns: Mapping[str, str]
    encoding: str | None
    query_ids: Any = None
    scores_from: Any = None

    @property
    def says_more(self) -> bool:
        """Whether something is said of what lies beside, or of lists in cells."""
        return (
            self.query_ids is not None
            or self.scores_from is not None
            or getattr(self.columns, "items_in", None) is not None
        )


AS_IT_IS = Options(None, NO_COLUMNS, None)


def named(columns: Mapping[str, str] | None, items_in: str | None) -> Mapping[str, str]:
    """What columns hold, and how cells write lists of items, if that was said."""
    if items_in is None:
        return NO_COLUMNS if columns is None else columns
    return Named(columns, items_in)


def answers_in(source: Any, kind: str, name: str, options: Options) -> tuple[Shape | None, Any]:
    """The shape of answers in memory, such as a response of Elasticsearch or lists of documents, and the answers; None for other values."""
    if not isinstance(source, (Mapping, list, tuple)) and not hasattr(source, "body"):
        return None, source
    if isinstance(source, (Mapping, list, tuple)) and objects.is_usual(source):
        return None, source
    from rankwell.readers.shape import shape_of, unwrapped

    source = unwrapped(source)
    if not isinstance(source, (Mapping, list, tuple)):
        return None, source
    shape = shape_of(source)
    if shape is None and not options.columns:
        from rankwell.readers.foreign import refuse_foreign

        refuse_foreign(source, name, kind)
    return shape, source


def refuse_options(
    options: Options, label: str, what: str, *, is_table: bool, has_scores: bool = True
) -> None:
    """Raise UsageError for what was said of the reading of a source and does not apply to it."""
    if getattr(options.columns, "items_in", None) is not None and not is_table:
        raise UsageError(
            f"{label}: {argument_of(options.columns)}= is for tables whose cells hold lists of items, not for {what}. Leave it out."
        )
    if options.scores_from is not None and has_scores:
        raise UsageError(
            f"{label}: scores_from= is for LETOR files, whose scores lie beside, not for {what}. Leave it out."
        )


def refuse_query_ids(given: Any, label: str, why: str) -> None:
    """Raise UsageError if ids are given to queries that have a name."""
    if given is not None:
        raise UsageError(
            f"{label}: query_ids= is for answers that do not name their queries, but {why}. Leave it out."
        )
