"""Circular: a system that is made of the same family of models as the judge, which may favour its own kind."""

from __future__ import annotations

import re
from typing import NamedTuple

from rankwell.tables.run_qrels import Assessor

# by family, how its models are called
FAMILIES = {
    "GPT": ("gpt", "chatgpt", "davinci", "openai", "o1", "o3", "o4"),
    "Claude": ("claude", "anthropic", "sonnet", "haiku"),
    "Gemini": ("gemini", "gemma", "palm2", "bard"),
    "Llama": ("llama", "vicuna", "alpaca"),
    "Mistral": ("mistral", "mixtral", "ministral", "magistral", "zephyr"),
    "Qwen": ("qwen", "qwq", "tongyi"),
    "DeepSeek": ("deepseek",),
    "T5": ("t5", "flan", "monot5", "rankt5"),
    "Phi": ("phi",),
    "Command": ("command-r", "command_r", "cohere"),
    "Grok": ("grok",),
    "GLM": ("glm", "chatglm"),
    "OLMo": ("olmo",),
}
SHORT = 3
ANYWHERE = "gpt", "qwq"  # short, but part of no other word


class Circular(NamedTuple):
    """A system whose name or tag says that it uses a model of the ``family`` that judged, called ``judgements``."""

    system: str
    judgements: str
    family: str

    def __str__(self) -> str:
        return (
            f"circular: {self.system} names {self.family}, the family of the model that made {self.judgements}; a model may favour "
            f"what its own kind ranks high"
        )


def families_of(text: str) -> set[str]:
    """Return the families of models that a name mentions.

    Examples
    --------
    >>> sorted(families_of("RankGPT_gpt-4o-mini")), sorted(families_of("bm25+monoT5.run")), families_of("option1-philosophy")
    (['GPT'], ['T5'], set())
    """
    lower = text.lower()
    return {family for family, words in FAMILIES.items() if any(_has(lower, word) for word in words)}


def _has(text: str, word: str) -> bool:
    if len(word) > SHORT or word in ANYWHERE:
        return word in text
    # "o1" must not be found in "o12", but in "o1-mini"; "phi" neither in "philosophy" nor in "morphic", but in "phi3"
    after = "a-z0-9" if word[-1].isdigit() else "a-z"
    return re.search(rf"(?<![a-z]){word}(?![{after}])", text) is not None


def find_circular(systems: dict[str, str], assessors: dict[str, Assessor | None]) -> tuple[Circular, ...]:
    """Return the systems, given with their tags, that name the family of a judging model."""
    cases = []
    for judgements, assessor in assessors.items():
        judging = families_of(assessor.name) if assessor and assessor.kind == "model" else set()
        for system, tag in systems.items():
            both = sorted(judging & (families_of(system) | families_of(tag)))
            cases += [Circular(system, judgements, family) for family in both]
    return tuple(cases)
