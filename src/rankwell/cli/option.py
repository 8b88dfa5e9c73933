"""What the command line says of an argument beside its name, type and default; and the groups of options in the help."""

from __future__ import annotations

from typing import NamedTuple

DATA, READING, OUTPUT, POLICY, ENGINE = "Data", "Input format", "Output", "Policy", "Large data"
STATISTICS, LEARNING = "Statistics", "Learning from judgements"
UNJUDGED = "Unjudged items"
POPULAR, KEPT = "Popular items (give one)", "Rows that are kept"
SYSTEMS, LOAD, GROWTH = "Systems", "Load", "Growth"
GROUPS = (
    POPULAR,
    KEPT,
    SYSTEMS,
    LOAD,
    GROWTH,
    STATISTICS,
    LEARNING,
    UNJUDGED,
    DATA,
    READING,
    ENGINE,
    OUTPUT,
    POLICY,
)  # in the order of the help


class Option(NamedTuple):
    """Beside an argument, in ``Annotated``; for an argument that is a dataclass, whose fields are options, only ``group``.

    ``name`` holds the names where they are not made from that of the argument, ``negative`` the name that switches it off;
    with ``hyphens`` words that begin with a hyphen are values; ``several`` takes all words up to the next option, or none;
    ``left_out`` is a first file that is left out in front of saved results.
    """

    help: str = ""
    name: tuple[str, ...] = ()
    group: str = ""
    negative: str = ""
    hyphens: bool = False
    several: bool = False
    left_out: bool = False
