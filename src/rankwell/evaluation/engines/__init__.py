"""Execution engines: one module per engine, named after it."""

from __future__ import annotations
