"""Write what is made of names: the table of metrics, the stubs of the public names, the table of judging methods.

python tools/make_names.py

src/rankwell/metrics/names.py       every metric class with its module and its names in text
src/rankwell/__init__.pyi           the public names, for type checkers and editors
src/rankwell/metrics/__init__.pyi   the metrics, likewise; and those of the other packages with names that are imported on first use
src/rankwell/extend.pyi             what authors of metrics, readers and methods import
docs/judging_next.md                the table of judging methods, from their docstrings

`make names` runs it, and make_metrics_page.py. Run it after adding, renaming or moving a metric, a judging method, a picture or a public name.
"""

from __future__ import annotations

import ast
import inspect
import json
from pathlib import Path

import rankwell
from rankwell import clicks, efficiency, extend, judging, metrics, prepare
from rankwell.judging.method import method_named, methods
from rankwell.reporting import plots

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "rankwell"
MADE = "Made by tools/make_names.py; do not edit."
Homes = dict[str, str]  # a public name: the module that it is imported from


def built_in() -> dict[str, tuple[str, ...]]:
    """Each metric class of the package with its module and its names."""
    found = [cls for cls in metrics.classes() if cls.__module__.startswith(f"{metrics.__name__}.")]
    return {
        cls.__name__: (cls.__module__.removeprefix(f"{metrics.__name__}."), cls.name, *cls.aliases)
        for cls in sorted(found, key=lambda cls: cls.__name__)
    }


def table(found: dict[str, tuple[str, ...]]) -> str:
    """The module with every metric class, its module and its names."""
    rows = "\n".join(f'    "{name}": ({json.dumps(row)[1:-1]}),' for name, row in found.items())
    return f'''"""Every built-in metric: its class, the module that defines it, and its names in text. {MADE}"""

from __future__ import annotations

METRICS: dict[str, tuple[str, ...]] = {{
{rows}
}}
MODULES = {{name: module for module, *names in METRICS.values() for name in names}}
'''


def stub(homes: Homes, names: list[str]) -> str:
    """A stub that imports each name from its home; ``names`` are those that ``dir`` shows."""
    imports = [f"from {module} import {name} as {name}" for name, module in sorted(homes.items())]
    if "__version__" in names:
        imports += ["", "__version__: str"]
    head = [f"# {MADE}", "# ruff: noqa: A004, I001, RUF022, RUF100", *imports, "", "__all__ = ["]
    return "\n".join([*head, *(f'    "{name}",' for name in sorted(names)), "]", ""])


def imported(face: Path) -> Homes:
    """The public names that an ``__init__`` imports, each with its module."""
    nodes = ast.parse(face.read_text(encoding="utf-8")).body
    found = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.module]
    names = {alias.name: str(node.module) for node in found for alias in node.names}
    return {name: module for name, module in names.items() if name in metrics.__all__}


def with_methods(page: str) -> str:
    """The page with a row per judging method: the first paragraph of its docstring, its weight, and whether answers count."""
    begin, end = "| `method=` |", "\n\n"
    rows = [f"{begin} the next item | its weight | learns from answers |", "|---|---|---|---|"]
    for name in methods():
        cls = method_named(name)
        what = " ".join(str(inspect.getdoc(cls)).split("\n\n")[0].split()).removesuffix(".")
        rows.append(f"| `{name}` | {what} | {cls.rule} | {'yes' if cls.is_adaptive else 'no'} |")
    at = page.index(begin)
    return page[:at] + "\n".join(rows) + page[page.index(end, at) :]


def pages() -> dict[Path, str]:
    """Every file that is made, with its text."""
    found = built_in()
    homes = {name: f"{metrics.__name__}.{module}" for name, (module, *_) in found.items()}
    own = imported(PACKAGE / "metrics" / "__init__.py")
    judged = ROOT / "docs" / "judging_next.md"
    return {
        judged: with_methods(judged.read_text(encoding="utf-8")),
        PACKAGE / "metrics" / "names.py": table(found),
        PACKAGE / "metrics" / "__init__.pyi": stub(homes | own, [*own, *found]),
        PACKAGE / "__init__.pyi": stub(rankwell.HOMES | homes, rankwell.__all__),
        PACKAGE / "extend.pyi": stub(extend.HOMES, extend.__all__),
        **{
            PACKAGE / face.__name__.split(".")[-1] / "__init__.pyi": stub(face.HOMES, face.__all__)
            for face in (clicks, efficiency, judging, prepare)
        },
        PACKAGE / "reporting" / "plots" / "__init__.pyi": stub(
            {name: getattr(plots, name).__module__ for name in plots.__all__}, plots.__all__
        ),
    }


def main() -> None:
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
