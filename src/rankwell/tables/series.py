"""One column in memory (Polars, pandas, Arrow, NumPy, tensors, a list) as a Polars series or a NumPy array, checked; where a row stands, for messages."""

from __future__ import annotations

import importlib.util
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwell.display.text import Composed
from rankwell.errors import DataError, UsageError, brief
from rankwell.records import record
from rankwell.tables.cells import MOST, are_alike, are_numbers, kinds_of, known_kind, plain_cells, plain_lists

if TYPE_CHECKING:
    from decimal import Decimal

    import polars as pl


NARROW = re.compile(
    "bfloat16|float8"
)  # kinds of floats that NumPy lacks; single precision holds them exactly
IN_MAIN_MEMORY = (1, 3)  # DLPack's numbers of the processor's memory, and of such memory that a GPU reads too
DEEPEST = 16  # lists in lists
LONGEST = 60
PLAIN = {str, int, float, bool}
NO_NUMBERS = np.datetime64, np.timedelta64, np.complexfloating  # which NumPy casts to floats all the same
# what stands for a missing value, in lower case
NOTHING = ("", "na", "n/a", "#n/a", "nan", "null", "none", "-", "\\n")
Place = Callable[[int], str]


def array_of(source: Any, name: str) -> np.ndarray:
    """Return an array or a tensor as a NumPy array: the same memory where it can be, one copy of a tensor on another device.

    UsageError if it cannot be converted.
    """
    try:
        if NARROW.search(str(getattr(source, "dtype", ""))):
            source = source.float() if hasattr(source, "float") else source.astype("float32")
        if isinstance(source, np.ndarray):  # a matrix of NumPy has two dimensions whatever is done with it
            return source if type(source) is np.ndarray or np.ma.isMaskedArray(source) else np.asarray(source)
        if getattr(source, "requires_grad", False):
            source = source.detach()
        if not hasattr(source, "__dlpack__"):
            return np.asarray(source)
        if source.__dlpack_device__()[0] not in IN_MAIN_MEMORY:
            return np.asarray(source.cpu() if hasattr(source, "cpu") else source)  # JAX copies by itself
        return np.from_dlpack(source)
    except (TypeError, ValueError, RuntimeError, BufferError) as error:
        raise UsageError(
            f"{name}: the {type(source).__name__} cannot be converted to a NumPy array ({error}). Move it to the CPU "
            f"first: tensor.detach().cpu().numpy()."
        ) from error


def one_dimension(source: Any, name: str) -> np.ndarray:
    """Return an array or a tensor as ``array_of`` does; UsageError if it has another number of dimensions than one."""
    array = array_of(source, name)
    if array.ndim != 1:
        raise UsageError(f"{name} are one column; this array has {array.ndim} dimensions.")
    # numpy.ma, which others may be masked by, takes a tenth of a small command to load
    if type(array) is np.ndarray:
        return array
    refuse_masked(array, name)
    return np.ma.getdata(array)


def refuse_masked(array: np.ndarray, name: str) -> None:
    """Raise DataError for an array of one dimension with masked values: what is under a mask is no value."""
    if np.ma.is_masked(array):
        row = int(np.flatnonzero(np.ma.getmaskarray(array))[0])
        raise DataError(
            f"{name}: the value of row {row + 1} is masked. Leave the row out, or fill it: array.filled(…)."
        )


def by_index(values: Any) -> Any:
    """Return a Series of pandas as a dict by its index, unless that only counts; others as they are, which are in the order of what they belong to."""
    is_series = type(values).__name__ == "Series" and library(values) == "pandas"
    if not is_series or values.index.equals(type(values)(values.to_numpy()).index):
        return values
    return dict(zip(values.index.tolist(), values.tolist(), strict=True))


