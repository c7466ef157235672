"""Single files of the model hub, without the half minute of retries that its client takes where there is no network."""

# huggingface_hub has types with holes.
# pyright: reportUnknownVariableType=false

from __future__ import annotations

import urllib.request
from pathlib import Path

HUB_TIMEOUT_S = 3.0
"""The hub has so long to begin an answer."""


def hub_file(repository: str, name: str) -> Path:
    """A file of a repository: from the hub's own cache on this machine, else fetched into it.

    Raises:
        OSError: it is not there, and the hub does not answer, is not to be asked, or has no such file.
    """
    from huggingface_hub import constants, hf_hub_download, hf_hub_url
    from huggingface_hub.errors import HfHubHTTPError

    constants.HF_HUB_DISABLE_TELEMETRY = True
    try:
        return Path(hf_hub_download(repository, name, local_files_only=True))
    except OSError as error:
        if constants.HF_HUB_OFFLINE:
            raise OSError("HF_HUB_OFFLINE is set") from error
        if not answers(hf_hub_url(repository, name)):
            raise OSError("the hub does not answer") from error
    try:
        return Path(hf_hub_download(repository, name, etag_timeout=HUB_TIMEOUT_S))
    except HfHubHTTPError as error:
        raise OSError(str(error).splitlines()[0]) from error


def hub_file_here(repository: str, name: str) -> Path:
    """A file of a repository from the hub's own cache on this machine.

    Raises:
        OSError: it is not there.
    """
    from huggingface_hub import hf_hub_download

    try:
        return Path(hf_hub_download(repository, name, local_files_only=True))
    except OSError as error:
        raise OSError("they are not on this machine") from error


def answers(url: str) -> bool:
    """Whether a server answers at an address soon, and has something there."""
    request = urllib.request.Request(url, method="HEAD")
    try:
        with urllib.request.urlopen(request, timeout=HUB_TIMEOUT_S):
            return True
    except (OSError, ValueError):
        return False
