"""The tree of errors. The message says what happened, to what, and what to do next.

::

    RavuError                       exit code 1
    ├── UsageError                  2   the caller's arguments do not make sense together
    ├── ConfigurationError          3   settings, a missing extra, an unknown provider
    │   ├── MissingExtraError
    │   └── UnknownProviderError
    ├── VideoError                  4   a file that cannot be read as a video
    ├── ProviderError               5   a model or its weights
    │   ├── RefusalError                a model declined
    │   ├── ReplyError                  a model's reply cannot be used
    │   ├── UnansweredError             one request is not answered, others are
    │   ├── BudgetError                 the ceiling on tokens or cost is reached
    │   └── ReplayError                 a reply that was not recorded
    ├── GraphError                  6   Neo4j: unreachable, refused, wrong schema
    │   ├── ServerError                 the embedded server could not be fetched, started or stopped
    │   ├── UnavailableError            no answer over Bolt
    │   │   └── DatabaseStoppedError        an answer, but the database has stopped itself: a full disk
    │   ├── AuthenticationError
    │   └── NotFoundError               no such video, entity or template
    ├── ReasoningError              7   a plan or a question that cannot be carried out
    │   └── PlanError
    └── WorkerError                 1   a worker could not be started; the code of its own error where there is one
"""

from __future__ import annotations


class RavuError(Exception):
    """Base of every error the package raises on purpose."""

    exit_code = 1


class UsageError(RavuError):
    """The caller's arguments do not make sense together."""

    exit_code = 2


class ConfigurationError(RavuError):
    """Settings are wrong or something that they name is missing."""

    exit_code = 3


class MissingExtraError(ConfigurationError):
    """A provider needs a library that is not installed."""

    def __init__(self, what: str, extra: str, *, command: str | None = None, several: bool = False) -> None:
        usual = f"pip install 'ravu-kg[{extra}]', or in a checkout: pip install -e '.[{extra}]'"
        need = "need" if several else "needs"
        super().__init__(f"{what} {need} libraries that are not installed. Install them: {command or usual}")
        self.extra = extra


class UnknownProviderError(ConfigurationError):
    """No installed provider has the requested name."""


class VideoError(RavuError):
    """A file cannot be read as a video."""

    exit_code = 4


class ProviderError(RavuError):
    """A model, its server or its weights failed."""

    exit_code = 5

    def __init__(
        self,
        message: str,
        *,
        retryable: bool = False,
        retry_after_s: float | None = None,
        rate_limited: bool = False,
        request_only: bool = False,
    ) -> None:
        super().__init__(message)
        self.retryable = retryable
        self.retry_after_s = retry_after_s
        """Seconds that the provider asked to wait for; None when it named none."""
        self.rate_limited = rate_limited
        """Too many calls for now (HTTP 429): it passes, so it is waited for longer than a failure."""
        self.request_only = request_only
        """It is about what this request holds, such as its length, and not about the key, the model or the server."""


class RefusalError(ProviderError):
    """A model, or its safety filter, declined to answer."""


class ReplyError(ProviderError):
    """A model's reply cannot be used, even after it was told what is wrong with it."""


class UnansweredError(ProviderError):
    """One request is not answered, however often it is made, by a model that answers others.

    ``retryable`` tells whether it may be answered another time.
    """


class BudgetError(ProviderError):
    """The ceiling on tokens or cost is reached; what was done is kept."""


class ReplayError(ProviderError):
    """Only recorded replies may be used, and this one was not recorded."""


class GraphError(RavuError):
    """Neo4j refused, is out of reach, or holds something unexpected."""

    exit_code = 6


class ServerError(GraphError):
    """The embedded server could not be fetched, started or stopped."""


class UnavailableError(GraphError):
    """No Neo4j server answers at the address."""


class DatabaseStoppedError(UnavailableError):
    """The server answers, but its database has stopped itself and has to be restarted: its disk is full, mostly."""


class AuthenticationError(GraphError):
    """The server refused the user name or password."""


class NotFoundError(GraphError):
    """The graph has no such video, entity or template."""


class ReasoningError(RavuError):
    """A question or plan cannot be carried out."""

    exit_code = 7


class PlanError(ReasoningError):
    """A plan is malformed: unknown function, wrong argument, or a reference to a later step."""


class WorkerError(RavuError):
    """No worker could be started; the exit code is that of the error that kept it from starting."""

    def __init__(self, message: str, exit_code: int = RavuError.exit_code) -> None:
        super().__init__(message)
        self.exit_code = exit_code
