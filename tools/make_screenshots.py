"""Take the pictures of pages that README, docs/report.md and docs/judging_sheet.md show: python tools/make_screenshots.py

Needs Chromium (RANKWELL_CHROMIUM names another one than that of the path). Run it when the look of a page has changed.
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
        FILMS / "test.parquet",
        METRICS,
        path=path,
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


def sheet(path: Path) -> None:
    """Write the judging sheet that is shown: made-up texts."""
    texts = {
        "d17": (
            "Masks and droplets",
            "A mask filters droplets, and so reduces how far a cough travels. We measured it for six fabrics.",
        ),
        "d4": (
            "Masks of the Greek theatre",
            "Actors wore masks of linen, which showed from afar who was speaking.",
        ),
        "d23": (
            "Wearing masks on trains",
            "Of 1,200 passengers who wore masks, fewer fell ill within two weeks.",
        ),
    }
    items = [{"item": item, "title": title, "text": text} for item, (title, text) in texts.items()]
    queries = {"7": "do masks reduce the spread of a virus?"}
    rw.judging.sheet({"7": list(texts)}, items=items, queries=queries, order="given", repeats=0.3).save(path)


def take_sheet(browser: Browser, page: Path, name: str, width: int, height: int) -> None:
    """Take the picture of a sheet after the first grade."""
    opened = browser.new_page(viewport={"width": width, "height": height})
    opened.goto(page.as_uri())
    opened.get_by_label("Your name").fill("Ann")
    opened.keyboard.press("Enter")
    opened.keyboard.press("3")
    opened.screenshot(path=DOCS / f"sheet-{name}.png")
    opened.close()


def main() -> None:
    chromium = (
        os.environ.get("RANKWELL_CHROMIUM")
        or shutil.which("chromium-headless-shell")
        or shutil.which("chromium")
    )
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page = Path(folder) / "report.html"
        report(page)
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        take(browser, page, "light", 1000, 1200)
        take(browser, page, "phone", 390, 844)
        sheet(page)
        take_sheet(browser, page, "light", 900, 560)
        take_sheet(browser, page, "phone", 390, 700)
        browser.close()


if __name__ == "__main__":
    main()
