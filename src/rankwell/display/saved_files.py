"""Files that rankwell saved: the first bytes of a saved result, used to tell it from data, and the one loader of what they hold.

Each room says of its kinds of files what they hold, as types; here nothing is known of any. A file that is damaged or was edited ends
in one error, which names the place within it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, NoReturn, TypeVar, get_args, get_type_hints

from rankwell.errors import DataError, InputError, RankwellError, UsageError, brief
from rankwell.faces import rooms
from rankwell.records import record

if TYPE_CHECKING:
    from typing import TypeGuard

T = TypeVar("T")
Plain = float | Literal["inf", "-inf"] | None  # what ``plain_value`` makes of a number
BEGINNING = 200  # characters: enough for the fields that say the kind, whatever the length of the file
KEY = "rankwell"  # the metadata of Parquet files with the text of the results
# the first fields of a file; results, which were the first to be saved, name no kind
SAYS = re.compile(
    r'\s*{\s*(?:"format"\s*:\s*"([^"]*)"|"rankwell"\s*:\s*"[^"]*"\s*,\s*(?:"kind"\s*:\s*"([^"]*)"|"schema"))'
)
LARGEST = 2**53  # whole numbers up to here are exact in every JSON reader
NEAR = 1e-9  # relative: logarithms differ in their last digits from machine to machine


def beginning_of(path: str | Path) -> str:
    """Return the first characters of a ``.json`` file; "" for others, and for what cannot be read: its reader says what is wrong.

    >>> beginning_of("nowhere.json"), beginning_of("table.csv")
    ('', '')
    """
    file = Path(path)
    try:
        if file.suffix.lower() != ".json" or not file.is_file():
            return ""
        with file.open(encoding="utf-8") as opened:
            return opened.read(BEGINNING)
    except (OSError, ValueError):
        return ""


def kind_of(path: str | Path) -> str:
    """Return what a file that rankwell saved says it holds, such as "comparison" or "results"; "" for all others.

    >>> kind_of("table.csv")
    ''
    """
    if Path(path).suffix.lower() == ".parquet":
        import polars as pl

        try:
            return "results" if KEY in pl.read_parquet_metadata(path) else ""
        except (OSError, ValueError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
            return ""  # the reader of runs says what is wrong with it
    beginning = SAYS.match(beginning_of(path))
    return "" if beginning is None else beginning[1] or beginning[2] or "results"


def class_of(kind: str) -> Any:
    """Return the class of an optional room that loads files of a kind; None if no room names it.

    >>> class_of("position bias"), class_of("results")
    (<class 'rankwell.clicks.position_bias.Positions'>, None)
    """
    for room in rooms():
        package = import_module(f"rankwell.{room}")
        if kind in getattr(package, "KINDS", {}):
            return getattr(package, package.KINDS[kind])
    return None


def load_kind(path: str | Path, kind: str) -> Any:
    """Return the result of an optional room that a file holds, of a kind that a room names.

    Raises
    ------
    InputError, DataError
        If the file cannot be read, or holds something else.
    UsageError
        If there is no such room here.
    """
    if (found := class_of(kind)) is None:
        raise UsageError(f"{path}: files of {kind} are read by a part of rankwell that is not installed.")
    return found.load(path)


PLAIN = {None: math.nan, "inf": math.inf, "-inf": -math.inf}  # numbers as ``plain_value`` writes them


def row_of(form: type[T], row: Mapping[str, Any]) -> T:
    """Return the row of a file as the named tuple that ``plain_value`` made it of: where a number is expected, None is NaN."""
    import msgspec

    kinds = get_type_hints(form)
    values = [PLAIN.get(row[name], row[name]) if kinds[name] is float else row[name] for name in form._fields]  # type: ignore[attr-defined]
    return msgspec.convert(values, form)


def field_of(kind: Any, value: Any) -> Any:
    """Return the field of a file as what ``plain_field`` made it of."""
    import msgspec

    form = next((each for each in (kind, *get_args(kind)) if hasattr(each, "_fields")), None)
    if form is None and hasattr(kind, "__dataclass_fields__"):
        return value  # which the class that has the field made of it
    if form is None:
        return msgspec.convert(PLAIN.get(value, value) if kind is float else value, kind)
    if not isinstance(value, list):
        return value and row_of(form, value)
    rows = []
    for place, row in enumerate(value):
        with within(f"[{place}]"):
            rows.append(row_of(form, row))
    return tuple(rows)


class Damaged(Exception):
    """What a file holds contradicts itself: where in the file, and how."""

    def __init__(self, at: str, why: str) -> None:
        super().__init__(f"{at}: {why}" if at else why)
        self.at, self.why = at, why


def ensure(fits: object, at: str, why: str) -> None:
    """Raise Damaged unless something fits."""
    if not fits:
        raise Damaged(at, why)


# what goes wrong where values of the right types do not fit each other: a name that is missing elsewhere, a column that is too short, a sum
# of arrays of different lengths
MISFITS = (
    ArithmeticError, AssertionError, AttributeError, Damaged, LookupError, MemoryError, RankwellError, RecursionError, TypeError, ValueError,
)  # fmt: skip


@contextmanager
def within(at: str) -> Iterator[None]:
    """Say of whatever goes wrong here where in the file it is."""
    try:
        yield
    except MISFITS as error:
        inner, why = (error.at, error.why) if isinstance(error, Damaged) else ("", _reason(error))
        raise Damaged(at + "." * (inner[:1] not in ("", "[")) + inner, why) from error


@record
class Kind(Generic[T]):
    """A kind of file: the type of what it holds, what it is called, who writes such files, and what helps if one is damaged.

    ``mark`` is a field and the value by which such files are known, ``version`` the field of the version and the newest one.
    """

    form: type[T]
    name: str
    writer: str
    remedy: str
    mark: tuple[str, str] | None = None
    version: tuple[str, int] | None = None

    def read(self, path: str | Path) -> T:
        """Return what a file holds.

        Raises
        ------
        InputError, DataError
            If it cannot be read, is no JSON, is of another kind or version, or does not hold what such files hold.
        """
        try:
            text = Path(path).read_bytes()
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise InputError(f"{path}: cannot be read ({reason}).") from error
        return self.decode(text, path)

    def decode(self, text: bytes | str, place: object) -> T:
        """Return what the text of a file holds; ``place`` is its name. DataError as for ``read``."""
        import msgspec

        try:
            data = msgspec.json.decode(text)
        except (ValueError, RecursionError, MemoryError) as error:  # msgspec's errors are ValueErrors
            why = _reason(error).removeprefix("JSON is malformed: ")
            why = why.replace("Input data was truncated", "the text is cut off")
            raise DataError(
                f"{place}: this is no {self.name}, which is JSON ({why}); {self.writer}."
            ) from error
        return self.checked(data, place)

    def checked(self, data: Any, place: object) -> T:
        """Return plain values as what a file of this kind holds; DataError as for ``read``."""
        import msgspec

        marked = isinstance(data, dict) and (not self.mark or data.get(self.mark[0]) == self.mark[1])
        if not marked or (self.version and self.version[0] not in data):
            raise DataError(f"{place}: this is no {self.name}; {self.writer}.")
        # the version is looked at before the types: a newer one may hold what this one has no type for
        if self.version and not (
            data[self.version[0]] and is_count(data[self.version[0]], self.version[1] + 1)
        ):
            field, newest = self.version
            raise DataError(
                f"{place}: written with {field} {brief(data[field])}, but this version of rankwell reads {field}s up to {newest}; "
                f"{self.remedy}."
            )
        try:
            return msgspec.convert(data, self.form)
        except (ValueError, RecursionError) as error:
            self._refuse(place, error)

    @contextmanager
    def checking(self, place: object) -> Iterator[None]:
        """Turn whatever goes wrong where the content of a file is used for the first time into the error that says so."""
        import polars as pl

        try:
            yield
        except InputError:
            raise  # about the file, not about what it holds
        except (*MISFITS, pl.exceptions.PolarsError) as error:
            self._refuse(place, error)

    def _refuse(self, place: object, error: Exception) -> NoReturn:
        raise DataError(f"{place}: this {self.name} is damaged ({_reason(error)}); {self.remedy}.") from error


def ensure_same(saved: Any, value: Any, at: str) -> None:
    """Raise Damaged for the first place where a file says something else than the results that it holds; a file may say less or more."""
    if isinstance(saved, Mapping) and isinstance(value, Mapping):
        for name in saved.keys() & value.keys():
            ensure_same(saved[name], value[name], f"{at}.{name}" if at else str(name))
    elif isinstance(saved, list | tuple) and isinstance(value, list | tuple):
        ensure(len(saved) == len(value), at, f"{len(saved):,} values in place of {len(value):,}")
        for place, (one, other) in enumerate(zip(saved, value, strict=True)):
            ensure_same(one, other, f"{at}[{place}]")
    elif _is_number(saved) and _is_number(value):
        is_near = saved == value or abs(saved - value) <= NEAR * max(abs(saved), abs(value))
        ensure(is_near, at, f"{saved} in place of {value}")
    else:
        ensure(
            type(saved) is type(value) and saved == value, at, f"{brief(saved)} in place of {brief(value)}"
        )


def ensure_counts(counts: Mapping[str, int], at: str) -> None:
    """Raise Damaged for a count below 0, or beyond what JSON keeps."""
    for name, count in counts.items():
        ensure(is_count(count, LARGEST + 1), f"{at}.{name}", f"{brief(count)} is no count")


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_count(value: object, below: int) -> bool:
    """Whether a value is a whole number from 0 to one below another; ``in range`` would try all of them for a fraction."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < below


def _reason(error: BaseException) -> str:
    """Say in one line what is wrong, the place first."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, MemoryError):
        return "it asks for more memory than there is"
    text = " ".join(str(error).split()).removesuffix(".")
    if isinstance(error, KeyError) and not isinstance(error, RankwellError):
        return f"{text} is missing"
    reason, _, at = text.partition(" - at `$")  # as msgspec says where
    if missing := re.fullmatch("Object missing required field `(.*)`", reason):
        reason, at = "it is missing", f"{at.rstrip('`')}.{missing[1]}"
    at = at.strip(".`")
    return f"{at}: {reason[0].lower()}{reason[1:]}" if at else reason or type(error).__name__
