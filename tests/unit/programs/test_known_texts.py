"""Texts that passed the gate need not be planned for it again, for a while."""

from __future__ import annotations

import time

import pytest

from ravu_kg.graph.store.adhoc import KnownTexts


def test_a_text_is_known_for_some_minutes(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now_s[0])
    known = KnownTexts()
    known.add("RETURN 1")
    now_s[0] += 299
    assert "RETURN 1" in known
    now_s[0] += 2
    assert "RETURN 1" not in known


def test_only_the_very_same_text_is_known() -> None:
    known = KnownTexts()
    known.add("RETURN 1")
    assert "RETURN 1 " not in known
    assert "return 1" not in known


def test_the_oldest_texts_are_forgotten_for_new_ones() -> None:
    known = KnownTexts()
    for number in range(300):
        known.add(f"RETURN {number}")
        known.add("RETURN 'again'")
    assert "RETURN 299" in known
    assert "RETURN 'again'" in known
    assert "RETURN 3" not in known
