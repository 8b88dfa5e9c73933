"""Write a Markdown file into a comment of the pull request, always the same one: python tools/sticky_comment.py gate.md NAME.

action.yml runs this on a runner of GitHub Actions, whose variables say where and with which token. The comment is found again by a mark
that no page shows. It is looked for only among those of bots, for anybody could write the mark into a comment of their own. Where
nothing can be written, as from a fork, there is a warning, and the verdict stays what it is. Needs Python alone, and not rankwell.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

LONGEST = 60_000  # characters; GitHub takes 65,536
PAGE = 100


def ask(method: str, path: str, body: dict[str, str] | None = None) -> Any:
    """Return what the interface of this repository answers."""
    request = Request(
        f"{os.environ['GITHUB_API_URL']}/repos/{os.environ['GITHUB_REPOSITORY']}/issues/{path}",
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={
            "Authorization": f"Bearer {os.environ['GITHUB_TOKEN']}",
            "Accept": "application/vnd.github+json",
            "Content-Type": "application/json",
        },
    )
    with urlopen(request, timeout=60) as answer:
        return json.load(answer)


def comments(number: int) -> Iterator[dict[str, Any]]:
    """Yield the comments of a pull request, oldest first."""
    page, full = 1, True
    while full:
        found = ask("GET", f"{number}/comments?per_page={PAGE}&page={page}")
        yield from found
        page, full = page + 1, len(found) == PAGE


def main(file: str, name: str) -> None:
    """Change the comment of this name, or write it."""
    event = json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
    number = event.get("pull_request", {}).get("number")
    if number is None:
        print("No comment: this is no pull request.")
        return
    text = Path(file).read_text(encoding="utf-8")
    if len(text) > LONGEST:
        text = f"{text.splitlines()[0]}\n\nThe tables are too long for a comment; the summary of the run has them."
    mark = (
        f"<!-- rankwell gate {hashlib.sha256(name.encode()).hexdigest()[:16]} -->"  # whatever the name holds
    )
    body = {"body": f"{mark}\n{text}"}
    try:
        own = (
            each["id"]
            for each in comments(number)
            # neither is there where an account or a text was deleted
            if (each["user"] or {}).get("type") == "Bot" and (each["body"] or "").startswith(mark)
        )
        if (found := next(own, None)) is None:
            ask("POST", f"{number}/comments", body)
        else:
            ask("PATCH", f"comments/{found}", body)
    except (HTTPError, URLError) as error:
        why = f"{error.code} {error.reason}" if isinstance(error, HTTPError) else error.reason
        print(
            f"::warning title=rankwell::No comment ({why}). The job needs `permissions: pull-requests: write`, which a fork never has."
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
