"""What people ask about an evaluation: definitions, axioms, damaged files, other tools' numbers."""

from __future__ import annotations
