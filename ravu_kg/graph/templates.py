"""Cypher templates: one statement a file, with a checked header.

A header is the run of ``//`` lines at the top of the file, in this order::

    // name: reasoning/nodes_near
    // mode: read
    // summary: Frame nodes of one video nearest to a query embedding, best first.
    // param video_id: STRING - the video to search in
    // param label: STRING | NULL - only entities with this label; NULL for all
    // returns node_id: STRING - the node

``name`` is the file's path below the root without its suffix. A file ``reasoning/nodes_near@2026.02.cypher`` is the
variant of ``reasoning/nodes_near`` for servers from that version on; it has the base file's mode, parameters and
columns, and is found under the base file's name. Comments after the header are free.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Literal

from ravu_kg.errors import ConfigurationError, NotFoundError, UsageError
from ravu_kg.graph.values import check, cypher_literal, parse_type

Mode = Literal["read", "write", "schema"]
MODES: dict[str, Mode] = {"read": "read", "write": "write", "schema": "schema"}


@dataclass(frozen=True, slots=True)
class Parameter:
    """A declared ``$parameter``."""

    name: str
    type: str
    """Cypher's own: ``STRING``, ``LIST<FLOAT>``, ``STRING | NULL``."""
    meaning: str


@dataclass(frozen=True, slots=True)
class Column:
    """A declared column of the result."""

    name: str
    type: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Template:
    """One Cypher statement with what its header declares."""

    name: str
    """Path below the root, without suffix and version: ``reasoning/localize_node``."""
    mode: Mode
    summary: str
    parameters: tuple[Parameter, ...]
    columns: tuple[Column, ...]
    text: str
    """The statement to send, without the header."""
    path: Path
    requires: str = ""
    """Lowest server version of a variant (``2026.02``); empty for the base file."""

    @property
    def promised(self) -> tuple[str, ...]:
        """Columns that are never null."""
        return tuple(column.name for column in self.columns if not column.type.endswith("| NULL"))

    def bind(self, parameters: Mapping[str, object]) -> dict[str, object]:
        """The parameters as the server takes them, in declared order.

        Raises:
            TypeError: a parameter is missing, unknown or of another type; a programming error, not a user's.
        """
        declared = [parameter.name for parameter in self.parameters]
        if set(declared) != set(parameters):
            missing = [name for name in declared if name not in parameters]
            unknown = [name for name in parameters if name not in declared]
            raise TypeError(f"Template {self.name}: missing parameters {missing}, unknown parameters {unknown}")
        return {p.name: check(parameters[p.name], p.type, f"{self.name}: ${p.name}") for p in self.parameters}


class TemplateLibrary:
    """All templates below one folder."""

    def __init__(self, templates: Iterable[Template]) -> None:
        self._variants: dict[str, list[Template]] = {}
        for template in templates:
            self._variants.setdefault(template.name, []).append(template)
        for variants in self._variants.values():
            variants.sort(key=lambda template: version_key(template.requires))
            _check_variants(variants)

    @classmethod
    def load(cls, root: Path | None = None) -> TemplateLibrary:
        """Read and check every ``.cypher`` file below ``root``: by default the templates that come with the package.

        Raises:
            ConfigurationError: a malformed file; the message gives file and line.
        """
        folder = root or templates_root()
        paths = sorted(folder.rglob("*.cypher"))
        if not paths:
            raise ConfigurationError(f"No .cypher templates below {folder}. Reinstall ravu-kg or correct the path.")
        return cls(parse_template(path.read_text(encoding="utf-8"), path, folder) for path in paths)

    def get(self, name: str, server_version: Sequence[int] = ()) -> Template:
        """The template of that name: its newest variant that runs on the server, or the base file.

        Raises:
            NotFoundError: no template has the name.
        """
        variants = self._variants.get(name)
        if variants is None:
            from ravu_kg.graph.hints import did_you_mean  # which reads templates

            hint = did_you_mean(name, self._variants, cutoff=_NEAR)
            problem = f"No template is named '{name.strip()}'" + (f"; {hint}" if hint else ".")
            raise NotFoundError(f"{problem} 'ravu-kg templates list' shows them all.")
        return [t for t in variants if version_key(t.requires) <= tuple(server_version) or not t.requires][-1]

    def variants(self, name: str) -> tuple[Template, ...]:
        """Every file of that name, the base first."""
        self.get(name)
        return tuple(self._variants[name])

    def __iter__(self) -> Iterator[Template]:
        """Every file, variants included, by name."""
        for name in sorted(self._variants):
            yield from self._variants[name]

    def __len__(self) -> int:
        return sum(len(variants) for variants in self._variants.values())


