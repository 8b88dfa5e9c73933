"""Print the lowest declared version of every package that people may have beside rankwell, as constraints for pip."""

from __future__ import annotations

import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.version import Version

OF_DEVELOPERS = {"test", "training", "cluster", "docs", "dev"}


def main() -> None:
    """Print ``name==version`` for each ``name>=version`` of pyproject.toml, the tools of developers left out."""
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = [
        *project["dependencies"],
        *(text for name in extras.keys() - OF_DEVELOPERS for text in extras[name]),
    ]
    lowest: dict[str, str] = {}
    for requirement in map(Requirement, wanted):
        marker = f" ; {requirement.marker}" if requirement.marker else ""
        for each in requirement.specifier:
            # two extras may need another one each: beside the higher, the lower does not fit
            if each.operator == ">=" and Version(each.version) >= Version(
                lowest.get(requirement.name, "0").partition(" ")[0]
            ):
                lowest[requirement.name] = f"{each.version}{marker}"
    for name, version in sorted(lowest.items()):
        print(f"{name}=={version}")


if __name__ == "__main__":
    main()
