"""Fusion: three runs in memory made into one."""

from __future__ import annotations

from harness import Command
from workload import Maker, Setting, Workload

FILES = ("{data}/w2_00.run", "{data}/w2_01.run", "{data}/w2_02.run")


def fused(way: str, title: str) -> Maker:
    def make(setting: Setting) -> Workload:
        setting.data("w2")
        words = (way, *FILES)
        return Workload(
            f"{title} of three runs of 250 queries × 1,000 rows in memory",
            Command("rankwell", setting.script("ours_fusion.py", *words), clock="call"),
            (setting.peer("ranx", "peer_fusion.py", *words, clock="call"),),
            repeats=3,
        )

    return make


WORKLOADS: dict[str, Maker] = {
    "fuse_rrf": fused("rrf", "reciprocal rank fusion"),
    "fuse_mnz": fused("mnz", "CombMNZ after min-max"),
    "fuse_med": fused("med", "CombMED after sum"),
    "fuse_weighted": fused("weighted", "a weighted sum after z"),
}
