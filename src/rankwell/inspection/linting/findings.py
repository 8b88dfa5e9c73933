"""What lint finds: a rule, a place, what it does to the numbers, and the remedy; as text, JSON or annotations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

Level = Literal["error", "warning", "note"]
LEVELS: tuple[Level, ...] = ("error", "warning", "note")
ANNOTATIONS = {"error": "error", "warning": "warning", "note": "notice"}


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong, or worth knowing, and everywhere that it was found."""

    rule: str
    level: Level
    place: str
    message: str
    remedy: str
    count: int = 1
    effect: str = ""


class Findings(Sequence[Finding]):
    """What lint found, the worst first; ``str()`` is the text that the command prints."""

    def __init__(self, found: Sequence[Finding]) -> None:
        self._found = sorted(found, key=lambda each: LEVELS.index(each.level))

    def __len__(self) -> int:
        return len(self._found)

    def __getitem__(self, number: Any) -> Any:
        return self._found[number]

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._found)

    @property
    def is_wrong(self) -> bool:
        """Whether there is an error or a warning; notes are nothing wrong."""
        return any(each.level != "note" for each in self)

    def __str__(self) -> str:
        blocks = []
        for each in self:
            lines = [f"{each.place}: {each.level} [{each.rule}] {each.message}"]
            lines += [f"    effect: {each.effect}"] if each.effect else []
            blocks.append("\n".join([*lines, f"    remedy: {each.remedy}"]))
        return "\n".join([*blocks, self.summary()])

    __repr__ = __str__

    def summary(self) -> str:
        """Return the numbers of errors, warnings and notes in words."""
        counted = Counter(each.level for each in self)
        words = [
            f"{counted[level]} {level}{'s' * (counted[level] != 1)}" for level in LEVELS if counted[level]
        ]
        return ", ".join(words) if words else "nothing is wrong"

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the findings as plain values."""
        return [asdict(each) for each in self]

    def to_github(self) -> str:
        """Return GitHub's workflow commands, which mark the lines of a pull request."""
        lines = []
        for each in self:
            file, _, line = each.place.partition(", ")[0].rpartition(":")
            where = (
                f"file={_escaped(file)},line={line}" if line.isdecimal() else f"file={_escaped(each.place)}"
            )
            text = ". ".join(part for part in (each.message, each.effect, each.remedy) if part)
            lines.append(f"::{ANNOTATIONS[each.level]} {where},title={each.rule}::{_escaped(text)}")
        return "\n".join(lines)


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
