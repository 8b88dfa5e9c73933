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
from typing import Any, NamedTuple

from rankwell import __version__
from rankwell.display.output import write
from rankwell.display.page import words_of
from rankwell.errors import InputError, UsageError, brief, nearest, one_of
from rankwell.judging.batch_files import FORMS, PROMPT_FORMS, Form, PromptForm, request
from rankwell.judging.sheets import (
    Grade,
    SheetPairs,
    SheetTask,
    contents_of,
    grades_of,
    guidelines_in,
    pairs_in,
    refuse_draw,
    tasks_of,
)
from rankwell.readers.memory.cited_answers import LOST
from rankwell.readers.texts import cited_answers, texts_of_answers, texts_of_queries
from rankwell.records import record
from rankwell.tables.arguments import checked
from rankwell.tables.columns import SUPPORT_WORDS
from rankwell.tables.run_qrels import DIGITS, Assessor, Qrels

RunRow = tuple[str | int, int | None, str | int | None, float | None]  # query, part, item, support
KIND = "judging prompts"
NUGGETS, SUPPORT = "nuggets", "support"
SAID = {NUGGETS: "answer", SUPPORT: "sentence"}  # what is judged beside query and item, by what is asked
# from 0 for no support to 2 for full support, so that half of the grade is the support
LABELS = {
    NUGGETS: tuple(map(Grade, range(3), sorted(SUPPORT_WORDS, key=SUPPORT_WORDS.__getitem__))),
    SUPPORT: tuple(map(Grade, range(3), ("no support", "partial support", "full support"))),
}
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
    pairs: tuple[tuple[str | int, ...], ...]
    tasks: tuple[SheetTask, ...]
    messages: Sequence[tuple[str, str]]
    without_text: Counter[str]
    asks: str = ""  # nuggets, where each pair is a nugget that an answer may support; or support, where its third member is a sentence
    left_out: tuple[str, ...] = ()  # what is not asked about, as sentences
    rows: tuple[RunRow, ...] = ()  # of the run that the answers about support complete

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
        } | ({"asks": self.asks} if self.asks else {}) | ({"rows": [list(row) for row in self.rows]} if self.rows else {})  # fmt: skip

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
        return [*notes, *self.left_out]

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
    scale: str | Mapping[int, str] | None = None,
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
        not told. A pair that is there twice is asked once. For support the answers of one system, whose sentences cite passages, as
        TREC RAG has them.
    model
        The name of the model, which the requests and the judgements carry.
    items, queries, text
        Tables with the texts of items and of queries, and the columns of ``items`` to send, by default a title and a text under usual
        names. For nuggets ``items`` are the answers of one system: those of TREC RAG, or a table of query and text. For support they are
        the passages, and a query without a text in ``queries`` has that of the answers.
    scale, guidelines
        The scale, as for ``sheet``, and a file with what judges have to know.
    template
        A text file with ``{query}`` or ``{query_json}``, ``{item}`` or ``{item_json}``, and perhaps ``{query_id}``, ``{item_id}``,
        ``{grades}`` (a line each), ``{numbers}`` and ``{guidelines}``; a line ``---`` parts the message of the system from that of the
        user. By default rankwell's own, which gives texts as JSON strings and asks for a last line ``GRADE: …``.
    form
        ``openai`` or ``anthropic``, what their batches take, or ``plain``: custom_id, model and messages. ``nuggets`` (in the form of
        OpenAI), ``nuggets-anthropic`` or ``nuggets-plain`` ask whether the answer to a query supports each of its nuggets: ``pairs`` are
        then the nuggets, whose ids are their texts, and a template has a place ``{answer}`` or ``{answer_json}``, too. ``support`` and
        its kin ask whether each passage that a sentence cites supports it; a template has a place ``{sentence}`` or ``{sentence_json}``.
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
    refuse_draw(repeats, seed)
    asks, _, rest = ("", "", form) if form in FORMS else form.partition("-")
    batch: Any = rest or "openai"
    if asks and scale is not None:
        labels = one_of([each.label for each in LABELS[asks]])
        raise UsageError(f"form={brief(form)}: the labels are {labels}; leave out scale.")
    if asks == NUGGETS and text is not None:
        raise UsageError(f"form={brief(form)}: an answer has one text; leave out text.")
    own, grades = Template.of(template, asks), LABELS[asks] if asks else grades_of(scale, words_of("en"))
    shared = {
        "grades": "\n".join(
            f"{each.grade}: {each.label}" if each.label else str(each.grade) for each in grades
        ),
        "numbers": ", ".join(str(each.grade) for each in grades),
        "guidelines": "" if guidelines is None else guidelines_in(guidelines).strip(),
    }
    if asks == NUGGETS:
        asked = _of_nuggets(pairs_in(pairs, read), items, queries, encoding)
    elif asks == SUPPORT:
        asked = _of_citations(pairs, items, queries, text, read, encoding)
    else:
        asked = _of_items(pairs_in(pairs, read), items, queries, text, encoding)
    messages = [own.filled(shared | asked.places(pair, SAID.get(asks, ""))) for pair in asked.pairs]
    tasks = tasks_of([0] * len(asked.pairs), order="given", repeats=repeats, seed=seed)
    prompt = own.digest(shared)
    return Prompts(
        model, batch, prompt, grades, tuple(asked.pairs), tuple(tasks), messages, asked.without_text, asks, asked.left_out, asked.rows
    )  # fmt: skip


