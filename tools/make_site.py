"""Gather the pages of the documentation site and build it, with every link checked: python tools/make_site.py

Pages keep their places in the repository, so a link that works there works on the site too. Made here and kept nowhere
else: the reference of the Python interface (from docstrings) and of the commands (from their declarations), the
notebooks as pages, and the script that lets the search work from disk.
"""

from __future__ import annotations

import inspect
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import nbformat
from nbconvert import MarkdownExporter

import rankwell
from rankwell import efficiency, judging, plot, prepare
from rankwell.cli.commands import homes
from rankwell.cli.help import Help, help_of

ROOT = Path(__file__).resolve().parents[1]
PAGES = Path("build", "site", "pages")  # as zensical.toml says
KEPT = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/*.md", "docs/metrics/*.md", "docs/site.*", "docs/*.svg", "docs/*.png", "docs/plots/*.svg",
        "benchmarks/README.md", "src/rankwell/data/README.md", "src/rankwell/data/*.schema.json"]  # fmt: skip
PYTHON = """# Python

The public names of `import rankwell as rw`. Each metric is also a class with its parameters as fields (`rw.nDCG(gain="exp2")
@ 10`). [Metrics](../metrics.md) lists them all.

"""
COMMANDS = """# Commands

`rankwell COMMAND --help-all` prints the same text, `--help` the usual part of it. Exit codes: 0 success, 1 lint found a problem, 2 wrong usage, 3 bad data.

"""
# Browsers start no worker from a file. The search starts from a copy in memory there; elsewhere this does nothing.
SEARCH = """if (location.protocol === "file:") {
  const Native = Worker, source = %s;
  window.Worker = class extends Native {
    constructor() { super(URL.createObjectURL(new Blob([source], {type: "text/javascript"}))); }
  };
}
"""
GROUPS = [("plot",), ("prepare",), ("judging",)]
MODULES = {"rankwell.testing": "## Testing your own metric, reader or engine"}


def gather(folder: Path = ROOT) -> None:
    """Copy the pages of the repository into a folder's ``build/site/pages``, and make those that are made."""
    shutil.rmtree(folder / PAGES.parent, ignore_errors=True)
    made = {
        "docs/reference/python.md": python_page(),
        "docs/reference/commands.md": commands_page(),
        "docs/iframe-worker.js": search_script(),
    }
    for pattern in KEPT:
        for file in ROOT.glob(pattern):
            name = str(file.relative_to(ROOT))
            if file.suffix == ".md":
                made[name] = for_the_site(file.read_text(encoding="utf-8"))
            else:
                shutil.copyfile(file, place(folder, name))
    for notebook in (ROOT / "docs" / "notebooks").glob("*.ipynb"):
        made[f"docs/notebooks/{notebook.stem}.md"] = page_of(notebook)
        shutil.copyfile(notebook, place(folder, f"docs/notebooks/{notebook.name}"))
    for name, text in made.items():
        place(folder, name).write_text(text, encoding="utf-8")


def place(folder: Path, name: str) -> Path:
    """Return where a file of the site is gathered."""
    path = folder / PAGES / name
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def for_the_site(text: str) -> str:
    """Return a page with links to notebooks as pages, without notes to doctest, and with sessions marked as such, for their prompts."""
    text = re.sub(r"  # doctest: \+.*", "", text)
    text = re.sub(r"```python\n(>>> .*?)\n+```", r"```pycon\n\1\n```", text, flags=re.DOTALL)
    return text.replace(".ipynb)", ".md)").replace("\n<BLANKLINE>\n", "\n\n")


def search_script() -> str:
    """Return the script that starts the theme's search where a worker cannot be started from its file."""
    folder = files("zensical") / "templates" / "assets" / "javascripts" / "workers"
    [worker] = [each for each in folder.iterdir() if each.name.startswith("search.")]
    return SEARCH % json.dumps(worker.read_text(encoding="utf-8"))


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
    directives.append("## Pictures\n\n[Pictures](../plots.md) shows each of them.\n")
    directives += [f"::: {getattr(plot, name).__module__}.{name}\n" for name in plot.__all__]
    directives.append("## What to judge next\n")
    directives += [f"::: {getattr(judging, name).__module__}.{name}\n" for name in judging.__all__]
    directives.append("## Time and space\n")
    directives += [f"::: {getattr(efficiency, name).__module__}.{name}\n" for name in efficiency.__all__]
    directives += [f"{title}\n\n::: {module}\n" for module, title in MODULES.items()]
    return PYTHON + "\n".join(directives)


def commands_page() -> str:
    """Return the reference of the commands: the whole help of each."""
    pages = [(words, help_of(words)) for words in [(), *GROUPS, *homes()]]
    return COMMANDS + "\n".join(part for words, page in sorted(pages) for part in _parts(words, page))


def _parts(words: tuple[str, ...], page: Help) -> Iterator[str]:
    """Yield the lines of the help of a command as Markdown, with its options as lists."""
    yield f"{'##' if len(words) < 2 else '###'} rankwell {' '.join(words)}\n".replace(" \n", "\n")
    yield from (f"{_escaped(text)}\n" for text in page.about)
    yield f"```sh\n{page.usage}\n```\n"
    if page.example:
        yield f"Example:\n\n```sh\n{page.example}\n```\n"
    for heading, entries in page.parts.items():
        yield f"{heading}:\n"
        yield "\n".join(f"- ``{name}``: {_escaped(text)}" for name, text in entries) + "\n"


def _escaped(text: str) -> str:
    """Text in which only what stands between double back quotes is Markdown."""
    parts = text.split("``")
    return "``".join(
        part if at % 2 else re.sub(r"([*_<>\[\]`])", r"\\\1", part) for at, part in enumerate(parts)
    )


def main() -> int:
    gather()
    command = [Path(sys.executable).with_name("zensical"), "build", "--clean", "--strict"]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
