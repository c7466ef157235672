"""What the server received and what it can say: the same records for every protocol."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Protocol = Literal["gemini", "responses", "chat", "gemini_embeddings", "openai_embeddings"]
Format = Literal["text", "json_schema", "json_object"]
Refuses = Literal["json_schema", "json_object", "responses", "images"]


@dataclass(frozen=True, slots=True)
class Received:
    """One request, parsed alike whatever protocol it came by."""

    protocol: Protocol
    model: str
    instructions: str
    """The system text."""
    parts: list[str | bytes]
    """Texts and images of the user, in order."""
    schema: dict[str, object] | None
    """The JSON schema of the reply: from the request's own field, else the one written in the instructions."""
    format: Format
    """How the reply's form was asked for."""
    max_output_tokens: int | None
    number: int
    """How many requests came before."""
    at_s: float
    """When it had arrived, on the monotonic clock."""
    key: str
    path: str
    raw: dict[str, object] = field(repr=False)

    @property
    def texts(self) -> list[str]:
        return [part for part in self.parts if isinstance(part, str)]

    @property
    def images(self) -> list[bytes]:
        return [part for part in self.parts if isinstance(part, bytes)]

    @property
    def stage(self) -> str:
        """Title of the schema; empty without one."""
        return str((self.schema or {}).get("title", ""))


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model says: a JSON value, or text as it is."""

    data: object
    finish: Literal["stop", "length"] = "stop"
    cached_tokens: int = 0
    hidden_tokens: int = 0
    """Spent on reasoning: billed as output and counted against the limit, but not shown."""
    delay_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Fault:
    """What goes wrong instead of, or with, a reply; made by the named constructors below."""

    kind: Literal[
        "error",
        "reset",
        "drip",
        "truncated",
        "fenced",
        "wrong_types",
        "empty",
        "refused",
        "no_images",
        "no_json_schema",
        "no_json_object",
        "only_chat",
    ]
    data: object = None
    status: int = 0
    message: str = ""
    code: str = ""
    """Google's status word and OpenAI's error code."""
    retry_after_s: float | None = None
    seconds: float = 0.0
    how: str = ""

    # --- the server fails

    @classmethod
    def rate_limited(cls, retry_after_s: float | None = None) -> Fault:
        """429, by choice with the wait as the protocol names it: a header, or Google's RetryInfo."""
        return cls("error", status=429, message="Too many requests.", retry_after_s=retry_after_s)

    @classmethod
    def out_of_quota(cls) -> Fault:
        """429 that no wait of a few minutes cures: OpenAI's insufficient_quota, Google's quota of a day."""
        return cls("error", status=429, message="You exceeded your current quota.", code="insufficient_quota")

    @classmethod
    def server_error(cls, status: int = 500, retry_after_s: float | None = None) -> Fault:
        return cls("error", status=status, message="Something broke inside.", retry_after_s=retry_after_s)

    @classmethod
    def error(cls, status: int, message: str, code: str = "") -> Fault:
        """Any other HTTP error in the protocol's own envelope."""
        return cls("error", status=status, message=message, code=code)

    @classmethod
    def reset_midway(cls, data: object = "") -> Fault:
        """The connection is reset after half of the reply."""
        return cls("reset", data=data)

    @classmethod
    def drip(cls, seconds: float, data: object = "") -> Fault:
        """The reply comes a few bytes at a time and takes that long."""
        return cls("drip", data=data, seconds=seconds)

    # --- the model fails

    @classmethod
    def truncated_json(cls, data: object, keep: float = 0.6) -> Fault:
        """The JSON ends after that part of its text; finish is "length"."""
        return cls("truncated", data=data, seconds=keep)

    @classmethod
    def code_fence(cls, data: object) -> Fault:
        """The JSON is in a code fence with a sentence before it."""
        return cls("fenced", data=data)

    @classmethod
    def wrong_types(cls, data: object) -> Fault:
        """Every number becomes words, every text a number, every list an object."""
        return cls("wrong_types", data=data)

    @classmethod
    def empty(cls) -> Fault:
        """A reply without any text."""
        return cls("empty")

    @classmethod
    def refused(cls, how: Literal["filter", "prompt", "model"] = "filter") -> Fault:
        """Content is refused.

        Args:
            how: ``filter`` stops the reply (SAFETY, content_filter); ``prompt`` blocks the request itself
                (promptFeedback, HTTP 400 content_filter); ``model`` declines (a refusal item; Gemini's
                PROHIBITED_CONTENT).
        """
        return cls("refused", how=how)

    # --- the request is not to be had here

    @classmethod
    def expired_key(cls, status: Literal[400, 401, 403] = 401) -> Fault:
        """Gemini says 400 with reason API_KEY_INVALID to a key that has expired, whatever ``status``, unless 403."""
        return cls("error", status=status, message="The API key has expired.", code="expired_key")

    @classmethod
    def unknown_model(cls) -> Fault:
        return cls("error", status=404, message="The model does not exist.", code="model_not_found")

    @classmethod
    def no_images(cls) -> Fault:
        return cls("no_images")

    @classmethod
    def no_json_schema(cls, how: Literal["openai", "llama.cpp"] = "openai") -> Fault:
        """HTTP 400, or llama.cpp's 500, to a request of the format ``json_schema``."""
        return cls("no_json_schema", how=how)

    @classmethod
    def no_json_object(cls) -> Fault:
        return cls("no_json_object")

    @classmethod
    def only_chat(cls) -> Fault:
        """404 to ``/responses``, as a server says that has chat completions alone."""
        return cls("only_chat")