def refuse_other_index(name: str, columns: Iterable[tuple[str, Any]]) -> None:
    """Raise DataError for columns of pandas whose rows are not the same by their index, as columns are matched by position."""
    first, index = "", None
    for column, values in columns:
        if not hasattr(values, "index") or library(values) != "pandas":
            continue
        if index is None:
            first, index = column, values.index
        elif len(index) == len(values.index) and not index.equals(values.index):
            at = f"{name}: " if name else ""
            raise DataError(
                f"{at}{first} and {column} have another index each, and rows are matched by position. If that is right, give "
                f"{column}.to_numpy(); else {column}.loc[{first}.index]."
            )


def is_tensor(source: Any) -> bool:
    """Whether a value is an array of another library than NumPy, and no column of a table."""
    is_array = hasattr(source, "__dlpack__") and not hasattr(source, "__arrow_c_array__")
    return is_array and not isinstance(source, np.ndarray)


def is_column(source: Any) -> bool:
    """Whether a value is one column: a series of Polars or pandas, an Arrow array, an array of one dimension."""
    if isinstance(source, np.ndarray):
        return source.ndim == 1
    if type(source).__name__ in ("Series", "Index", "RangeIndex", "ChunkedArray"):
        return True
    is_arrow = hasattr(source, "__arrow_c_array__") and not hasattr(source, "__arrow_c_stream__")
    return is_arrow or (hasattr(source, "dtype") and library(source) == "pandas")


def series_of(values: Any, name: str, column: str = "") -> pl.Series:
    """Return a column of a table; one that holds neither text nor numbers is refused when it is used.

    pyarrow is needed only for a column of pandas that is made of it. UsageError if a package is missing.
    """
    import polars as pl

    if library(values) == "pandas":
        if not hasattr(values, "dtype"):
            raise UsageError(
                f"{name}: {brief(column)} is {brief(values)}, where a column belongs. Give its values as a list."
            )
        return _of_pandas(values, name, column)
    if isinstance(values, pl.Series):
        return values.rename(column)
    if is_tensor(values):
        values = one_dimension(values, f"{name}: the values of {brief(column)}")
    if isinstance(values, np.ndarray):
        if values.dtype.kind in "OUS":
            values = [cell.tolist() if isinstance(cell, np.ndarray) else cell for cell in values.tolist()]
        else:
            values = known_kind(values)
    if hasattr(values, "__arrow_c_stream__") or hasattr(values, "__arrow_c_array__"):
        return call_polars(lambda: pl.Series(column, values), name)
    if not isinstance(values, (list, tuple, np.ndarray)):
        values = list_values(values, f"{name}: the column {brief(column)}")
    if not isinstance(values, np.ndarray):  # which holds numbers or dates now
        refuse_deep(values, f"{name}: the column {brief(column)}")
        values = plain_cells(values)
        # of most columns the first cell shows that they hold no lists
        if len(values) and type(values[0]) not in PLAIN:
            values, of = plain_lists(values) or (values, "alike")
            if of == "numbers":
                return pl.Series(column, values, dtype=pl.List(pl.Float64), strict=False)
            # of an array beside a set Polars makes an array of objects, which it cannot read
            if of == "several" or {np.ndarray} < kinds_of(values):
                return pl.Series(column, values, dtype=pl.Object, strict=False)
        if not are_alike(values):
            return pl.Series(column, list(values), dtype=pl.Object)
    try:
        return pl.Series(column, values)
    except (
        AttributeError, TypeError, ValueError, OverflowError, RuntimeError, pl.exceptions.PolarsError, pl.exceptions.PanicException
    ):  # fmt: skip
        kind = pl.Float64 if are_numbers(values) else pl.Object
        return call_polars(lambda: pl.Series(column, list(values), dtype=kind, strict=False), name)


def list_values(values: Any, what: str) -> list[Any]:
    """Return the values that an object yields; DataError if it yields none, or fails on the way."""
    try:
        return list(values)
    except Exception as error:  # the object may be of any class
        why = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        raise DataError(f"{what}: {brief(values)} cannot be read ({why}).") from error


