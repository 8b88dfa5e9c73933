"""What a test asks of any page."""

from __future__ import annotations

from itertools import pairwise

# elements that a reader uses or looks at, without a name that a screen reader could say
NAMELESS = """
() => [...document.querySelectorAll("button, input, select, textarea, a[href], summary, figure[role], [role=region], iframe, img")]
  .filter((each) => each.checkVisibility())
  .filter((each) => {
    const labels = [...(each.labels || [])].map((label) => label.textContent);
    const by = (each.getAttribute("aria-labelledby") || "").split(" ").map((id) => document.getElementById(id)?.textContent);
    const own = ["FIGURE", "DIV", "SECTION", "INPUT", "SELECT", "IFRAME", "IMG"].includes(each.tagName) ? "" : each.textContent;
    return ![each.getAttribute("aria-label"), each.getAttribute("alt"), own, ...labels, ...by].some((text) => text?.trim());
  })
  .map((each) => each.outerHTML.slice(0, 200))
"""
HEADINGS = """
() => [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")].filter((each) => each.checkVisibility())
  .map((each) => Number(each.tagName[1]))
"""
SIDEWAYS = """
() => [...document.querySelectorAll("body *")]
  .filter((each) => each.checkVisibility() && !each.closest(".scroll, .unseen, .skip"))
  .filter((each) => each.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .map((each) => each.outerHTML.slice(0, 120))
"""


def nameless(page):
    """Elements that have no accessible name."""
    return page.evaluate(NAMELESS)


def jumps(page):
    """Headings that skip a level; a page has one of the first, and it comes first."""
    levels = page.evaluate(HEADINGS)
    found = [f"{a} then {b}" for a, b in pairwise(levels) if b > a + 1]
    return (
        found
        + [f"{levels.count(1)} of level 1"] * (levels.count(1) > 1)
        + ["not first"] * (levels[:1] not in ([], [1]))
    )


def sticks_out(page):
    """What is wider than the window, and makes it scroll sideways."""
    wide = page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
    return page.evaluate(SIDEWAYS) or (["the page"] if wide else [])


def tab_stops(page, most=200):
    """What the Tab key reaches, in order, until it leaves the page."""
    found = []
    page.evaluate("document.activeElement?.blur()")
    for _ in range(most):
        page.keyboard.press("Tab")
        now = page.evaluate(
            "() => { const e = document.activeElement; return e === document.body ? '' : "
            "`${e.tagName.toLowerCase()} ${(e.ariaLabel || e.textContent).trim().slice(0, 60)}` }"
        )
        if not now or (found and now == found[0] and len(found) > 1):
            break
        found.append(now)
    return found
