"""Gather the pages of the documentation site and build it, with every link checked: python tools/make_site.py

Pages keep their places in the repository, so a link that works there works on the site too. Made here and kept nowhere
else: the reference of the Python interface (from docstrings) and of the commands (from their declarations), and the
notebooks as pages.
"""

from __future__ import annotations

import inspect
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
from nbconvert import MarkdownExporter

import rankwell
from rankwell import prepare
from rankwell.cli.parser import application

ROOT = Path(__file__).resolve().parents[1]
OUTPUT = ROOT / "build" / "site"
PAGES = OUTPUT / "pages"
KEPT = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/*.md", "docs/metrics/*.md", "docs/site.css", "docs/*.svg", "benchmarks/README.md", "src/rankwell/data/README.md",
        "src/rankwell/data/results.schema.json"]  # fmt: skip
PYTHON = """# Python

The public names of `import rankwell as rw`. Each metric is also a class with its parameters as fields (`rw.nDCG(gain="exp2")
@ 10`). [Metrics](../metrics.md) lists them all.

"""
COMMANDS = """# Commands

`rankwell COMMAND --help` prints the same text. Exit codes: 0 success, 1 lint found a problem, 2 wrong usage, 3 bad data.

"""
MODULES = {"rankwell.testing": "## Testing your own metric, reader or engine"}


def gather() -> None:
    """Copy the pages of the repository, and make those that are made."""
    shutil.rmtree(OUTPUT, ignore_errors=True)
    for pattern in KEPT:
        for file in ROOT.glob(pattern):
            target = PAGES / file.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            # on the site notebooks are pages
            target.write_text(file.read_text(encoding="utf-8").replace(".ipynb)", ".md)"), encoding="utf-8")
    for notebook in (ROOT / "docs" / "notebooks").glob("*.ipynb"):
        write(f"docs/notebooks/{notebook.stem}.md", page_of(notebook))
        shutil.copyfile(notebook, PAGES / "docs" / "notebooks" / notebook.name)
    write("docs/reference/python.md", python_page())
    write("docs/reference/commands.md", commands_page())


def write(name: str, text: str) -> None:
    """Write one page."""
    path = PAGES / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def page_of(notebook: Path) -> str:
    """Return a notebook as Markdown, with what its cells printed."""
    text, _ = MarkdownExporter().from_notebook_node(nbformat.read(notebook, as_version=4))
    return f"{text}\n\n[This page as a notebook]({notebook.name})\n"


def public_names() -> list[str]:
    """Return the public names that are no metrics: functions first, then classes."""
    found = {name: getattr(rankwell, name) for name in rankwell.HOMES}
    others = [name for name, value in found.items() if not inspect.ismodule(value)]
    return sorted(others, key=lambda name: (isinstance(found[name], type), name))


def python_page() -> str:
    """Return the reference of the Python interface: one directive of mkdocstrings per name."""
    directives = [f"::: {getattr(rankwell, name).__module__}.{name}\n" for name in public_names()]
    directives.append("## Preparing recommender data\n")
    directives += [f"::: {getattr(prepare, name).__module__}.{name}\n" for name in prepare.__all__]
    directives += [f"{title}\n\n::: {module}\n" for module, title in MODULES.items()]
    return PYTHON + "\n".join(directives)


def commands_page() -> str:
    """Return the reference of the commands, as they declare themselves."""
    app = application()
    names = [name for name in app if not name.startswith("-")]
    parts = [
        app[name].generate_docs(output_format="markdown", heading_level=2, usage_name=f"rankwell {name}")
        for name in names
    ]
    # the colour of words on a terminal becomes the code of Markdown
    return COMMANDS + re.sub(r"\[/?cyan\]", "``", "\n".join(parts)).replace("\\[", "[")


def main() -> int:
    gather()
    command = [Path(sys.executable).with_name("zensical"), "build", "--clean", "--strict"]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
