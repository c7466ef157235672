"""Identities by union of links."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ravu_kg.graph.identity import identities

_IDS = st.integers(1, 12).map(lambda n: f"v#{n}")


def test_links_join_entities_under_the_smallest_id_however_long_the_chain() -> None:
    found = identities(["v#1", "v#2", "v#3", "v#4"], [("v#4", "v#3"), ("v#3", "v#2")])
    assert found == {"v#1": "v#1", "v#2": "v#2", "v#3": "v#2", "v#4": "v#2"}


@given(st.sets(_IDS), st.lists(st.tuples(_IDS, _IDS)))
def test_joined_entities_share_an_identity_which_is_their_smallest_id(
    ids: set[str], links: list[tuple[str, str]]
) -> None:
    found = identities(ids, links)
    assert all(found[one] == found[other] for one, other in links)
    for identity in set(found.values()):
        assert identity == min(entity for entity in found if found[entity] == identity)


@given(st.sets(_IDS, min_size=1), st.lists(st.tuples(_IDS, _IDS)), st.randoms())
def test_the_order_of_links_does_not_matter(ids: set[str], links: list[tuple[str, str]], random) -> None:  # type: ignore[no-untyped-def]
    shuffled = [tuple(random.sample(link, 2)) for link in links]
    random.shuffle(shuffled)
    assert identities(ids, links) == identities(ids, shuffled)
