"""Print what an extra of pyproject.toml needs, itself left out: for environments that run the code where it stands.

python tools/requirements.py cluster
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement


def main() -> None:
    """Print a requirement a line: those of rankwell, and those of the extra and of extras that it names."""
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras, left, found = project["optional-dependencies"], sys.argv[1:], [*project["dependencies"]]
    while left:
        for text in extras[left.pop()]:
            requirement = Requirement(text)
            if requirement.name == project["name"]:
                left += requirement.extras
            else:
                found.append(text)
    print("\n".join(found))


if __name__ == "__main__":
    main()
