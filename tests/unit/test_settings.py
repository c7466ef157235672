from __future__ import annotations

import os
from pathlib import Path

import pytest

from ravu_kg.errors import ConfigurationError
from ravu_kg.settings import PriceSettings, Settings, load


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in list(os.environ):
        if name.startswith(("RAVU_KG_", "NEO4J_")):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


def write(folder: Path, text: str) -> Path:
    file = folder / "ravu-kg.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_without_anything_the_defaults_hold():
    settings = load()
    assert settings == Settings()
    assert settings.tracking_rate_hz == 5
    assert settings.models.detect == "auto"
    assert settings.neo4j.uri is None
    assert settings.origin("models.detect") == "default"


def test_flags_beat_environment_beats_file_beats_defaults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    file = write(tmp_path, 'tracking_rate_hz = 4\n[models]\ndetect = "motion"\ntrack = "box-matching"\nembed = "a:b"\n')
    monkeypatch.setenv("RAVU_KG_MODELS__DETECT", "people")
    monkeypatch.setenv("RAVU_KG_MODELS__TRACK", "other")
    settings = load({"models.detect": "yolox:x.onnx", "models.track": None})
    assert settings.models.detect == "yolox:x.onnx"
    assert settings.models.track == "other"
    assert settings.models.embed == "a:b"
    assert settings.tracking_rate_hz == 4
    assert settings.sample_interval_s == 1
    assert settings.origin("models.detect") == "command line"
    assert settings.origin("models.track") == "environment RAVU_KG_MODELS__TRACK"
    assert settings.origin("models.embed") == str(file)
    assert settings.origin("sample_interval_s") == "default"


