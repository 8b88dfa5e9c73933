"""Output: tables, files and findings."""

from __future__ import annotations