def refuse_deep(cells: Iterable[Any], what: str) -> None:
    """Raise DataError for cells of dicts in dicts (lists in lists) …, for whose types Polars needs memory without bounds."""
    for cell in cells:
        depth, inner = 0, cell
        while isinstance(inner, dict | list) and inner:
            depth += 1
            if depth > DEEPEST:
                raise DataError(f"{what} holds lists or dicts that are nested more than {DEEPEST} deep.")
            inner = next(iter(inner.values())) if isinstance(inner, dict) else inner[0]


def freeze(values: np.ndarray) -> np.ndarray:
    """Return a view of an array that cannot be written to."""
    view = values.view()
    view.flags.writeable = False
    return view


def freeze_all(values: dict[str, Any]) -> dict[str, Any]:
    """Return attributes with every array as a view that cannot be written to; unpickled arrays can be."""
    return {name: freeze(value) if isinstance(value, np.ndarray) else value for name, value in values.items()}


def call_polars(make: Callable[[], Any], name: str) -> Any:
    """Return what Polars makes of a value in memory; its error becomes one line.

    UsageError if a package is missing; DataError if Polars cannot make it.
    """
    import polars as pl

    try:
        return make()
    except ModuleNotFoundError as error:
        raise UsageError(f"{name}: {error}. It comes with pip install 'rankwell[pandas]'.") from error
    except (Exception, pl.exceptions.PanicException) as error:  # the value may be of any library
        reason = next(iter(str(error).splitlines()), type(error).__name__)
        raise DataError(f"{name}: the columns do not make a table ({reason}).") from error


def library(source: Any) -> str:
    """Return the name of the package that a value is of."""
    return type(source).__module__.partition(".")[0]


def _of_pandas(values: Any, name: str, column: str) -> pl.Series:
    import polars as pl

    if hasattr(values.dtype, "categories"):
        array = getattr(values, "array", values)
        texts, codes = series_of(values.dtype.categories, name, column), pl.Series(array.codes).cast(pl.Int64)
        return texts.gather(codes.set(codes < 0, None))  # -1 is a missing value, not the last category
    if isinstance(values.dtype, np.dtype) and values.dtype.kind != "O":
        return pl.Series(column, known_kind(np.asarray(values)))
    array = getattr(values, "array", values)
    if hasattr(array, "__arrow_array__") and importlib.util.find_spec("pyarrow"):
        return call_polars(lambda: pl.Series(column, array.__arrow_array__()), name)
    cells = np.asarray(array, dtype=object)
    missing = np.asarray(values.isna(), np.bool_)
    if missing.any():
        cells = cells.copy()
        cells[missing] = None
    return series_of(cells, name, column)


def is_number(value: Any) -> bool:
    """Whether a value, or a text, is a number as Python reads it.

    >>> is_number("1e3"), is_number("a"), is_number(None)
    (True, False, False)
    """
    if isinstance(value, NO_NUMBERS):
        return False
    try:
        float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def how_to_write(text: str) -> str:
    """Return how to write a number in another spelling, for the message about a text that is no number; nothing for other text.

    >>> how_to_write("0,8"), how_to_write("8,000"), how_to_write("80 %"), how_to_write("(8)"), how_to_write("2/10")
    (' Write it as 0.8.', ' Write it as 8000 or 8.000.', ' Write it as 80.', ' Write it as -8.', '')
    """
    import re
    import unicodedata

    if text.strip().lower() in NOTHING:
        return " If it is missing, remove the row or fill it."
    if not text.strip("-=+| "):
        return " Remove the line."
    if re.search(r"\d\.#", text):
        return ""  # as Windows prints what is no number: 1.#IND
    # as Python prints it: tensor(0.8, device='cuda:0')
    plain = unicodedata.normalize("NFKC", text).strip()  # digits of full width, blanks of any
    value = re.sub(r"^[a-zA-Z_][\w.]*\(([^,]*)(,.*)?\)$", r"\1", plain)
    value = re.sub(r"(?<=\d)['’_ ](?=\d{3}(\D|$))", "", value)
    value = "".join(
        str(unicodedata.decimal(sign)) if sign.isdecimal() else sign for sign in value.replace("\u2212", "-")
    )
    # as accountants write what is below 0
    if (below := re.fullmatch(r"\(([\d.,]+)\)|([\d.,]+)-", value)) is not None:
        value = f"-{below[1] or below[2]}"
    found = re.findall(r"[-+]?\d[\d.,]*(?:[eEdD][-+]?\d+)?", value)
    # behind a letter it is part of an id, such as u1
    if len(found) != 1 or re.search(r"[^\W\d]", value.partition(found[0])[0]):
        return ""
    number = found[0].rstrip(".,").upper().replace("D", "E")
    whole, _, rest = number.rpartition(max(".,", key=number.rfind))
    joined = number.replace(",", "")
    if "," in number and "." in number:
        ways = [f"{re.sub('[.,]', '', whole)}.{rest}"]
    elif number.count(",") == 1:
        ways = [joined] * (len(rest) == 3) + [number.replace(",", ".")]
    elif joined.count(".") > 1:
        ways = [joined.replace(".", "")] if re.fullmatch(r"[-+]?\d{1,3}(\.\d{3})+", joined) else []
    else:
        ways = [joined]
    return f" Write it as {' or '.join(ways)}." if ways and all(map(is_number, ways)) else ""