def test_the_neo4j_variables_are_honoured_and_the_password_is_hidden(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NEO4J_URI", "neo4j+s://example.org")
    monkeypatch.setenv("NEO4J_USERNAME", "me")
    monkeypatch.setenv("NEO4J_PASSWORD", "hunter2")
    monkeypatch.setenv("NEO4J_DATABASE", "films")
    settings = load()
    assert (settings.neo4j.uri, settings.neo4j.username, settings.neo4j.database) == (
        "neo4j+s://example.org",
        "me",
        "films",
    )
    assert settings.neo4j.password is not None
    assert settings.neo4j.password.get_secret_value() == "hunter2"
    shown = {key: (value, origin) for key, value, origin in settings.entries()}
    assert shown["neo4j.password"] == ("********", "environment NEO4J_PASSWORD")
    assert "hunter2" not in repr(settings)


def test_the_own_variable_is_more_specific_than_the_shared_one(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NEO4J_URI", "bolt://a")
    monkeypatch.setenv("RAVU_KG_NEO4J__URI", "bolt://b")
    assert load().neo4j.uri == "bolt://b"


def test_the_file_is_found_from_a_folder_below_and_its_paths_are_anchored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    write(tmp_path, 'cache = "made"\n[server]\nhome = "data"\n')
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    settings = load()
    assert settings.cache == tmp_path / "made"
    assert settings.server.home == tmp_path / "data"


def test_the_file_given_explicitly_is_read_instead(tmp_path: Path):
    write(tmp_path, "tracking_rate_hz = 4\n")
    other = tmp_path / "other.toml"
    other.write_text("tracking_rate_hz = 7\n", encoding="utf-8")
    assert load(config=other).tracking_rate_hz == 7


@pytest.mark.parametrize(
    ("text", "key", "nearest"),
    [
        ("traking_rate_hz = 4\n", "traking_rate_hz", "tracking_rate_hz"),
        ('[models]\ndetector = "motion"\n', "models.detector", "models.detect"),
        ('detect = "motion"\n', "detect", "models.detect"),
        ('[neo4j]\nurl = "bolt://a"\n', "neo4j.url", "neo4j.uri"),
        ("server = 3\n", "server", "server."),
    ],
)
def test_an_unknown_key_names_the_file_the_key_and_the_nearest_known_one(
    tmp_path: Path, text: str, key: str, nearest: str
):
    file = write(tmp_path, text)
    with pytest.raises(ConfigurationError) as caught:
        load()
    message = str(caught.value)
    assert str(file) in message
    assert f"unknown key {key}." in message
    assert nearest in message.split("nearest known key is")[1]


def test_an_unknown_variable_is_an_error_too(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("RAVU_KG_TRACKING_RATE", "4")
    with pytest.raises(ConfigurationError, match=r"RAVU_KG_TRACKING_RATE: unknown key .*tracking_rate_hz"):
        load()


def test_variables_of_the_tests_are_left_alone(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("RAVU_KG_TEST_ANYTHING", "1")
    assert load() == Settings()


@pytest.mark.parametrize(
    ("text", "variable"),
    [
        ('[neo4j]\npassword = "x"\n', "NEO4J_PASSWORD"),
        ('[providers.openai]\napi_key = "x"\n', "OPENAI_API_KEY"),
        ('[providers.gemini]\nkey = "x"\n', "GEMINI_API_KEY"),
        ('[providers.other]\nauth_token = "x"\n', "RAVU_KG_PROVIDERS__OTHER__AUTH_TOKEN"),
    ],
)
def test_a_secret_in_the_file_is_refused_and_not_repeated(tmp_path: Path, text: str, variable: str):
    write(tmp_path, text.replace('"x"', '"s3cr3t"'))
    with pytest.raises(ConfigurationError, match=variable) as caught:
        load()
    assert "s3cr3t" not in str(caught.value)


def test_options_of_a_provider_come_from_file_and_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    write(tmp_path, "[providers.yolox]\nthreshold = 0.25\nthreads = 2\n")
    monkeypatch.setenv("RAVU_KG_PROVIDERS__YOLOX__THREADS", "1")
    monkeypatch.setenv("RAVU_KG_PROVIDERS__YOLOX__MODEL", "a file.onnx")
    assert load().providers == {"yolox": {"threshold": 0.25, "threads": 1, "model": "a file.onnx"}}


def test_an_option_without_a_provider_is_an_error(tmp_path: Path):
    write(tmp_path, "[providers]\nthreshold = 0.25\n")
    with pytest.raises(ConfigurationError, match=r"providers\.NAME\.OPTION"):
        load()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("tracking_rate_hz = -1\n", "tracking_rate_hz: Input should be greater than 0"),
        ('tracking_rate_hz = "fast"\n', "tracking_rate_hz: Input should be a valid number"),
        ("sample_interval_s = 0.1\n", "shorter than one step of tracking"),
        ("[server]\nbolt_port = 99999\n", "server.bolt_port"),
    ],
)
def test_a_wrong_value_names_the_key(tmp_path: Path, text: str, said: str):
    write(tmp_path, text)
    with pytest.raises(ConfigurationError, match=said):
        load()


def test_a_wrong_value_from_the_environment_names_the_variable(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("RAVU_KG_TRACKING_RATE_HZ", "fast")
    with pytest.raises(ConfigurationError, match="environment RAVU_KG_TRACKING_RATE_HZ: tracking_rate_hz"):
        load()


def test_broken_toml_and_a_missing_file_are_said(tmp_path: Path):
    file = write(tmp_path, "tracking_rate_hz = \n")
    with pytest.raises(ConfigurationError, match="not valid TOML"):
        load()
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigurationError, match=r"not text.*--config"):
        load()
    with pytest.raises(ConfigurationError, match="No such settings file"):
        load(config=tmp_path / "absent.toml")


def test_settings_cannot_be_changed_after_they_were_made():
    settings = load()
    with pytest.raises(ValueError, match="frozen"):
        settings.tracking_rate_hz = 9  # pyright: ignore[reportAttributeAccessIssue]


# --- language models --------------------------------------------------------------------------


def test_prices_are_given_by_reference_whatever_is_in_a_name(tmp_path: Path):
    file = write(
        tmp_path,
        '[prices."openai:org/my.model:8b-v1.5"]\ninput = 1\noutput = 2.5\n'
        '[prices."gemini:gemini-2.5-flash"]\ninput = 0.3\noutput = 2.5\ncached_input = 0.03\n',
    )
    settings = load()
    assert settings.prices["openai:org/my.model:8b-v1.5"] == PriceSettings(input=1, output=2.5)
    assert settings.prices["gemini:gemini-2.5-flash"].cached_input == 0.03
    assert settings.origin("prices.openai:org/my.model:8b-v1.5.output") == str(file)
    assert ("prices.openai:org/my.model:8b-v1.5.input", 1.0, str(file)) in list(settings.entries())


@pytest.mark.parametrize(
    "text",
    [
        '[prices."openai:a"]\nimput = 1\n',
        "[prices.gpt-4o]\ninput = 1\noutput = 1\n",
        "[prices]\ninput = 1\n",
    ],
)
def test_a_price_in_another_form_says_what_the_form_is(tmp_path: Path, text: str):
    write(tmp_path, text)
    with pytest.raises(ConfigurationError, match=r'\[prices\."NAME:MODEL"\] with input, output, cached_input'):
        load()


@pytest.mark.parametrize("text", ["input = -1\noutput = 1\n", 'input = "much"\noutput = 1\n', "input = 1\n"])
def test_a_price_that_is_none_names_its_key(tmp_path: Path, text: str):
    write(tmp_path, '[prices."openai:a.b"]\n' + text)
    with pytest.raises(ConfigurationError, match=r"prices\.openai:a\.b\.(in|out)put: "):
        load()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("concurrency", 0),
        ("concurrency", -1),
        ("timeout_s", 0),
        ("retries", 0),
        ("max_cost_usd", 0),
        ("max_cost_usd", -0.5),
        ("max_tokens", 0),
    ],
)
def test_a_number_of_calls_that_is_zero_or_less_is_an_error(tmp_path: Path, key: str, value: float):
    file = write(tmp_path, f"[calls]\n{key} = {value}\n")
    with pytest.raises(ConfigurationError) as caught:
        load()
    assert f"{file}: calls.{key}: Input should be greater than" in str(caught.value)


