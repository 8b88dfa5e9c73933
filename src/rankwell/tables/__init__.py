"""Input data as typed columns, and the tables derived from it."""

from __future__ import annotations
