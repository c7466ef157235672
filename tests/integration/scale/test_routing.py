"""Neo4j beyond one server: routing, bookmarks, and a leader that changes; real driver, real server, a proxy between."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from ravu_kg.errors import UnavailableError
from ravu_kg.graph.export import canonical
from ravu_kg.graph.reader import GraphReader
from ravu_kg.graph.store import Store
from ravu_kg.graph.writer import GraphWriter
from ravu_kg.server import Endpoint
from tests.builders import Scene, a_scene, vectors, write_scene
from tests.integration.scale.members import Member

pytestmark = pytest.mark.neo4j

NODES = b"MERGE (n:FrameNode"
COMMIT = b"\xb0\x12"
Open = Callable[[Member], Store]


@pytest.fixture
def server_port(neo4j_endpoint: Endpoint) -> int:
    return int(neo4j_endpoint.bolt_uri.rpartition(":")[2])


@pytest.fixture
def member(server_port: int) -> Iterator[Member]:
    one = Member(server_port)
    yield one
    one.stop()


@pytest.fixture
def opened(neo4j_endpoint: Endpoint, store: Store) -> Iterator[Open]:
    """Connects by routing, through a member."""
    with ExitStack() as stack:
        yield lambda member: stack.enter_context(
            Store.connect(member.uri, neo4j_endpoint.username, neo4j_endpoint.password)
        )


def written(store: Store, video_id: str) -> tuple[Scene, dict[str, object]]:
    scene = a_scene(video_id)
    write_scene(store, scene)
    return scene, canonical(store, video_id)


def twin(graph: dict[str, object], old: str, new: str) -> str:
    return repr(graph).replace(old, new)


def test_a_single_server_is_written_and_read_by_routing(
    neo4j_endpoint: Endpoint, store: Store, unique_video: str
) -> None:
    uri = neo4j_endpoint.bolt_uri.replace("bolt://", "neo4j://")
    with Store.connect(uri, neo4j_endpoint.username, neo4j_endpoint.password) as routed:
        assert routed.server_version == store.server_version
        written(routed, unique_video)
        reader = GraphReader(routed)
        assert len(reader.nearest_nodes(reader.video(unique_video), vectors(1)[0], 5)) == 5
        assert routed.query_readonly("MATCH (n:FrameNode {videoId: $v}) RETURN count(n) AS n", {"v": unique_video}).rows
    assert canonical(store, unique_video)["video"]


def test_reads_carry_the_bookmarks_of_the_writes_before_them(
    opened: Open, member: Member, store: Store, unique_video: str
) -> None:
    writer = opened(member)
    written(writer, unique_video)
    assert writer.bookmarks
    mark = writer.bookmarks[-1].encode()
    member.seen.clear()
    writer.read("reasoning/video", video_id=unique_video)
    assert any(mark in sent for sent in member.seen), "a cluster's reader could be behind"
    # Another connection, of another process perhaps, follows when it is told to.
    other = opened(member)
    member.seen.clear()
    other.read("reasoning/video", video_id=unique_video)
    assert not any(mark in sent for sent in member.seen)
    other.follow(writer.bookmarks)
    member.seen.clear()
    other.read("reasoning/video", video_id=unique_video)
    assert any(mark in sent for sent in member.seen)


@pytest.mark.parametrize("cut", ["cut_before", "cut_after"])
def test_a_connection_that_is_cut_before_a_write_or_while_it_runs_costs_nothing(
    opened: Open, member: Member, store: Store, unique_video: str, cut: str
) -> None:
    _, wanted = written(store, unique_video)
    through = opened(member)
    setattr(member, cut, NODES)
    written(through, unique_video[::-1])
    assert getattr(member, cut) is None, "it was cut"
    assert repr(canonical(store, unique_video[::-1])) == twin(wanted, unique_video, unique_video[::-1])


def test_a_connection_that_is_lost_at_the_commit_is_told_and_the_next_run_goes_on(
    opened: Open, member: Member, store: Store, unique_video: str
) -> None:
    _, wanted = written(store, unique_video)
    through, scene = opened(member), a_scene(unique_video[::-1])
    writer = GraphWriter(through)
    writer.begin(scene.video, scene.entities, scene.links)
    member.cut_after = COMMIT
    with pytest.raises(UnavailableError, match="Run the same command again"):
        writer.write_window(scene.video.id, scene.windows[0], scene.embeddings(scene.windows[0]))
    write_scene(through, scene)
    assert repr(canonical(store, unique_video[::-1])) == twin(wanted, unique_video, unique_video[::-1])


def test_a_leader_that_dies_is_replaced_by_the_next_one(
    opened: Open, server_port: int, store: Store, unique_video: str
) -> None:
    _, wanted = written(store, unique_video)
    first, second, seed = (Member(server_port, leads=lambda: leader) for _ in range(3))
    leader = first
    try:
        through, scene = opened(seed), a_scene(unique_video[::-1])
        writer = GraphWriter(through)
        writer.begin(scene.video, scene.entities, scene.links)
        writer.write_window(scene.video.id, scene.windows[0], scene.embeddings(scene.windows[0]))
        assert first.connections
        assert not second.connections
        leader = second
        first.stop()
        write_scene(through, scene)
        assert any(NODES in sent for sent in second.seen)
        assert repr(canonical(store, unique_video[::-1])) == twin(wanted, unique_video, unique_video[::-1])
    finally:
        for one in (seed, second):
            one.stop()


def test_a_member_that_does_not_lead_any_more_is_left_for_the_leader(
    opened: Open, server_port: int, store: Store, unique_video: str
) -> None:
    _, wanted = written(store, unique_video)
    first, second, seed = (Member(server_port, leads=lambda: leader) for _ in range(3))
    leader = first
    try:
        through, scene = opened(seed), a_scene(unique_video[::-1])
        writer = GraphWriter(through)
        writer.begin(scene.video, scene.entities, scene.links)
        leader = second
        first.not_leading = 1
        write_scene(through, scene)
        assert first.not_leading == 0, "it was asked, and refused"
        assert any(NODES in sent for sent in second.seen)
        assert repr(canonical(store, unique_video[::-1])) == twin(wanted, unique_video, unique_video[::-1])
    finally:
        for one in (seed, first, second):
            one.stop()
