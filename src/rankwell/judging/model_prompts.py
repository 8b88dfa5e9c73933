"""``prompts``: requests to a model that judges pairs of query and item, as a file that somebody else sends."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from rankwell import __version__
from rankwell.display.output import write
from rankwell.display.page import words_of
from rankwell.errors import InputError, UsageError, brief, nearest, one_of
from rankwell.judging.batch_files import FORMS, PROMPT_FORMS, Form, PromptForm, request
from rankwell.judging.sheets.contents import (
    Grade,
    SheetTask,
    contents_of,
    grades_of,
    guidelines_in,
    pairs_in,
    tasks_of,
)
from rankwell.readers.texts import texts_of_answers, texts_of_queries
from rankwell.records import record
from rankwell.tables.arguments import checked
from rankwell.tables.columns import SUPPORT_WORDS
from rankwell.tables.run_qrels import DIGITS, Assessor

KIND = "judging prompts"
NUGGETS = "nuggets"
LABELS = tuple(
    Grade(at, label) for at, label in enumerate(sorted(SUPPORT_WORDS, key=SUPPORT_WORDS.__getitem__))
)
SUFFIX = ".jsonl"


@dataclass(frozen=True, eq=False, repr=False)
class Prompts:
    """Requests to a model, one for each pair of query and item, and one more for each repeat; made by ``prompts``.

    ``prompt`` is the hash of what all requests share, which the judgements will carry; ``key`` that of all requests.
    """

    model: str
    form: Form
    prompt: str
    grades: tuple[Grade, ...]
    pairs: tuple[tuple[str | int, str | int], ...]
    tasks: tuple[SheetTask, ...]
    messages: Sequence[tuple[str, str]]
    without_text: Counter[str]
    asks: str = ""  # nuggets, where each pair is a nugget that an answer may support
    unanswered: int = 0  # queries

    def __len__(self) -> int:
        return len(self.tasks)

    @property
    def key(self) -> str:
        """What the names of the requests begin with, so that answers to others are not taken for theirs."""
        text = json.dumps([self.model, self.messages, [task.pair for task in self.tasks]], ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()[:8]

    def requests(self) -> list[dict[str, Any]]:
        """Return the requests as plain values, in the order of the file."""
        key = self.key
        return [
            request(self.form, f"{key}-{number}", self.model, *self.messages[task.pair])
            for number, task in enumerate(self.tasks)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return what ``answers`` needs to know of the requests: the pair of each, the grades and the prompt."""
        return {
            "rankwell": __version__, "kind": KIND, "key": self.key, "model": self.model, "prompt": self.prompt,
            "grades": [grade._asdict() for grade in self.grades], "pairs": [list(pair) for pair in self.pairs],
            "tasks": [task._asdict() for task in self.tasks],
        } | ({"asks": self.asks} if self.asks else {})  # fmt: skip

    def save(self, path: str | Path) -> Path:
        """Write the requests to a file that ends in ``.jsonl``, and beside it the key to them, whose path is returned.

        Raises
        ------
        RankwellError
            If it ends in something else, cannot be written, or there is the key to other requests: their answers could not be read without.
        """
        key = key_beside(path)
        self._refuse_other(key)
        write(json.dumps(self.to_dict(), ensure_ascii=False, indent=1), str(key))
        write("\n".join(json.dumps(each, ensure_ascii=False) for each in self.requests()), str(path))
        return key

    def _refuse_other(self, key: Path) -> None:
        """Refuse to replace a file that is not the key to the same requests, by whatever version it was written."""
        if not key.exists():
            return
        try:
            there = json.loads(key.read_bytes())
        except (OSError, ValueError, RecursionError):
            there = None
        own = json.loads(json.dumps(self.to_dict()))
        if not isinstance(there, dict) or there | {"rankwell": __version__} != own:
            raise InputError(
                f"{key}: is there already, and is not the key to these requests; answers to a batch cannot be read without its key. Write to "
                f"another file (-o), or remove it if the batch was not sent."
            )

    def notes(self) -> list[str]:
        """Return what the requests lack, as sentences."""
        notes = [
            f"{n:,} of the {what} have no text; the prompt has their id"
            for what, n in self.without_text.items()
            if n
        ]
        n = self.unanswered
        return notes + [
            f"{n:,} of the queries have no answer; their nuggets are not asked about, and count as not assigned"
        ] * (n > 0)

    def __repr__(self) -> str:
        again = sum(task.is_repeat for task in self.tasks)
        more = f", {again:,} of them repeats" if again else ""
        return f"Prompts for {self.model}: {len(self):,} requests{more} (prompt {self.prompt})"


