"""Pages in Debian's Chromium: opened from disk, offline, with all that a page complains of kept."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
# the one without windows draws the same pages in two thirds of the time
NAMES = "chromium-headless-shell", "chromium", "chromium-browser"
CHROMIUM = os.environ.get("RANKWELL_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 900}
# before any script of the page: what its policy blocks is kept, with the place
WATCH = """
window.violations = [];
addEventListener("securitypolicyviolation", (event) =>
  window.violations.push(`${event.effectiveDirective}: ${event.blockedURI || event.sample}`), true);
"""


def pytest_collection_modifyitems(items):
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def chromium():
    """The browser, one for all tests of a process."""
    if CHROMIUM is None:
        pytest.skip(
            "there is no Chromium; .ci/run installs Debian's, or: apt-get install chromium-headless-shell"
        )
    sync_api = pytest.importorskip("playwright.sync_api")
    sync_api.expect.set_options(timeout=60_000)  # other tests keep the machine busy
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@dataclass
class Heard:
    """What pages said and asked for."""

    errors: list[str] = field(default_factory=list)
    requests: list[Any] = field(default_factory=list)

    def listen(self, page: Any) -> None:
        """Keep what a page says from now on."""
        page.on("console", lambda said: said.type in ("error", "warning") and self.errors.append(said.text))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("crash", lambda _: self.errors.append("the page crashed"))
        page.on("request", self.asked)
        page.on("dialog", lambda dialog: (self.errors.append(f"dialog: {dialog.message}"), dialog.dismiss()))

    def asked(self, request: Any) -> None:
        """Keep a request; Playwright takes no built-in function such as ``append``."""
        self.requests.append(request)

    def sent(self) -> list[str]:
        """The addresses that were asked for; what the policy stopped never left the page."""
        return [asked.url for asked in self.requests if asked.failure != "csp"]


@pytest.fixture
def opened(chromium, tmp_path):
    """A function that opens a page (its text, or its file) as a reader would, and fails the test for any complaint.

    What a test provokes it takes out of ``heard`` before it ends.
    """
    contexts = []

    def open_page(source, *, size=DESK, dark=False, **options):
        file = source if isinstance(source, Path) else tmp_path / f"page{len(contexts)}.html"
        if not isinstance(source, Path):
            file.write_text(source, encoding="utf-8")
        context = chromium.new_context(
            viewport=size, offline=True, color_scheme="dark" if dark else "light", **options
        )
        contexts.append(context)
        context.add_init_script(WATCH)
        page = context.new_page()
        page.heard = Heard()
        page.heard.listen(page)
        page.goto(file.as_uri(), wait_until="load")
        return page

    yield open_page
    complaints = []
    for context in contexts:
        for page in context.pages:
            own = [
                url for url in page.heard.sent() if not url.startswith(("file:", "data:", "about:", "blob:"))
            ]
            complaints += page.heard.errors + own + page.evaluate("window.violations")
        context.close()
    assert complaints == []
