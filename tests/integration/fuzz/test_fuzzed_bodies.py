"""Whatever a server answers to the real SDKs becomes a reply or the error of a model, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravu_kg.errors import ProviderError
from ravu_kg.protocols import LanguageModel
from ravu_kg.providers import gemini, openai
from ravu_kg.types import ModelRequest
from tests.serving import serving
from tests.unit.fuzz.strategies import CHAT, GEMINI, RESPONSES, as_json, attempt, fuzz, nearly, nearly_text

KEY = "sk-test-0123456789"
REQUEST = ModelRequest("Give words.", ("what",), schema={"title": "words", "type": "object", "properties": {}})
GOOD = {"gemini": GEMINI, "chat": CHAT, "responses": RESPONSES}


class Anything(HTTPServer):
    """Answers every request with one body."""

    body = b""
    status = 200

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: Anything

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(self.server.status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(self.server.body)))
        self.end_headers()
        self.wfile.write(self.server.body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def server() -> Iterator[Anything]:
    with serving(Anything()) as made:
        yield made


@pytest.fixture(scope="module")
def ask(server: Anything, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], str]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAVU_KG_CACHE", str(tmp_path_factory.mktemp("abilities")))
        patch.setenv("GEMINI_API_KEY", KEY)
        patch.setenv("OPENAI_API_KEY", KEY)
        patch.delenv("GOOGLE_API_KEY", raising=False)
        models: dict[str, LanguageModel] = {
            "gemini": gemini.create("gemini-2.5-flash", {"base_url": server.url}),
            "chat": openai.create("gpt-4o-mini", {"base_url": f"{server.url}/v1", "api": "chat"}),
            "responses": openai.create("gpt-4o-mini", {"base_url": f"{server.url}/v1", "api": "responses"}),
        }
        yield lambda protocol: models[protocol].complete(REQUEST, 5.0).text


def answers() -> st.SearchStrategy[tuple[str, int, str]]:
    """A protocol, a status and a body."""
    bodies = [
        st.tuples(
            st.just(name),
            st.sampled_from((200, 200, 200, 400, 404, 429, 500)),
            nearly(good).map(as_json) | nearly_text(as_json(good)),
        )
        for name, good in GOOD.items()
    ]
    return st.one_of(bodies)


@given(answers())
@fuzz
def test_bodies_of_servers(server: Anything, ask: Callable[[str], str], answer: tuple[str, int, str]) -> None:
    protocol, server.status, text = answer
    server.body = text.encode("utf-8", "surrogatepass")
    said, refusal = attempt(ProviderError, lambda: ask(protocol))
    assert isinstance(said, str) or refusal
    assert KEY not in refusal


def test_a_gemini_server_that_gives_a_list_for_a_word_is_told_as_such(
    server: Anything, ask: Callable[[str], str]
) -> None:
    server.status, server.body = 200, b'{"candidates": [{"finishReason": ["STOP"]}]}'
    with pytest.raises(ProviderError, match=r"gemini:gemini-2\.5-flash"):
        ask("gemini")
