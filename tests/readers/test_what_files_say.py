"""What Parquet and Arrow files say of themselves is looked at before Polars believes it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import rankwell as rw
from rankwell.errors import InputError
from rankwell.kernels import thrift
from rankwell.readers.bytes.files import File
from rankwell.readers.formats import arrow, parquet

ROOT = Path(__file__).parents[2]
FOUND = ROOT / "tests" / "corpus" / "found"
N = 30_000
ROWS = pl.DataFrame({"query": [str(n // 20) for n in range(N)], "item": range(N), "score": [-n / 7 for n in range(N)]})  # fmt: skip
POLARS = ("zstd", "snappy", "uncompressed", "gzip", "lz4", "brotli")
WRITERS = {
    f"polars {name}": lambda path, name=name: ROWS.write_parquet(path, compression=name) for name in POLARS
}
WRITERS |= {
    "polars small groups": lambda path: ROWS.write_parquet(path, row_group_size=100),
    "polars small pages": lambda path: ROWS.write_parquet(path, data_page_size=500),
    "duckdb": lambda path: duckdb.sql(f"copy (select * from ROWS) to '{path}' (format parquet)"),
    "pandas": lambda path: ROWS.to_pandas().to_parquet(path),
}
WRITERS |= {
    f"pyarrow {version} pages {page} {dictionary}": lambda path, v=version, p=page, d=dictionary: (
        pq.write_table(
            ROWS.to_arrow(), path, version=v, data_page_version=p, use_dictionary=d, data_page_size=2000
        )
    )
    for version in ("1.0", "2.6")
    for page in ("1.0", "2.0")
    for dictionary in (False, True)
}


@pytest.mark.parametrize("writer", WRITERS)
def test_what_others_write_is_read_as_pyarrow_reads_it(tmp_path, writer):
    path = tmp_path / "run.parquet"
    WRITERS[writer](path)
    footer = pq.ParquetFile(path).metadata
    chunks = [footer.row_group(g).column(c) for g in range(footer.num_row_groups) for c in range(3)]
    with (file := File(path)).opened() as opened:
        found = list(parquet._chunks(parquet._groups(opened, file.size - parquet.TAIL)))
    assert [(c["name"], c[5], c[7], c[9]) for c in found] == [
        (c.path_in_schema, c.num_values, c.total_compressed_size, c.data_page_offset) for c in chunks
    ]
    parquet.check_pages(File(path))


def small(path: Path) -> bytearray:
    ROWS.head(100).write_parquet(path, compression="uncompressed")
    return bytearray(path.read_bytes())


def test_the_header_of_a_page_that_cannot_be(tmp_path):
    path = tmp_path / "run.parquet"
    content = small(path)
    first = thrift.struct(File(path).content[4:], 0)[0]
    assert first[1] in parquet.HEADERS
    assert (
        content[6] == 0x15
    )  # the second field, its size when decompressed: a number of 32 bits, zigzag, here one byte
    assert content[7] == 2 * first[2] < 0x80
    for byte, words in ((0x01, "would hold"), (0x02, "would hold")):  # -1 byte, and 1 byte for several values
        content[7] = byte
        path.write_bytes(content)
        with pytest.raises(InputError, match=words):
            rw.read_run(path)


@pytest.mark.parametrize("end", [10, 100, 300, -1])
def test_a_file_cut_off(tmp_path, end):
    path = tmp_path / "run.parquet"
    content = small(path)
    path.write_bytes(content[:end] + b"\xff\x00\x00\x00PAR1")
    with pytest.raises(InputError, match="damaged or cut off"):
        rw.read_run(path)


def batches(path: Path, maker, **options) -> None:
    table = ARROW.to_arrow()
    with maker(path, table.schema, **options) as writer:
        for batch in table.to_batches(max_chunksize=1000):
            writer.write_batch(batch)


ARROW = ROWS.with_columns(kind=pl.col("query").cast(pl.Categorical), nothing=None)
SMALL = pa.ipc.IpcWriteOptions(compression="zstd")
ARROW_WRITERS = {
    "file in small batches": (31, lambda path: batches(path, pa.ipc.new_file)),
    "stream in small batches": (32, lambda path: batches(path, pa.ipc.new_stream)),
    "compressed stream in small batches": (32, lambda path: batches(path, pa.ipc.new_stream, options=SMALL)),
    "feather": (1, lambda path: pa.feather.write_feather(ROWS.to_arrow(), path)),
}
for how in ("uncompressed", "lz4", "zstd"):
    ARROW_WRITERS[f"polars file {how}"] = (2, lambda path, how=how: ARROW.write_ipc(path, compression=how))
    ARROW_WRITERS[f"polars stream {how}"] = (
        3,
        lambda path, how=how: ARROW.write_ipc_stream(path, compression=how),
    )


@pytest.mark.parametrize("writer", ARROW_WRITERS)
def test_all_messages_of_arrow_files_are_looked_at(tmp_path, writer):
    path = tmp_path / "run.arrow"
    messages, write = ARROW_WRITERS[writer]
    write(path)
    arrow.check_buffers(File(path))
    # batches and dictionaries, in streams the schema too
    assert len(list(arrow._messages(File(path).content))) == messages
    assert rw.evaluate(rw.read_run(path), {"1": {20: 1, 23: 1}}, ["rr", "r@5"]).mean == {
        "rr": 1.0,
        "r@5": 1.0,
    }


@pytest.mark.parametrize("end", [20, 200, -30, -1])
def test_an_arrow_file_cut_off(tmp_path, end):
    path = tmp_path / "run.arrow"
    ROWS.write_ipc(path)
    path.write_bytes(path.read_bytes()[:end])
    with pytest.raises(InputError, match="damaged or cut off"):
        rw.read_run(path)


def test_a_buffer_that_would_fill_the_memory(tmp_path):
    path = tmp_path / "run.arrow"
    ROWS.write_ipc(path, compression="zstd")
    content = path.read_bytes()
    # the first buffer of the column of items: its size when decompressed, then zstd's sign
    at = content.index((8 * N).to_bytes(8, "little") + b"\x28\xb5\x2f\xfd")
    path.write_bytes(content[:at] + b"AAAAAAAA" + content[at + 8 :])
    with pytest.raises(InputError, match="bytes would hold 4,702,111"):
        rw.read_run(path)


@pytest.mark.parametrize("path", sorted(FOUND.iterdir()), ids=lambda path: path.name)
def test_what_made_polars_abort_is_refused_in_one_line(path):
    """In a process of its own, as the process would be gone (found by atheris)."""
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / "fuzz.py", "--again", path], capture_output=True, text=True, check=False, cwd=ROOT
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
