"""Every kind of table that people have: the same columns as data frames of each library, values of Python, and files.

Columns are lists by name, ids whole numbers or text. A kind that is not installed is missing from ``KINDS``.
"""

from __future__ import annotations

import importlib.util
import itertools

import polars as pl

COUNTER = itertools.count()
HAS_ARROW = importlib.util.find_spec("pyarrow") is not None


def is_text(values):
    return isinstance(next((value for value in values if value is not None), None), str)


def polars(columns, folder):
    return pl.DataFrame(columns)


def polars_lazy(columns, folder):
    return pl.LazyFrame(columns)


def polars_categories(columns, folder):
    return pl.DataFrame(columns).with_columns(pl.col(pl.String).cast(pl.Categorical))


def pandas_of(kind):
    def made(columns, folder):
        import pandas as pd

        frame = pd.DataFrame(columns)
        for name, values in columns.items():
            if kind == "arrow":
                import pyarrow as pa

                frame[name] = pd.Series(values, dtype=pd.ArrowDtype(pa.array(values).type))
            elif kind == "nullable":
                frame[name] = frame[name].convert_dtypes()
            elif is_text(values):
                frame[name] = frame[name].astype(kind)
        return frame

    return made


def pandas_plain(columns, folder):
    import pandas as pd

    return pd.DataFrame(columns)


def pyarrow(columns, folder):
    import pyarrow as pa

    return pa.table(columns)


def pyarrow_dictionary(columns, folder):
    import pyarrow as pa

    encoded = {name: pa.array(values) for name, values in columns.items()}
    return pa.table(
        {
            name: column.dictionary_encode() if is_text(columns[name]) else column
            for name, column in encoded.items()
        }
    )


def duckdb(columns, folder):
    import duckdb

    table = pl.DataFrame(columns)
    path = folder / f"{next(COUNTER)}.parquet"
    table.write_parquet(path)
    return duckdb.sql(f"select * from read_parquet('{path}')")


def records(columns, folder):
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def dict_of_columns(columns, folder):
    return dict(columns)


def dict_of_arrays(columns, folder):
    import numpy as np

    return {name: np.array(values) for name, values in columns.items()}


def file(suffix, write):
    def written(columns, folder):
        path = folder / f"{next(COUNTER)}{suffix}"
        getattr(pl.DataFrame(columns), write)(path)
        return path

    return written


NEEDS = {
    "pandas": "pandas", "pandas object": "pandas", "pandas string": "pandas", "pandas category": "pandas",
    "pandas nullable": "pandas", "pandas arrow": "pyarrow", "pandas string[pyarrow]": "pyarrow", "pyarrow": "pyarrow",
    "pyarrow dictionary": "pyarrow", "duckdb": "duckdb",
}  # fmt: skip
ALL = {
    "polars": polars,
    "polars lazy": polars_lazy,
    "polars category": polars_categories,
    "pandas": pandas_plain,
    "pandas object": pandas_of("object"),
    "pandas string": pandas_of("string[python]"),
    "pandas string[pyarrow]": pandas_of("string[pyarrow]"),
    "pandas category": pandas_of("category"),
    "pandas nullable": pandas_of("nullable"),
    "pandas arrow": pandas_of("arrow"),
    "pyarrow": pyarrow,
    "pyarrow dictionary": pyarrow_dictionary,
    "duckdb": duckdb,
    "records": records,
    "dict of columns": dict_of_columns,
    "dict of arrays": dict_of_arrays,
    "csv": file(".csv", "write_csv"),
    "parquet": file(".parquet", "write_parquet"),
    "ndjson": file(".jsonl", "write_ndjson"),
}
KINDS = {name: make for name, make in ALL.items() if importlib.util.find_spec(NEEDS.get(name, "polars"))}
IDS = {"numbers": int, "text": str, "names": "d{:03}".format}
