from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import ravu_kg.memory.asking
from ravu_kg import errors
from ravu_kg.cli.frame import SECTIONS, cli
from ravu_kg.models import tokens
from ravu_kg.settings import Settings

HEAVY = {"numpy", "pydantic", "neo4j", "cv2", "av", "torch", "rich", "onnxruntime"}


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every command and subcommand by its whole name."""
    context = click.Context(cli)
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        yield name, command
        if isinstance(command, click.Group):
            yield from ((f"{name} {inner}", command.commands[inner]) for inner in command.commands)


ALL = dict(commands())


def run(*arguments: str, **options: object):
    return CliRunner().invoke(cli, list(arguments), **options)  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAVU_KG_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("RAVU_KG_SERVER__HOME", str(tmp_path / "home"))


@pytest.mark.parametrize("name", ALL)
def test_every_command_has_help_with_an_example_that_names_it(name: str):
    result = run(*name.split(), "--help")
    assert result.exit_code == 0
    assert "Example" in result.output
    assert f"ravu-kg {name}" in result.output


@pytest.mark.parametrize("name", [name for name, command in ALL.items() if not isinstance(command, click.Group)])
def test_every_command_prints_json_on_demand(name: str):
    if name == "mcp":
        return  # its output is a protocol
    assert any("--json" in parameter.opts for parameter in ALL[name].params)


def test_the_issue_s_commands_are_all_there():
    wanted = "index ask search plan run videos db templates cypher doctor config reembed completion demo export import"
    assert set(wanted.split()) <= {name for names in SECTIONS.values() for name in names}
    assert {"db start", "db stop", "db status", "db open", "db reset", "db dump", "db load"} <= set(ALL)
    assert {"export bundle", "export mot", "export coco", "import bundle"} <= set(ALL)
    kinds = ("vidor", "mot", "star", "video-memory", "cvat", "coco", "captions")
    assert {"videos attach", *(f"import {kind}" for kind in kinds)} <= set(ALL)
    assert {"videos list", "videos show", "videos delete", "templates list", "templates check"} <= set(ALL)


def test_help_lists_the_commands_in_sections_with_whole_sentences():
    output = run("--help").output
    assert output.index("Index and ask:") < output.index("Plans:") < output.index("Set-up:")
    listing = output[output.index("Index and ask:") : output.index("Examples:")]
    assert "..." not in listing


def test_help_and_version_load_no_library():
    code = (
        "import sys; from ravu_kg.cli import main; sys.argv = ['ravu-kg', '--help']\n"
        "try: main()\nexcept SystemExit: pass\n"
        f"print('heavy:', sorted({{name.split('.')[0] for name in sys.modules}} & {HEAVY}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.rstrip().endswith("heavy: []")


def test_the_version_is_printed():
    assert run("--version").output.startswith("ravu-kg ")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["indx"], "Did you mean 'index'?"),
        (["frobnicate"], "No such command"),
        (["index"], "Missing argument"),
        (["index", "--wrong", "a.mp4"], "No such option"),
        (["index", "a.mp4", "b.mp4", "--tracks", "t.txt"], "--tracks belongs to one video"),
        (["ask"], "Name a video"),
        (["ask", "--all"], "With --all give one question"),
        (["ask", "--all", "video", "question"], "With --all give one question"),
        (["search", "dog", "--limit", "0"], "--limit"),
        (["completion", "tcsh"], "tcsh"),
        (["db", "reset"], "There is no terminal to ask on; add --yes"),
    ],
)
def test_a_usage_error_leaves_with_2_and_one_message(arguments: list[str], said: str):
    result = run(*arguments)
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.UsageError("said"), 2),
        (errors.ConfigurationError("said"), 3),
        (errors.VideoError("said"), 4),
        (errors.ProviderError("said"), 5),
        (errors.UnavailableError("said"), 6),
        (errors.PlanError("said"), 7),
        (ValueError("said"), 1),
        (OSError(28, "No space left on device", "said"), 1),
        (MemoryError(), 1),
    ],
)
def test_an_error_leaves_with_its_code_and_one_line(monkeypatch: pytest.MonkeyPatch, error: Exception, code: int):
    def fail(question: str, settings: Settings) -> None:
        raise error

    monkeypatch.setattr(ravu_kg.memory.asking, "plan_and_cost", fail)
    result = run("plan", "a question")
    assert result.exit_code == code
    assert result.stderr.startswith("Error: ")
    assert len(result.stderr.splitlines()) == 1
    assert result.stdout == ""
    if not isinstance(error, MemoryError):
        assert "said" in result.stderr


def test_a_warning_of_a_part_is_said_once_on_stderr(monkeypatch: pytest.MonkeyPatch):
    import logging

    from ravu_kg.reasoning.planner import RulePlanner

    def warn(question: str, settings: Settings):
        for _ in range(2):
            logging.getLogger("ravu_kg.part").warning("the cache is %s", "full")
        return RulePlanner().plan(question), ()

    monkeypatch.setattr(ravu_kg.memory.asking, "plan_and_cost", warn)
    result = run("plan", "Who is there?")
    assert result.stderr.splitlines() == ["Warning: the cache is full"]
    assert "the cache" not in result.stdout


def test_debug_shows_the_traceback(monkeypatch: pytest.MonkeyPatch):
    def fail(question: str, settings: Settings) -> None:
        raise ZeroDivisionError("inside")

    monkeypatch.setattr(ravu_kg.memory.asking, "plan_and_cost", fail)
    assert isinstance(run("--debug", "plan", "a question").exception, ZeroDivisionError)


def test_ctrl_c_leaves_with_130(monkeypatch: pytest.MonkeyPatch):
    def interrupt(question: str, settings: Settings) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(ravu_kg.memory.asking, "plan_and_cost", interrupt)
    result = run("plan", "a question")
    assert result.exit_code == 130
    assert "Interrupted" in result.stderr


def test_a_reader_that_goes_away_is_no_error():
    code = "import sys; from ravu_kg.cli import main; sys.argv = ['ravu-kg', 'templates', 'list']; main()"
    done = subprocess.run(
        ["sh", "-c", f'"{sys.executable}" -c "$0" | head -n 1', code], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("template")
    assert done.stderr == ""


# --- commands that need no server -------------------------------------------------------------


def test_a_plan_is_shown_and_its_json_can_be_read_back():
    from ravu_kg.reasoning.plan import load_plan

    shown = run("plan", "Who comes after the first person leaves?").output
    assert "localize_node" in shown
    assert "sample_entity_events" in shown
    assert "-> anchor" in shown
    printed = run("plan", "Who comes after the first person leaves?", "--json").output
    assert len(load_plan(printed).steps) == 3


@pytest.mark.parametrize("question", ["", "   "])
def test_an_empty_question_is_refused(question: str):
    result = run("plan", question)
    assert result.exit_code == 7
    assert "empty" in result.stderr


@pytest.mark.parametrize(
    "question", ["wer kommt zuerst?", "谁先来？", "MATCH (n) DETACH DELETE n", "'}) DETACH DELETE n //"]
)
def test_a_question_in_another_language_or_made_of_cypher_is_just_a_question(question: str):
    result = run("plan", question, "--json")
    assert result.exit_code == 0
    assert json.loads(result.output)["question"] == question


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("not json", "not valid JSON"),
        ('{"steps": [{"function": "delete_all", "arguments": {}, "save_as": "a"}]}', "unknown function 'delete_all'"),
        (
            '{"steps": [{"function": "sample_entity_events", "save_as": "a",'
            ' "arguments": {"node": "$b", "events_to_sample": {"direction": "after"}}},'
            ' {"function": "identify_node", "arguments": {"query": "dog"}, "save_as": "b"}]}',
            "not an earlier step",
        ),
    ],
)
def test_a_wrong_plan_file_is_refused_before_any_server_is_started(tmp_path: Path, text: str, said: str):
    file = tmp_path / "plan.json"
    file.write_text(text, encoding="utf-8")
    result = run("run", str(file), "video")
    assert result.exit_code == 7
    assert said in result.stderr
    assert str(file) in result.stderr
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize(
    ("name", "cause"),
    [("absent.json", "No such file"), ("folder.json", "Is a directory"), ("binary.json", "not text")],
)
def test_a_plan_file_that_cannot_be_read_is_named_with_its_cause_and_what_to_do(tmp_path: Path, name: str, cause: str):
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "binary.json").write_bytes(b"\x94\x00")
    result = run("run", str(tmp_path / name), "video")
    assert result.exit_code == 7
    assert str(tmp_path / name) in result.stderr
    assert cause in result.stderr
    assert "ravu-kg plan QUESTION --json" in result.stderr
    assert "Errno" not in result.stderr


def test_a_plan_file_may_begin_with_a_byte_order_mark(tmp_path: Path):
    from ravu_kg.reasoning.plan import read_plan

    file = tmp_path / "plan.json"
    file.write_text(run("plan", "Who is there?", "--json").stdout, encoding="utf-8-sig")
    assert read_plan(file).question == "Who is there?"


def test_config_show_names_the_origin_of_each_value_and_hides_the_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "ravu-kg.toml").write_text("tracking_rate_hz = 4\n", encoding="utf-8")
    monkeypatch.setenv("NEO4J_PASSWORD", "hunter2")
    shown = json.loads(run("config", "show", "--json").output)
    assert shown["tracking_rate_hz"] == {"value": 4.0, "origin": str(tmp_path / "ravu-kg.toml")}
    assert shown["neo4j.password"] == {"value": "********", "origin": "environment NEO4J_PASSWORD"}
    table = run("config", "show").output
    assert "hunter2" not in table
    assert "tracking_rate_hz" in table


def test_a_wrong_settings_file_is_a_configuration_error(tmp_path: Path):
    (tmp_path / "ravu-kg.toml").write_text("traking_rate_hz = 4\n", encoding="utf-8")
    result = run("config", "show")
    assert result.exit_code == 3
    assert "nearest known key is tracking_rate_hz" in result.stderr


def test_another_settings_file_can_be_named(tmp_path: Path):
    other = tmp_path / "other.toml"
    other.write_text("sample_interval_s = 2\n", encoding="utf-8")
    shown = json.loads(run("--config", str(other), "config", "show", "--json").output)
    assert shown["sample_interval_s"]["value"] == 2


def test_a_folder_is_no_settings_file(tmp_path: Path):
    result = run("--config", str(tmp_path), "config", "show")
    assert result.exit_code == 3
    assert f"{tmp_path} cannot be read: Is a directory" in result.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completion_script_calls_the_program(shell: str):
    script = run("completion", shell).output
    assert "_RAVU_KG_COMPLETE" in script
    assert "ravu-kg" in script
    assert json.loads(run("completion", shell, "--json").output) == {"shell": shell, "script": script}


def test_templates_are_listed_and_shown():
    names = [one["name"] for one in json.loads(run("templates", "list", "--json").output)]
    assert "reasoning/localize_node" in names
    assert "reasoning/localize_node@2026.02" in names
    assert "reasoning/localize_node" in run("templates", "list").output
    found = [one["name"] for one in json.loads(run("templates", "list", "DWELL", "--json").output)]
    assert found == ["explore/dwell_by_area"]
    nothing = run("templates", "list", "xyzzy")
    assert nothing.exit_code == 6
    assert "No template has 'xyzzy'" in nothing.stderr
    shown = run("templates", "show", "reasoning/localize_node@2026.02").output
    assert "SEARCH" in shown
    assert "param" in shown
    pasted = run("templates", "show", "explore/timeline", "--browser").output
    assert ":param video_id => " in pasted
    assert "MATCH" in pasted
    assert json.loads(run("templates", "show", "explore/timeline", "--json").output)["mode"] == "read"


def test_an_unknown_template_is_a_graph_error():
    result = run("templates", "show", "reasoning/nothing")
    assert result.exit_code == 6
    assert "templates list" in result.stderr


def test_the_status_of_a_server_that_never_ran(tmp_path: Path):
    facts = json.loads(run("db", "status", "--json").output)
    assert facts["running"] is False
    assert facts["home"] == str(tmp_path / "home")
    assert "stopped" in run("db", "status").output
    assert json.loads(run("db", "stop", "--json").stdout) == {"stopped": False, "running": False}
    assert "not running" in run("db", "stop").output


def test_an_estimate_without_the_tokenizer_ends_before_the_video_is_watched(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
):
    tokens._encoding.cache_clear()
    monkeypatch.setitem(sys.modules, "bpe_openai", None)
    result = run("index", str(data_dir / "videos" / "two_men_hug.mp4"), "--profile", "gemini", "--estimate")
    assert result.exit_code == 3
    assert "pip install 'ravu-kg[gemini]'" in result.stderr
    assert "watching" not in result.stderr


def test_the_server_of_evaluations_that_never_ran_is_not_stopped(tmp_path: Path):
    home = tmp_path / "evaluation"
    stopped = run("eval", "stop", "--home", str(home), "--json")
    assert json.loads(stopped.stdout) == {"stopped": False, "running": False}
    assert f"No server of evaluations runs in {home}" in run("eval", "stop", "--home", str(home)).stdout
    assert not home.exists()


@pytest.mark.parametrize("command", ["load captions", "run own --method text --graph captions -o run"])
def test_an_evaluation_without_its_encoder_starts_no_server(command: str, tmp_path: Path):
    (tmp_path / "file").write_text(json.dumps({"id": "1", "video": "a", "question": "what", "spans": [[0, 1]]}))
    home = tmp_path / "evaluation"
    result = run("eval", *command.split(), "file", "--embedder", "absent:model", "--home", str(home))
    assert result.exit_code == 3
    assert "No embedder named 'absent' is installed" in result.stderr
    assert not home.exists()


def test_a_server_of_the_user_s_own_needs_a_password(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NEO4J_URI", "bolt://127.0.0.1:1")
    result = run("videos", "list")
    assert result.exit_code == 3
    assert "NEO4J_PASSWORD" in result.stderr


def test_a_file_that_looks_like_an_option_is_told_how_to_be_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "-dash.mp4").write_bytes(b"x")
    with pytest.raises(SystemExit) as left:
        cli.main(["index", "-dash.mp4"], "ravu-kg")
    assert left.value.code == 2
    assert "./-dash.mp4" in capsys.readouterr().err


def test_ctrl_c_after_the_result_changes_nothing():
    code = (
        "import atexit, os, signal, sys; from ravu_kg.cli import main; sys.argv = ['ravu-kg', '--version'];"
        "atexit.register(os.kill, os.getpid(), signal.SIGINT); main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("ravu-kg ")
