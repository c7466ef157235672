"""What went wrong with a hosted model, said alike for every provider and without any secret."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import urlsplit

from ravu_kg.errors import ProviderError, RefusalError

MOST_TOKENS = 2**53
"""What is counted and stored; a server that says more, or less than none, talks nonsense."""
_MOST_SHOWN = 300  # characters of a server's own words
_NO_IMAGES = re.compile(
    r"mmproj|multimodal model|multi-modal model|missing data required for image|at most 0 image|text-only"
    r"|(?:image|vision|modalit).*(?:not support|n't support|unsupported|only support|not enabled|not available)"
    r"|(?:not support|n't support|unsupported|no endpoints).*(?:image|vision|multimodal)"
    r"|unknown variant .?image_url|invalid content type.*image",
    re.IGNORECASE | re.DOTALL,
)
_ONE_SCHEMA_REFUSED = re.compile(
    r"invalid[ _](?:json[ _])?schema|schema conversion|grammar|too many states|schema produces|non-empty"
    r"|schema.*(?:too deep|too large)",
    re.IGNORECASE,
)
_SCHEMAS_REFUSED = re.compile(
    r"not enabled|not support|n't support|unsupported|unknown name|cannot find field|not allowed|not available"
    r"|should be '|unrecogni[sz]ed|unknown",
    re.IGNORECASE,
)
_TOO_LONG = re.compile(r"context.?(?:length|window|size)|too many tokens|token count .* exceeds|maximum.*tokens", re.I)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model behind an address."""

    name: str
    """Reference of the model: ``openai:MODEL``."""
    where: str
    """Address of its server, without secrets."""
    key_variable: str
    """Environment variable of the key."""
    key: str = field(repr=False)

    @property
    def model(self) -> str:
        """The model as its server names it."""
        return self.name.partition(":")[2]

    def clean(self, text: str) -> str:
        """A server's words on one line, shortened and without the key."""
        if self.key:
            text = text.replace(self.key, "********")
        text = " ".join(text.split())
        # Servers quote a key with its middle masked; the ends are a part of a secret as well.
        text = re.sub(r"\b(?:sk|AIza)[-_\w]*\*+[-_\w*]*", "********", text)
        return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"


@dataclass(frozen=True, slots=True)
class Failure:
    """An HTTP error in a provider's words."""

    status: int
    message: str
    code: str = ""
    """The provider's own name of the error; empty without one."""
    retry_after_s: float | None = None

    @property
    def says(self) -> str:
        """Message and code, to look for words in."""
        return f"{self.message} {self.code}".lower()


def blames_schema(failure: Failure) -> bool:
    """Whether it is one schema that was refused, and not schemas as such; in doubt it is."""
    return bool(_ONE_SCHEMA_REFUSED.search(failure.says)) or not _SCHEMAS_REFUSED.search(failure.says)


def from_status(endpoint: Endpoint, failure: Failure, *, with_images: bool, bad_key: bool) -> ProviderError:
    """The error of an HTTP status.

    Args:
        endpoint: who said it.
        failure: what was said.
        with_images: whether the request held images.
        bad_key: whether the provider's own code says that the key is not valid.
    """
    said, status = endpoint.clean(failure.message), failure.status
    if status == 401 or bad_key:
        return ProviderError(
            f"{endpoint.name}: {endpoint.where} does not accept the key in {endpoint.key_variable}: it is wrong or has "
            f"expired. Set a valid one."
        )
    if status == 429:
        return ProviderError(
            f"{endpoint.name}: too many requests for {endpoint.where}: {said}",
            retryable=True,
            retry_after_s=failure.retry_after_s,
            rate_limited=True,
        )
    if with_images and status not in (403, 429) and _NO_IMAGES.search(failure.message):
        return no_images(endpoint, said)
    if status in (408, 409, 425) or status >= 500:
        return ProviderError(
            f"{endpoint.name}: {endpoint.where} failed with HTTP {status}: {said}",
            retryable=True,
            retry_after_s=failure.retry_after_s,
        )
    if status == 403:
        return ProviderError(
            f"{endpoint.name}: {endpoint.where} does not allow this to the key in {endpoint.key_variable}: {said} "
            "Check the rights of the key, its project and the country."
        )
    if status == 404:
        return ProviderError(
            f"{endpoint.name}: {endpoint.where} has no model {endpoint.model!r}, or it is not the address of such a "
            f"server: {said} Check the model's name and base_url."
        )
    if status in (400, 413) and _TOO_LONG.search(failure.says):
        return ProviderError(
            f"{endpoint.name}: the request is longer than the model takes: {said} Choose one with a larger context.",
            request_only=True,
        )
    return ProviderError(
        f"{endpoint.name}: {endpoint.where} refused the request with HTTP {status}: {said}",
        request_only=status in (400, 413, 422),
    )


def no_images(endpoint: Endpoint, said: str) -> ProviderError:
    """A model that was shown images takes text alone."""
    return ProviderError(
        f"{endpoint.name}: this model takes no images: {said} Give the role a model that does; for a server of your "
        f"own, start it with the model's image part."
    )


def out_of_quota(endpoint: Endpoint, said: str) -> ProviderError:
    """No wait of minutes gives more calls."""
    return ProviderError(
        f"{endpoint.name}: the quota of the key in {endpoint.key_variable} is used up: {endpoint.clean(said)} "
        "Raise it at the provider or go on when it is renewed; what was done is kept."
    )


def refusal(endpoint: Endpoint, why: str) -> RefusalError:
    """Content that a model or its safety filter declined."""
    return RefusalError(f"{endpoint.name} declined: {endpoint.clean(why)}")


def timed_out(endpoint: Endpoint, timeout_s: float) -> ProviderError:
    """The reply was not complete in time, told in tenths: a little of it is gone before the call is made."""
    return ProviderError(
        f"{endpoint.name}: no complete reply within {max(0.1, round(timeout_s, 1)):g} s.", retryable=True
    )


def unreachable(endpoint: Endpoint, error: BaseException, *, connected: bool) -> ProviderError:
    """There was no connection, or (``connected``) it was reset or broke off."""
    # One's own server comes up when it is started, not by waiting.
    if not connected and _is_this_machine(endpoint.where):
        return ProviderError(
            f"{endpoint.name}: no server listens at {endpoint.where}. Start it, or set base_url to the address where "
            "it does; then run the same command again."
        )
    return ProviderError(
        f"{endpoint.name}: the connection to {endpoint.where} failed: {endpoint.clean(str(error)) or 'it broke off'}. "
        "Check that the server runs and can be reached.",
        retryable=True,
    )


def _is_this_machine(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def garbled(endpoint: Endpoint, what: str) -> ProviderError:
    """A reply that is not of the protocol."""
    return ProviderError(
        f"{endpoint.name}: {endpoint.where} answered something that is no reply of its protocol: "
        f"{endpoint.clean(what)} Check base_url.",
        retryable=True,
    )


def all_hidden(endpoint: Endpoint, limit: int) -> ProviderError:
    """The whole limit of output went into reasoning."""
    return ProviderError(
        f"{endpoint.name}: the model spent all {limit} tokens of its reply on hidden reasoning and said nothing. "
        f"Lower the option reasoning of [providers.{endpoint.name.partition(':')[0]}], or choose another model.",
        request_only=True,
    )
