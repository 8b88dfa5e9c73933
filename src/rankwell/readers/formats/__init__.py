"""File formats: one module per format, found by its name.

A module has ``SUFFIXES``, the endings of file names; ``recognises(start: bytes) -> bool``, asked with the first bytes of a
file, decompressed; and what its files can hold of ``read_run(file, *, name, columns)``, ``read_qrels`` and ``read_items``, which
take a ``rankwell.readers.bytes.files.File``; those of a table are made by ``rankwell.readers.frames.tables.TableReader``. JSON that a tool writes is a
``SHAPE`` instead. ``read_table(file, *, kind, columns)`` returns a whole table as a Polars frame, and the place of a
row; ``TABLES`` names the kinds of ``rankwell.readers.registry.TABLES`` that a file can hold, if not all, and ``IS_TYPED = False`` says that
all cells are text. Import a heavy library inside these functions. Whatever they raise is turned
into one error with the file, the line and the cause.
"""

from __future__ import annotations
