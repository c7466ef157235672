"""Which video a reply is about, and that it goes with it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from fake_models import reply

from ravu_kg.models.calls import ModelCalls
from ravu_kg.models.replies import LIBRARY, ReplyStore
from ravu_kg.models.roles import INDEX_ROLES
from ravu_kg.settings import Settings
from ravu_kg.types import ModelRequest

Make = Callable[..., Settings]


def asking(text: str) -> ModelRequest:
    return ModelRequest("Give words.", (text,))


@pytest.mark.parametrize(
    ("askers", "deleted", "asked_again"),
    [
        (["a"], "a", True),
        (["a"], "b", False),
        (["a", "b"], "a", False),  # the second came from the store
        (["a", LIBRARY], "a", True),
        ([LIBRARY], "b", True),
    ],
)
def test_a_reply_goes_with_the_last_video_that_asked_for_it(
    install, settings: Make, askers: list[str], deleted: str, asked_again: bool
) -> None:
    model = install(lambda _request, number: reply(("first", "second")[number]))
    with ModelCalls.open(settings(), INDEX_ROLES) as calls:
        for asker in askers:
            assert calls.about(asker).text("events", asking("what?")) == "first"
        assert len(model.requests) == 1

        with ReplyStore(settings().cache / "replies.sqlite") as replies:
            assert replies.forget_video(deleted) == int(asked_again)

        again = calls.about("c").text("events", asking("what?"))
    assert again == ("second" if asked_again else "first")
