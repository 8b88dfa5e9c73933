"""The items of the lists that are shown, each once: id, text, picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rankwell.comparison.images import ADDRESS, Album
from rankwell.comparison.one_list import Row
from rankwell.records import record
from rankwell.reporting.explorer.names import Names
from rankwell.reporting.material import Material


@record(eq=False)
class Catalogue:
    """The items by their numbers, and their pictures."""

    numbers: Mapping[str, int]
    items: Sequence[Mapping[str, Any]]
    album: Album

    @classmethod
    def of(cls, material: Material, rows: Sequence[Sequence[Sequence[Row]]]) -> Catalogue:
        """Return the items of some lists, numbered as they come."""
        found: dict[str, str | int] = {}
        for own in rows:
            for listed in own:
                for row in listed:
                    found.setdefault(str(row.item), row.item)
        ids, names = list(found.values()), Names(material.redaction)
        texts = [None] * len(ids) if material.item_texts is None else material.item_texts.of(ids)
        images = [None] * len(ids) if material.item_images is None else material.item_images.of(ids)
        album = Album(".") if material.item_images is None else Album(material.item_images.folder)
        items = [
            {
                "id": names.id("item", item),
                "text": names.text(text),
                "picture": None if image is None else album.add(image),
                **({"address": names.text(image)} if image is not None and ADDRESS.match(image) else {}),
            }
            for item, text, image in zip(ids, texts, images, strict=True)
        ]
        return cls({name: number for number, name in enumerate(found)}, items, album)

    def to_dict(self) -> dict[str, Any]:
        """Return the items and pictures as plain values."""
        return {
            "items": [
                {key: value for key, value in item.items() if value is not None} for item in self.items
            ],
            "pictures": self.album.pictures,
            "pictures_left_out": dict(self.album.left_out),
        }
