"""Parts of a metric's docstring: the first paragraph, and the blocks under known headings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable


def docstring(cls: type) -> str:
    """Return the docstring as written; empty for a dataclass without one, where Python puts the signature instead."""
    text = inspect.cleandoc(cls.__doc__ or "")
    return "" if text.startswith(f"{cls.__name__}(") else text


def sentence(cls: type) -> str:
    """Return the first paragraph of a class's docstring."""
    text = docstring(cls)
    return " ".join(re.split(r"\n\s*\n", text)[0].split()) or "(no description)"


def sections(cls: type, titles: Iterable[str]) -> dict[str, str]:
    """Return the indented blocks under the given headings of a class's docstring."""
    text, found = docstring(cls), {}
    for title in titles:
        match = re.search(rf"^{title}\n((?:[ ]{{4}}.*\n?|\n)+)", text, re.MULTILINE)
        if match:
            found[title] = inspect.cleandoc(match[1]).strip()
    return found
