"""The files of tests/data, which lie there compressed. The first test that asks for one unpacks it below build/evidence.

python tests/evidence.py NAME ...    unpack files or folders for a script, and print where they are
"""

from __future__ import annotations

import lzma
import os
import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path

PACKED = Path(__file__).resolve().parent / "data"
UNPACKED = PACKED.parents[1] / "build" / "evidence"


@cache
def evidence(name: str) -> Path:
    """Return the unpacked file, or the folder with every file in it unpacked: ``evidence("cranfield/runs")``."""
    packed = PACKED / name
    if packed.is_dir():
        files = [path for path in packed.rglob("*") if path.is_file()]
    else:
        files = [packed.with_name(f"{packed.name}.xz")]
    if not files or not files[0].exists():
        raise FileNotFoundError(
            f"tests/data/{name} is missing; a source distribution leaves the collections out, so run the tests in a clone"
        )
    for file in files:
        unpack(file, UNPACKED / file.relative_to(PACKED))
    return UNPACKED / name


def unpack(packed: Path, target: Path) -> None:
    """Unpack a file unless that was done since it last changed. Several processes may do so at once."""
    target, opened = (target.with_suffix(""), lzma.open) if packed.suffix == ".xz" else (target, open)
    changed = packed.stat().st_mtime_ns
    if target.exists() and target.stat().st_mtime_ns == changed:
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    with opened(packed, "rb") as content, tempfile.NamedTemporaryFile(dir=UNPACKED, delete=False) as file:
        shutil.copyfileobj(content, file)
    os.utime(file.name, ns=(changed, changed))
    try:
        # the first one stays: another process may be reading it, and would find that the file is another one
        os.link(file.name, target)
    except FileExistsError:
        if target.stat().st_mtime_ns != changed:
            Path(file.name).replace(target)
            return
    Path(file.name).unlink()


if __name__ == "__main__":
    for asked in sys.argv[1:]:
        print(evidence(asked))
