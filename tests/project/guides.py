"""The guides of CONTRIBUTING: the commands that they tell to run, and the files that these copy."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
EXAMPLES = ROOT / "examples" / "additions"
HEADINGS = {  # by the folder of the example
    "metric": "Add a metric",
    "corpus_metric": "Add a metric of all lists",
    "reader": "Add a reader",
    "preset": "Add a preset",
    "judging_method": "Add a judging method",
    "picture": "Add a picture",
    "section": "Add a section to the report",
    "option": "Add an option to a command",
}


def commands(heading: str) -> list[str]:
    """The command lines of a guide."""
    guide = TEXT.split(f"### {heading}\n")[1].split("\n### ")[0].split("\n## ")[0]
    return [line for block in re.findall(r"```sh\n(.*?)```", guide, re.DOTALL) for line in block.splitlines()]


def steps(heading: str) -> list[str]:
    """The command lines that change the tree, but for `make names`."""
    return [line for line in commands(heading) if not re.match(r"(\w+=\w+ )*make ", line)]


def tests_of(heading: str) -> list[list[str]]:
    """The arguments for pytest of each command that runs tests."""
    found = [
        re.fullmatch(r'(?:RANKWELL_CASES=all )?make test ARGS="(.*)"', line) for line in commands(heading)
    ]
    return [shlex.split(each[1]) for each in found if each]


def files_of(heading: str) -> list[str]:
    """The files that are there after the steps of a guide: copies of examples."""
    copies = [line.split() for line in steps(heading) if line.startswith("cp ")]
    return [target + Path(source).name for _, source, target in copies]


def patched() -> list[str]:
    """The files that patches change."""
    texts = [path.read_text(encoding="utf-8") for path in EXAMPLES.rglob("*.patch")]
    return [path for text in texts for path in re.findall(r"^\+\+\+ b/(\S+)", text, re.MULTILINE)]
