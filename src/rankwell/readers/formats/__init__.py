"""File formats: one module per format, named after it."""

from __future__ import annotations
