"""Where an evaluation runs: one module per engine, named after it."""

from __future__ import annotations
