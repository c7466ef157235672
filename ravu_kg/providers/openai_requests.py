"""Requests in the words of OpenAI's two APIs, and what to ask for instead when a server refuses something."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass, replace
from typing import Literal

from ravu_kg.providers import reply_schema
from ravu_kg.providers.abilities import ReplyForm
from ravu_kg.providers.model_errors import Failure
from ravu_kg.providers.openai_replies import DECLINED_CODES
from ravu_kg.types import ModelRequest, Picture

Api = Literal["responses", "chat"]
Limit = Literal["max_completion_tokens", "max_tokens"]
Json = dict[str, object]

_EFFORTS = ("none", "minimal", "low", "medium", "high")
_HIDDEN_TOKENS = {"none": 0, "minimal": 512, "low": 2048, "medium": 8192, "high": 16384}
"""What hidden reasoning may take beside the reply, by effort."""
_UNKNOWN_HIDDEN_TOKENS = 4096
_LEAST_LIMIT = 16  # the Responses API refuses less
_REASONING_MODEL = re.compile(r"^(?:o\d|gpt-(?:[5-9]|\d\d)|gpt-oss)", re.IGNORECASE)
_FORM_REFUSED = re.compile(
    r"json.?schema|json.?object|response.?format|text\.format|structured.?output|json.?mode|grammar", re.IGNORECASE
)
_PARAMETER_REFUSED = re.compile(
    r"unsupported|not support|n't support|unrecogni[sz]ed|unknown|extra (?:fields|inputs)|not permitted|use '?max_",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Way:
    """One way to put a request; a refusal leads to the next."""

    api: Api
    form: ReplyForm
    temperature: float | None
    reasoning: str | None
    """Effort to ask for; None says nothing about it."""
    limit: Limit
    reasons: bool
    """Whether the model may spend hidden tokens before it replies."""

    def limit_of(self, request: ModelRequest) -> int:
        """Output tokens to allow, with room for hidden ones so that they do not eat the reply."""
        if not self.reasons:
            return request.max_output_tokens
        hidden = _UNKNOWN_HIDDEN_TOKENS if self.reasoning is None else _HIDDEN_TOKENS[self.reasoning]
        return request.max_output_tokens + hidden


def reasons(model: str) -> bool:
    """Whether a model is known to reason before it replies."""
    return _REASONING_MODEL.match(model.rpartition("/")[2]) is not None


def least_reasoning(model: str) -> str | None:
    """The least effort that a model takes, by its name; None for models that are not known to reason."""
    if not reasons(model):
        return None
    name = model.rpartition("/")[2]
    if re.match(r"o\d|gpt-oss", name):
        return "low"
    return "minimal" if re.match(r"gpt-5(?:-|$)", name) else "none"


def other_way(way: Way, failure: Failure, *, any_api: bool, with_schema: bool) -> Way | None:
    """What to try when a server refused a request for its form; None where another form would not help."""
    if failure.status in (404, 405, 501) and way.api == "responses" and any_api:
        return None if "model_not_found" in failure.code else replace(way, api="chat")
    if failure.status not in (400, 422, 500, 501) or any(code in failure.code for code in DECLINED_CODES):
        return None
    if way.reasoning is not None and re.search(r"reasoning|effort", failure.says):
        return replace(way, reasoning=_next_effort(way.reasoning, failure))
    if way.temperature is not None and "temperature" in failure.says:
        return replace(way, temperature=None)
    if with_schema and way.form != "prompt" and _FORM_REFUSED.search(failure.says):
        return replace(way, form=_next_form(way))
    if way.api == "chat" and way.limit in failure.says and _PARAMETER_REFUSED.search(failure.message):
        other: Limit = "max_tokens" if way.limit == "max_completion_tokens" else "max_completion_tokens"
        return replace(way, limit=other)
    return None


def body(model: str, request: ModelRequest, way: Way) -> Json:
    """The JSON to send."""
    instructions, form = _instructions(request, way), _form(request, way)
    said: Json = {"model": model}
    if way.temperature is not None:
        said["temperature"] = way.temperature
    if way.api == "responses":
        if instructions:
            said["instructions"] = instructions
        said["input"] = [{"role": "user", "content": [_responses_part(part) for part in request.parts]}]
        if form is not None:
            said["text"] = {"format": form}
        if way.reasoning is not None:
            said["reasoning"] = {"effort": way.reasoning}
        # Frames of a user's video are not left on the server.
        return {**said, "max_output_tokens": max(_LEAST_LIMIT, way.limit_of(request)), "store": False}
    said["messages"] = [
        *([{"role": "system", "content": instructions}] if instructions else []),
        {"role": "user", "content": _chat_content(request)},
    ]
    if form is not None:
        said["response_format"] = form
    if way.reasoning is not None:
        said["reasoning_effort"] = way.reasoning
    return {**said, way.limit: way.limit_of(request)}


def _next_effort(effort: str, failure: Failure) -> str | None:
    # "Unsupported value" names an effort that this model lacks; anything else is about the parameter itself.
    if "value" not in failure.says or effort not in _EFFORTS[:-1]:
        return None
    return _EFFORTS[_EFFORTS.index(effort) + 1]


def _next_form(way: Way) -> ReplyForm:
    if way.form == "json_schema":
        # Only chat completions of some servers take a schema with json_object.
        return "json_object_schema" if way.api == "chat" else "json_object"
    return "json_object" if way.form == "json_object_schema" else "prompt"


def _instructions(request: ModelRequest, way: Way) -> str:
    if request.schema is None or way.form == "json_schema":
        return request.instructions
    return f"{request.instructions}\n\n{reply_schema.in_words(request.schema)}".strip()


def _form(request: ModelRequest, way: Way) -> Json | None:
    if request.schema is None or way.form == "prompt":
        return None
    if way.form == "json_object":
        return {"type": "json_object"}
    schema, strict = reply_schema.for_openai(request.schema)
    if way.form == "json_object_schema":
        return {"type": "json_object", "schema": schema}
    named: Json = {"name": reply_schema.title(request.schema), "schema": schema, "strict": strict}
    return {"type": "json_schema", **(named if way.api == "responses" else {"json_schema": named})}


def _responses_part(part: str | Picture) -> Json:
    if isinstance(part, str):
        return {"type": "input_text", "text": part}
    return {"type": "input_image", "image_url": _data_url(part), "detail": "high"}


def _chat_content(request: ModelRequest) -> str | list[Json]:
    texts = [part for part in request.parts if isinstance(part, str)]
    if len(texts) == len(request.parts):
        return "\n\n".join(texts)  # chat templates of text-only models print a list as such
    return [
        {"type": "text", "text": part}
        if isinstance(part, str)
        else {"type": "image_url", "image_url": {"url": _data_url(part), "detail": "high"}}
        for part in request.parts
    ]


def _data_url(picture: Picture) -> str:
    return f"data:{picture.media_type};base64,{base64.b64encode(picture.data).decode('ascii')}"
