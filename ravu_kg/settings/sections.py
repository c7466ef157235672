"""The sections of the settings: what can be set, and what holds when it is not."""

from __future__ import annotations

import re
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator


class Section(BaseModel):
    """Known keys only, and never changed."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Neo4jSettings(Section):
    """The server to use; without ``uri`` the embedded one."""

    uri: str | None = None
    username: str = "neo4j"
    database: str = "neo4j"
    password: SecretStr | None = None

    @field_validator("uri")
    @classmethod
    def _holds_no_secret(cls, uri: str | None) -> str | None:
        if uri is not None and re.match(r"[^/]*//[^/]*@", uri):  # the address is shown in messages
            raise ValueError("a user name or password has no place in the address; set NEO4J_USERNAME, NEO4J_PASSWORD")
        return uri


class ServerSettings(Section):
    """The embedded server."""

    version: str = "2026.09.0"
    home: Path | None = None
    """Folder of its data; by default in the user's data folder."""
    bolt_port: int | None = Field(default=None, ge=1, le=65535)
    http_port: int | None = Field(default=None, ge=1, le=65535)
    heap_mb: int | None = Field(default=None, ge=128)
    page_cache_mb: int | None = Field(default=None, ge=16)


class ModelSettings(Section):
    """The provider of each role, as ``name:model``; :mod:`ravu_kg.models.roles` says what unset ones fall back to."""

    detect: str = "auto"
    track: str = "steady"
    describe: str = "measured"
    graph: str | None = None
    sentence: str | None = None
    events: str | None = None
    plan: str = "rules"
    rerank: str | None = None
    identify: str | None = None
    count: str | None = None
    analyze: str | None = None
    answer: str = "extractive"
    embed: str = "sentence-transformers:all-mpnet-base-v2"
    appear: str = "timm:vit_small_patch14_dinov2.lvd142m"
    """Tells entities apart by their pictures once its weights were fetched; until then colours do."""


class CallSettings(Section):
    """How language models are called."""

    concurrency: int = Field(default=8, ge=1, le=256)
    """Calls of one model at a time, at most."""
    timeout_s: float = Field(default=120.0, gt=0, le=3600)
    """How long one call may take."""
    retries: int = Field(default=6, ge=1, le=100)
    """Further attempts after a failure that may pass; waiting for a rate limit counts for none."""
    max_cost_usd: float | None = Field(default=None, gt=0)
    """Ceiling of a run, by the price table."""
    max_tokens: int | None = Field(default=None, gt=0)
    """Ceiling of a run, input and output together."""


class WorkerSettings(Section):
    """Several workers at once: ``index --workers``, ``index --engine ray``."""

    chunk_s: float = Field(default=60.0, ge=20, le=86_400)
    """A video that gives several chunks of at least so many seconds may be detected in them, side by side."""
    detector_gpus: float = Field(default=0.0, ge=0, le=64)
    """Share of a GPU that Ray sets aside for each detector; 0 for none."""
    embedder_gpus: float = Field(default=0.0, ge=0, le=64)
    """Share of a GPU that Ray sets aside for each embedder; 0 for none."""


class PriceSettings(Section):
    """What a model costs, in US dollars per million tokens."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cached_input: float | None = Field(default=None, ge=0)
    """For input that the provider had in its cache; without it the price of input."""
