"""What a check of data finds: a rule, a place, what it does to the numbers, and the remedy; as text, table, JSON or annotations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from rankwell.display.table import Column, Table

if TYPE_CHECKING:
    import polars as pl

Level = Literal["error", "warning", "note"]
LEVELS: tuple[Level, ...] = ("error", "warning", "note")
ANNOTATIONS = {"error": "error", "warning": "warning", "note": "notice"}


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong, or worth knowing, and everywhere that it was found.

    ``count`` is how often it was found, of ``of`` rows, users or items if their number is known; ``value`` a measured value
    that is no share. ``effect`` says what it does to a metric.
    """

    rule: str
    level: Level
    place: str
    message: str
    remedy: str
    count: int | None = 1
    effect: str = ""
    of: int | None = None
    value: float | None = None

    @property
    def share(self) -> float | None:
        """The count as a part of the whole, else the value."""
        return self.count / self.of if self.count is not None and self.of else self.value


class Findings(Sequence[Finding]):
    """What was found, the worst first; ``str()`` is the text that ``rankwell lint`` prints."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        self._findings = sorted(findings, key=lambda finding: LEVELS.index(finding.level))

    def __len__(self) -> int:
        return len(self._findings)

    def __getitem__(self, number: Any) -> Any:
        return self._findings[number]

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._findings)

    @property
    def is_wrong(self) -> bool:
        """Whether there is an error or a warning; notes are nothing wrong."""
        return any(finding.level != "note" for finding in self)

    def counts(self) -> dict[Level, int]:
        """Return the numbers of errors, warnings and notes."""
        counted = Counter(finding.level for finding in self)
        return {level: counted[level] for level in LEVELS}

    def __str__(self) -> str:
        blocks = []
        for finding in self:
            lines = [f"{finding.place}: {finding.level} [{finding.rule}] {finding.message}"]
            lines += [f"    effect: {finding.effect}"] if finding.effect else []
            blocks.append("\n".join([*lines, f"    remedy: {finding.remedy}"]))
        return "\n".join([*blocks, self.summary()])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        if not self:
            return f"<p>{self.summary()}</p>"
        return replace(self.to_table(), caption=self.summary())._repr_html_()

    def summary(self) -> str:
        """Return the numbers of errors, warnings and notes in words."""
        words = [f"{n} {level}{'s' * (n != 1)}" for level, n in self.counts().items() if n]
        return ", ".join(words) if words else "nothing is wrong"

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the findings as plain values, ``of`` and ``value`` only where they are known."""
        rows = [asdict(finding) for finding in self]
        return [
            {key: value for key, value in row.items() if value is not None or key not in ("of", "value")}
            for row in rows
        ]

    def to_github(self) -> str:
        """Return GitHub's workflow commands, which mark the lines of a pull request."""
        lines = []
        for finding in self:
            file, _, line = finding.place.partition(", ")[0].rpartition(":")
            has_line = line.isdecimal()  # other places are names of tables, or files as a whole
            where = f"file={_escaped(file)},line={line}" if has_line else f"file={_escaped(finding.place)}"
            text = ". ".join(part for part in (finding.message, finding.effect, finding.remedy) if part)
            lines.append(f"::{ANNOTATIONS[finding.level]} {where},title={finding.rule}::{_escaped(text)}")
        return "\n".join(lines)

    def to_tables(self) -> tuple[Table, ...]:
        """Return the findings as a table of counts and shares, and one of the remedies; nothing if there are none."""
        if not self:
            return ()
        numbers = [Column("n", "count"), Column("of", "count"), Column("share", "value")]
        columns = [Column("severity"), Column("check"), *numbers, Column("found")]
        remedies = [(finding.rule, finding.remedy) for finding in self]
        return Table(columns, [_row(finding) for finding in self]), Table(
            [Column("check"), Column("remedy")], remedies
        )

    def to_table(self) -> Table:
        """Return the findings as one table, a row each: where, what is wrong, its effect and the remedy."""
        names = ("place", "level", "rule", "message", "effect", "remedy")
        return Table(
            [Column(name) for name in names],
            [tuple(getattr(finding, name) for name in names) for finding in self],
        )

    def to_frame(self) -> pl.DataFrame:
        """Return a Polars frame: severity, check, n, of, share, found, remedy."""
        import polars as pl

        schema = {
            "severity": pl.String, "check": pl.String, "n": pl.Int64, "of": pl.Int64, "share": pl.Float64,
            "found": pl.String, "remedy": pl.String,
        }  # fmt: skip
        return pl.DataFrame(
            [(*_row(finding), finding.remedy) for finding in self], schema=schema, orient="row"
        )


def _row(finding: Finding) -> tuple[str, str, int | None, int | None, float | None, str]:
    return finding.level, finding.rule, finding.count, finding.of, finding.share, finding.message


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
