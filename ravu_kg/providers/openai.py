"""OpenAI's models, and those behind every server that speaks its protocol: vLLM, Ollama, llama.cpp, LM Studio.

``openai:MODEL`` uses the Responses API, and chat completions where a server has only those. What a server refuses
(schemas, a temperature, an effort of reasoning) is asked for in the next best way, and remembered. The key comes from
``OPENAI_API_KEY``; a server of one's own (``base_url``) needs none.
"""

from __future__ import annotations

import os
import time
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast
from urllib.parse import urlsplit

from ravu_kg.errors import ConfigurationError, MissingExtraError, ProviderError
from ravu_kg.providers import model_errors, openai_replies, openai_requests, reply_schema, text_only
from ravu_kg.providers.abilities import Abilities, Memory, ReplyForm
from ravu_kg.providers.model_errors import Endpoint, Failure
from ravu_kg.providers.model_options import Options, key_of
from ravu_kg.providers.openai_requests import Api, Limit, Way
from ravu_kg.types import ModelReply, ModelRequest, Picture

if TYPE_CHECKING:
    import openai

    from ravu_kg.providers.hosted_embedder import HostedEmbedder, Kind

_OPTIONS = ("base_url", "images", "api", "temperature", "reasoning", "dimensions")
_EFFORTS = ("auto", "none", "minimal", "low", "medium", "high")
_KEY = "OPENAI_API_KEY"
_NO_KEY = "not-needed"
_ENCODER_DIMENSIONS = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
}
_ENCODER_BATCH = 128


def create(model: str, options: Mapping[str, object]) -> OpenAIModel:
    """Entry point ``openai`` of language models.

    Args:
        model: name of the model as its server knows it.
        options: ``base_url``, the address of another server, with its ``/v1``; ``images``, whether the model takes
            images (by default judged by its name); ``api``, ``responses``, ``chat`` or ``auto``; ``temperature``
            (0..2, by default 0 where the model takes it); ``reasoning``, the effort of models that reason before they
            reply (by default the least that the model takes). ``dimensions`` is for embeddings.

    Raises:
        ConfigurationError: an option is wrong, no model is named, or there is no key.
        MissingExtraError: the SDK is not installed.
    """
    chosen = Options("openai", options, _OPTIONS)
    client, endpoint = _connect(model, chosen)
    # The choices were checked against the literals of the types.
    api = cast("Literal['auto', 'responses', 'chat']", chosen.choice("api", ("auto", "responses", "chat"), "auto"))
    images = chosen.flag("images")
    return OpenAIModel(
        client,
        endpoint,
        _Choices(
            images=text_only.takes_images(model) if images is None else images,
            api=api,
            temperature=chosen.number("temperature", 0, 2),
            reasoning=chosen.choice("reasoning", _EFFORTS, "auto"),
        ),
    )


def create_embedder(model: str, options: Mapping[str, object]) -> HostedEmbedder:
    """Entry point ``openai`` of embedders.

    Args:
        model: name of the model; its dimensions are asked for once when they are not known.
        options: ``base_url`` and ``dimensions`` (shorter vectors, for models that can); the others are of language
            models.

    Raises:
        ConfigurationError: an option is wrong, no model is named, or there is no key.
        MissingExtraError: the SDK is not installed.
    """
    from ravu_kg.providers.hosted_embedder import HostedEmbedder

    chosen = Options("openai", options, _OPTIONS)
    client, endpoint = _connect(model, chosen)
    dimensions = chosen.count("dimensions")

    def vectors(texts: list[str], kind: Kind, timeout_s: float) -> list[list[float]]:
        said: dict[str, object] = {"model": model, "input": texts, "encoding_format": "float"}
        if dimensions is not None:
            said["dimensions"] = dimensions
        answer = _post(client, endpoint, "/embeddings", said, timeout_s)
        if isinstance(answer, Failure):
            raise openai_replies.error(endpoint, answer, with_images=False)
        return openai_replies.read_vectors(endpoint, answer)

    known = dimensions or _ENCODER_DIMENSIONS.get(model)
    name = f"openai:{model}" if dimensions is None else f"openai:{model}@{dimensions}"
    embedder = HostedEmbedder(name, vectors, _ENCODER_BATCH, known, Memory(endpoint.where, name))
    weakref.finalize(embedder, client.close)
    return embedder


@dataclass(frozen=True, slots=True)
class _Choices:
    """What the user chose."""

    images: bool
    api: Literal["auto", "responses", "chat"]
    temperature: float | None
    reasoning: str


