"""Result: what has tables and plain values, in every form that rankwell prints, writes and reads."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from datetime import date
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, get_type_hints

from rankwell.display.output import WRITERS, in_form, write
from rankwell.display.output import save as save_frame
from rankwell.display.table import Table, html_of, in_notebook
from rankwell.display.text import plain_field
from rankwell.errors import UsageError, brief, nearest, one_of

if TYPE_CHECKING:
    import polars as pl

    from rankwell.display.saved_files import Kind

WORKBOOK = ".xlsx"
# what ``save`` writes as text: the suffix, and the method that gives the text
TEXTS = {".json": "to_json", ".md": "to_markdown", ".tex": "to_latex", ".html": "_page"}
# what people ask for who want rows, and the frames that results have, with what each is
FRAMES = ("to_frame", "to_pandas", "to_polars", "to_dataframe", "to_df", "dataframe", "frame", "df")
# what others call what results have, by the name it has here
OTHERS = {
    "passed": "exit_code", "ok": "exit_code", "failed": "exit_code", "summary": "to_table()", "winner": "order", "best": "order",
    "p_value": "difference()", "pvalue": "difference()", "p": "difference()",
}  # fmt: skip
ROWS = {"per_query": "per_query", "to_frame": "to_frame()", "to_pair_frame": "to_pair_frame()"}


class Result:
    """A value that says ``tables`` (or one, ``to_table``) and ``to_dict``; its texts, pages and files follow from these.

    A subclass with ``to_frame`` is also written as a table of its rows.

    Examples
    --------
    >>> from rankwell.display.table import Column, Table
    >>> class Sum(Result):
    ...     def tables(self):
    ...         return [Table([Column("n", "count")], [(3,)])]
    ...     def to_dict(self):
    ...         return {"n": 3}
    >>> Sum()
    n
    ─
    3
    >>> Sum().save("sum.doc")
    Traceback (most recent call last):
    rankwell.errors.UsageError: sum.doc: results are written as .json, .md, .tex, .html or .xlsx, by the suffix of the name.
    """

    _plural: ClassVar[str] = "results"  # what messages call several of them
    _kind: ClassVar[str] = ""  # what a file of JSON says that it holds
    _schema: ClassVar[int] = 1  # version of its layout
    _indent: ClassVar[int | None] = 2  # of JSON; columns of thousands of numbers have none
    _printed: ClassVar[int | None] = None  # columns of what Python prints; None is as wide as the tables are
    _texts: ClassVar[Mapping[str, str]] = TEXTS

    def tables(self) -> list[Table]:
        """Return the tables that are shown, in order; by default the one of ``to_table``."""
        return [self.to_table()]  # type: ignore[attr-defined]

    def to_tables(self) -> list[Table]:
        """Return the tables that are shown, in order, as ``tables`` does."""
        return self.tables()

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values; undefined is None."""
        return {
            "tables": [
                {"caption": table.caption, "rows": table.to_records(), "notes": [*table.notes]}
                for table in self.tables()
            ]
        }

    def to_text(self, width: int | None = None) -> str:
        """Return the tables as text; columns beyond a width follow in further blocks."""
        return in_form(self.tables(), "text", width)

    def to_json(self) -> str:
        """Return everything as JSON text."""
        import json

        from rankwell import __version__

        head = {"rankwell": __version__, "kind": self._kind, "schema": self._schema} if self._kind else {}
        return json.dumps(head | self.to_dict(), ensure_ascii=False, indent=self._indent, allow_nan=False)

    def to_markdown(self) -> str:
        """Return the tables as Markdown."""
        return in_form(self.tables(), "markdown")

    def to_latex(self) -> str:
        """Return the tables as LaTeX with booktabs rules."""
        return in_form(self.tables(), "latex")

    def to_html(self, *, full: bool = False) -> str:
        """Return the tables as HTML elements, or as a whole page if it shall be ``full``."""
        return html_of(self.tables(), full=full)

    def _page(self) -> str:
        """Return a whole page of HTML, as ``save`` writes it."""
        return self.to_html(full=True)

    def __repr__(self) -> str:
        return self.to_text(self._printed)

    def _repr_html_(self) -> str:
        return in_notebook(self.tables())

    if not TYPE_CHECKING:  # else the type checker would find any name there

        def __getattr__(self, name: str) -> Any:
            cls = type(self)
            if name.startswith("_") or hasattr(cls, name):  # the error of a property is told as it is
                return object.__getattribute__(self, name)
            remedy = nearest(name, [each for each in dir(self) if not each.startswith("_")])
            if name in FRAMES and (rows := [text for each, text in ROWS.items() if hasattr(cls, each)]):
                pandas = "to_pandas()" if hasattr(cls, "to_pandas") else f"{rows[0]}.to_pandas()"
                remedy = f" Did you mean {one_of(rows)}, a frame of Polars, or {pandas}, one of pandas?"
            if hasattr(self, (other := OTHERS.get(name, "_")).rstrip("()")):
                remedy = f" Did you mean {other}?"
            raise AttributeError(f"{cls.__name__} has no {name}.{remedy}", name=name, obj=self)

    @classmethod
    def suffix_of(cls, path: str | Path) -> str:
        """Return the suffix of a file name, in small letters; UsageError if ``save`` writes no such files."""
        suffix = Path(path).suffix.lower()
        suffixes = dict.fromkeys([*cls._texts, *(WRITERS if hasattr(cls, "to_frame") else ()), WORKBOOK])
        if suffix not in suffixes:
            raise UsageError(
                f"{path}: {cls._plural} are written as {one_of(suffixes)}, by the suffix of the name.{nearest(suffix, suffixes)}"
            )
        return suffix

    def save(self, path: str | Path) -> None:
        """Write the result in the format of the suffix; the file appears only once it is complete.

        ``.json`` holds everything, ``.md``, ``.tex``, ``.html`` and ``.xlsx`` the tables, ``.csv``, ``.parquet`` and others the frame, if there
        is one.

        Raises
        ------
        UsageError
            If the suffix is of no format.
        InputError
            If the file cannot be written.
        """
        suffix = self.suffix_of(path)
        if suffix in self._texts:
            write(getattr(self, self._texts[suffix])(), str(path))
        elif suffix == WORKBOOK:
            from rankwell.display.workbook import save_workbook  # most results are written as text

            save_workbook(self._sheets(), path)
        else:
            save_frame(self._frame(), path)

    def _sheets(self) -> list[Table]:
        """Return the tables that ``save`` writes to a file for Excel."""
        return self.tables()

    def _frame(self) -> pl.DataFrame:
        """Return the frame that ``save`` writes."""
        frame: pl.DataFrame = self.to_frame()  # type: ignore[attr-defined]  # suffix_of saw that there is one
        return frame


