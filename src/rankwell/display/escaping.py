"""What has to be escaped in Markdown, HTML and LaTeX."""

from __future__ import annotations

UNDEFINED = "–"
MARKDOWN = str.maketrans({mark: "\\" + mark for mark in "\\`*_[]<>|~&$#"})
HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;"})
WORDS = "uparrow downarrow leftrightarrow div cdot times leq geq Sigma beta to"
LATEX = str.maketrans(
    {mark: "\\" + mark for mark in "&%$#_{}"}
    | {mark: f"{{{mark}}}" for mark in "[]*"}  # after \\ these would be read as its arguments
    | {mark: f"${mark}$" for mark in "<>|"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"`": r"\textasciigrave{}", UNDEFINED: r"\textendash{}", "∞": r"$\infty$"}
    | {"−": "$-$"}
    | {sign: f"$\\{word}$" for sign, word in zip("↑↓↔÷·×≤≥Σβ→", WORDS.split(), strict=True)}
)
