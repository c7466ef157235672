"""Google's Gemini models: ``gemini:MODEL``, by the Gemini API with a key from ``GEMINI_API_KEY`` or ``GOOGLE_API_KEY``.

What a model refuses (schemas, instructions of their own, a level of thinking) is asked for in the next best way, and
remembered.
"""

from __future__ import annotations

import os
import time
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar, cast

from ravu_kg.errors import ConfigurationError, MissingExtraError
from ravu_kg.providers import model_errors, reply_schema, text_only
from ravu_kg.providers.abilities import Abilities, Memory, ReplyForm
from ravu_kg.providers.model_errors import Endpoint, Failure
from ravu_kg.providers.model_options import Options, key_of
from ravu_kg.types import ModelReply, ModelRequest

if TYPE_CHECKING:
    from google import genai

    from ravu_kg.providers.gemini_wire import Safety, Way
    from ravu_kg.providers.hosted_embedder import HostedEmbedder, Kind

_Answer = TypeVar("_Answer")
_OPTIONS = ("base_url", "images", "safety", "temperature", "reasoning", "dimensions")
_SAFETY = ("none", "low", "medium", "high")
_EFFORTS = ("auto", "none", "minimal", "low", "medium", "high")
_KEYS = ("GEMINI_API_KEY", "GOOGLE_API_KEY")
_PLACE = "Google's Gemini API"  # its address is the SDK's business
_ENCODER_DIMENSIONS = 768
"""Of the lengths that Google recommends the one of the other encoders here; a 3,072 is four times the storage."""
_MISREAD = (AttributeError, TypeError, ValueError, RecursionError)
"""What the SDK raises on a body of another shape, such as a list where it takes a word for granted."""
_ENCODER_BATCH = 100  # the most that one request may hold


def create(model: str, options: Mapping[str, object]) -> GeminiModel:
    """Entry point ``gemini`` of language models.

    Args:
        model: name of the model.
        options: ``base_url``, another address; ``images``, whether the model takes images (by default judged by its
            name); ``safety``, how much Gemini's filters block: ``none`` (the default), ``low``, ``medium`` or ``high``;
            ``temperature`` (0..2; by default 0, and Google's own for Gemini 3 and later, which loop when it is low);
            ``reasoning``, the effort of models that think before they reply (by default the least that the model
            takes). ``dimensions`` is for embeddings.

    Raises:
        ConfigurationError: an option is wrong, no model is named, or there is no key.
        MissingExtraError: the SDK is not installed.
    """
    chosen = Options("gemini", options, _OPTIONS)
    images = chosen.flag("images")
    choices = _Choices(
        images=text_only.takes_images(model) if images is None else images,
        # The choice was checked against the literals of the type.
        safety=cast("Safety", chosen.choice("safety", _SAFETY, "none")),
        temperature=chosen.number("temperature", 0, 2),
        reasoning=chosen.choice("reasoning", _EFFORTS, "auto"),
    )
    connection = _connect(model, chosen)
    return GeminiModel(connection, choices)


