"""The compiled kernels: Python files in Cython's pure-Python mode, built ahead of time.

A kernel must never run as plain Python: it would be several hundred times slower, and its 64-bit arithmetic would not wrap.
So importing this package fails if a kernel file next to it has no compiled module, or one older than the file. An installed
package holds only compiled kernels, and the check does nothing.
"""

from __future__ import annotations

import os
from importlib.machinery import EXTENSION_SUFFIXES

# What the hashes of this process begin with, the same in all kernels, so that they give an id the same key.
SECRET = (int.from_bytes(os.urandom(8), "little"), int.from_bytes(os.urandom(8), "little"))
_REMEDY = "run `make build` in a source tree, or `pip install .`"


def _refuse_uncompiled(folder: str) -> None:
    """Raise ImportError for a kernel source in the folder without an up-to-date compiled module."""
    with os.scandir(folder) as entries:
        changed = {entry.name: entry.stat().st_mtime_ns for entry in entries if entry.is_file()}
    # A .pxd file is shared by kernels; the build renews every compiled module, so each must be newer than it.
    shared = max((time for name, time in changed.items() if name.endswith(".pxd")), default=0)
    for name in sorted(changed):
        kernel = name.removesuffix(".py")
        if kernel in {name, "__init__"}:
            continue
        # the import system takes the first suffix that exists
        built = next((kernel + suffix for suffix in EXTENSION_SUFFIXES if kernel + suffix in changed), None)
        if built is None:
            msg = f"rankwell's kernel {kernel} is not compiled: {_REMEDY}"
        elif changed[built] < max(changed[name], shared):
            msg = f"rankwell's kernel {kernel} was edited after it was compiled ({built} is older): {_REMEDY}"
        else:
            continue
        raise ImportError(msg, name=f"{__name__}.{kernel}", path=folder)


_refuse_uncompiled(__path__[0])
