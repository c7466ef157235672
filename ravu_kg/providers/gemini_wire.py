"""Requests in Gemini's words, its replies and errors, and what to ask for instead when a model refuses something."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from google.genai import types
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ravu_kg.errors import ProviderError
from ravu_kg.providers import model_errors, reply_schema
from ravu_kg.providers.abilities import ReplyForm
from ravu_kg.providers.model_errors import Endpoint, Failure
from ravu_kg.types import ModelReply, ModelRequest, Picture

Safety = Literal["none", "low", "medium", "high"]

_THRESHOLDS: dict[Safety, types.HarmBlockThreshold] = {
    "none": types.HarmBlockThreshold.OFF,
    "low": types.HarmBlockThreshold.BLOCK_ONLY_HIGH,
    "medium": types.HarmBlockThreshold.BLOCK_MEDIUM_AND_ABOVE,
    "high": types.HarmBlockThreshold.BLOCK_LOW_AND_ABOVE,
}
"""How much is blocked."""
_CATEGORIES = (
    types.HarmCategory.HARM_CATEGORY_HARASSMENT,
    types.HarmCategory.HARM_CATEGORY_HATE_SPEECH,
    types.HarmCategory.HARM_CATEGORY_SEXUALLY_EXPLICIT,
    types.HarmCategory.HARM_CATEGORY_DANGEROUS_CONTENT,
)
_BUDGETS = {"none": 0, "minimal": 512, "low": 1024, "medium": 8192, "high": 24576}
"""Tokens of thought of the models before Gemini 3, by effort; 512 is the least that all take which always think."""
_HIDDEN_TOKENS = {"none": 512, "minimal": 512, "low": 2048, "medium": 8192, "high": 16384}
"""What later models may spend by level beside the reply; none of them can be told to spend nothing."""
_UNKNOWN_HIDDEN_TOKENS = 4096
_NEWEST = 3.0
_NEXT_EFFORT = {"none": "minimal", "minimal": "low"}
_DECLINED = {
    types.FinishReason.SAFETY,
    types.FinishReason.RECITATION,
    types.FinishReason.BLOCKLIST,
    types.FinishReason.PROHIBITED_CONTENT,
    types.FinishReason.SPII,
    types.FinishReason.IMAGE_SAFETY,
    types.FinishReason.IMAGE_PROHIBITED_CONTENT,
    types.FinishReason.IMAGE_RECITATION,
    types.FinishReason.ESCALATION,
    types.FinishReason.MODEL_ARMOR,
}
_FORM_REFUSED = re.compile(r"json.?mode|json.?schema|response.?schema|response.?mime|schema", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Way:
    """One way to put a request; a refusal leads to the next."""

    form: ReplyForm
    temperature: float | None
    reasoning: str | None
    """Effort to ask for; None says nothing about it."""
    system: bool
    """Whether instructions go into their own field."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore")


class _Violation(_Part):
    quota: str = Field(default="", alias="quotaId")


class _Detail(_Part):
    retry_delay: str = Field(default="", alias="retryDelay")
    reason: str = ""
    violations: list[_Violation] = []


class _Error(_Part):
    message: str = ""
    status: str = ""
    details: list[_Detail] = []


class _ErrorBody(_Part):
    error: _Error


def generation(model: str) -> float:
    """The number of a Gemini model; 0 for another. A name without one (``gemini-flash-latest``) is of the newest."""
    name = model.rpartition("/")[2]
    if not name.startswith("gemini-"):
        return 0.0
    match = re.match(r"gemini-(\d+(?:\.\d+)?)", name)
    return float(match[1]) if match else _NEWEST


def least_reasoning(model: str) -> str | None:
    """The least effort that a model takes, by its name; None for models that do not think."""
    number = generation(model)
    if number < 2.5:
        return None
    return "minimal" if number >= 3 or "pro" in model else "none"


def limit_of(model: str, request: ModelRequest, way: Way) -> int:
    """Output tokens to allow, with room for hidden ones so that they do not eat the reply."""
    if generation(model) < 2.5:
        return request.max_output_tokens
    if way.reasoning is None:
        return request.max_output_tokens + _UNKNOWN_HIDDEN_TOKENS
    hidden = _HIDDEN_TOKENS if generation(model) >= 3 else _BUDGETS
    return request.max_output_tokens + hidden[way.reasoning]


def contents(request: ModelRequest, way: Way) -> list[types.Content]:
    """Texts and pictures of the user, in order."""
    parts = [
        types.Part.from_text(text=part)
        if isinstance(part, str)
        else types.Part.from_bytes(data=part.data, mime_type=part.media_type)
        for part in request.parts
    ]
    instructions = _instructions(request, way)
    if instructions and not way.system:
        parts.insert(0, types.Part.from_text(text=instructions))
    return [types.Content(role="user", parts=parts)]


def config(
    model: str, request: ModelRequest, way: Way, safety: Safety, timeout_s: float
) -> types.GenerateContentConfig:
    """Everything else of a request."""
    structured = request.schema is not None and way.form != "prompt"
    schema = reply_schema.for_gemini(request.schema) if request.schema and way.form == "json_schema" else None
    return types.GenerateContentConfig(
        http_options=types.HttpOptions(timeout=max(1, round(timeout_s * 1000))),
        system_instruction=(_instructions(request, way) or None) if way.system else None,
        temperature=way.temperature,
        max_output_tokens=limit_of(model, request, way),
        response_mime_type="application/json" if structured else None,
        response_json_schema=schema,
        safety_settings=[
            types.SafetySetting(category=category, threshold=_THRESHOLDS[safety]) for category in _CATEGORIES
        ],
        thinking_config=_thinking(model, way.reasoning),
    )


def other_way(way: Way, failure: Failure, *, with_schema: bool) -> Way | None:
    """What to try when a model refused a request for its form; None where another form would not help."""
    if failure.status != 400 or "api key" in failure.says:
        return None
    if way.reasoning is not None and re.search(r"thinking|budget", failure.says):
        return replace(way, reasoning=_NEXT_EFFORT.get(way.reasoning))
    if way.system and re.search(r"(?:developer|system).?instruction", failure.says):
        return replace(way, system=False)
    if with_schema and way.form != "prompt" and _FORM_REFUSED.search(failure.says):
        return replace(way, form="json_object" if way.form == "json_schema" else "prompt")
    if way.temperature is not None and "temperature" in failure.says:
        return replace(way, temperature=None)
    return None


def failure(status: int, body: object, header_retry_after_s: float | None) -> Failure:
    """An HTTP error in its own words; the wait comes from Google's RetryInfo, else from the header."""
    try:
        error = _ErrorBody.model_validate(body).error
    except ValidationError:
        return Failure(status, str(body), "", header_retry_after_s)
    waits = [float(match[1]) for detail in error.details if (match := re.match(r"([\d.]+)s$", detail.retry_delay))]
    reasons = [detail.reason for detail in error.details]
    quotas = [violation.quota for detail in error.details for violation in detail.violations]
    code = " ".join(word for word in (error.status, *reasons, *quotas) if word)
    return Failure(status, error.message, code, waits[0] if waits else header_retry_after_s)


def error(endpoint: Endpoint, failure: Failure, *, with_images: bool) -> ProviderError:
    """The error that an HTTP failure means."""
    if failure.status == 429 and "PerDay" in failure.code:
        return model_errors.out_of_quota(endpoint, failure.message)
    bad_key = (
        "API_KEY_INVALID" in failure.code or "api key not valid" in failure.says or "api key expired" in failure.says
    )
    return model_errors.from_status(endpoint, failure, with_images=with_images, bad_key=bad_key)


def read(endpoint: Endpoint, response: types.GenerateContentResponse, limit: int) -> ModelReply:
    """What the model said.

    Raises:
        RefusalError: the request was blocked, or the reply stopped by a filter.
        ProviderError: there is no reply, or hidden reasoning left no room for one.
    """
    blocked = response.prompt_feedback and response.prompt_feedback.block_reason
    if blocked:
        raise model_errors.refusal(endpoint, f"the request was blocked ({blocked.value}).")
    if not response.candidates:
        raise model_errors.garbled(endpoint, "no candidates.")
    candidate = response.candidates[0]
    reason = candidate.finish_reason or types.FinishReason.STOP
    if reason in _DECLINED:
        raise model_errors.refusal(endpoint, f"its filter stopped the reply ({reason.value}).")
    parts = (candidate.content.parts if candidate.content else None) or []
    text = "".join(part.text for part in parts if part.text and not part.thought)
    if reason not in (types.FinishReason.STOP, types.FinishReason.MAX_TOKENS) and not text:
        raise ProviderError(f"{endpoint.name}: the model stopped without a reply ({reason.value}).", retryable=True)
    usage = response.usage_metadata or types.GenerateContentResponseUsageMetadata()
    asked, said, cached, thoughts = (
        count or 0
        for count in (
            usage.prompt_token_count,
            usage.candidates_token_count,
            usage.cached_content_token_count,
            usage.thoughts_token_count,
        )
    )
    if not all(0 <= count < model_errors.MOST_TOKENS for count in (asked, said, cached, thoughts)):
        raise model_errors.garbled(endpoint, "a number of tokens that cannot be.")
    cut = reason is types.FinishReason.MAX_TOKENS
    if cut and thoughts and not text.strip():
        raise model_errors.all_hidden(endpoint, limit)
    return ModelReply(
        text=text,
        finish="length" if cut else "stop",
        input_tokens=asked,
        output_tokens=said + thoughts,
        cached_tokens=cached,
    )


def has_images(request: ModelRequest) -> bool:
    """Whether a request shows pictures."""
    return any(isinstance(part, Picture) for part in request.parts)


def _instructions(request: ModelRequest, way: Way) -> str:
    if request.schema is None or way.form == "json_schema":
        return request.instructions
    return f"{request.instructions}\n\n{reply_schema.in_words(request.schema)}".strip()


def _thinking(model: str, reasoning: str | None) -> types.ThinkingConfig | None:
    if reasoning is None or generation(model) < 2.5:
        return None
    if generation(model) < 3:
        return types.ThinkingConfig(thinking_budget=_BUDGETS[reasoning])
    level = "minimal" if reasoning == "none" else reasoning
    return types.ThinkingConfig(thinking_level=types.ThinkingLevel(level.upper()))