def create_embedder(model: str, options: Mapping[str, object]) -> HostedEmbedder:
    """Entry point ``gemini`` of embedders.

    Args:
        model: name of the model.
        options: ``base_url`` and ``dimensions`` (by default 768); the others are of language models.

    Raises:
        ConfigurationError: an option is wrong, no model is named, or there is no key.
        MissingExtraError: the SDK is not installed.
    """
    from ravu_kg.providers.hosted_embedder import HostedEmbedder

    chosen = Options("gemini", options, _OPTIONS)
    dimensions = chosen.count("dimensions") or _ENCODER_DIMENSIONS
    connection = _connect(model, chosen)
    from google.genai import types

    # The models of the first generation are told the task; later ones read it before the text.
    told = "embedding-001" in model or model.startswith("text-embedding")
    before = {"query": "task: search result | query: ", "document": "title: none | text: "}

    def vectors(texts: list[str], kind: Kind, timeout_s: float) -> list[list[float]]:
        contents = [types.Content(parts=[types.Part(text=text if told else before[kind] + text)]) for text in texts]
        config = types.EmbedContentConfig(
            http_options=types.HttpOptions(timeout=round(timeout_s * 1000)),
            task_type=f"RETRIEVAL_{kind.upper()}" if told else None,
            output_dimensionality=dimensions,
        )
        answer = _ask(
            connection,
            timeout_s,
            # The list is one of contents, which the SDK's union of lists does not accept for lack of covariance.
            lambda: connection.client.models.embed_content(model=model, contents=list(contents), config=config),
        )
        if isinstance(answer, Failure):
            from ravu_kg.providers import gemini_wire

            raise gemini_wire.error(connection.endpoint, answer, with_images=False)
        return [embedding.values or [] for embedding in answer.embeddings or []]

    name = f"gemini:{model}" if dimensions == _ENCODER_DIMENSIONS else f"gemini:{model}@{dimensions}"
    embedder = HostedEmbedder(name, vectors, _ENCODER_BATCH, dimensions, Memory(connection.endpoint.where, name))
    weakref.finalize(embedder, connection.close)
    return embedder


@dataclass(frozen=True, slots=True)
class _Choices:
    """What the user chose."""

    images: bool
    safety: Safety
    temperature: float | None
    reasoning: str


@dataclass(frozen=True, slots=True)
class _Connection:
    """A client without retries, and what it is connected to."""

    client: genai.Client
    endpoint: Endpoint
    close: Callable[[], None]


class GeminiModel:
    """A model behind the Gemini API. Safe to call from threads."""

    def __init__(self, connection: _Connection, choices: _Choices) -> None:
        self._connection = connection
        self._endpoint = connection.endpoint
        self._choices = choices
        self._memory = Memory(connection.endpoint.where, connection.endpoint.model)
        self._odd_schemas: set[str] = set()
        weakref.finalize(self, connection.close)

    def __repr__(self) -> str:
        return f"<{self.name} at {self._endpoint.where}>"

    @property
    def name(self) -> str:
        """``gemini:MODEL``."""
        return self._endpoint.name

    @property
    def accepts_images(self) -> bool:
        """By the option ``images``, else by the model's name."""
        return self._choices.images

    @property
    def reply_form(self) -> ReplyForm:
        """How structured replies are asked for, as far as the model has been found to allow."""
        return self._memory.get().form or "json_schema"

    def complete(self, request: ModelRequest, timeout_s: float) -> ModelReply:
        """One call; more only where the model refuses how it is put.

        Raises:
            RefusalError: the request was blocked, or the reply stopped by a filter.
            ProviderError: anything else.
        """
        from ravu_kg.providers import gemini_wire

        with_images = gemini_wire.has_images(request)
        if with_images and not self.accepts_images:
            raise model_errors.no_images(self._endpoint, "images is false, or its name is one of a text-only model.")
        model, models = self._endpoint.model, self._connection.client.models
        deadline = time.monotonic() + timeout_s
        way = self._first_way(request)
        while True:
            left_s = deadline - time.monotonic()
            contents = gemini_wire.contents(request, way)
            config = gemini_wire.config(model, request, way, self._choices.safety, left_s)
            answer = _ask(
                self._connection,
                left_s,
                # The SDK's union of lists is not covariant.
                lambda contents=contents, config=config: models.generate_content(
                    model=model, contents=list(contents), config=config
                ),
            )
            if not isinstance(answer, Failure):
                return gemini_wire.read(self._endpoint, answer, gemini_wire.limit_of(model, request, way))
            other = gemini_wire.other_way(way, answer, with_schema=request.schema is not None)
            if other is None:  # each way gives something up, so that this ends
                raise gemini_wire.error(self._endpoint, answer, with_images=with_images)
            if way.form == "json_schema" != other.form and model_errors.blames_schema(answer):
                self._odd_schemas.add(_title(request))
            else:
                self._memory.learn(_difference(way, other))
            way = other

    def close(self) -> None:
        """Close the connections; the model cannot be used again."""
        self._connection.close()

    def _first_way(self, request: ModelRequest) -> Way:
        from ravu_kg.providers import gemini_wire

        choices, known, model = self._choices, self._memory.get(), self._endpoint.model
        form: ReplyForm = known.form or "json_schema"
        if form == "json_schema" and _title(request) in self._odd_schemas:
            form = "json_object"
        reasoning = choices.reasoning if choices.reasoning != "auto" else gemini_wire.least_reasoning(model)
        if known.reasoning is not None and choices.reasoning == "auto":
            reasoning = known.reasoning or None
        temperature = choices.temperature
        if temperature is None and gemini_wire.generation(model) < 3:
            temperature = 0.0
        return gemini_wire.Way(
            form=form,
            temperature=None if known.temperature is False else temperature,
            reasoning=reasoning,
            system=known.system is not False,
        )


