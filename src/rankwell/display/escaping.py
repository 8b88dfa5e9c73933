"""What has to be escaped on a terminal, in Markdown, HTML and LaTeX."""

from __future__ import annotations

UNDEFINED = "–"
# control characters, which a terminal obeys, and those that change the direction of text or end a line
_CONTROLS = [*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
TERMINAL = {code: repr(chr(code))[1:-1] for code in _CONTROLS if chr(code) not in "\n\t"}
MARKDOWN = str.maketrans({mark: "\\" + mark for mark in "\\`*_[]<>|~&$#"})
HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;"})
WORDS = "uparrow downarrow leftrightarrow div cdot times leq geq Sigma Delta alpha beta to"
LATEX = str.maketrans(
    {mark: "\\" + mark for mark in "&%$#_{}"}
    | {mark: f"{{{mark}}}" for mark in "[]*"}  # after \\ these would be read as its arguments
    | {mark: f"${mark}$" for mark in "<>|"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"`": r"\textasciigrave{}", UNDEFINED: r"\textendash{}", "∞": r"$\infty$"}
    | {"−": "$-$"}
    | {sign: f"$\\{word}$" for sign, word in zip("↑↓↔÷·×≤≥ΣΔαβ→", WORDS.split(), strict=True)}
)
for _escapes in (MARKDOWN, HTML, LATEX):
    _escapes |= {code: text.translate(_escapes) for code, text in TERMINAL.items()}


def printable(text: str) -> str:
    r"""Return text with control characters written as Python writes them, so that names cannot command a terminal.

    >>> printable("run\x1b[2J\n")
    'run\\x1b[2J\n'
    """
    return text if text.isprintable() else text.translate(TERMINAL)
