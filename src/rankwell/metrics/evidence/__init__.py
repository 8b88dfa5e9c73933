"""Metrics of generated answers and of the evidence that they rest on."""

from __future__ import annotations
