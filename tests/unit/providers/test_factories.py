from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import google
import pytest

from ravu_kg.errors import ConfigurationError, MissingExtraError
from ravu_kg.providers import gemini, model_http, openai, text_only

KEYS = ("OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENAI_BASE_URL", "GOOGLE_GEMINI_BASE_URL")
Factory = Callable[[str, Mapping[str, object]], object]
FACTORIES: list[Factory] = [openai.create, openai.create_embedder, gemini.create, gemini.create_embedder]


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("RAVU_KG_CACHE", str(tmp_path))


@pytest.fixture
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-123456")
    monkeypatch.setenv("GOOGLE_API_KEY", "AIza-secret-123456")


@pytest.mark.parametrize("create", FACTORIES)
def test_without_a_key_the_variable_is_named(create: Factory) -> None:
    with pytest.raises(ConfigurationError, match=r"(OPENAI|GEMINI)_API_KEY is not set, which (openai|gemini):some"):
        create("some", {})


@pytest.mark.parametrize("key", ["sk with spaces", "sk-\u201cquoted\u201d", "sk-line\nbreak"])
def test_what_cannot_be_a_key_is_refused_without_showing_it(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    monkeypatch.setenv("GEMINI_API_KEY", key)
    for create in FACTORIES:
        with pytest.raises(ConfigurationError, match="_API_KEY is not a key") as caught:
            create("some", {})
        assert key not in str(caught.value)


@pytest.mark.usefixtures("_keys")
@pytest.mark.parametrize("create", FACTORIES)
@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"colour": "red"}, "no option 'colour'"),
        ({"base_url": "127.0.0.1:8080"}, "base_url.*http://"),
        ({"base_url": 8080}, "base_url.*http://"),
    ],
)
def test_wrong_options_are_named(create: Factory, options: dict[str, object], words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        create("some", options)


@pytest.mark.usefixtures("_keys")
@pytest.mark.parametrize(
    ("create", "options", "words"),
    [
        (openai.create, {"images": "yes"}, "'images'.*true or false"),
        (openai.create, {"api": "assistants"}, "'api'.*auto, responses, chat"),
        (openai.create, {"temperature": 3}, "'temperature'.*0 to 2"),
        (openai.create, {"reasoning": "extreme"}, "'reasoning'.*minimal"),
        (openai.create_embedder, {"dimensions": 0}, "'dimensions'.*above zero"),
        (gemini.create, {"safety": "off"}, "'safety'.*none, low, medium, high"),
        (gemini.create, {"images": 1}, "'images'.*true or false"),
        (gemini.create_embedder, {"dimensions": True}, "'dimensions'.*above zero"),
    ],
)
def test_options_out_of_range_are_named(create: Factory, options: dict[str, object], words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        create("some", options)


@pytest.mark.usefixtures("_keys")
@pytest.mark.parametrize("create", FACTORIES)
def test_a_reference_without_a_model_is_refused(create: Factory) -> None:
    with pytest.raises(ConfigurationError, match=r"No model is named: write (openai|gemini):MODEL"):
        create("", {})


@pytest.mark.usefixtures("_keys")
@pytest.mark.parametrize(
    ("create", "extra"), list(zip(FACTORIES, ("openai", "openai", "gemini", "gemini"), strict=True))
)
def test_a_missing_library_names_its_extra(create: Factory, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    monkeypatch.setitem(sys.modules, "google.genai", None)
    monkeypatch.delattr(google, "genai", raising=False)
    with pytest.raises(MissingExtraError, match=rf"ravu-kg\[{extra}\]"):
        create("some", {})


@pytest.mark.usefixtures("_keys")
@pytest.mark.parametrize("create", FACTORIES)
def test_no_repr_holds_a_key(create: Factory) -> None:
    assert "secret" not in repr(create("some", {}))


@pytest.mark.usefixtures("_keys")
def test_credentials_in_an_address_are_shown_nowhere() -> None:
    assert "hidden" not in repr(openai.create("some", {"base_url": "http://user:hidden@127.0.0.1:9/v1?key=hidden"}))


def test_no_sdk_is_loaded_before_a_model_is() -> None:
    code = (
        "import sys, ravu_kg.providers.openai, ravu_kg.providers.gemini;"
        "print([name for name in ('openai', 'google.genai', 'httpx2') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("model", "images"),
    [
        ("gpt-6-luna", True),
        ("gpt-4o-mini", True),
        ("gpt-4.1", True),
        ("gpt-4-turbo", True),
        ("gpt-4-0613", False),
        ("gpt-3.5-turbo", False),
        ("gpt-oss:20b", False),
        ("o4-mini", True),
        ("o3-mini", False),
        ("qwen3:8b", False),
        ("qwen3-vl:8b", True),
        ("Qwen/Qwen2.5-7B-Instruct", False),
        ("Qwen/Qwen2.5-VL-7B-Instruct", True),
        ("qwen3.5:9b", True),
        ("llama3.1:8b", False),
        ("llama3.2-vision", True),
        ("llama4:scout", True),
        ("gemma3:4b", True),
        ("google/gemma-3-27b-it", True),
        ("gemma-3-1b-it", False),
        ("gemma2:9b", False),
        ("smollm2-135m", False),
        ("HuggingFaceTB/SmolVLM2-2.2B", True),
        ("mistral:7b", False),
        ("mistral-small3.2", True),
        ("phi-4-multimodal-instruct", True),
        ("phi4", False),
        ("deepseek-r1:7b", False),
        ("llava:13b", True),
        ("gemini-3.8-flash", True),
        ("my-own-model", True),
    ],
)
def test_models_that_see_are_told_by_their_names(model: str, images: bool) -> None:
    assert text_only.takes_images(model) is images


# --- HTTP ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "0.25"}, 0.25),
        ({"retry-after": "-1"}, 0.0),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
    ],
)
def test_waits_are_read_from_headers(headers: dict[str, str], wait_s: float | None) -> None:
    assert model_http.retry_after_s(headers) == wait_s


def test_a_wait_may_be_a_date() -> None:
    when = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    wait_s = model_http.retry_after_s({"retry-after": when})
    assert wait_s is not None
    assert 85 < wait_s <= 90


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://api.openai.com/v1/", "https://api.openai.com/v1"),
        ("http://user:word@127.0.0.1:8080/v1?key=word#part", "http://127.0.0.1:8080/v1"),
        ("http://[::1]:8080", "http://[::1]:8080"),
    ],
)
def test_addresses_are_shown_without_secrets(url: str, shown: str) -> None:
    assert model_http.place(url) == shown
