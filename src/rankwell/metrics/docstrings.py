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


def plain_words(cls: type) -> tuple[str, str]:
    """Return what a metric measures in plain words, and the part of its definition that they are: its own, or the sentence.

    >>> from rankwell.metrics.binary.binary import P
    >>> plain_words(P)
    ('share of {top} that is relevant', 'plain')
    """
    own = vars(cls).get("plain", "")  # of a metric derived from it something else may be said
    return (own, "plain") if own else (sentence(cls), "sentence")


def sections(cls: type, titles: Iterable[str]) -> dict[str, str]:
    """Return the indented blocks under some headings of a class's docstring; parameters as ``parameters`` has them."""
    blocks = {title: parameters(cls) if title == "Parameters" else _block(cls, title) for title in titles}
    return {title: block for title, block in blocks.items() if block}


def parameters(cls: type) -> str:
    """Return the text of each parameter; a line of bare names takes its texts from the nearest base classes that have them.

    >>> from rankwell.metrics.diversity.alpha import AlphaDCG
    >>> print(_block(AlphaDCG, "Parameters"))
    alpha
    norm: none or ndeval
    topics, universe, rel
    >>> [line.split(":")[0] for line in parameters(AlphaDCG).splitlines() if not line.startswith(" ")]
    ['alpha', 'norm', 'topics', 'universe', 'rel']
    """
    texts: dict[str, str] = {}
    for base in reversed(cls.__mro__[1:]):
        texts |= {entry.split(":")[0]: entry for entry in _entries(base) if ":" in entry}
    explained = []
    for entry in _entries(cls):
        named = [] if ":" in entry else [name for name in entry.split(", ") if name in texts]
        explained += [texts[name] for name in named] or [entry]
    return "\n".join(explained)


def entries(block: str) -> list[str]:
    r"""Return the entries of a block of parameters, one of which may have several lines.

    >>> entries("p: a chance\n    from 0 to 1\nk: a rank")
    ['p: a chance\n    from 0 to 1', 'k: a rank']
    """
    return re.split(r"\n(?=\S)", block) if block else []


def _entries(cls: type) -> list[str]:
    """The entries of a class's own block of parameters."""
    return entries(_block(cls, "Parameters"))


def _block(cls: type, title: str) -> str:
    """The indented block under a heading of a class's own docstring."""
    match = re.search(rf"^{title}\n((?:[ ]{{4}}.*\n?|\n)+)", docstring(cls), re.MULTILINE)
    return inspect.cleandoc(match[1]).strip() if match else ""
