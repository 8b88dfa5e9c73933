"""Print the lowest declared version of every package that people may have beside rankwell, as constraints for pip."""

from __future__ import annotations

import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.version import Version

PROJECT = Path(__file__).parents[1] / "pyproject.toml"
OF_DEVELOPERS = {"test", "training", "cluster", "docs", "dev"}


def declared() -> list[Requirement]:
    """Return what rankwell and its extras need, the tools of developers left out."""
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    more = [text for name in extras.keys() - OF_DEVELOPERS for text in extras[name]]
    return [Requirement(text) for text in [*project["dependencies"], *more]]


def constraints() -> list[Requirement]:
    """Return ``name==version`` for each ``name>=version``, once for each name."""
    floors = sorted(
        (each.name, Version(floor.version), f" ; {each.marker}" if each.marker else "")
        for each in declared()
        for floor in each.specifier
        if floor.operator == ">="
    )
    # of two extras that need another version each the higher one, which comes last, fits both
    lowest = {name: Requirement(f"{name}=={version}{marker}") for name, version, marker in floors}
    return list(lowest.values())


def main() -> None:
    """Print the constraints."""
    print(*constraints(), sep="\n")


if __name__ == "__main__":
    main()
