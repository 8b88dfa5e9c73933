"""The documentation site, built once for all tests in a folder of its own."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tools import make_site

ROOT = Path(__file__).parents[2]
PAGES = make_site.PAGES
HTML = PAGES.with_name("html")


def build(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [Path(sys.executable).with_name("zensical"), "build", "--strict"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def built(factory: pytest.TempPathFactory) -> Path:
    """Gather the pages into a folder, and build the site there, unless another process of pytest-xdist did so."""
    base = factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "site"
    with folder.with_suffix(".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        if not folder.exists():
            _build_in(folder.with_suffix(".new")).rename(folder)
    return folder


def _build_in(folder: Path) -> Path:
    make_site.gather(folder)
    shutil.copytree(
        ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("*.so", "__pycache__", "data")
    )
    shutil.copyfile(ROOT / "zensical.toml", folder / "zensical.toml")
    done = build(folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder
