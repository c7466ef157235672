"""One tiny call of a role's model: whether it answers, how fast, at what price, with images and schemas."""

from __future__ import annotations

import io
import time
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from ravu_kg.models import structured
from ravu_kg.models.prices import PriceTable
from ravu_kg.models.roles import IMAGE_ROLES, Role, reference_of
from ravu_kg.protocols import LanguageModel
from ravu_kg.settings import Settings
from ravu_kg.types import ModelRequest, Picture

_SIDE_PX = 64
_OUTPUT_TOKENS = 1024  # mostly room for reasoning that is not shown


class _Seen(BaseModel):
    model_config = ConfigDict(title="probe")

    colour: str


@dataclass(frozen=True, slots=True)
class Probe:
    """What a call showed."""

    latency_s: float
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    """None for a model without a price."""
    images: bool | None
    """Whether it saw the picture; None for a role that looks at none."""
    schema: bool
    """Whether the reply had the form that was asked for."""
    said: str

    @property
    def good(self) -> bool:
        """Whether the model can do what its role needs."""
        return self.schema and self.images is not False

    @property
    def in_words(self) -> str:
        """On one line."""
        cost = "no price known" if self.cost_usd is None else f"${self.cost_usd:.6f}"
        images = {True: "; images work", False: f"; it did not see the red picture: {self.said[:80]!r}", None: ""}
        schema = "schemas work" if self.schema else f"it did not keep to the schema: {self.said[:80]!r}"
        return (
            f"answered in {self.latency_s:.2f} s, {self.input_tokens} tokens in, {self.output_tokens} out, {cost}; "
            f"{schema}{images[self.images]}"
        )


def probe(settings: Settings, role: Role, model: LanguageModel) -> Probe:
    """Call the model of a role once, without any further attempt and past the store of replies.

    Raises:
        ProviderError: the call failed.
    """
    reference = reference_of(settings, role)
    looks = role in IMAGE_ROLES
    request = ModelRequest(
        "Answer in the form that is asked for.",
        ("Which colour has this picture?", _red()) if looks else ("Which colour has a ripe tomato? One word.",),
        structured.schema_of(_Seen),
        _OUTPUT_TOKENS,
    )
    started_s = time.perf_counter()
    reply = model.complete(request, settings.calls.timeout_s)
    latency_s = time.perf_counter() - started_s
    try:
        structured.parse(reply.text, _Seen)
    except structured.InvalidReplyError:
        schema = False
    else:
        schema = True
    cost = PriceTable.today(settings.prices).cost_usd(
        reference, reply.input_tokens, reply.output_tokens, reply.cached_tokens
    )
    images = "red" in reply.text.lower() if looks else None
    return Probe(latency_s, reply.input_tokens, reply.output_tokens, cost, images, schema, reply.text)


def _red() -> Picture:
    from PIL import Image

    file = io.BytesIO()
    Image.new("RGB", (_SIDE_PX, _SIDE_PX), (255, 0, 0)).save(file, "PNG")
    return Picture(file.getvalue(), "image/png", _SIDE_PX, _SIDE_PX)
