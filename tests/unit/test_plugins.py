from __future__ import annotations

import subprocess
import sys
from importlib.metadata import EntryPoint

import pytest

from ravu_kg import plugins
from ravu_kg.errors import ConfigurationError, MissingExtraError, ProviderError, UnknownProviderError


class FakeDetector:
    stateful = False

    def __init__(self, model: str, options: object) -> None:
        self.name, self.options = model, options

    def detect(self, frames: object) -> list[object]:
        return []


def lacks_library(model: str, options: object) -> FakeDetector:
    raise MissingExtraError("the ultralytics detector", "ultralytics")


def lacks_weights(model: str, options: object) -> FakeDetector:
    raise ProviderError("no weights file")


@pytest.fixture
def use_providers(monkeypatch: pytest.MonkeyPatch):
    def use(**factories: str) -> None:
        points = [
            EntryPoint(name.replace("_plus_", "+"), f"{__name__}:{factory}", "ravu_kg.detectors")
            for name, factory in factories.items()
        ]
        monkeypatch.setattr(plugins, "entry_points", lambda group: points)

    return use


def test_the_built_in_providers_come_through_entry_points():
    assert {"yolox", "ultralytics", "motion", "people", "people+motion"} <= set(plugins.installed("detector"))
    assert {"bytetrack", "box-matching", "steady"} <= set(plugins.installed("tracker"))
    assert {"sentence-transformers", "gemini", "openai"} <= set(plugins.installed("embedder"))
    assert {"gemini", "openai"} <= set(plugins.installed("language model"))


@pytest.mark.parametrize(
    "load", [plugins.load_detector, plugins.load_tracker, plugins.load_embedder, plugins.load_language_model]
)
def test_an_unknown_provider_lists_the_installed_ones(load):
    with pytest.raises(UnknownProviderError, match=r"No [\w ]+ named 'nobody' is installed\. Installed: \w+"):
        load("nobody:model", {})


def test_a_reference_is_split_at_its_first_colon_and_gets_the_options_of_its_provider(use_providers):
    use_providers(fake="FakeDetector")
    detector = plugins.load_detector("fake:folder:with/colons.onnx", {"fake": {"threads": 1}, "other": {"a": 2}})
    assert detector.name == "folder:with/colons.onnx"
    assert detector.options == {"threads": 1}  # pyright: ignore[reportAttributeAccessIssue]


def test_a_plug_in_that_cannot_be_imported_is_named(use_providers):
    use_providers(broken="nothing_here")
    with pytest.raises(UnknownProviderError, match=r"'broken' \(.*nothing_here\) cannot be imported"):
        plugins.load_detector("broken", {})


def test_a_missing_extra_passes_through(use_providers):
    use_providers(fake="lacks_library")
    with pytest.raises(MissingExtraError, match=r"pip install 'ravu-kg\[ultralytics\]'"):
        plugins.load_detector("fake", {})


def test_auto_takes_the_first_that_loads_and_says_why_not_the_others(use_providers):
    use_providers(ultralytics="lacks_library", yolox="lacks_weights", people_plus_motion="FakeDetector")
    choice = plugins.choose_detector({})
    assert choice.reference == "people+motion"
    assert choice.refused["ultralytics"].startswith("the ultralytics detector needs")
    assert choice.refused["yolox"] == "no weights file"


def test_auto_prefers_ultralytics(use_providers):
    use_providers(ultralytics="FakeDetector", yolox="FakeDetector", people_plus_motion="FakeDetector")
    assert plugins.choose_detector({}) == plugins.Choice("ultralytics", {})


def test_auto_fails_only_when_nothing_can_be_loaded(use_providers):
    use_providers(ultralytics="lacks_library", yolox="lacks_weights")
    with pytest.raises(ConfigurationError, match="No detector can be loaded"):
        plugins.choose_detector({})


def test_importing_the_package_loads_no_model_library_and_no_command():
    heavy = {"torch", "numpy", "neo4j", "cv2", "av", "click", "pydantic"}
    code = f"import ravu_kg, sys; print([name for name in sys.modules if name.split('.')[0] in {heavy}])"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == "[]"


def test_the_public_names_are_loaded_on_use():
    import ravu_kg
    from ravu_kg.errors import RavuError

    assert ravu_kg.RavuError is RavuError
    assert "VideoMemory" in dir(ravu_kg)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = ravu_kg.nothing  # pyright: ignore[reportAttributeAccessIssue]
