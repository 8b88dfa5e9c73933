"""Guidelines for judges: Markdown as HTML, in which markup, pictures from elsewhere and scripts stay plain text."""

from __future__ import annotations

from pathlib import Path

from rankwell.errors import DataError, InputError

LARGEST = 1_000_000  # bytes
HEADINGS = 2  # levels that headings are moved down: those of the page are above


def guidelines_in(path: str | Path) -> str:
    """Return the text of a file of guidelines.

    Raises
    ------
    InputError, DataError
        If it cannot be read, is too large or is not UTF-8.
    """
    try:
        with Path(path).open("rb") as file:
            content = file.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise InputError(f"{path}: cannot be read ({why}).") from error
    if len(content) > LARGEST:
        raise DataError(f"{path}: guidelines are at most {LARGEST // 1_000_000} MB of text; shorten them.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path}: guidelines are Markdown or plain text in UTF-8; save the file as UTF-8."
        ) from error


def as_html(text: str) -> str:
    r"""Return Markdown (CommonMark and tables) as HTML for a page.

    >>> as_html("# Grades\n\n*Relevant* <script>alert(1)</script>")
    '<h3>Grades</h3>\n<p><em>Relevant</em> &lt;script&gt;alert(1)&lt;/script&gt;</p>\n'
    """
    from markdown_it import MarkdownIt

    reader = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    tokens = reader.parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + HEADINGS, 6)}"
        token.attrs.pop("style", None)  # of columns of tables; the page forbids styles of its own
    found: str = reader.renderer.render(tokens, reader.options, {})
    return found
