"""What to write where a folder was given in place of a file."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from rankwell.readers.compression import COMPRESSED_SUFFIXES


def to_name_instead(folder: Path) -> str:
    """Return what to name: the judgements of a collection of BEIR, else a pattern of the most frequent suffix."""
    if (folder / "corpus.jsonl").exists() and (judged := sorted((folder / "qrels").glob("*.tsv"))):
        return f"It is a collection of BEIR; its judgements are in {' or '.join(map(str, judged))}."
    suffixes = Counter(suffix for suffix in _suffixes(folder) if suffix)
    suffix = suffixes.most_common(1)[0][0] if suffixes else ""
    return f"Name a file, or several as '{folder / f'*{suffix}'}'."


def _suffixes(folder: Path) -> list[str]:
    """The suffixes of the files in a folder, with that of a compression; none if it cannot be listed."""
    try:
        files = sorted(each for each in folder.iterdir() if each.is_file() and not each.name.startswith("."))
    except OSError:
        return []
    return [
        "".join(each.suffixes[-2:]) if each.suffix in COMPRESSED_SUFFIXES else each.suffix for each in files
    ]