def _difference(before: Way, after: Way) -> Abilities:
    """What a refusal taught."""
    return Abilities(
        form=after.form if after.form != before.form else None,
        temperature=False if after.temperature != before.temperature else None,
        reasoning=(after.reasoning or "") if after.reasoning != before.reasoning else None,
        system=False if after.system != before.system else None,
    )


def _title(request: ModelRequest) -> str:
    return reply_schema.title(request.schema) if request.schema is not None else ""


def _connect(model: str, options: Options) -> _Connection:
    base_url = options.address("base_url")
    if not model:
        raise ConfigurationError("No model is named: write gemini:MODEL.")
    found = key_of(*_KEYS)
    if found is None:
        raise ConfigurationError(
            f"{_KEYS[0]} is not set, which gemini:{model} needs. Set it (or {_KEYS[1]}) in the environment."
        )
    variable, key = found
    try:
        from google import genai
        from google.genai import types

        from ravu_kg.providers import model_http
    except ImportError as error:
        raise MissingExtraError("The provider 'gemini'", "gemini") from error
    base_url = base_url or os.environ.get("GOOGLE_GEMINI_BASE_URL") or None
    http = model_http.client()
    client = genai.Client(
        vertexai=False,
        api_key=key,
        http_options=types.HttpOptions(
            base_url=base_url, httpx_client=http, retry_options=types.HttpRetryOptions(attempts=1)
        ),
    )
    endpoint = Endpoint(f"gemini:{model}", model_http.place(base_url) if base_url else _PLACE, variable, key)
    return _Connection(client, endpoint, http.close)


def _ask(connection: _Connection, timeout_s: float, call: Callable[[], _Answer]) -> _Answer | Failure:
    """What a call of the SDK gave, or the HTTP error.

    Raises:
        ProviderError: there was no answer.
    """
    import httpx2
    from google.genai import errors
    from pydantic import ValidationError

    from ravu_kg.providers import gemini_wire, model_http

    endpoint = connection.endpoint
    try:
        if timeout_s <= 0:
            raise model_errors.timed_out(endpoint, 0.0)
        return call()
    except errors.APIError as error:
        # The SDK leaves both open: its transports have several classes, and details are any JSON.
        response: object = getattr(error, "response", None)
        details: object = getattr(error, "details", None)
        headers: Mapping[str, str] = getattr(response, "headers", None) or {}
        return gemini_wire.failure(error.code, details, model_http.retry_after_s(headers))
    except httpx2.TimeoutException as error:
        raise model_errors.timed_out(endpoint, timeout_s) from error
    except httpx2.HTTPError as error:
        connected = not isinstance(error, httpx2.ConnectError)
        raise model_errors.unreachable(endpoint, error, connected=connected) from error
    except (ValidationError, errors.UnknownApiResponseError, *_MISREAD) as error:
        raise model_errors.garbled(endpoint, str(error)) from error
