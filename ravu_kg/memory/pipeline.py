"""What the settings make of a video: the names and rates that are stored with it. Light to import."""

from __future__ import annotations

from ravu_kg.models.replies import ReplyStore
from ravu_kg.models.roles import WORD_ROLES, has_model, reference_of
from ravu_kg.models.spending import Spending
from ravu_kg.settings import Settings
from ravu_kg.types import replacement_id

MEASURED = "geometry"
_USUAL_WINDOW = 3


def describer(settings: Settings) -> str:
    """Who puts frames into words: ``geometry``, one model, or each stage's model when they differ."""
    if not has_model(settings, "describe"):
        return MEASURED
    names = {role: reference_of(settings, role) for role in WORD_ROLES}
    different = len(set(names.values())) > 1
    name = ", ".join(f"{role} {one}" for role, one in names.items()) if different else names["describe"]
    window = settings.describe_window
    return name if window == _USUAL_WINDOW else f"{name}, window {window}"


def tracking_rate_hz(settings: Settings) -> float:
    """Frames a second that are tracked: a model that detects is asked at the sampling rate, since calls cost money."""
    return 1 / settings.sample_interval_s if has_model(settings, "detect") else settings.tracking_rate_hz


def replies_are_kept(settings: Settings, video_id: str) -> bool:
    """Whether replies of models about a video are in the cache folder; not so for one that came as a bundle."""
    with ReplyStore(settings.cache / "replies.sqlite") as replies:
        return replies.knows(video_id)


def forget_spending(settings: Settings, video_id: str) -> None:
    """Keep nothing of what unfinished runs spent on a video: it is noted with the graph, or is of no interest."""
    spending = Spending(settings.cache / "spending.sqlite")
    for account in (video_id, replacement_id(video_id)):
        spending.forget(account)
    spending.close()
