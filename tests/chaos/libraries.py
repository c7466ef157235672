"""SIGKILL while a library is loaded past the server, and while entities are linked across its videos."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

from ravu_kg.server import EmbeddedServer, ServerConfig
from tests.chaos.ledger import MissedError
from tests.chaos.runs import Runs
from tests.chaos.world import World, content_id, make_clip

FIRST_LOAD, LINKS = "killed: the first load", "killed: linking videos"
_KILLS = 3
_FIRST_LOAD_S = 40.0
"""About what it takes; a kill comes at any moment of it."""
_LINKED = """
MATCH (a:Entity)-[link:SAME_AS]-(b:Entity) WHERE a.videoId = $first AND b.videoId = $second
RETURN a.trackId AS a, b.trackId AS b, round(link.score, 4) AS score, link.status AS status ORDER BY a, b
"""


def first_load(runs: Runs) -> None:
    """An empty memory is filled from a bundle; killed, it is still empty, and in the end it holds the same graph."""
    world = runs.world
    if not runs.ledger.room_for(FIRST_LOAD, "at any moment", 240):
        return
    home, bundle = world.folder / "first-load", world.folder / "plain.ravu"
    env = world.env(world.warm)
    world.run(env, "export", "bundle", world.name_of("plain"), "-o", bundle).must(0)
    env = {name: value for name, value in env.items() if not name.endswith(("BOLT_PORT", "HTTP_PORT"))}
    env["RAVU_KG_SERVER__HOME"] = str(home)
    server = EmbeddedServer(ServerConfig(home, heap_mb=512, page_cache_mb=128))
    try:
        with runs.ledger.case(FIRST_LOAD, "at any moment"):
            for _ in range(_KILLS):
                try:
                    started = world.start(env, "db", "import-full", bundle)
                    started.kill_after(runs.chance.uniform(1.0, _FIRST_LOAD_S))
                except MissedError:  # it was quick
                    break
                assert json.loads(world.run(env, "videos", "list", "--json").must(0).out) == []
            else:
                world.run(env, "db", "import-full", bundle).must(0)
            assert world.graph("plain", server.start()) == runs.plain.graph, "the graph is another one"
            assert not (home / "import").exists() or not list((home / "import").iterdir())
    finally:
        server.stop()


def linking(runs: Runs) -> None:
    """Two clips are indexed and their entities linked; killed at its end and gone on with, the links are the same."""
    world = runs.world
    if not runs.ledger.room_for(LINKS, "at the end of an index", 120):
        return
    env = world.env(world.cache(warm=True))
    folder = world.folder / "alike"
    folder.mkdir()
    with runs.ledger.case(LINKS, "at the end of an index"):
        plain = _clips(folder, "plain")
        took_s = world.run(env, *_index(plain)).must(0).took_s
        wanted = _links(world, plain)
        assert wanted, "nothing was linked"
        world.run(env, "videos", "delete", *map(content_id, plain), "--yes").must(0)
        for number in range(_KILLS):
            clips = _clips(folder, f"{number}")
            with suppress(MissedError):
                world.start(env, *_index(clips)).kill_after(runs.chance.uniform(0.5, 1.0) * took_s)
            world.run(env, *_index(clips)).must(0)
            assert _links(world, clips) == wanted, "other links"
            world.run(env, "videos", "delete", *map(content_id, clips), "--yes").must(0)


def _index(clips: list[Path]) -> tuple[object, ...]:
    return ("index", *clips, "--link-above", "0.2")


def _clips(folder: Path, name: str) -> list[Path]:
    return [make_clip(folder / f"{name}-{part}.mp4", seconds=8) for part in "ab"]


def _links(world: World, clips: list[Path]) -> list[dict[str, object]]:
    first, second = map(content_id, clips)
    with world.store() as store:
        return list(store.query_readonly(_LINKED, {"first": first, "second": second}).rows)
