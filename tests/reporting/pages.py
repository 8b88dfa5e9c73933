"""What a page holds, read back: its numbers and its blocks of data."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

VOID = {"br", "col", "hr", "img", "input", "link", "meta"}
HIDDEN = {"code", "script", "style"}
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


class Shown(HTMLParser):
    """The texts that a reader of a page sees, with their languages; not scripts, styles, code and data."""

    def __init__(self):
        super().__init__()
        self.open, self.texts = [], []

    def handle_starttag(self, tag, attrs):
        if tag not in VOID:
            lang = dict(attrs).get("lang") or (self.open[-1][1] if self.open else "")
            hidden = tag in HIDDEN or (bool(self.open) and self.open[-1][2])
            self.open.append((tag, lang, hidden))

    def handle_endtag(self, tag):
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        if self.open and not self.open[-1][2] and data.strip():
            self.texts.append((self.open[-1][1], " ".join(data.split())))


def shown_in(page):
    """The texts that a page shows, each with its language."""
    parser = Shown()
    parser.feed(page)
    return parser.texts