def refuse_changed(values: Iterable[Any], numbers: np.ndarray, word: str) -> None:
    """Raise Changed if a whole number among ``values``, in Python, is not the one of the floats made of them."""
    if not len(numbers) or np.abs(numbers).max() < MOST:
        return
    from decimal import Decimal
    from fractions import Fraction

    for row, (value, number) in enumerate(zip(values, numbers.tolist(), strict=True)):
        is_exact = isinstance(value, (int, np.integer, Decimal, Fraction)) and math.isfinite(number)
        if is_exact and value == int(value) != number:
            raise Changed(row, int(value), word)


def refuse_changed_integers(values: np.ndarray, word: str) -> None:
    """Raise Changed if an integer of an array is another number as a float."""
    if not len(values) or not (int(values.max()) > MOST or int(values.min()) < -MOST):
        return
    floats = values.astype(np.float64)
    # a float beyond the type is not cast back: what that gives depends on the machine
    limit = 2.0 ** (8 * values.dtype.itemsize - (values.dtype.kind == "i"))
    fits = floats < limit
    same = np.zeros(len(values), np.bool_)
    same[fits] = floats[fits].astype(values.dtype) == values[fits]
    if not same.all():
        row = int(np.flatnonzero(~same)[0])
        raise Changed(row, int(values[row]), word)


def refuse_changed_text(values: Iterable[str], numbers: np.ndarray, word: str) -> None:
    """Raise Changed if a number written with digits alone is not the one of the floats made of the text."""
    large = np.flatnonzero(np.abs(numbers) >= MOST).tolist()  # smaller ones are exact: no text is read twice
    if not large:
        return
    from decimal import Decimal

    texts = list(values)
    for row in large:
        digits, _, rest = texts[row].strip().partition(".")
        if digits.lstrip("+-").isdecimal() and not rest.strip("0"):
            exact = Decimal(digits)
            if exact != Decimal(float(numbers[row])):
                raise Changed(row, exact, word)


class Changed(Exception):
    """A number that is too large to be kept, and the row of it."""

    def __init__(self, row: int, value: int | Decimal, word: str) -> None:
        super().__init__(row, value, word)
        self.row, self.value, self.word = row, value, word

    def at(self, place: str) -> DataError:
        """Return the error that names the place."""
        number = brief(self.value) if isinstance(self.value, int) else f"{self.value:f}"
        if len(number) > LONGEST:
            number = f"{self.value:.6E}"
        return DataError(
            f"{place}: the {self.word} {number} is too large to be kept exactly; whole numbers are up to 2^53."
        )


