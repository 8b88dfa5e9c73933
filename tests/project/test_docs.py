"""What the documents show is what happens: console blocks are run again and compared."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from rankwell.cli.arguments import arguments_of, pairs_in
from rankwell.cli.commands import function_of, homes
from rankwell.compat.ndeval.options import WITH_VALUE
from rankwell.compat.trec_eval.options import OURS, SHORT
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


def stands(option, text):
    """Whether an option is named in a text, and not as the beginning of a longer one."""
    return re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", text) is not None


@pytest.mark.parametrize("words", homes(), ids=" ".join)
def test_every_option_of_a_command_stands_on_a_page(words):
    """What nobody would miss at the shell is an argument of Python alone; what is left, people find by searching the pages."""
    pages = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    for argument in arguments_of(function_of(words)):
        names = [*argument.names, *filter(None, [argument.option.negative])]
        assert not names or any(stands(name, pages) for name in names), (
            f"name {names[0]} of rankwell {' '.join(words)} on a page of docs/"
        )
    for word in pairs_in(function_of(words)):
        assert stands(f"{word}=", pages) or stands(f"--{word.replace('_', '-')}", pages), word


def test_every_option_of_the_programs_that_are_replaced_stands_on_their_page():
    page = (ROOT / "docs" / "migrating.md").read_text(encoding="utf-8")
    own = [f"-{letter}" for letter in SHORT if letter != ":"] + [f"--{name.rstrip('=')}" for name in OURS]
    assert [option for option in (*own, *WITH_VALUE) if not stands(option, page)] == []
