"""Questions as Cypher that a language model drafts, and that only reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field

from ravu_kg.errors import ConfigurationError, GraphError, UnavailableError, UsageError
from ravu_kg.graph.results import ReadResult
from ravu_kg.graph.store import Store
from ravu_kg.models.calls import ModelCalls
from ravu_kg.models.prices import PriceTable
from ravu_kg.models.replies import LIBRARY
from ravu_kg.models.roles import Role, has_model
from ravu_kg.prompts import load
from ravu_kg.reasoning.models.requests import clipped, request
from ravu_kg.reasoning.models.session import Session
from ravu_kg.reasoning.records import ModelStep
from ravu_kg.settings import Settings
from ravu_kg.types import ModelRequest

ROLE: Role = "plan"
"""A query is a plan for the database, so whoever plans writes it."""
MAX_QUESTION_CHARS = 2000
_WORDS = 100


@dataclass(frozen=True, slots=True)
class Draft:
    """A query as a model wrote it."""

    query: str
    returns: str
    """What the rows are, in the model's words."""
    attempt: int
    """1, or 2 when the first draft was refused or failed."""


@dataclass(frozen=True, slots=True)
class Drafted:
    """A draft that ran, with its rows."""

    draft: Draft
    result: ReadResult
    model: str
    steps: tuple[ModelStep, ...]
    """What the model cost."""


class CypherReply(BaseModel):
    """A query and what it returns."""

    model_config = ConfigDict(title="cypher")

    cypher: str = Field(min_length=1)
    returns: str = ""


def draft_and_run(
    question: str,
    parameters: Mapping[str, object],
    *,
    settings: Settings,
    store: Store,
    run: Callable[[str], ReadResult],
    show: Callable[[Draft], None],
    refused: Callable[[str], None],
) -> Drafted:
    """Have a model draft a query, show it, and run it; when it is refused or fails, once more with what was wrong.

    Args:
        question: in any language; at most 2,000 characters.
        parameters: values for ``$parameters`` that the query may use; the model is told their names alone.
        settings: whose model for the role ``plan`` writes.
        store: for the words that the graph knows.
        run: the gate, and the server behind it.
        show: is given each draft before it is run.
        refused: is told what was wrong with a draft.

    Raises:
        UsageError: the question is empty or too long.
        ConfigurationError: no model has the role, or it needs a key or an extra.
        ReplyError: neither draft could be run.
        ProviderError: the model failed or declined.
        UnavailableError: no server answers.
    """
    if not question.strip():
        raise UsageError('Ask something: ravu-kg cypher --ask "Which entities come near a dog?"')
    if len(question) > MAX_QUESTION_CHARS:
        raise UsageError(f"The question has {len(question):,} characters; {MAX_QUESTION_CHARS:,} are the most.")
    require_model(settings)
    drafts = list[Draft]()
    results = list[ReadResult]()

    def problem(reply: CypherReply) -> str | None:
        draft = Draft(printable(reply.cypher).strip(), " ".join(printable(reply.returns).split()), len(drafts) + 1)
        drafts.append(draft)
        show(draft)
        try:
            results.append(run(draft.query))
        except UnavailableError:
            raise
        except (UsageError, GraphError) as error:
            refused(str(error))
            return f"{error}"
        return None

    with ModelCalls.open(settings, [ROLE]) as opened:
        calls = opened.about(LIBRARY)
        session = Session(calls, PriceTable.today(settings.prices))
        with session.timed(ROLE):
            calls.ask(ROLE, cypher_request(question, parameters, store), CypherReply, check=problem)
        return Drafted(drafts[-1], results[-1], calls.name(ROLE), session.steps())


def require_model(settings: Settings) -> None:
    """See that a model can write queries.

    Raises:
        ConfigurationError: none has the role.
    """
    if not has_model(settings, ROLE):
        raise ConfigurationError(
            "A question becomes Cypher through a language model, and none has the role plan. Name one with --profile, "
            "or as models.plan in ravu-kg.toml. Or write the query yourself: cypher/WRITING.md shows how."
        )


def cypher_request(question: str, parameters: Mapping[str, object], store: Store) -> ModelRequest:
    """The request for a query: instructions and the graph model, always the same; then what this graph knows."""
    known: dict[str, list[object]] = {"videos": [], "labels": [], "predicates": []}
    for row in store.read("programs/words", limit=_WORDS).rows:
        name = clipped(str(row["name"]))
        known[f"{row['kind']}s"].append({"id": name, "title": clipped(str(row["title"]))} if row["title"] else name)
    return request(
        "cypher",
        {**known, "parameters": sorted(parameters)},
        {"question": question.strip()},
        more_instructions=load("graph_model"),
    )


def printable(text: str) -> str:
    """The text without control characters, which could steer a terminal; lines stay lines."""
    return "".join(one for one in text.replace("\r\n", "\n") if one in "\n\t" or one.isprintable())