def key_beside(path: str | Path) -> Path:
    """Return the path of the key to a batch file: batch.jsonl has batch.key.json; UsageError for another suffix."""
    if Path(path).suffix.lower() != SUFFIX:
        raise UsageError(f"{path}: a batch of requests is a file that ends in {SUFFIX}, one request a line.")
    return Path(path).with_suffix(".key.json")


@checked
def prompts(
    pairs: Any,
    /,
    *,
    model: str,
    items: Any,
    queries: Any = None,
    text: str | Sequence[str] | None = None,
    grades: str | Mapping[int, str] | None = None,
    guidelines: str | Path | None = None,
    template: str | Path | None = None,
    form: PromptForm = "openai",
    repeats: float = 0.0,
    seed: int = 0,
    read: Mapping[str, Any] | None = None,
    encoding: str | None = None,
) -> Prompts:
    """Return requests to a model that judges pairs of query and item; rankwell calls no model.

    Parameters
    ----------
    pairs
        What to judge: what ``next`` or ``sample`` returns or has saved, or judgements in any form that ``read_qrels`` takes, whose grades are
        not told. A pair that is there twice is asked once.
    model
        The name of the model, which the requests and the judgements carry.
    items, queries, text
        Tables with the texts of items and of queries, and the columns of ``items`` to send, by default a title and a text under usual
        names. For nuggets ``items`` are the answers of one system: those of TREC RAG, or a table of query and text.
    grades, guidelines
        The scale, as for ``sheet``, and a file with what judges have to know.
    template
        A text file with ``{query}`` or ``{query_json}``, ``{item}`` or ``{item_json}``, and perhaps ``{query_id}``, ``{item_id}``,
        ``{grades}`` (a line each), ``{numbers}`` and ``{guidelines}``; a line ``---`` parts the message of the system from that of the
        user. By default rankwell's own, which gives texts as JSON strings and asks for a last line ``GRADE: …``.
    form
        ``openai`` or ``anthropic``, what their batches take, or ``plain``: custom_id, model and messages. ``nuggets`` (in the form of
        OpenAI), ``nuggets-anthropic`` or ``nuggets-plain`` ask whether the answer to a query supports each of its nuggets: ``pairs`` are
        then the nuggets, whose ids are their texts, and a template has a place ``{answer}`` or ``{answer_json}``, too.
    repeats, seed
        The share of pairs that are asked twice, to see how far the model agrees with itself, and the seed of these.
    read, encoding
        How the pairs are read, as for ``read_qrels``; and the encoding of the other text files, if it is not UTF-8.

    Returns
    -------
    Prompts
        ``found.save("batch.jsonl")`` writes the requests, and ``batch.key.json`` for ``answers``.

    Raises
    ------
    RankwellError
        If there is nothing to judge, the grades are no scale, the template lacks a place, or data are bad.

    Examples
    --------
    >>> import rankwell as rw
    >>> texts = [{"item": "a", "text": "Masks filter droplets."}, {"item": "b", "text": "A virus of plants."}]
    >>> found = rw.judging.prompts({"1": ["a", "b"]}, model="some-model", items=texts, queries={"1": "do masks help"})
    >>> len(found), found.requests()[0]["body"]["messages"][1]["content"].splitlines()[-1]
    (2, 'GRADE: one of 0, 1, 2, 3')
    """
    if form not in PROMPT_FORMS:
        raise UsageError(f"form={brief(form)}: must be {one_of(PROMPT_FORMS)}.")
    if not model.strip():
        raise UsageError("model: the judgements carry the name of the model; give one.")
    Assessor("model", model)
    if not 0 <= repeats <= 1:
        raise UsageError(f"repeats={repeats:g}: must be a share from 0 to 1, such as 0.1 (10%).")
    asks, _, rest = ("", "", form) if form in FORMS else form.partition("-")
    batch: Any = rest or "openai"
    if asks and not (grades is None and text is None):
        raise UsageError(
            f"form={brief(form)}: nuggets are labelled {one_of(SUPPORT_WORDS)}, and an answer has one text; leave out grades and text."
        )
    own, scale = Template.of(template, asks), LABELS if asks else grades_of(grades, words_of("en"))
    shared = {
        "grades": "\n".join(
            f"{each.grade}: {each.label}" if each.label else str(each.grade) for each in scale
        ),
        "numbers": ", ".join(str(each.grade) for each in scale),
        "guidelines": "" if guidelines is None else guidelines_in(guidelines).strip(),
    }
    listed, ids, of_queries, of_items = pairs_in(pairs, read)
    unanswered = 0
    if asks:
        said = dict(zip(of_queries, texts_of_answers(items, listed, encoding).of(of_queries), strict=True))
        ids = [pair for pair in ids if (said[pair[0]] or "").strip()]
        unanswered = len(of_queries) - len({query for query, _ in ids})
        if not ids:
            raise UsageError(
                f"items: there is no answer to any of the {len(of_queries):,} queries, such as {brief(of_queries[0])}."
            )
        texts = texts_of_queries(queries, listed, encoding)
        of_asked = [None] * len(of_queries) if texts is None else texts.of(of_queries)
        asked = {query: each or str(query) for query, each in zip(of_queries, of_asked, strict=True)}
        shown = {item: str(item) for item in of_items}
        without = Counter(queries=sum(not each for each in of_asked))
    else:
        contents = contents_of(
            of_queries, of_items, pairs=listed, texts=queries, catalogue=items, image=None, encoding=encoding,
            columns=[text] if isinstance(text, str) else text,
        )  # fmt: skip
        said, without = {}, contents.without_text
        asked = dict(
            zip(of_queries, (each.get("text", each["id"]) for each in contents.queries), strict=True)
        )
        shown = dict(zip(of_items, map(_whole, contents.items), strict=True))
    messages = [
        own.filled(shared | _of_pair(query, item, asked[query], shown[item], said.get(query) or ""))
        for query, item in ids
    ]
    tasks = tasks_of([0] * len(ids), order="given", repeats=repeats, seed=seed)
    prompt = own.digest(shared)
    return Prompts(model, batch, prompt, scale, tuple(ids), tuple(tasks), messages, without, asks, unanswered)


