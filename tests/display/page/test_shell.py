"""The shell of pages: what the policy allows is what the page holds, and nothing that a name holds becomes markup."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import pytest

from rankwell.display.page import data_block, languages, page, words_of

NAMES = [
    "<script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "\"onload='alert(1)'",
    "<!-- -->",
    "a\u202eb\u2028c\x1b[2J",
    "${title} {{7*7}} %s",
    "x" * 10_000,
]


class Elements(HTMLParser):
    """Every element of a page with its attributes, and the text in it."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs), []))

    def handle_endtag(self, tag):
        self.found.append((f"/{tag}", {}, []))

    def handle_data(self, data):
        if self.found:
            self.found[-1][2].append(data)

    def of(self, tag):
        return [(attributes, "".join(text)) for name, attributes, text in self.found if name == tag]


def policy(text):
    (content,) = (a["content"] for a, _ in Elements(text).of("meta") if "http-equiv" in a)
    return {word: places.split() for word, places in re.findall(r"([\w-]+) ([^;]+)", content)}


def hashed(text):
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_a_page_allows_its_own_scripts_and_styles_by_their_hashes_and_nothing_else():
    text = page("t", "<p>b</p>", styles=["p { color: red }"], scripts=["let é = '2';", "f(\n)"])
    elements, allowed = Elements(text), policy(text)
    styles, scripts = ([text for _, text in elements.of(tag)] for tag in ("style", "script"))
    assert "p { color: red }" in styles
    assert {"let é = '2';", "f(\n)"} < set(scripts)
    assert allowed["style-src"] == [hashed(style) for style in styles]
    assert allowed["script-src"] == [hashed(script) for script in scripts]
    del allowed["style-src"], allowed["script-src"]
    nothing = ["'none'"]
    assert allowed == {
        "default-src": nothing,
        "base-uri": nothing,
        "form-action": nothing,
        "img-src": ["data:"],
    }
    assert "unsafe" not in text.partition("<body>")[0].replace(styles[0], "")


def test_a_page_without_scripts_allows_none_and_has_no_button():
    text = page("t", "<p>b</p>")
    assert policy(text)["script-src"] == ["'none'"]
    assert not Elements(text).of("script")
    assert not Elements(text).of("button")


def test_the_policy_comes_before_anything_that_it_rules():
    names = [name for name, _, _ in Elements(page("t", "b", scripts=["1"])).found]
    metas = [
        i for i, (name, a, _) in enumerate(Elements(page("t", "b", scripts=["1"])).found) if "http-equiv" in a
    ]
    assert metas[0] < min(names.index("style"), names.index("script"))


@pytest.mark.parametrize("ending", ["</script>", "</SCRIPT x", "</style>", "</StYlE", "<!--"])
def test_a_style_or_script_that_would_end_early_is_refused(ending):
    for given in ({"styles": [f"a {ending}"]}, {"scripts": [f"a = '{ending}'"]}):
        with pytest.raises(ValueError, match="end early"):
            page("t", "b", **given)


@pytest.mark.parametrize("name", NAMES)
def test_a_title_is_text(name):
    text = page(name, "<p>b</p>")
    assert len(Elements(text).of("title")) == 1
    assert not Elements(text).of("script")
    shown = Elements(text).of("title")[0][1]
    assert shown[:1] == name[:1]
    assert not {"\u202e", "\u2028", "\x1b"} & set(text)


@pytest.mark.parametrize("name", NAMES)
def test_data_in_a_page_are_what_they_were_and_end_nothing(name):
    block = data_block("names", {name: [name, None, 1.5]})
    assert block.count("<") == 2
    ((attributes, text),) = Elements(block).of("script")
    assert attributes == {"type": "application/json", "id": "names"}
    assert json.loads(text) == {name: [name, None, 1.5]}


def test_a_number_that_json_lacks_is_refused():
    with pytest.raises(ValueError, match="JSON"):
        data_block("names", float("nan"))


@pytest.mark.parametrize("lang", languages())
def test_what_stands_before_the_body_can_be_skipped(lang):
    text = page("t", "<p>b</p>", top="<nav>n</nav>", lang=lang, scripts=["1"])
    first, second = Elements(text).of("a")[0], Elements(text).of("main")[0]
    assert first[0]["href"] == f"#{second[0]['id']}"
    assert first[1].strip() == words_of(lang)("page.skip")
    assert text.index(first[1].strip()) < text.index("<nav>") < text.index("<main")
    assert f'<html lang="{lang}">' in text
    assert words_of(lang)("page.dark") in text


def test_a_page_is_the_same_each_time():
    assert page("t", "b", scripts=["1"]) == page("t", "b", scripts=["1"])