def frame_of_rows(form: type, rows: Iterable[Any]) -> pl.DataFrame:
    """Return named tuples of a form as a frame, of which None and NaN are null."""
    import polars as pl

    kinds: dict[Any, Any] = {
        float: pl.Float64,
        bool: pl.Boolean,
        date: pl.Date,
        int: pl.Int64,
        int | None: pl.Int64,
    }
    schema = {name: kinds.get(kind, pl.String) for name, kind in get_type_hints(form).items()}
    return pl.DataFrame([row._asdict() for row in rows], schema).fill_nan(None)


class Saved(Result, ABC):
    """A result that a file of JSON keeps whole.

    A subclass says its ``kind``, the ``plural`` of that, the ``form`` of what ``to_dict`` writes, and of what messages call its file, if not of
    the plural.
    """

    _file: ClassVar[Kind[Any]]

    def __init_subclass__(
        cls, *, kind: str = "", plural: str = "", form: Any = dict[str, Any], file_of: str = "",
        remedy: str = "make and save it again", **more: Any,
    ) -> None:  # fmt: skip
        super().__init_subclass__(**more)
        if not kind:
            return
        from rankwell.display.saved_files import Kind

        cls._kind, cls._plural = kind, plural
        cls._file = Kind(
            form, f"file of {file_of or plural}", f"{cls.__name__}.load reads files written by {cls.__name__}.save", remedy, ("kind", kind),
            ("schema", cls._schema),
        )  # fmt: skip

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Return what ``save`` wrote as JSON.

        Raises
        ------
        InputError, DataError
            If the file cannot be read, holds something else, is damaged, or contradicts itself.
        """
        content = cls._file.read(path)
        with cls._file.checking(path):
            return cls._of_file(content, path)

    @classmethod
    def read(cls, found: Any, said: str) -> Self:
        """Return a result as it is, or what the file of one holds; UsageError for anything else, which begins with what is ``said``."""
        if isinstance(found, str | PathLike):
            return cls.load(Path(found))
        if not isinstance(found, cls):
            raise UsageError(f"{said}, not {brief(found)}.")
        return found

    @classmethod
    @abstractmethod
    def _of_file(cls, content: Any, path: str | Path) -> Self:
        """Return the result that a file holds; ``content`` is of the type of ``_file``. Raises Damaged if it contradicts itself."""


class SavedFields(Saved):
    """A dataclass whose fields are plain values, named tuples of these, or tuples of such rows; a file keeps all of them."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values; undefined is None."""
        from dataclasses import fields  # each evaluation loads this module

        return {each.name: plain_field(getattr(self, each.name)) for each in fields(self)}

    @classmethod
    def _of_file(cls, content: dict[str, Any], path: Any) -> Self:  # noqa: ARG003 - nothing names the file
        from dataclasses import fields

        from rankwell.display.saved_files import Kind, field_of, within

        kinds, values = get_type_hints(cls, localns={"Kind": Kind}), {}
        for each in fields(cls):
            with within(each.name):
                values[each.name] = field_of(kinds[each.name], content[each.name])
        found = cls(**values)
        found._check()
        return found

    @abstractmethod
    def _check(self) -> None:
        """Raise Damaged if what a file said contradicts itself."""


def module(name: str) -> Any:
    """Return a module by its name, loaded when it is first asked for.

    A value names so the module of its tables: that one imports the value, and who only computes values never loads it.
    """
    return import_module(name)
