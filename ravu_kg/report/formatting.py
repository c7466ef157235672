"""How times and numbers are written on a page."""

from __future__ import annotations


def clock(value_s: float, digits: int = 1) -> str:
    """A time in the video: ``0:07.4``, ``1:02:05.5``; without digits ``0:07``."""
    value_s = round(max(0.0, value_s), digits)
    minutes, rest = divmod(value_s, 60)
    hours, minutes = divmod(int(minutes), 60)
    width = 3 + digits if digits else 2
    shown = f"{rest:0{width}.{digits}f}"
    return f"{hours}:{minutes:02d}:{shown}" if hours else f"{minutes}:{shown}"


def price(cost_usd: float | None) -> str:
    """US dollars."""
    return "not known" if cost_usd is None else f"${cost_usd:.4f}"


def readable_on(color: str) -> str:
    """Black or white, whichever is read better on a colour ``#rrggbb``; black for what is no colour."""
    try:
        red, green, blue = (int(color[at : at + 2], 16) for at in (1, 3, 5))
    except ValueError:
        return "#000000"
    return "#000000" if 0.299 * red + 0.587 * green + 0.114 * blue > 128 else "#ffffff"