def test_a_ceiling_on_tokens_is_no_secret(tmp_path: Path):
    file = write(tmp_path, "[calls]\nmax_tokens = 5000\nmax_cost_usd = 0.25\n")
    settings = load()
    assert (settings.calls.max_tokens, settings.calls.max_cost_usd) == (5000, 0.25)
    assert ("calls.max_tokens", 5000, str(file)) in list(settings.entries())


def test_a_key_where_no_key_belongs_is_refused_by_its_looks(tmp_path: Path):
    write(tmp_path, '[providers.openai]\nbase_url = "sk-proj-0123456789abcdefghij"\n')
    with pytest.raises(
        ConfigurationError, match=r"secrets are read from the environment only.*OPENAI_API_KEY"
    ) as caught:
        load()
    assert "0123456789" not in str(caught.value)


def test_every_role_can_be_set_everywhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    write(tmp_path, '[models]\nrerank = "a:1"\n')
    monkeypatch.setenv("RAVU_KG_MODELS__IDENTIFY", "b:1")
    monkeypatch.setenv("RAVU_KG_CALLS__CONCURRENCY", "3")
    settings = load({"models.count": "c:1"})
    assert (settings.models.rerank, settings.models.identify, settings.models.count) == ("a:1", "b:1", "c:1")
    assert settings.models.analyze is None
    assert settings.calls.concurrency == 3


def test_a_password_in_the_address_of_the_server_is_refused_and_not_repeated(tmp_path: Path):
    write(tmp_path, '[neo4j]\nuri = "bolt://neo4j:hunter2@localhost:7687"\n')
    with pytest.raises(ConfigurationError, match=r"neo4j\.uri.*NEO4J_PASSWORD") as caught:
        load()
    assert "hunter2" not in str(caught.value)


def test_credentials_in_the_address_of_a_provider_are_not_shown(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("RAVU_KG_PROVIDERS__OPENAI__BASE_URL", "http://me:hunter2@localhost:8000/v1")
    shown = {key: value for key, value, _ in load().entries()}
    assert shown["providers.openai.base_url"] == "http://********@localhost:8000/v1"
