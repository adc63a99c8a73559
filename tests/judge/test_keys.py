"""A key goes only where its owner is: the rule, and the headers that two servers see on every
path to a judge.
"""

import json
import logging
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from choice_runs import write_captions
from host_files import sample_of
from openai_server import Behaviour, OpenAIServer
from run_command import words

from spiqa_tasks import L3Score
from spiqa_tasks.benchmarks.record import Record, metric_requests
from spiqa_tasks.benchmarks.registry import load_rows, rows_for_scoring
from spiqa_tasks.benchmarks.scorer import judged
from spiqa_tasks.cli import main
from spiqa_tasks.errors import JudgeError
from spiqa_tasks.judge.judge import Judge, make_judge
from spiqa_tasks.judge.providers.openai import OpenAIJudge
from spiqa_tasks.judge.resolve import judge_from_environ
from spiqa_tasks.judge.rules import RULES, Candidate
from spiqa_tasks.judge.types import JudgeConfig

OWN = "sk-judge-0123456789"
PUBLIC = "sk-public-0123456789"
OTHER = "sk-other-0123456789"
SECRET = "sk-secret-0123456789"  # the one of the fixture `config`
KEYS = {"SPIQA_JUDGE_API_KEY": OWN, "OPENAI_API_KEY": PUBLIC, "ANTHROPIC_API_KEY": OTHER}


@dataclass
class Servers:
    """OpenAI's own server (a stand-in), and another one."""

    public: OpenAIServer
    other: OpenAIServer

    def keys(self) -> tuple[set[str | None], set[str | None]]:
        """What each of them was sent as `authorization`, without `Bearer`."""

        def of(server: OpenAIServer) -> set[str | None]:
            sent = [request["headers"].get("authorization") for request in server.requests]
            return {value.removeprefix("Bearer ") if value else None for value in sent}

        return of(self.public), of(self.other)

    def everything(self) -> str:
        """All that both of them were sent."""
        return repr(self.public.requests) + repr(self.other.requests)


@pytest.fixture
def servers(monkeypatch: pytest.MonkeyPatch) -> Iterator[Servers]:
    """Both servers, with all keys in the environment and no judge."""
    for name, key in KEYS.items():
        monkeypatch.setenv(name, key)
    monkeypatch.delenv("SPIQA_JUDGE")
    with OpenAIServer(Behaviour()) as public, OpenAIServer(Behaviour()) as other:
        monkeypatch.setattr(OpenAIJudge, "url", public.url)
        yield Servers(public, other)


@pytest.fixture
def predictions(tmp_path: Path) -> str:
    """An answer to each of the demo's questions."""
    path = tmp_path / "answers.jsonl"
    rows = rows_for_scoring("spiqa", "demo", "setting=captiononly")
    path.write_text(
        "".join(json.dumps({"id": row["id"], "prediction": "x"}) + "\n" for row in rows)
    )
    return str(path)


@pytest.fixture
def run(tmp_path: Path) -> str:
    """A model's captions of the demo's figures."""
    rows = load_rows("scifibench", "demo_fig2cap", "prompt=caption")[:2]
    write_captions(tmp_path / "a", "a", [sample_of(row, "a plot") for row in rows])
    return str(tmp_path / "a")


def ask(judge: Judge) -> list[Record]:
    """Have a record judged."""
    requests = metric_requests(judge.rule, "l3score", Candidate("a", "q", "a"))
    return judged([Record("1", "a", "a", requests=requests)], judge)


def hooks() -> None:
    """Ask as the hooks do before and in a run."""
    judge = make_judge("l3score", judge_from_environ(os.environ))
    assert judge is not None
    ask(judge)


def metric(judge: str, **options: Any) -> None:
    """Ask by the standalone metric."""
    L3Score(judge, **options).compute(questions=["q"], references=["a"], predictions=["a"])


@pytest.mark.parametrize("how", ["variable", "text"])
@pytest.mark.parametrize("key", [OWN, None])
def test_the_hooks_judge_at_a_server_of_its_own(
    servers: Servers, monkeypatch: pytest.MonkeyPatch, how: str, key: str | None
) -> None:
    """SPIQA_JUDGE_BASE_URL and the URL in SPIQA_JUDGE get SPIQA_JUDGE_API_KEY or none, never
    OPENAI_API_KEY.
    """
    if how == "variable":
        monkeypatch.setenv("SPIQA_JUDGE_BASE_URL", servers.other.url)
    else:
        monkeypatch.setenv("SPIQA_JUDGE", f"openai:m@{servers.other.url}")
    if key is None:
        monkeypatch.delenv("SPIQA_JUDGE_API_KEY")
    hooks()
    assert servers.keys() == (set(), {key})


