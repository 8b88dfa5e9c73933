"""Prompts for models that judge, which somebody else runs, and what they answered."""

from __future__ import annotations

from rankwell.judging.prompting.answers import Answers, answers
from rankwell.judging.prompting.prompts import Prompts, prompts

__all__ = ["Answers", "Prompts", "answers", "prompts"]
