"""Rows: what is behind each picture, as plain values; one file per kind, and nothing here draws."""

from __future__ import annotations
