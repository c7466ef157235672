"""What a server that speaks OpenAI's protocol replied, read from its JSON.

Other servers leave out what they do not know, so that everything but the words themselves may be missing.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from ravu_kg.errors import ProviderError
from ravu_kg.providers import model_errors
from ravu_kg.providers.model_errors import Endpoint, Failure
from ravu_kg.types import ModelReply

DECLINED_CODES = (
    "content_filter",
    "content_policy_violation",
    "image_content_policy_violation",
    "invalid_prompt",
    "moderation_blocked",
)
"""Errors that are refusals of the content."""
Tokens = Annotated[int, Field(ge=0, lt=model_errors.MOST_TOKENS)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore")


class _Details(_Part):
    cached_tokens: Tokens | None = None
    reasoning_tokens: Tokens | None = None


class _Usage(_Part):
    input_tokens: Tokens | None = Field(default=None, alias="prompt_tokens")
    output_tokens: Tokens | None = Field(default=None, alias="completion_tokens")
    input_details: _Details | None = Field(default=None, alias="prompt_tokens_details")
    output_details: _Details | None = Field(default=None, alias="completion_tokens_details")


class _ResponsesUsage(_Part):
    input_tokens: Tokens | None = None
    output_tokens: Tokens | None = None
    input_details: _Details | None = Field(default=None, alias="input_tokens_details")
    output_details: _Details | None = Field(default=None, alias="output_tokens_details")


class _Message(_Part):
    content: str | None = None
    refusal: str | None = None


class _Choice(_Part):
    message: _Message
    finish_reason: str | None = None


class _Chat(_Part):
    choices: list[_Choice] = Field(min_length=1)
    usage: _Usage | None = None


class _Content(_Part):
    type: str
    text: str | None = None
    refusal: str | None = None


class _Item(_Part):
    type: str
    content: list[_Content] | None = None


class _Incomplete(_Part):
    reason: str | None = None


class _Error(_Part):
    code: str | None = None
    message: str | None = None


class _Response(_Part):
    status: str | None = None
    output: list[_Item]
    incomplete_details: _Incomplete | None = None
    error: _Error | None = None
    usage: _ResponsesUsage | None = None


class _Vector(_Part):
    index: int
    embedding: list[float]


class _Vectors(_Part):
    data: list[_Vector]


class _ErrorInReply(_Part):
    """An error that a server sent with HTTP 200."""

    error: JsonValue = None
    output: JsonValue = None
    choices: JsonValue = None
    data: JsonValue = None


class _ErrorBody(_Part):
    """An HTTP error's body, without its envelope ``error``."""

    message: str | None = None
    code: JsonValue = None
    param: JsonValue = None
    detail: JsonValue = None


def read(endpoint: Endpoint, api: Literal["responses", "chat"], body: str, limit: int) -> ModelReply:
    """The reply of either API.

    Args:
        endpoint: who replied.
        api: which of the two.
        body: the reply's JSON.
        limit: output tokens that were allowed.

    Raises:
        RefusalError: the content was declined.
        ProviderError: it is no reply, or hidden reasoning left no room for one.
    """
    try:
        if api == "chat":
            return _chat(endpoint, _Chat.model_validate_json(body), limit)
        return _responses(endpoint, _Response.model_validate_json(body), limit)
    except ValidationError as error:
        raise model_errors.garbled(endpoint, body or "nothing.") from error


def read_vectors(endpoint: Endpoint, body: str) -> list[list[float]]:
    """The vectors of an answer to a request for embeddings, in the order of the texts.

    Raises:
        ProviderError: it is no such answer.
    """
    try:
        found = _Vectors.model_validate_json(body)
    except ValidationError as error:
        raise model_errors.garbled(endpoint, body or "nothing.") from error
    return [vector.embedding for vector in sorted(found.data, key=lambda vector: vector.index)]


