"""The shell of an HTML page: one file that opens from disk, asks nothing of the network and runs no script but its own."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from importlib.resources import files
from string import Template

from rankwell.display.escaping import HTML

CLOSING = re.compile(r"</(?=script|style)", re.IGNORECASE)


def page(
    title: str,
    body: str,
    *,
    lang: str = "en",
    styles: Sequence[str] = (),
    scripts: Sequence[str] = (),
) -> str:
    """Return a whole HTML page: ``body`` is markup that is escaped already, ``title`` plain text.

    The styles and the scripts are written into the page and allowed by their hashes alone; everything else is forbidden, but for
    pictures in the page itself. The style of all pages (``page.css``) comes first.
    """
    room = files("rankwell.display.page")
    shared = (room / "page.css").read_text(encoding="utf-8")
    all_styles, all_scripts = [shared, *styles], list(scripts)
    for text in (*all_styles, *all_scripts):
        if CLOSING.search(text):
            raise ValueError("a style or a script that holds its own closing tag would end early")
    policy = {
        "default-src": ["'none'"],
        "style-src": [_hash(text) for text in all_styles],
        "script-src": [_hash(text) for text in all_scripts] or ["'none'"],
        "img-src": ["data:"],
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
    }
    return Template((room / "page.html").read_text(encoding="utf-8")).substitute(
        lang=lang,
        policy="; ".join(f"{word} {' '.join(allowed)}" for word, allowed in policy.items()),
        title=title.translate(HTML),
        styles="\n".join(f"<style>{text}</style>" for text in all_styles),
        body=body,
        scripts="\n".join(f"<script>{text}</script>" for text in all_scripts),
    )


def _hash(text: str) -> str:
    """How a policy names the content of an element."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