def templates_root() -> Path:
    """The folder of the templates: inside the package when installed from a wheel, else beside it (a checkout)."""
    package = Path(str(files("ravu_kg")))
    inside = package / "cypher"
    return inside if inside.is_dir() else package.parent / "cypher"


def is_template_name(text: str) -> bool:
    """True for ``explore/crowding``, and for a folder alone: neither is Cypher."""
    return re.fullmatch(r"\s*[a-z]+/[a-z_]*\s*", text) is not None


_NEAR = 0.85
"""All names of a folder begin alike."""
_USUAL = {"limit": 100, "from_s": 0.0, "to_s": 1e9}
"""What a user need not give: enough rows to look at, of the whole video."""


def filled(template: Template, values: Mapping[str, object]) -> dict[str, object]:
    """The parameters of a template as a user gives them; what is left out is null where it may be, or as usual.

    Raises:
        UsageError: one is missing, unknown, or of another type.
    """
    declared = {p.name: p for p in template.parameters}
    for name in values:
        if name not in declared:
            raise UsageError(f"{template.name} has no parameter ${name}; it takes {', '.join(declared) or 'none'}.")
    usual = {name: value for name, value in _USUAL.items() if name in declared}
    complete = {**{n: None for n, p in declared.items() if "NULL" in parse_type(p.type)}, **usual, **values}
    for name, parameter in declared.items():
        if name not in complete:
            raise UsageError(f"{template.name} needs ${name} ({parameter.type}): {parameter.meaning}.")
    try:
        return template.bind(complete)
    except TypeError as error:
        raise UsageError(f"{error}.") from error


def version_key(version: str) -> tuple[int, ...]:
    """``"2026.02"`` as ``(2026, 2)``, to compare versions; empty for an empty string."""
    return tuple(int(part) for part in version.split(".")) if version else ()


def param_lines(template: Template, parameters: Mapping[str, object], *, full_vectors: bool = False) -> str:
    """``:param`` lines for the Neo4j Browser, one for each declared parameter, ready to paste before the statement.

    Args:
        template: whose parameters they are.
        parameters: their values.
        full_vectors: write vectors out; by default they are shown as ``<768 floats>``, which cannot be pasted.
    """
    return "\n".join(
        f":param {p.name} => {cypher_literal(parameters[p.name], full_vectors=full_vectors)}"
        for p in template.parameters
    )


def parse_template(source: str, path: Path, root: Path) -> Template:
    """Read one file.

    Raises:
        ConfigurationError: a malformed header or body; the message gives file and line.
    """
    header, body_start = _split(source)
    location = path.relative_to(root).with_suffix("").as_posix()
    name, _, requires = location.partition("@")
    if requires and not re.fullmatch(r"\d+(\.\d+)*", requires):
        raise _malformed(path, 1, f"'{requires}' after @ is no version like 2026.02")
    fields, parameters, columns = _read_header(header, path)
    for key in ("name", "mode", "summary"):
        if key not in fields:
            raise _malformed(path, 1, f"the header lacks '// {key}: ...'")
    if fields["name"][1] != location:
        raise _malformed(path, fields["name"][0], f"name is '{fields['name'][1]}' but the path says '{location}'")
    mode = MODES.get(fields["mode"][1])
    if mode is None:
        raise _malformed(path, fields["mode"][0], f"mode '{fields['mode'][1]}' is none of {', '.join(MODES)}")
    text = "\n".join(source.splitlines()[body_start:]).strip()
    _check_body(text, body_start + 1, [p.name for p in parameters], path)
    return Template(name, mode, fields["summary"][1], tuple(parameters), tuple(columns), text, path, requires)


def blank(text: str, *, keep_names: bool = False) -> str:
    """The text with strings, comments and backticked names overwritten by spaces: same length, same lines.

    Args:
        text: Cypher.
        keep_names: leave backticked names as they are.
    """

    def overwrite(match: re.Match[str]) -> str:
        found = match.group()
        if keep_names and found.startswith("`"):
            return found
        return re.sub(r"[^\n]", " ", found)

    return _QUOTED.sub(overwrite, text)


