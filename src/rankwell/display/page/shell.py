"""The shell of an HTML page: one file that opens from disk, asks nothing of the network and runs no script but its own."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from string import Template
from typing import Any

from rankwell.display.page.strings import words_of
from rankwell.display.text import HTML

# what ends a script or a style before its end, or makes a browser look for another end
ENDING = re.compile(r"</(?:script|style)|<!--", re.IGNORECASE)


def page(
    title: str,
    body: str,
    *,
    top: str = "",
    lang: str = "en",
    styles: Sequence[str] = (),
    scripts: Sequence[str] = (),
) -> str:
    """Return a whole HTML page: ``body`` is markup that is escaped already, ``title`` plain text.

    ``top`` is what stands before the body, such as links to its parts; a link that skips it comes first. The styles and the scripts
    are written into the page and allowed by their hashes alone; everything else is forbidden, but for pictures in the page itself.
    The style of all pages (``page.css``) comes first, and where there are scripts, so does the button for light and dark.

    Raises
    ------
    ValueError
        If a style or a script holds what would end it early.
    """
    all_styles = [_file("page.css"), *styles]
    all_scripts = [_file("page.js"), *scripts] if scripts else []
    if any(ENDING.search(text) for text in (*all_styles, *all_scripts)):
        raise ValueError(
            "a style or a script that holds a closing tag or the start of a comment would end early"
        )
    words = words_of(lang)
    skip = f'<a class="skip" href="#main">{words("page.skip").translate(HTML)}</a>' if top else ""
    return Template(_file("page.html")).substitute(
        lang=lang,
        policy=policy_of(all_styles, all_scripts),
        title=title.translate(HTML),
        styles="\n".join(f"<style>{text}</style>" for text in all_styles),
        top="\n".join(part for part in (skip, _button(words) if scripts else "", top) if part),
        body=body,
        scripts="\n".join(f"<script>{text}</script>" for text in all_scripts),
    )


def policy_of(styles: Sequence[str], scripts: Sequence[str]) -> str:
    """Return the Content-Security-Policy that allows these styles and scripts, pictures in the page, and nothing else."""
    allowed = {
        "default-src": ["'none'"],
        "style-src": [hash_of(text) for text in styles] or ["'none'"],
        "script-src": [hash_of(text) for text in scripts] or ["'none'"],
        "img-src": ["data:"],
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
    }
    return "; ".join(f"{word} {' '.join(places)}" for word, places in allowed.items())


def hash_of(text: str) -> str:
    """Return how a policy names the content of an element."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def data_block(name: str, value: Any) -> str:
    """Return an element that holds a value as JSON, for the scripts of the page; it is never run.

    Raises
    ------
    ValueError
        If a number is not finite.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    text = text.replace("<", r"\u003c")  # neither a closing tag nor a comment can begin
    return f'<script type="application/json" id="{name.translate(HTML)}">{text}</script>'


def _button(words: Any) -> str:
    light, dark = (words(f"page.{theme}").translate(HTML) for theme in ("light", "dark"))
    return f'<button type="button" class="theme" data-light="{light}" data-dark="{dark}" hidden></button>'


@cache
def _file(name: str) -> str:
    return (files("rankwell.display.page") / name).read_text(encoding="utf-8")