class OpenAIModel:
    """A model behind the Responses API or chat completions. Safe to call from threads."""

    def __init__(self, client: openai.OpenAI, endpoint: Endpoint, choices: _Choices) -> None:
        self._client = client
        self._endpoint = endpoint
        self._choices = choices
        self._memory = Memory(endpoint.where, endpoint.model)
        self._odd_schemas: set[str] = set()
        self._is_openai = urlsplit(endpoint.where).hostname == "api.openai.com"
        weakref.finalize(self, client.close)

    def __repr__(self) -> str:
        return f"<{self.name} at {self._endpoint.where}>"

    @property
    def name(self) -> str:
        """``openai:MODEL``."""
        return self._endpoint.name

    @property
    def accepts_images(self) -> bool:
        """By the option ``images``, else by the model's name."""
        return self._choices.images

    @property
    def reply_form(self) -> ReplyForm:
        """How structured replies are asked for, as far as the server has been found to allow."""
        return self._memory.get().form or "json_schema"

    def complete(self, request: ModelRequest, timeout_s: float) -> ModelReply:
        """One call; more only where the server refuses how it is put.

        Raises:
            RefusalError: the model or its content filter declined.
            ProviderError: anything else.
        """
        with_images = any(isinstance(part, Picture) for part in request.parts)
        if with_images and not self.accepts_images:
            raise model_errors.no_images(self._endpoint, "images is false, or its name is one of a text-only model.")
        deadline = time.monotonic() + timeout_s
        way = self._first_way(request)
        tried: set[Way] = set()
        found = Abilities()
        while True:
            tried.add(way)
            path = "/responses" if way.api == "responses" else "/chat/completions"
            said = openai_requests.body(self._endpoint.model, request, way)
            answer = _post(self._client, self._endpoint, path, said, deadline - time.monotonic())
            if not isinstance(answer, Failure):
                self._memory.learn(found)
                return openai_replies.read(self._endpoint, way.api, answer, way.limit_of(request))
            other = openai_requests.other_way(
                way, answer, any_api=self._choices.api == "auto", with_schema=request.schema is not None
            )
            if other is None or other in tried:
                if answer.status != 404:  # else neither API is there, which says nothing
                    self._memory.learn(found)
                raise openai_replies.error(self._endpoint, answer, with_images=with_images)
            if way.form == "json_schema" != other.form and model_errors.blames_schema(answer):
                self._odd_schemas.add(_title(request))
            else:
                found = found.model_copy(update=_difference(way, other))
            way = other

    def close(self) -> None:
        """Close the connections; the model cannot be used again."""
        self._client.close()

    def _first_way(self, request: ModelRequest) -> Way:
        choices, known, model = self._choices, self._memory.get(), self._endpoint.model
        api: Api = (known.api or "responses") if choices.api == "auto" else choices.api
        form: ReplyForm = known.form or "json_schema"
        if form == "json_schema" and _title(request) in self._odd_schemas:
            form = "json_object_schema" if api == "chat" else "json_object"
        reasoning = choices.reasoning if choices.reasoning != "auto" else openai_requests.least_reasoning(model)
        if known.reasoning is not None and choices.reasoning == "auto":
            reasoning = known.reasoning or None
        temperature = choices.temperature
        if temperature is None and not openai_requests.reasons(model):
            temperature = 0.0
        # Servers that do not know a limit's new name pass over it without a word.
        limit: Limit = known.limit or ("max_completion_tokens" if self._is_openai else "max_tokens")
        return Way(
            api=api,
            form=form,
            temperature=None if known.temperature is False else temperature,
            reasoning=reasoning,
            limit=limit,
            reasons=openai_requests.reasons(model) or choices.reasoning not in ("auto", "none"),
        )


def _difference(before: Way, after: Way) -> dict[str, object]:
    """What a refusal taught."""
    found: dict[str, object] = {}
    if after.api != before.api:
        found["api"] = after.api
    if after.form != before.form:
        found["form"] = after.form
    if after.temperature != before.temperature:
        found["temperature"] = False
    if after.reasoning != before.reasoning:
        found["reasoning"] = after.reasoning or ""
    if after.limit != before.limit:
        found["limit"] = after.limit
    return found


def _title(request: ModelRequest) -> str:
    return reply_schema.title(request.schema) if request.schema is not None else ""


def _connect(model: str, options: Options) -> tuple[openai.OpenAI, Endpoint]:
    """A client without retries, and what it is connected to."""
    base_url = options.address("base_url")
    if not model:
        raise ConfigurationError("No model is named: write openai:MODEL.")
    try:
        import openai

        from ravu_kg.providers import model_http
    except ImportError as error:
        raise MissingExtraError("The provider 'openai'", "openai") from error
    _, key = key_of(_KEY) or (_KEY, "")
    base_url = base_url or os.environ.get("OPENAI_BASE_URL") or None
    if not key and base_url is None:
        raise ConfigurationError(
            f"{_KEY} is not set, which openai:{model} needs. Set it in the environment, or give the base_url of a "
            "server of your own in [providers.openai]."
        )
    client = openai.OpenAI(api_key=key or _NO_KEY, base_url=base_url, max_retries=0, http_client=model_http.client())
    return client, Endpoint(f"openai:{model}", model_http.place(str(client.base_url)), _KEY, key or _NO_KEY)


def _post(
    client: openai.OpenAI, endpoint: Endpoint, path: str, body: dict[str, object], timeout_s: float
) -> str | Failure:
    """The body of an answer, or the HTTP error.

    Raises:
        ProviderError: there was no answer.
    """
    import httpx2
    import openai

    from ravu_kg.providers import model_http

    try:
        if timeout_s <= 0:
            raise model_errors.timed_out(endpoint, 0.0)
        text = client.post(path, cast_to=httpx2.Response, body=body, options={"timeout": timeout_s}).text
        return openai_replies.disguised_failure(text) or text
    except openai.APIStatusError as error:
        waits = model_http.retry_after_s(error.response.headers)
        return openai_replies.failure(error.status_code, error.body, error.response.text, waits)
    except openai.APITimeoutError as error:
        raise model_errors.timed_out(endpoint, timeout_s) from error
    except openai.APIConnectionError as error:
        cause = error.__cause__ or error
        connected = not isinstance(cause, httpx2.ConnectError)
        raise model_errors.unreachable(endpoint, cause, connected=connected) from error
    except openai.OpenAIError as error:
        raise ProviderError(f"{endpoint.name}: {endpoint.clean(str(error))}") from error
