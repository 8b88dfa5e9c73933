"""Templates of prompts: text files with places for a query, an item, grades and guidelines."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from rankwell.errors import UsageError, nearest, one_of
from rankwell.judging.sheets.guidelines import guidelines_in
from rankwell.records import record
from rankwell.tables.run_qrels import DIGITS

PLACES = (
    "query",
    "query_json",
    "query_id",
    "item",
    "item_json",
    "item_id",
    "grades",
    "numbers",
    "guidelines",
)
PLACE = re.compile(r"\{\{|\}\}|\{([A-Za-z_]*)\}")
RULE = re.compile(r"^---[ \t]*\n", re.MULTILINE)
BRACES = {"{{": "{", "}}": "}"}


@record
class Template:
    """What a model is told: the message of the system, which may be empty, and that of the user."""

    name: str
    system: str
    user: str

    @classmethod
    def of(cls, path: str | Path | None) -> Template:
        """Return the template in a file, or the one that comes with rankwell.

        A line ``---`` parts the message of the system from that of the user; without it all is the user's.

        Raises
        ------
        RankwellError
            If it cannot be read, has no place for the query or the item, or a place for something unknown.
        """
        if path is None:
            text, name = (files(__package__) / "default.txt").read_text(encoding="utf-8"), "the template"
        else:
            text, name = guidelines_in(path), str(path)
        text = text.replace("\r\n", "\n")
        system, rule, user = text.partition(match[0]) if (match := RULE.search(text)) else ("", "", text)
        found = cls(name, system.strip() if rule else "", user.strip())
        places = found.places()
        for each in places:
            if each not in PLACES:
                raise UsageError(
                    f"{name}: {{{each}}} is none of {one_of([f'{{{own}}}' for own in PLACES])}.{nearest(each, PLACES)} "
                    f"Write {{{{ and }}}} for braces."
                )
        for what in ("query", "item"):
            if not places & {what, f"{what}_json"}:
                raise UsageError(
                    f"{name}: the template says nowhere what the {what} is; write {{{what}}} or {{{what}_json}}."
                )
        return found

    def places(self) -> set[str]:
        """Return the names of what the template has places for."""
        return {match[1] for match in PLACE.finditer(f"{self.system}\n{self.user}") if match[1] is not None}

    def filled(self, values: Mapping[str, str]) -> tuple[str, str]:
        """Return the messages of the system and the user; places in the values themselves stay as they are.

        >>> Template("", "", "{query}? {item}").filled({"query": "a {item}", "item": "b"})
        ('', 'a {item}? b')
        """

        def value(match: re.Match[str]) -> str:
            return BRACES.get(match[0]) or values[match[1]]

        return PLACE.sub(value, self.system), PLACE.sub(value, self.user)

    def digest(self, values: Mapping[str, str]) -> str:
        """Return the hash of what all prompts share: the template with its grades and guidelines."""
        shared = {place: f"{{{place}}}" for place in PLACES} | dict(values)
        text = "\n---\n".join(self.filled(shared))
        return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]
