"""What a page holds, read back: its numbers and its blocks of data."""

from __future__ import annotations

import json
import re

BLOCK = re.compile(r'<script type="application/json" id="(\w+)">(.*?)</script>', re.DOTALL)


def values_of(page):
    """The numbers that a page shows, in full precision."""
    return [float(text) for text in re.findall(r'<data value="([^"]+)">', page)]


def blocks_of(page):
    """The blocks of data in a page, by their ids."""
    return {name: json.loads(text) for name, text in BLOCK.findall(page)}


def numbers_in(data):
    """All numbers in plain values, also those that stand as text because JSON has none."""
    if isinstance(data, dict):
        return {number for value in data.values() for number in numbers_in(value)}
    if isinstance(data, list):
        return {number for value in data for number in numbers_in(value)}
    if data in ("inf", "-inf"):
        return {float(data)}
    return {float(data)} if isinstance(data, (int, float)) and not isinstance(data, bool) else set()
