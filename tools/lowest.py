"""Print the lowest declared version of every package that people may have beside rankwell, as constraints for pip."""

from __future__ import annotations

import tomllib
from pathlib import Path

from packaging.requirements import Requirement

OF_DEVELOPERS = {"test", "training", "docs", "dev"}


def main() -> None:
    """Print ``name==version`` for each ``name>=version`` of pyproject.toml, the tools of developers left out."""
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = [
        *project["dependencies"],
        *(text for name in extras.keys() - OF_DEVELOPERS for text in extras[name]),
    ]
    for requirement in sorted(map(Requirement, set(wanted)), key=str):
        floors = [each.version for each in requirement.specifier if each.operator == ">="]
        marker = f" ; {requirement.marker}" if requirement.marker else ""
        for floor in floors:
            print(f"{requirement.name}=={floor}{marker}")


if __name__ == "__main__":
    main()
