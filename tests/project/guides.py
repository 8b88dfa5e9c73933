"""The guides of CONTRIBUTING: the files that they tell to write, and the commands that they tell to run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
FILE = re.compile(r"`((?:src|tests)/[\w/]+\.(?:py|toml|html))`:\n\n```\w+\n(.*?)```\n", re.DOTALL)


def guide(heading: str) -> str:
    """The text below a heading."""
    return TEXT.split(f"## {heading}\n")[1].split("\n## ")[0]


def files_of(heading: str) -> dict[str, str]:
    """The text of each file that a guide shows, by its path; TOML is added to the file that is there."""
    return dict(FILE.findall(guide(heading)))


def tests_of(heading: str) -> list[list[str]]:
    """The arguments for pytest of each command of a guide that runs tests."""
    return [
        shlex.split(words) for words in re.findall(r'^make test ARGS="(.*)"$', guide(heading), re.MULTILINE)
    ]


def examples() -> str:
    """What is left without these files: its examples run as they stand."""
    return FILE.sub("", TEXT)
