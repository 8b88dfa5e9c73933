"""Take the pictures of a report that README and docs/report.md show: python tools/make_screenshots.py

Needs Chromium (RANKWELL_CHROMIUM names another one than that of the path). Run it when the look of the report has changed.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from importlib.resources import files
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

import rankwell as rw

DOCS = Path(__file__).resolve().parents[1] / "docs"
FILMS = files("rankwell") / "data" / "movietweetings"
SYSTEMS = ("popular", "itemknn", "als", "random")
METRICS = ["ndcg@10", "r@10", "coverage@10", "personalization@10"]
MOST = 200_000  # bytes of a picture in the repository


def report(path: Path) -> None:
    """Write the report that is shown: four recommenders of films."""
    rw.report(
        {name: FILMS / f"{name}.parquet" for name in SYSTEMS},
        path,
        qrels=FILMS / "test.parquet",
        metrics=METRICS,
        rel=8,
        train=FILMS / "train.parquet",
        items=FILMS / "items.parquet",
        baseline="popular",
        title="Four film recommenders",
    )


def take(browser: Browser, page: Path, name: str, width: int, height: int) -> None:
    """Take the picture of the top of a page, down to the end of its first table."""
    opened = browser.new_page(viewport={"width": width, "height": height})
    opened.goto(page.as_uri())
    opened.wait_for_load_state("networkidle")
    table = opened.locator("table").first.bounding_box()
    assert table is not None
    end = min(table["y"] + table["height"] + 10, height)
    target = DOCS / f"report-{name}.png"
    opened.screenshot(path=target, clip={"x": 0, "y": 0, "width": width, "height": end})
    opened.close()
    if (size := target.stat().st_size) > MOST:
        raise SystemExit(f"{target.name} has {size:,} bytes, more than {MOST:,}")


def main() -> None:
    chromium = os.environ.get("RANKWELL_CHROMIUM") or shutil.which("chromium")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page = Path(folder) / "report.html"
        report(page)
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        take(browser, page, "light", 1000, 1200)
        take(browser, page, "phone", 390, 844)
        browser.close()


if __name__ == "__main__":
    main()
