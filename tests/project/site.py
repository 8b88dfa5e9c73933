"""A copy of the documentation site, built in a folder of its own."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from tools import make_site

ROOT = Path(__file__).parents[2]
PAGES = make_site.PAGES
HTML = PAGES.with_name("html")


def build(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [Path(sys.executable).with_name("zensical"), "build", "--strict"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def built(folder: Path) -> Path:
    """Gather the pages into a folder, and build the site there."""
    make_site.gather(folder)
    shutil.copytree(
        ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("*.so", "__pycache__", "data")
    )
    shutil.copyfile(ROOT / "zensical.toml", folder / "zensical.toml")
    done = build(folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder
