"""Pictures of items: small copies of real pictures in the folder of the table, and counts of all others."""

from __future__ import annotations

import base64
import io
import os
import sys
from functools import partial

import numpy as np
import pytest
from PIL import Image
from tests.reporting.explorer.explored import explored as of_systems

import rankwell as rw
from rankwell.display.page import album as images
from rankwell.display.page.album import SIDE, Album
from rankwell.errors import UsageError

KINDS = {"PNG": "png", "JPEG": "jpg", "GIF": "gif", "WEBP": "webp"}


def picture(kind, size=(400, 200), *, noise=True, **options):
    draw = np.random.default_rng(5)
    pixels = (
        draw.integers(0, 256, (size[1], size[0], 3), np.uint8)
        if noise
        else np.full((size[1], size[0], 3), 90, np.uint8)
    )
    made = io.BytesIO()
    Image.fromarray(pixels).save(made, kind, **options)
    return made.getvalue()


def opened(uri):
    head, _, body = uri.partition(",")
    assert head == "data:image/webp;base64"
    return Image.open(io.BytesIO(base64.b64decode(body)))


def explored(folder, rows, **options):
    import polars as pl

    pl.DataFrame(rows).write_parquet(folder / "items.parquet")
    ids = [row["item"] for row in rows]
    return of_systems(
        {"run": {"q": ids}}, {"q": {ids[0]: 1}}, ["rr"], items=str(folder / "items.parquet"), **options
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_picture_in_the_folder_is_embedded_small(tmp_path, kind):
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / f"one.{KINDS[kind]}").write_bytes(picture(kind))
    data = explored(tmp_path, [{"item": "a", "image": f"pictures/one.{KINDS[kind]}"}])
    assert data["items"][0]["picture"] == 0
    assert data["pictures_left_out"] == {}
    with opened(data["pictures"][0]) as small:
        assert small.size == (SIDE, SIDE // 2)
    assert len(data["pictures"][0]) < 30_000


def test_a_data_uri_is_drawn_again(tmp_path):
    content = picture("PNG")
    plain = "data:image/png;base64," + base64.b64encode(content).decode()
    quoted = "data:image/png," + "".join(f"%{byte:02x}" for byte in content)
    data = explored(tmp_path, [{"item": "a", "image": plain}, {"item": "b", "image": quoted}])
    assert [item["picture"] for item in data["items"]] == [0, 1]
    assert data["pictures"][0] == data["pictures"][1] != plain


def test_nothing_but_the_picture_is_kept_of_a_file(tmp_path):
    exif = Image.Exif()
    exif[0x010E] = "ADA LOVELACE, 51.5 N"
    exif[0x0112] = 6  # lies on its side
    (tmp_path / "one.jpg").write_bytes(
        picture("JPEG", exif=exif, comment=b"SECRET", icc_profile=b"PROFILE" * 20)
    )
    data = explored(tmp_path, [{"item": "a", "image": "one.jpg"}])
    content = base64.b64decode(data["pictures"][0].partition(",")[2])
    assert not any(word in content for word in (b"ADA", b"SECRET", b"PROFILE", b"EXIF", b"ICCP"))
    with opened(data["pictures"][0]) as small:
        assert small.size == (SIDE // 2, SIDE)  # upright


@pytest.mark.parametrize(
    "address", ["https://example.org/a.png", "HTTP://example.org/a", "//example.org/a.png"]
)
def test_an_address_is_text_and_never_fetched(tmp_path, address, monkeypatch):
    monkeypatch.setattr("socket.socket.connect", lambda *_: pytest.fail("the network was asked"))
    data = explored(tmp_path, [{"item": "a", "image": address}])
    assert data["items"][0] == {"id": "a", "address": address}
    assert (data["pictures"], data["pictures_left_out"]) == ([], {"address": 1})


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("a.svg", b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>", "no_picture"),
        ("a.png", b"\x89PNG\r\n\x1a\n and then nothing", "no_picture"),
        ("a.png", b"<html>", "no_picture"),
        ("a.bmp", picture("BMP"), "no_picture"),
        ("a.tif", picture("TIFF"), "no_picture"),
        ("a.png", b"", "no_picture"),
        ("a.webp", b"RIFF\0\0\0\0WEBPVP8 ", "no_picture"),
        ("missing.png", None, "unreadable"),
        ("a\0.png", None, "unreadable"),
        ("x" * 5000, None, "unreadable"),
        (".", None, "unreadable"),
        ("data:image/png;base64,@@@", None, "unreadable"),
        ("data:image/svg+xml,<svg/>", None, "no_picture"),
        ("data:", None, "no_picture"),
        ("../outside.png", None, "outside"),
        ("/etc/hostname", None, "outside"),
        ("javascript:alert(1)", None, "unreadable"),
        ("file:///etc/hostname", None, "unreadable"),
    ],
)
def test_what_is_no_picture_in_the_folder_is_left_out_and_counted(tmp_path, name, content, why):
    folder = tmp_path / "table"
    folder.mkdir()
    (tmp_path / "outside.png").write_bytes(picture("PNG"))
    if content is not None:
        (folder / name).write_bytes(content)
    data = explored(
        folder, [{"item": "a", "image": name}, {"item": "b", "image": None}, {"item": "c", "image": ""}]
    )
    assert data["pictures_left_out"] == {why: 1}
    assert data["items"] == [{"id": "a"}, {"id": "b"}, {"id": "c"}]


def test_a_link_out_of_the_folder_is_not_followed(tmp_path):
    folder = tmp_path / "table"
    folder.mkdir()
    (tmp_path / "secret.png").write_bytes(picture("PNG"))
    (folder / "link.png").symlink_to(tmp_path / "secret.png")
    assert explored(folder, [{"item": "a", "image": "link.png"}])["pictures_left_out"] == {"outside": 1}


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "a.png")
    assert explored(tmp_path, [{"item": "a", "image": "a.png"}])["pictures_left_out"] == {"unreadable": 1}


def test_every_cut_of_a_file_is_a_picture_or_none():
    for kind in KINDS:
        content = picture(kind, (40, 30))
        for length in range(0, len(content), max(len(content) // 60, 1)):
            small = images.thumbnail(content[:length])
            assert small is None or images.MAGIC.match(small)


def test_a_picture_of_too_many_pixels_is_not_drawn(monkeypatch):
    monkeypatch.setattr(images, "MOST_PIXELS", 10_000)
    assert images.thumbnail(picture("PNG", (200, 51), noise=False)) is None
    assert images.thumbnail(picture("PNG", (200, 50), noise=False)) is not None


def test_pictures_beyond_the_limit_are_left_out_with_a_count(tmp_path, monkeypatch):
    (tmp_path / "one.png").write_bytes(picture("PNG"))
    album = Album(tmp_path)
    album.add("one.png")
    monkeypatch.setattr("rankwell.reporting.explorer.Album", partial(Album, most_together=3 * album.size))
    rows = [{"item": f"d{n}", "image": "one.png"} for n in range(5)]
    data = explored(tmp_path, rows)
    assert [item.get("picture") for item in data["items"]] == [0, 1, 2, None, None]
    assert data["pictures_left_out"] == {"too_many": 2}


def test_the_column_can_be_named_and_one_that_is_not_there_is_refused(tmp_path):
    (tmp_path / "one.png").write_bytes(picture("PNG"))
    rows = [{"item": "a", "Poster": "one.png", "other": "none.png"}]
    assert len(explored(tmp_path, rows)["pictures"]) == 1
    assert explored(tmp_path, rows, image="other")["pictures_left_out"] == {"unreadable": 1}
    with pytest.raises(UsageError, match=r"'postre'.*Did you mean Poster"):
        explored(tmp_path, rows, image="postre")
    with pytest.raises(UsageError, match="give items="):
        rw.report({"run": {"q": ["a"]}}, {"q": {"a": 1}}, ["rr"], image="poster")


def test_without_pillow_one_error_names_the_extra(tmp_path, monkeypatch):
    (tmp_path / "one.png").write_bytes(picture("PNG"))
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(UsageError, match=r"pip install 'rankwell\[report\]'"):
        explored(tmp_path, [{"item": "a", "image": "one.png"}])