def failure(status: int, body: object, text: str, retry_after_s: float | None) -> Failure:
    """An HTTP error in its own words."""
    try:
        said = _ErrorBody.model_validate(body)
    except ValidationError:
        return Failure(status, body if isinstance(body, str) else text, "", retry_after_s)
    words = said.message or (str(said.detail) if said.detail else text)
    codes = [value for value in (said.code, said.param) if isinstance(value, str)]
    return Failure(status, words, " ".join(codes), retry_after_s)


def disguised_failure(text: str) -> Failure | None:
    """The error in a reply that says HTTP 200, as some servers and proxies send it; None for any other reply."""
    try:
        body = _ErrorInReply.model_validate_json(text)
    except ValidationError:
        return None
    if not body.error or any(part is not None for part in (body.output, body.choices, body.data)):
        return None
    code = body.error.get("code") if isinstance(body.error, dict) else None
    if isinstance(code, int) and 400 <= code < 600:
        return failure(code, body.error, text, None)
    return failure(404 if "endpoint" in text.lower() else 500, body.error, text, None)


def error(endpoint: Endpoint, failure: Failure, *, with_images: bool) -> ProviderError:
    """The error that an HTTP failure means."""
    if failure.status < 500 and any(code in failure.code for code in DECLINED_CODES):
        return model_errors.refusal(endpoint, failure.message)
    if failure.status == 402 or (failure.status == 429 and "insufficient_quota" in failure.code):
        return model_errors.out_of_quota(endpoint, failure.message)
    bad_key = failure.status in (400, 403) and "invalid_api_key" in failure.code
    return model_errors.from_status(endpoint, failure, with_images=with_images, bad_key=bad_key)


def _chat(endpoint: Endpoint, chat: _Chat, limit: int) -> ModelReply:
    choice = chat.choices[0]
    if choice.message.refusal:
        raise model_errors.refusal(endpoint, choice.message.refusal)
    if choice.finish_reason == "content_filter":
        raise model_errors.refusal(endpoint, "its content filter stopped the reply.")
    usage = chat.usage or _Usage()
    return _reply(endpoint, choice.message.content or "", choice.finish_reason == "length", usage, limit)


def _responses(endpoint: Endpoint, response: _Response, limit: int) -> ModelReply:
    contents = [content for item in response.output if item.type == "message" for content in item.content or ()]
    for content in contents:
        if content.refusal:
            raise model_errors.refusal(endpoint, content.refusal)
    reason = response.incomplete_details.reason if response.incomplete_details else None
    if reason == "content_filter":
        raise model_errors.refusal(endpoint, "its content filter stopped the reply.")
    if response.status in ("failed", "cancelled"):
        raise _failed(endpoint, response.error or _Error())
    text = "".join(content.text or "" for content in contents if content.type == "output_text")
    cut = response.status == "incomplete" and reason == "max_output_tokens"
    return _reply(endpoint, text, cut, response.usage or _ResponsesUsage(), limit)


def _failed(endpoint: Endpoint, error: _Error) -> ProviderError:
    code, message = error.code or "", error.message or "it gave no reason."
    if any(declined in code for declined in DECLINED_CODES):
        return model_errors.refusal(endpoint, message)
    passing = code in ("", "server_error", "rate_limit_exceeded", "vector_store_timeout")
    return ProviderError(
        f"{endpoint.name}: the reply failed: {endpoint.clean(message)}",
        retryable=passing,
        request_only=not passing,
        rate_limited=code == "rate_limit_exceeded",
    )


def _reply(endpoint: Endpoint, text: str, cut: bool, usage: _Usage | _ResponsesUsage, limit: int) -> ModelReply:
    hidden = (usage.output_details.reasoning_tokens if usage.output_details else None) or 0
    if cut and hidden and not text.strip():
        raise model_errors.all_hidden(endpoint, limit)
    return ModelReply(
        text=text,
        finish="length" if cut else "stop",
        input_tokens=usage.input_tokens or 0,
        output_tokens=usage.output_tokens or 0,
        cached_tokens=(usage.input_details.cached_tokens if usage.input_details else None) or 0,
    )
