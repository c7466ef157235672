from __future__ import annotations

from itertools import pairwise

from ravu_kg.engines.addresses import is_url, shown
from ravu_kg.engines.following import STEP_S, Growing


def times_indexed(sizes: dict[int, int], until_s: int) -> list[int]:
    """When a file is indexed whose size is looked at each second; between the given times it stays as it is."""
    growing, size, found = Growing(), 0, list[int]()
    for now_s in range(until_s):
        size = sizes.get(now_s, size)
        if growing.is_due(size, float(now_s)):
            growing.done(size, float(now_s))
            found.append(now_s)
    return found


def test_a_file_that_does_not_grow_is_indexed_once_and_soon():
    (once,) = times_indexed({0: 1000}, 200)
    assert once < 10


def test_a_file_that_grows_all_the_time_is_indexed_meanwhile_and_to_its_end():
    found = times_indexed({second: 1000 * (second + 1) for second in range(300)}, 400)
    assert found[0] <= STEP_S + 1
    assert all(later - earlier >= STEP_S for earlier, later in pairwise(found[:-1]))
    assert len(found) <= 15  # ever later, since each takes longer than the one before
    assert 300 <= found[-1] < 310


def test_a_file_that_goes_on_after_a_pause_is_indexed_again():
    first, second = times_indexed({0: 1000, 100: 1010}, 200)
    assert first < 10
    assert 100 < second < 110


def test_an_address_is_shown_without_what_is_secret_in_it():
    assert shown("rtsp://user:pass@host:554/door?key=secret") == "rtsp://host:554/door"
    assert is_url("https://host/a.ts")
    assert not is_url("c:/videos/a.ts")
    assert not is_url("folder/http")
