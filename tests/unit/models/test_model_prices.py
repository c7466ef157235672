from __future__ import annotations

from datetime import date

import pytest

from ravu_kg.models.prices import PriceTable, checked_on, cost
from ravu_kg.models.roles import ASK_ROLES, INDEX_ROLES, has_model, reference_of
from ravu_kg.settings import PriceSettings, load
from ravu_kg.types import Usage

TABLE = PriceTable({}, date(2026, 12, 1))


def test_input_cached_input_and_output_have_their_own_prices():
    assert TABLE.cost_usd("openai:gpt-4o", 1_000_000, 0) == pytest.approx(2.50)
    assert TABLE.cost_usd("openai:gpt-4o", 1_000_000, 0, 400_000) == pytest.approx(0.6 * 2.50 + 0.4 * 1.25)
    assert TABLE.cost_usd("openai:gpt-4o", 0, 2_000_000) == pytest.approx(20.0)


@pytest.mark.parametrize(
    ("version", "model"),
    [
        ("openai:gpt-4o-2024-11-20", "openai:gpt-4o"),
        ("gemini:gemini-2.5-flash-001", "gemini:gemini-2.5-flash"),
        ("gemini:gemini-3-flash-preview", "gemini:gemini-3-flash"),
        ("gemini:gemini-2.5-flash-preview-09-2025", "gemini:gemini-2.5-flash"),
    ],
)
def test_a_version_has_the_price_of_its_model(version: str, model: str):
    assert TABLE.price(version) == TABLE.price(model) is not None


def test_another_model_of_the_family_has_not():
    assert TABLE.price("openai:gpt-4o-audio") is None
    assert TABLE.cost_usd("openai:somebody-s-own", 1, 1) is None
    assert cost("openai:somebody-s-own", Usage(1, 10, 10)) is None


def test_a_price_that_is_announced_holds_from_its_day():
    def price_on(*day: int) -> float:
        price = PriceTable({}, date(*day)).price("gemini:gemini-3.8-flash")
        assert price is not None
        return price.input

    assert price_on(2026, 12, 31) == 0.75
    assert price_on(2027, 1, 1) == 1.50


def test_the_user_s_price_comes_first_and_needs_no_price_of_cached_input():
    own = {"openai:gpt-4o": PriceSettings(input=1, output=2)}
    table = PriceTable(own, date(2026, 12, 1))
    assert table.cost_usd("openai:gpt-4o-2024-11-20", 1_000_000, 1_000_000) == pytest.approx(3.0)
    assert table.cost_usd("openai:gpt-4o", 1_000_000, 1_000_000, 500_000) == pytest.approx(3.0)
    assert cost("openai:gpt-4o", Usage(1, 1_000_000, 1_000_000), own) == pytest.approx(3.0)


def test_the_models_of_the_profiles_have_prices(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for profile in ("gemini", "openai", "local"):
        settings = load({"profile": profile})
        table = PriceTable.today(settings.prices)
        used = {reference_of(settings, role) for role in (*INDEX_ROLES, *ASK_ROLES) if has_model(settings, role)}
        assert used
        assert [reference for reference in used if table.price(reference) is None] == []


def test_the_table_says_when_it_was_checked():
    assert date(2026, 1, 1) < checked_on() <= date.today()