def _whole(item: Mapping[str, Any]) -> str:
    """The text of an item, with its title above it; its id if it has none."""
    return "\n\n".join(item[part] for part in ("title", "text") if item.get(part)) or str(item["id"])


def _of_pair(query: str | int, item: str | int, asked: str, shown: str, said: str) -> dict[str, str]:
    as_json = {"query_json": asked, "item_json": shown, "answer_json": said}
    return {"query": asked, "query_id": str(query), "item": shown, "item_id": str(item), "answer": said} | {
        name: json.dumps(value, ensure_ascii=False) for name, value in as_json.items()
    }


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
ANSWER_PLACES = ("answer", "answer_json")  # where nuggets are asked about
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
    def of(cls, path: str | Path | None, asks: str = "") -> Template:
        """Return the template in a file, or the one that comes with rankwell for what is asked.

        A line ``---`` parts the message of the system from that of the user; without it all is the user's.

        Raises
        ------
        RankwellError
            If it cannot be read, has no place for the query or the item, or a place for something unknown.
        """
        if path is None:
            text, name = (
                (files(__package__) / f"{asks or 'prompt'}.txt").read_text(encoding="utf-8"),
                "the template",
            )
        else:
            text, name = guidelines_in(path), str(path)
        text = text.replace("\r\n", "\n")
        system, rule, user = text.partition(match[0]) if (match := RULE.search(text)) else ("", "", text)
        template = cls(name, system.strip() if rule else "", user.strip())
        places, known = template.places(), (*PLACES, *ANSWER_PLACES) if asks else PLACES
        for place in places:
            if place not in known:
                raise UsageError(
                    f"{name}: {{{place}}} is none of {one_of([f'{{{own}}}' for own in known])}.{nearest(place, known)} "
                    f"Write {{{{ and }}}} for braces."
                )
        for what in ("query", "item", "answer") if asks else ("query", "item"):
            if not places & {what, f"{what}_json"}:
                raise UsageError(
                    f"{name}: the template says nowhere what the {what} is; write {{{what}}} or {{{what}_json}}."
                )
        return template

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
        shared = {place: f"{{{place}}}" for place in (*PLACES, *ANSWER_PLACES)} | dict(values)
        text = "\n---\n".join(self.filled(shared))
        return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]
