"""What is said of the reading of a source beside the source itself, and what is refused because it does not apply to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from rankwell.errors import UsageError
from rankwell.readers.column_names import NONE_GIVEN, Given

if TYPE_CHECKING:
    from rankwell.readers.shape import Shape

NO_COLUMNS: Mapping[str, str] = NONE_GIVEN
# the formats whose cells may hold lists, and those whose words say what they hold
WITH_CELLS = "delimited", "recbole", "ndjson", "json", "parquet", "arrow"
NAMED_WORDS = "delimited", "ndjson", "json"


class Options(NamedTuple):
    """How a source is read: its format and its encoding if they are given, what its columns mean, and the ids of its answers."""

    format_in: str | None
    columns: Mapping[str, str]
    encoding: str | None
    query_ids: Any = None
    scores_from: Any = None


AS_IT_IS = Options(None, NO_COLUMNS, None)


def given_of(columns: Mapping[str, str] | None, items_in: str | None, *, by_rows: bool = False) -> Given:
    """Return what columns hold, and how cells write lists of items, if that was said."""
    given = NONE_GIVEN if columns is None else Given.of(columns)
    if items_in is None and not by_rows:
        return given
    return Given(given, by_rows=by_rows, argument=given.argument, items_in=items_in or given.items_in)


def answers_in(source: Any, kind: str, name: str, options: Options) -> tuple[Shape | None, Any]:
    """The shape of answers in memory, such as a response of Elasticsearch or lists of documents, and the answers; None for other values."""
    from rankwell.readers import objects

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
    if Given.of(options.columns).items_in is not None and not is_table:
        from rankwell.readers.cells import argument_of

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
