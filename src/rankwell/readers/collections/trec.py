"""TREC's formats: documents in ``<DOC>`` elements (AP, WSJ, FT, GOV2), topics in ``<top>`` or ``<topic>`` elements."""

from __future__ import annotations

import html
import re
from xml.etree import ElementTree as ET

from rankwell.errors import DataError, brief
from rankwell.readers.bytes.files import File
from rankwell.readers.collections.text import Entries, decoded, spaced

FLAGS = re.IGNORECASE | re.DOTALL
DOCUMENT = re.compile(r"<DOC\b[^>]*>", FLAGS)
CLOSED = re.compile(r"</DOC\s*>", FLAGS)
# between documents (or topics): what is not closed in one hides nothing of the next
BETWEEN = re.compile(r"(?<=</DOC>)(?=\s*<DOC\b)|(?<=</top>)(?=\s*<top>)", FLAGS)
CHARACTERS = re.compile(r"<!--.*?-->|<!\[CDATA\[(.*?)\]\]>", FLAGS)
# a tag that the end of the file cuts in two
STUMP = re.compile(r"<[^<>]*\Z")
NUMBER = re.compile(r"<DOCNO\b[^>]*>\s*(.*?)\s*</DOCNO>", FLAGS)
TEXT = re.compile(r"<TEXT\b[^>]*>(.*?)(?=</TEXT>|<TEXT\b|\Z)", FLAGS)
TITLE = re.compile(r"<(HEADLINE|HEAD|HL|TTL|TITLE)\b[^>]*>(.*?)</\1>", FLAGS)
HIDDEN = re.compile(r"<(DOCNO|DOCID|DOCHDR|SCRIPT|STYLE)\b[^>]*>.*?</\1>|<!--.*?-->|</?DOC\b[^>]*>", FLAGS)
TAG = re.compile(r"</?[A-Za-z!?][^<>]*>")

TOPIC = re.compile(r"<top>", FLAGS)
FIELD = re.compile(r"<(num|title|desc|narr|smry|con|dom|fac|def)>", FLAGS)
NAMES = {"desc": "description", "narr": "narrative", "smry": "summary", "con": "concepts", "dom": "domain"}
LABEL = re.compile(
    r"\s*(Number|Topic|Title|Description|Narrative|Summary|Concept\(s\)|Domain)\s*:", re.IGNORECASE
)


def documents(file: File, records: Entries) -> None:
    """Add the documents of a file; the title is its headlines, the text its ``<TEXT>``, or the whole body without tags.

    DataError if the file has no ``<DOC>``, or one of them no ``<DOCNO>`` or no end.
    """
    content = _without_comments(decoded(file))
    starts = [mark.start() for mark in DOCUMENT.finditer(content)]
    if not starts:
        raise DataError(f"{file.label}: there is no <DOC>; this is no file of TREC documents.")
    line, last = 1, 0
    for low, high in zip(starts, [*starts[1:], len(content)], strict=True):
        body = content[low:high]
        number = NUMBER.search(body)
        # lines are counted on from the last document: counting from the start for each would take the square of the time
        line += content.count("\n", last, low)
        last = low
        if number is None or not _plain(number[1]):
            raise DataError(f"{file.label}:{line}: the <DOC> has no <DOCNO>.")
        # up to the last end: the text of a document may hold such a tag, too
        ends = [mark.start() for mark in CLOSED.finditer(body)]
        if not ends or (high == len(content) and STUMP.search(body)):
            raise DataError(
                f"{file.label}:{line}: the <DOC> {brief(_plain(number[1]))} does not end with </DOC>; the file is cut off. Get it whole."
            )
        body = body[: ends[-1]]
        title = " ".join(_plain(match[2]) for match in TITLE.finditer(body))
        texts = [_plain(match[1]) for match in TEXT.finditer(body)]
        records.begin(_plain(number[1]), f"{file.label}:{line}")
        if title:
            records.put("title", [title])
        records.put("text", texts or [_plain(TITLE.sub(" ", body))])


def topics(file: File) -> Entries:
    """Return the topics of a file, classical (``<top> <num> Number: 301 …``) or XML (``<topic number="1">``).

    DataError with file and line, for XML that is not well-formed, a topic without number, or a last one without end.
    """
    content = decoded(file)
    if not TOPIC.search(content):
        return _xml(file, content)
    content = _without_comments(content)
    starts = [mark.start() for mark in TOPIC.finditer(content)]
    records = Entries()
    if starts and "</top>" in content.lower() and "</top>" not in content[starts[-1] :].lower():
        line = content.count("\n", 0, starts[-1]) + 1
        raise DataError(
            f"{file.label}:{line}: the <top> does not end with </top>, as others do; the file is cut off. Get it whole."
        )
    for low, high in zip(starts, [*starts[1:], len(content)], strict=True):
        marks = list(FIELD.finditer(content, low, high))
        ends = [mark.start() for mark in marks[1:]] + [high] * bool(marks)
        own = {
            m[1].lower(): _plain(LABEL.sub("", content[m.end() : end], 1))
            for m, end in zip(marks, ends, strict=True)
        }
        line = content.count("\n", 0, low) + 1
        _add(records, own.pop("num", ""), own, f"{file.label}:{line}")
    return records


def _xml(file: File, content: str) -> Entries:
    """The topics of an XML file; one that defines entities, which could grow without bound, is refused."""
    if "<!ENTITY" in content:
        raise DataError(f"{file.label}: the XML defines entities; remove the <!ENTITY …> lines.")
    try:
        root = ET.fromstring(content)  # noqa: S314 - without entities there is nothing to expand
    except ET.ParseError as error:
        raise DataError(
            f"{file.label}:{error.position[0]}: the XML is not well-formed ({error.msg})."
        ) from None
    records = Entries()
    for at, topic in enumerate(root.iter("topic"), 1):
        own = {
            element.tag.lower(): spaced("".join(element.itertext()))
            for element in topic
            if element.tag.lower() != "subtopic"
        }
        number = topic.get("number") or topic.get("id") or own.get("num") or own.get("number") or ""
        _add(
            records,
            number,
            {k: v for k, v in own.items() if k not in ("num", "number")},
            f"{file.label}, topic {at}",
        )
    if not records.fields:
        raise DataError(
            f"{file.label}: there is neither a <top> nor a <topic>; this is no file of TREC topics."
        )
    return records


def _add(records: Entries, number: str, fields: dict[str, str], place: str) -> None:
    if not number.strip():
        raise DataError(f"{place}: the topic has no number.")
    records.begin(number.split(maxsplit=1)[0], place)
    for name, text in fields.items():
        records.put(NAMES.get(name, name), [text])


def _without_comments(content: str) -> str:
    """The content without comments, and with what CDATA holds written as entities, in the same lines: no tag in them counts."""
    if "<!" not in content:
        return content

    def written(comment: re.Match[str]) -> str:
        return (
            " " + "\n" * comment[0].count("\n")
            if comment[1] is None
            else html.escape(comment[1], quote=False)
        )

    return "".join(CHARACTERS.sub(written, part) for part in BETWEEN.split(content))


def _plain(markup: str) -> str:
    """Text without tags and hidden elements, with entities as characters."""
    return spaced(html.unescape(TAG.sub(" ", HIDDEN.sub(" ", markup))))
