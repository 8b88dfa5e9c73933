"""Forms of batch files: what a request looks like, and where the text of an answer stands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, TypedDict, get_args

Form = Literal["openai", "anthropic", "plain"]
FORMS = ("openai", "anthropic", "plain")
PromptForm = Literal[
    "openai", "anthropic", "plain", "nuggets", "nuggets-anthropic", "nuggets-plain", "support", "support-anthropic", "support-plain",
]  # fmt: skip
PROMPT_FORMS = get_args(PromptForm)  # with what is asked, if it is not a grade for each item
# room for a reason before the grade; an answer that is cut off by it is counted and not read
MOST_TOKENS = 1_000
# the words of OpenAI, Anthropic and Gemini for an answer that was withheld
REFUSED = {"content_filter", "refusal", "safety", "recitation", "prohibited_content", "blocklist", "spii"}


class TextPart(TypedDict, total=False):
    """A part of the content of a message; ``type`` says whether it is a text of the answer, a thought or what a tool found."""

    type: Any
    text: str | None


class Ended(TypedDict, total=False):
    """Why an answer ended, by the names of several services."""

    finish_reason: Any
    finishReason: Any
    native_finish_reason: Any
    stop_reason: Any
    done_reason: Any
    status: Any


class Message(Ended, total=False):
    """What a model said, in the forms of OpenAI and Anthropic."""

    role: Any
    content: str | list[TextPart] | None
    refusal: str | None


class Choice(Ended, total=False):
    """One answer in the form of OpenAI."""

    message: Message | None


class Body(TypedDict, total=False):
    """The body of a response in the form of OpenAI."""

    choices: list[Choice] | None
    error: Any


class Response(TypedDict, total=False):
    """A response in the form of OpenAI."""

    status_code: int
    body: Body | str | None


class BatchResult(TypedDict, total=False):
    """A result in the form of Anthropic."""

    type: str
    message: Message | None


class AnswerLine(Ended, total=False):
    """A line of answers, in any of the forms."""

    custom_id: str
    response: Response | None
    result: BatchResult | None
    error: Any
    answer: Any
    text: Any
    content: Any


class Said(NamedTuple):
    """What a line says of a request: the texts of its answers; how many were refused, or cut off by their length; or why there is none."""

    texts: list[str]
    refused: int = 0
    failed: str = ""
    cut: int = 0


def request(form: Form, name: str, model: str, system: str, user: str) -> dict[str, Any]:
    """Return one request of a batch file.

    >>> request("plain", "1", "m", "", "Hello")
    {'custom_id': '1', 'model': 'm', 'messages': [{'role': 'user', 'content': 'Hello'}]}
    """
    messages = [{"role": "user", "content": user}]
    if form == "anthropic":
        params: dict[str, Any] = {"model": model, "max_tokens": MOST_TOKENS, "temperature": 0}
        if system:
            params["system"] = system
        return {"custom_id": name, "params": params | {"messages": messages}}
    if system:
        messages.insert(0, {"role": "system", "content": system})
    if form == "plain":
        return {"custom_id": name, "model": model, "messages": messages}
    # temperature 0: the same pair should get the same grade twice, which repeats measure
    body = {"model": model, "messages": messages, "temperature": 0, "max_completion_tokens": MOST_TOKENS}
    return {"custom_id": name, "method": "POST", "url": "/v1/chat/completions", "body": body}


def read_answer_line(line: Mapping[str, Any]) -> Said | None:
    """Return what a line of answers says; None if it is in none of the forms.

    Forms are those of the batches of OpenAI (``response.body.choices``) and Anthropic (``result.message.content``), and the plain one:
    ``answer``, ``text`` or ``content``.

    >>> read_answer_line({"custom_id": "1", "answer": "GRADE: 2"})
    Said(texts=['GRADE: 2'], refused=0, failed='', cut=0)
    """
    if line.get("error"):
        return Said([], failed=_words(line["error"]))
    if isinstance(line.get("response"), Mapping):
        return _read_choices(line["response"])
    if isinstance(line.get("result"), Mapping):
        return _read_message(line["result"])
    content = next((line[word] for word in ("answer", "text", "content") if word in line), None)
    if content is None:
        return None
    if _end_reasons(line) & REFUSED:
        return Said([], 1)
    if _end_reasons(line) & CUT:
        return Said([], cut=1)
    # true and false are numbers to Python and no grades
    is_number = isinstance(content, (int, float)) and not isinstance(content, bool)
    return Said(
        [content if isinstance(content, str) else str(content) if is_number else ""]
    )  # a list or an object is no grade


def _end_reasons(answer: Mapping[str, Any]) -> set[str]:
    """Why an answer ended, in small letters."""
    return {str(answer.get(word)).lower() for word in Ended.__annotations__}


CUT = {  # too long, so that what it would have said is not known; by the names of OpenAI, Anthropic, Gemini and Mistral, and of servers of open models
    "length", "max_tokens", "max_output_tokens", "max_length", "model_length", "incomplete", "model_context_window_exceeded", "pause_turn",
}  # fmt: skip


def _read_choices(response: Mapping[str, Any]) -> Said | None:
    body = response.get("body")
    if response.get("status_code", 200) != 200 or not isinstance(body, Mapping):
        error = body.get("error") if isinstance(body, Mapping) else None
        return Said([], failed=_words(error) or f"status {response.get('status_code')}")
    texts, refused, cut = [], 0, 0
    for choice in body.get("choices") or []:
        message = choice.get("message") or {}
        if _end_reasons(choice) & REFUSED or message.get("refusal"):
            refused += 1
        elif _end_reasons(choice) & CUT:
            cut += 1
        else:
            texts.append(_text(message))
    return Said(texts, refused, cut=cut) if texts or refused or cut else None


def _read_message(result: Mapping[str, Any]) -> Said | None:
    if result.get("type") != "succeeded":
        return Said([], failed=str(result.get("type")))
    message = result.get("message")
    if not isinstance(message, Mapping):
        return None
    if _end_reasons(message) & REFUSED:
        return Said([], 1)
    if _end_reasons(message) & CUT:
        return Said([], cut=1)
    return Said([_text(message)])


def _text(message: Mapping[str, Any]) -> str:
    """What a model said in a message, which may be in parts; thoughts, what tools found and messages of others are none of it."""
    content = message.get("content")
    # a line may hold the whole conversation, and the prompt names all grades
    if message.get("role") not in (None, "assistant", "model"):
        return ""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    own = [
        part
        for part in parts
        if isinstance(part, Mapping) and part.get("type") in (None, "text", "output_text")
    ]
    return "".join(part.get("text") or "" for part in own)


def _words(error: Any) -> str:
    if isinstance(error, Mapping):
        return str(error.get("message") or error.get("code") or error.get("type") or "error")
    return str(error or "")