@pytest.mark.parametrize("command", ["score", "rank"])
def test_two_judges_of_a_command_get_a_key_each(
    servers: Servers, predictions: str, run: str, command: str
) -> None:
    """The judge at a URL of its own gets the judge's key, the public one the provider's; no
    other key leaves.
    """
    places = ["spiqa_demo_captiononly", predictions] if command == "score" else [run]
    main(
        [
            *words(command),
            *places,
            "--judge",
            f"openai:a@{servers.other.url}",
            "--judge",
            "openai:gpt-4o",
            "--json",
        ]
    )
    assert servers.keys() == ({PUBLIC}, {OWN})
    assert OTHER not in servers.everything()


@pytest.mark.parametrize("command", ["score", "rank"])
def test_the_environments_judge_owns_its_key(
    servers: Servers, predictions: str, run: str, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where SPIQA_JUDGE names the public judge, SPIQA_JUDGE_API_KEY is that one's, and another
    server gets none.
    """
    monkeypatch.setenv("SPIQA_JUDGE", "openai:gpt-4o")
    places = ["spiqa_demo_captiononly", predictions] if command == "score" else [run]
    main(
        [
            *words(command),
            *places,
            "--judge",
            f"openai:a@{servers.other.url}",
            "--judge",
            "openai:gpt-4o",
            "--json",
        ]
    )
    assert servers.keys() == ({OWN}, {None})


@pytest.mark.parametrize("command", ["score", "rank"])
def test_a_command_at_the_environments_server(
    servers: Servers, predictions: str, run: str, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a URL of its own a judge is asked at SPIQA_JUDGE_BASE_URL, with
    SPIQA_JUDGE_API_KEY.
    """
    monkeypatch.setenv("SPIQA_JUDGE_BASE_URL", servers.other.url)
    places = ["spiqa_demo_captiononly", predictions] if command == "score" else [run]
    main([*words(command), *places, "--judge", "openai:gpt-4o", "--json"])
    assert servers.keys() == (set(), {OWN})


def test_the_metric_alone(servers: Servers, monkeypatch: pytest.MonkeyPatch) -> None:
    """`@URL` and `base_url=` get SPIQA_JUDGE_API_KEY, an explicit key, or none; the public
    address gets its own.
    """
    metric("openai:m")
    metric("openai:a", base_url=servers.other.url)
    metric(f"openai:b@{servers.other.url}")
    assert servers.keys() == ({PUBLIC}, {OWN})
    servers.other.requests.clear()
    metric("openai:c", base_url=servers.other.url, api_key="explicit")
    assert servers.keys()[1] == {"explicit"}
    servers.other.requests.clear()
    monkeypatch.delenv("SPIQA_JUDGE_API_KEY")
    metric("openai:d", base_url=servers.other.url)
    assert servers.keys()[1] == {None}


@pytest.mark.parametrize("command", ["score", "rank"])
def test_without_a_key_a_dry_run_works_and_a_real_one_says_what_to_set(
    servers: Servers,
    predictions: str,
    run: str,
    command: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Parsing a judge and counting its calls need no key; asking does, and nothing is sent
    without one.
    """
    for name in KEYS:
        monkeypatch.delenv(name)
    places = ["spiqa_demo_captiononly", predictions] if command == "score" else [run]
    if command == "score":
        assert main([*words(command), *places, "--judge", "openai:gpt-4o", "--dry-run"]) == 0
    assert main([*words(command), *places, "--judge", "openai:gpt-4o"]) == 2
    assert "needs a key" in capsys.readouterr().err
    assert servers.keys() == (set(), set())


@pytest.mark.parametrize("fault", ["echo_key", "401", "reset", "truncated", "ok"])
def test_the_key_is_written_nowhere(
    server: OpenAIServer,
    config: JudgeConfig,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    fault: str,
) -> None:
    """No log at any level, output, cache byte, reason, error, record or signature holds the key."""
    caplog.set_level(logging.DEBUG)
    server.behaviour.sticky = fault
    config = replace(config, retry=replace(config.retry, max_attempts=2, patience=0.5))
    judge = Judge(config, RULES["l3score"]())
    said: list[Any] = [config, vars(judge)]
    try:
        said.append(judge.preflight())
    except JudgeError as error:
        said.append(error)
    said += [ask(judge), judge.signature, judge.summary()]
    written = caplog.text + "".join(capfd.readouterr()) + repr(said)
    assert SECRET in server.requests[0]["headers"]["authorization"]
    assert SECRET not in written
    assert config.cache_dir is not None
    files = list(config.cache_dir.iterdir())
    assert files
    assert not any(SECRET.encode() in file.read_bytes() for file in files)
