"""What the documents show is what happens: console blocks are run again and compared."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from rankwell.metrics.names import METRICS

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)


def trimmed(text):
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_console_blocks_print_what_the_page_says(page, tmp_path):
    blocks = re.findall(r"```console\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    folder = tmp_path
    bin_folder = str(Path(sys.executable).parent)
    environment = dict(os.environ, PATH=bin_folder + os.pathsep + os.environ["PATH"], NO_COLOR="1")
    for command, shown in (found for block in blocks for found in COMMAND.findall(block)):
        if command.startswith("make "):
            continue
        script = f"{command}\ncode=$?; pwd >&2; exit $code"
        done = subprocess.run(
            ["bash", "-c", script], cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        *said, where = done.stderr.strip().splitlines()
        folder = Path(where)
        assert trimmed(done.stdout + "\n".join(said)) == trimmed(shown), command


def test_the_readme_counts_the_metrics():
    assert f"**{len(METRICS)} metrics**" in PAGES[0].read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "page", [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"], ids=lambda page: page.name
)
def test_links_to_files_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target