def numbers_of(values: Iterable[float] | np.ndarray, name: str, place: Place) -> np.ndarray:
    """Return a column of numbers of any type; DataError for other values, nan, and whole numbers that no float holds."""
    if isinstance(values, np.ndarray) or is_tensor(values):
        values = one_dimension(values, f"the numbers of {name}")
    elif is_column(values):
        values = _plain_numbers(series_of(values, name), name, place)
    cells = values if isinstance(values, np.ndarray) else list_values(values, f"the numbers of {name}")
    try:
        numbers = np.asarray(cells)
    except ValueError:
        numbers = np.empty(0, np.object_)
    if numbers.ndim != 1:
        raise DataError(f"{place(0)}: {name} holds lists or tables, not numbers.")
    if numbers.dtype.kind == "O":  # Decimal, Fraction and the like, or what is none
        row = next(
            (
                row
                for row, cell in enumerate(cells)
                if isinstance(cell, (str, bytes, bytearray)) or not is_number(cell)
            ),
            None,
        )
        if row is not None:
            raise DataError(f"{place(row)}: the {name} is {brief(cells[row])}, not a number.")
        numbers = np.array(cells, np.float64)
    if numbers.dtype.kind not in "iufb":
        such = f" such as {brief(numbers[0])}" if numbers.size else ""
        raise DataError(f"{place(0)}: {name} holds {numbers.dtype.name} values{such}, not numbers.")
    if (
        len(numbers) and numbers.dtype.kind == "f" and np.isnan(numbers.min())
    ):  # the minimum is nan if any value is
        row = int(np.flatnonzero(np.isnan(numbers))[0])
        raise DataError(f"{place(row)}: the {name} is not a number (nan). Remove the row or fix the {name}.")
    try:
        if numbers.dtype.kind in "iu":
            refuse_changed_integers(numbers, name)
        elif cells is not numbers:
            refuse_changed(cells, numbers, name)
    except Changed as changed:
        raise changed.at(place(changed.row)) from None
    return numbers


def _plain_numbers(series: pl.Series, name: str, place: Place) -> Any:
    """The numbers of a series as an array; others as they are. DataError if one is missing."""
    if series.null_count():
        row = int(series.is_null().arg_max() or 0)
        raise DataError(f"{place(row)}: the {name} is missing. Remove the row or fill it.")
    return series.to_numpy() if series.dtype.is_integer() or series.dtype.is_float() else series.to_list()


def same_length(rows: int, columns: Mapping[str, int], name: str) -> None:
    """Raise UsageError if a column is not as long as the query column."""
    for column, length in columns.items():
        if length != rows:
            raise UsageError(f"{name}: the query column has {rows} rows, {column} has {length}.")


class StoredPlace(ABC):
    """A place that needs no open file or table to answer, so that data can be pickled together with it."""

    @abstractmethod
    def __call__(self, row: int) -> str:
        """Return where a row stands."""


@record
class RowOf(StoredPlace):
    """Rows by their numbers, from 1."""

    name: str

    def __call__(self, row: int) -> str:
        """Return where a row stands."""
        return Composed("{name}, row {row}", name=self.name, row=row + 1)


@record
class LineAfter(StoredPlace):
    """Rows that are the lines of a file after its first ones."""

    label: str
    first: int

    def __call__(self, row: int) -> str:
        """Return where a row stands."""
        return f"{self.label}:{self.first + row + 1}"


@record(eq=False)
class Reordered(StoredPlace):
    """The places of rows that were put in another order."""

    place: StoredPlace
    order: np.ndarray

    def __call__(self, row: int) -> str:
        """Return where a row stood."""
        return self.place(int(self.order[row]))


def store_place(place: Place, name: str) -> StoredPlace:
    """Return a place that can be pickled; one that needs its file open becomes the number of the row."""
    return place if isinstance(place, StoredPlace) else RowOf(name)


def end_to_end(lengths: Sequence[int], places: Sequence[Place]) -> Place:
    """Return the place of a row of parts that stand end to end, each of which has places of its own."""
    ends = np.cumsum(lengths)

    def place(row: int) -> str:
        part = int(np.searchsorted(ends, row, side="right"))
        return places[part](row - int(ends[part] - lengths[part]))

    return place