def parameters_used(text: str) -> dict[str, int]:
    """Names of the ``$parameters`` in a statement, each with the 0-based line of its first use."""
    found: dict[str, int] = {}
    for match in re.finditer(r"\$(\w+)", blank(text)):
        found.setdefault(match.group(1), text.count("\n", 0, match.start()))
    return found


# An unterminated string or comment runs to the end of the text, so that nothing behind it counts as code.
_QUOTED = re.compile(
    r"""//[^\n]*|/\*.*?(?:\*/|\Z)|'(?:\\.|[^'\\])*(?:'|\\?\Z)|"(?:\\.|[^"\\])*(?:"|\\?\Z)|`(?:``|[^`])*(?:`|\Z)""",
    re.DOTALL,
)
_HEADER_LINE = re.compile(r"//\s*(?P<key>[a-z]+)(?:\s+(?P<name>\S+))?\s*:\s*(?P<value>.*?)\s*")
_DECLARATION = re.compile(r"(?P<type>\S.*?)\s+-\s+(?P<meaning>\S.*)")
_ORDER = ("name", "mode", "summary", "param", "returns")


def _split(source: str) -> tuple[list[str], int]:
    """The header's lines, and the 0-based line where the body starts."""
    lines = source.splitlines()
    count = next((i for i, line in enumerate(lines) if not line.startswith("//")), len(lines))
    return lines[:count], count


def _read_header(header: Sequence[str], path: Path) -> tuple[dict[str, tuple[int, str]], list[Parameter], list[Column]]:
    fields: dict[str, tuple[int, str]] = {}
    parameters: list[Parameter] = []
    columns: list[Column] = []
    position = 0
    for number, line in enumerate(header, start=1):
        match = _HEADER_LINE.fullmatch(line)
        if match is None or match["key"] not in _ORDER:
            raise _malformed(path, number, f"'{line}' is no header line; a free comment goes after an empty line")
        key, name, value = match["key"], match["name"], match["value"]
        if _ORDER.index(key) < position:
            raise _malformed(path, number, f"'{key}' comes too late; the order is {', '.join(_ORDER)}")
        position = _ORDER.index(key)
        if key in ("param", "returns"):
            taken = [p.name for p in parameters] if key == "param" else [c.name for c in columns]
            declared = _declaration(name, value, taken, path, number)
            if key == "param":
                parameters.append(Parameter(*declared))
            else:
                columns.append(Column(*declared))
        elif name is not None or not value or key in fields:
            raise _malformed(path, number, f"expected once '// {key}: ...' with a value")
        else:
            fields[key] = (number, value)
    return fields, parameters, columns


def _declaration(name: str | None, value: str, taken: Sequence[str], path: Path, number: int) -> tuple[str, str, str]:
    match = _DECLARATION.fullmatch(value)
    if name is None or not re.fullmatch(r"[A-Za-z_]\w*", name) or match is None:
        raise _malformed(path, number, "expected 'NAME: TYPE - meaning'")
    if name in taken:
        raise _malformed(path, number, f"'{name}' is declared twice")
    try:
        parse_type(match["type"])
    except ValueError as error:
        raise _malformed(path, number, str(error)) from error
    return name, match["type"], match["meaning"]


def _check_body(text: str, first_line: int, declared: Sequence[str], path: Path) -> None:
    code = blank(text)
    if not code.strip():
        raise _malformed(path, first_line, "no statement after the header")
    if ";" in code:
        line = first_line + code.count("\n", 0, code.index(";"))
        raise _malformed(path, line, "one statement a file, without ';'")
    used = parameters_used(text)
    for name, line in used.items():
        if name not in declared:
            raise _malformed(path, first_line + line, f"${name} is used but not declared")
    for name in declared:
        if name not in used:
            raise _malformed(path, 1, f"parameter '{name}' is declared but not used")


def _check_variants(variants: Sequence[Template]) -> None:
    base = variants[0]
    if base.requires:
        raise _malformed(base.path, 1, f"a variant needs a base file {base.name}.cypher")
    for variant in variants[1:]:
        same = (
            variant.mode == base.mode
            and [(p.name, p.type) for p in variant.parameters] == [(p.name, p.type) for p in base.parameters]
            and [(c.name, c.type) for c in variant.columns] == [(c.name, c.type) for c in base.columns]
        )
        if not same:
            raise _malformed(variant.path, 1, f"mode, parameters and columns differ from {base.path.name}")


def _malformed(path: Path, line: int, problem: str) -> ConfigurationError:
    return ConfigurationError(f"{path}:{line}: {problem}")
