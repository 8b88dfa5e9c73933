"""Exposure of groups of items, and parity between them."""

from __future__ import annotations