class Questions(NamedTuple):
    """What is asked: pairs, texts of queries and items, what was said (answers by query, sentences by pair), and what is left out."""

    pairs: list[Any]
    queries: Mapping[Any, str]
    items: Mapping[Any, str]
    without_text: Counter[str]
    said: Mapping[Any, str] = {}
    left_out: tuple[str, ...] = ()
    rows: tuple[RunRow, ...] = ()

    def places(self, pair: tuple[Any, ...], word: str) -> dict[str, str]:
        """Return the text in each place of a template, as it is and as JSON; ``word`` is the place of what was said."""
        query, item = pair[:2]
        texts = {"query": self.queries[query], "item": self.items[item]}
        if word:
            texts[word] = self.said[pair if len(pair) > 2 else query]
        as_json = {f"{name}_json": json.dumps(value, ensure_ascii=False) for name, value in texts.items()}
        return {**texts, **as_json, "query_id": str(query), "item_id": str(item)}


def _of_items(
    pairs: SheetPairs, items: Any, queries: Any, columns: str | Sequence[str] | None, encoding: str | None
) -> Questions:
    contents = contents_of(
        pairs.queries, pairs.items, pairs=pairs.listed, texts=queries, catalogue=items, image=None, encoding=encoding, columns=columns,
    )  # fmt: skip
    asked = (each.get("text", each["id"]) for each in contents.queries)
    return Questions(
        pairs.ids,
        dict(zip(pairs.queries, asked, strict=True)),
        dict(zip(pairs.items, map(_whole, contents.items), strict=True)),
        contents.without_text,
    )


def _of_nuggets(pairs: SheetPairs, answers: Any, queries: Any, encoding: str | None) -> Questions:
    listed, of_queries = pairs.listed, pairs.queries
    said = dict(zip(of_queries, texts_of_answers(answers, listed, encoding).of(of_queries), strict=True))
    ids = [pair for pair in pairs.ids if (said[pair[0]] or "").strip()]
    if not ids:
        raise UsageError(
            f"items: there is no answer to any of the {len(of_queries):,} queries, such as {brief(of_queries[0])}."
        )
    n = len(of_queries) - len({query for query, _ in ids})
    left_out = (
        f"{n:,} of the queries have no answer; their nuggets are not asked about, and count as not assigned"
    )
    texts = texts_of_queries(queries, listed, encoding)
    of_asked = [None] * len(of_queries) if texts is None else texts.of(of_queries)
    return Questions(
        ids,
        {query: each or str(query) for query, each in zip(of_queries, of_asked, strict=True)},
        {item: str(item) for item in pairs.items},
        Counter(queries=sum(not each for each in of_asked)),
        {query: each or "" for query, each in said.items()},
        (left_out,) if n else (),
    )


def _of_citations(
    answers: Any, items: Any, queries: Any, columns: str | Sequence[str] | None, read: Mapping[str, Any] | None, encoding: str | None
) -> Questions:  # fmt: skip
    cited = cited_answers(answers, read or {}, encoding)
    said = {
        (row.query, row.item, row.part): row.text
        for row in cited.rows
        if row.item is not None and row.support is None
    }
    if not said:
        raise UsageError(f"{cited.label}: no sentence cites anything that is still to be judged.")
    of_queries, of_items = ([*dict.fromkeys(column)] for column in [*zip(*said, strict=True)][:2])
    listed = Qrels(*zip(*[pair[:2] for pair in said], strict=True))
    contents = contents_of(
        of_queries, of_items, pairs=listed, texts=queries, catalogue=items, image=None, encoding=encoding, columns=columns
    )  # fmt: skip
    own = {row.query: row.question for row in cited.rows}
    asked = {
        query: each.get("text") or own[query]
        for query, each in zip(of_queries, contents.queries, strict=True)
    }
    has_text = [bool(each.keys() & {"title", "text"}) for each in contents.items]
    shown = {
        item: _whole(each) for item, each, has in zip(of_items, contents.items, has_text, strict=True) if has
    }
    ids = [pair for pair in said if pair[1] in shown]
    n = len(said) - len(ids)
    left_out = (
        f"{n:,} of the citations are of items without text; they are not asked about, and have no support"
    )
    return Questions(
        ids,
        {query: each or str(query) for query, each in asked.items()},
        shown,
        Counter(queries=sum(not each for each in asked.values())),
        said,
        (left_out,) * (n > 0)
        + tuple(f"{lost:,} {LOST}; their support is 0" for lost in cited.counts.values()),
        tuple(row[:4] for row in cited.rows),
    )


def _whole(item: Mapping[str, Any]) -> str:
    """The text of an item, with its title above it; its id if it has none."""
    return "\n\n".join(item[part] for part in ("title", "text") if item.get(part)) or str(item["id"])


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
        said = SAID.get(asks)
        more = () if said is None else (said, f"{said}_json")
        template = cls(name, system.strip() if rule else "", user.strip())
        places, known = template.places(), (*PLACES, *more)
        for place in places:
            if place not in known:
                raise UsageError(
                    f"{name}: {{{place}}} is none of {one_of([f'{{{own}}}' for own in known])}.{nearest(place, known)} "
                    f"Write {{{{ and }}}} for braces."
                )
        for what in ("item", *more[:1]) if asks == SUPPORT else ("query", "item", *more[:1]):
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
        shared = {place: f"{{{place}}}" for place in self.places()} | dict(values)
        text = "\n---\n".join(self.filled(shared))
        return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]
