"""The shell in a browser: light and dark, the keyboard, and a policy that blocks whatever gets into a page."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from tests.browser.looks import jumps, nameless, sticks_out, tab_stops
from tests.browser.pages import page_with

BODY = '<h1>Title</h1><p>First words</p><h2 id="part">Part</h2><p>More words</p>'
TOP = '<nav aria-label="parts"><a href="#part">Part</a></nav>'
PAPER = "getComputedStyle(document.body).backgroundColor"
LIGHT, DARK = "rgb(255, 255, 255)", "rgb(20, 24, 29)"


def test_a_page_follows_the_theme_of_the_reader_until_the_button_is_pressed(opened):
    page = opened(page_with(BODY), dark=True)
    assert page.evaluate(PAPER) == DARK
    button = page.get_by_role("button", name="Light colours")
    button.focus()
    page.keyboard.press("Enter")
    assert page.evaluate(PAPER) == LIGHT
    page.get_by_role("button", name="Dark colours").click()
    assert page.evaluate(PAPER) == DARK
    assert page.evaluate("rankwell.theme()") == "dark"


def test_a_page_follows_the_reader_who_changes_the_theme_of_the_system(opened):
    page = opened(page_with(BODY))
    assert page.evaluate(PAPER) == LIGHT
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(PAPER) == DARK
    page.get_by_role("button", name="Light colours").wait_for()


def test_the_keyboard_reaches_everything_and_can_skip_to_the_content(opened):
    page = opened(page_with(BODY, top=TOP))
    assert tab_stops(page) == ["a Skip to the content", "button Dark colours", "a Part"]
    page.keyboard.press("Tab")
    page.evaluate("document.querySelector('.skip').focus()")
    assert page.locator(".skip").bounding_box()["y"] >= 0
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


def test_everything_has_a_name_and_headings_are_in_order(opened):
    page = opened(page_with(BODY, top=TOP))
    assert nameless(page) == []
    assert jumps(page) == []


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_words_of_any_length_stay_inside_a_phone(opened, lang):
    page = opened(
        page_with(f"<h1>{'x' * 10_000}</h1><p>{'한' * 3000}</p>", lang=lang),
        size={"width": 390, "height": 844},
    )
    assert sticks_out(page) == []


def test_print_is_light_and_has_no_buttons(opened):
    page = opened(page_with(BODY, top=TOP), dark=True)
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate(PAPER) == LIGHT
    expect(page.locator("button")).to_be_hidden()


def test_a_reader_who_wants_no_motion_sees_none(opened):
    page = opened(page_with(BODY), reduced_motion="reduce")
    assert page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == "auto"


# what somebody who gets markup or a line of script into the page would try, and what the policy says to it
BREAKING = {
    "a script": ("put('<p>'); add('script', {textContent: 'window.broken = 1'})", "script-src-elem"),
    "a script from elsewhere": ("add('script', {src: 'https://example.org/x.js'})", "script-src-elem"),
    "a script of data": ("add('script', {src: 'data:text/javascript,window.broken=1'})", "script-src-elem"),
    "a handler": ("put('<img src=data:x onerror=\"window.broken = 1\">')", "script-src-attr"),
    "a handler of a picture that is drawn": (
        # not every version sends the event to a picture that is put in later
        "put('<svg onload=\"window.broken = 1\"></svg>').querySelector('svg').dispatchEvent(new Event('load'))", "script-src-attr",
    ),
    "eval": ("try { eval('window.broken = 1') } catch { }", "script-src"),
    "a function of text": ("try { new Function('window.broken = 1')() } catch { }", "script-src"),
    "a timer of text": ("setTimeout('window.broken = 1')", "script-src"),
    "an address that is a script": ("put('<a href=\"javascript:window.broken=1\">x</a>').querySelector('a').click()", "script-src-elem"),
    "a frame": ("put('<iframe src=\"https://example.org\"></iframe>')", "frame-src"),
    "an object": ("put('<object data=\"https://example.org/x.swf\"></object>')", "object-src"),
    "a picture from elsewhere": ("put('<img src=\"https://example.org/x.png\" alt=\"\">')", "img-src"),
    "a picture from disk": ("put('<img src=\"file:///etc/hostname\" alt=\"\">')", "img-src"),
    "a style": ("add('style', {textContent: 'body { color: red !important }'})", "style-src-elem"),
    "a style of one element": ("put('<p style=\"color: red\">x</p>')", "style-src-attr"),
    "a style sheet from elsewhere": ("add('link', {rel: 'stylesheet', href: 'https://example.org/x.css'})", "style-src-elem"),
    "a font": ("document.fonts.add(new FontFace('f', 'url(https://example.org/f.woff2)')); document.fonts.load('1em f').catch(() => 0)", "font-src"),
    "a request": ("fetch('https://example.org').catch(() => 0)", "connect-src"),
    "an older request": ("const r = new XMLHttpRequest(); r.open('GET', 'https://example.org'); try { r.send() } catch { }", "connect-src"),
    "a socket": ("try { new WebSocket('wss://example.org') } catch { }", "connect-src"),
    "a beacon": ("navigator.sendBeacon('https://example.org', 'x')", "connect-src"),
    "a worker": ("try { new Worker('data:text/javascript,1') } catch { }", "worker-src"),
    "a form": ("put('<form action=\"https://example.org\"><button>x</button></form>').querySelector('form').submit()", "form-action"),
    "another base": ("add('base', {href: 'https://example.org/'})", "base-uri"),
    "a video": ("put('<video src=\"https://example.org/x.mp4\"></video>')", "media-src"),
}  # fmt: skip
HELP = """
const put = (markup) => { const e = document.createElement("div"); e.innerHTML = markup; document.body.append(e); return e; };
const add = (name, properties) => document.head.append(Object.assign(document.createElement(name), properties));
"""


@pytest.mark.parametrize("way", BREAKING)
def test_what_gets_into_a_page_is_blocked(opened, way):
    page = opened(page_with(BODY))
    code, directive = BREAKING[way]
    page.evaluate(
        f"() => setTimeout(() => {{ {HELP} {code} }})"
    )  # in a task of its own, as the page would run it
    page.wait_for_function(f"() => window.violations.some((each) => each.startsWith('{directive}:'))")
    page.evaluate("window.violations.splice(0)")
    page.heard.errors.clear()
    assert page.evaluate("window.broken") is None
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(27, 31, 36)"
    assert page.heard.sent() == [page.url]
