"""``bench --growth``: how the cost of systems grows with the number of documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from rankwell.cli.arguments import GROWTH, Option
from rankwell.cli.words import whole_numbers
from rankwell.errors import UsageError
from rankwell.records import record

if TYPE_CHECKING:
    from rankwell.efficiency import Growth


@record(kw_only=True)
class Growing:
    """With how many documents costs are measured."""

    GROUP: ClassVar = GROWTH

    growth: Annotated[
        list[str] | None,
        Option(
            name=("--growth",),
            help="measure how costs grow with the number of documents: ``100,300,1000,…``; alone: 8 numbers over 3 decades, up to all documents",
            several=True,
        ),
    ] = None
    reason: Annotated[str | None, Option(help="why 2 decades must do rather than 3, such as ``memory``")] = (
        None
    )
    at: Annotated[
        int | None,
        Option(help="the number of documents to predict for; default: ten times the most measured"),
    ] = None

    def check(self) -> None:
        """Refuse options of growth without it."""
        if self.growth is None and self.reason is not None:
            raise UsageError("--reason is for --growth.")

    @property
    def sizes(self) -> list[int] | None:
        """The numbers of documents; None means the default ones."""
        return whole_numbers(",".join(self.growth or ()) or None, "--growth")


def measured(
    systems: Mapping[str, Any],
    paths: Mapping[str, Any],
    loads: Sequence[Any],
    growing: Growing,
    *,
    progress: Callable[[str], object] | None,
    **options: Any,
) -> Growth:
    """Measure growth with the documents and topics of these paths."""
    from rankwell.efficiency import growth
    from rankwell.readers.collections.collection import read_collection

    if paths["documents"] is None:
        raise UsageError("--documents is missing: what grows.")
    if len(loads) > 1:
        raise UsageError("--growth is measured under one load.")
    sizes = growing.sizes
    read = read_collection(**paths)
    return growth(
        systems, read.topics, read.documents, sizes, reason=growing.reason, load=loads[0], progress=progress, **options,
    )  # fmt: skip


def saved_growth(paths: Sequence[str]) -> Growth | None:
    """Growth that was saved; None if no file holds any."""
    from rankwell.display.saved_files import kind_of
    from rankwell.efficiency.exponents import FORMAT, Growth

    if not any(kind_of(each) == FORMAT for each in paths):
        return None
    if len(paths) > 1:
        raise UsageError("saved growth is printed one file at a time.")
    return Growth.load(paths[0])
