"""Where the work of a batch is done: the options for it, and the workers they stand for."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Literal, TypeVar

import click

from ravu_kg.cli.frame import State
from ravu_kg.cli.output import status_line
from ravu_kg.errors import UsageError

if TYPE_CHECKING:
    from ravu_kg.engines.records import Crew
    from ravu_kg.settings import Settings

_Returned = TypeVar("_Returned")


@dataclass(frozen=True, slots=True)
class Engine:
    """What the options say."""

    name: Literal["local", "ray"]
    workers: int | None
    ray_address: str | None


def engine_options(function: Callable[..., _Returned]) -> Callable[..., _Returned]:
    """``--workers``, ``--engine`` and ``--ray-address``; the command gets them as ``engine``."""

    @click.option(
        "--workers", type=click.IntRange(1, 256), metavar="N", help="Index in N processes of this machine, or on Ray."
    )
    @click.option("--engine", "name", type=click.Choice(["local", "ray"]), default="local", help="Default: local.")
    @click.option(
        "--ray-address", metavar="ADDRESS", help="Of a Ray cluster that runs; by default one is started here."
    )
    @wraps(function)
    def command(
        *arguments: object,
        workers: int | None,
        name: Literal["local", "ray"],
        ray_address: str | None,
        **options: object,
    ) -> _Returned:
        if ray_address is not None and name != "ray":
            raise UsageError("--ray-address is the address of a Ray cluster. Add --engine ray.")
        return function(*arguments, engine=Engine(name, workers, ray_address), **options)

    return command


@contextmanager
def opened_crew(state: State, flags: Mapping[str, object], engine: Engine) -> Generator[Crew]:
    """The workers, and the server that they write to.

    Raises:
        UnknownProviderError: the detector or tracker of the settings is not installed; nothing was started.
        RavuError: the server or a worker cannot be started.
    """
    _require_installed(state.settings(flags))
    if engine.name == "local" and engine.workers in (None, 1):
        from ravu_kg.engines.alone import Alone

        with state.open_memory(flags) as memory:
            yield Alone(memory)
        return
    with state.open_memory(flags) as memory:
        settings = memory.settings
        with status_line() as say:
            say("Preparing the graph ...")
            memory.prepare()
    if engine.name == "ray":
        from ravu_kg.engines.on_ray import OnRay

        with OnRay(settings, engine.workers, engine.ray_address) as crew:
            yield crew
        return
    from ravu_kg.engines.processes import Processes

    with Processes(settings, engine.workers or 1) as crew:
        yield crew


def _require_installed(settings: Settings) -> None:
    from ravu_kg.models.roles import has_model
    from ravu_kg.plugins import require_installed

    if settings.models.detect != "auto" and not has_model(settings, "detect"):
        require_installed("detector", settings.models.detect)
    require_installed("tracker", settings.models.track)
