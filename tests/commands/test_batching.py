"""`--write-requests` and `--read-responses` of `score` and `rank`."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from choice_runs import write_captions
from host_files import sample_of
from openai_server import Behaviour, OpenAIServer
from pages import program
from run_command import run_json, words

from spiqa_tasks.benchmarks.registry import load_rows, rows_for_scoring
from spiqa_tasks.cli import main
from spiqa_tasks.judge.cache import VerdictCache

Run = Callable[..., tuple[int, Any, str]]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenAIServer]:
    """The judge, in a process that has asked none before."""
    with OpenAIServer(Behaviour()) as running:
        monkeypatch.setenv("SPIQA_JUDGE", "openai:gpt-4o")
        monkeypatch.setenv("SPIQA_JUDGE_BASE_URL", running.url)
        yield running


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    """Every other demo question answered as its reference says."""
    path = tmp_path / "answers.jsonl"
    rows = rows_for_scoring("spiqa", "demo", "")
    texts = [row["answer"] if place % 2 else "no idea" for place, row in enumerate(rows)]
    lines = [
        json.dumps({"id": row["id"], "prediction": text})
        for row, text in zip(rows, texts, strict=True)
    ]
    path.write_text("\n".join(lines))
    return path


@pytest.fixture
def score(answers: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """`score(*options)` of those answers, in a process of its own."""

    def run(*options: Any) -> tuple[int, Any, str]:
        return run_json(capsys, "score", "spiqa_demo", answers, *options)

    return run


def answered(requests: Path, url: str) -> Path:
    """The file of responses that the program in the docs makes."""
    responses = requests.with_suffix(".responses")
    subprocess.run(
        [
            sys.executable,
            "-c",
            program("judges", "urlopen"),
            requests,
            responses,
            url.removesuffix("/v1"),
        ],
        check=True,
    )
    return responses


def test_a_file_answered_elsewhere_gives_the_scores_of_direct_judging(
    server: OpenAIServer, score: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody is asked on the way; reading twice changes nothing, and what is stored is not written again."""
    requests = tmp_path / "requests.jsonl"
    assert score("--write-requests", requests)[:2] == (0, [])
    assert not server.requests
    assert len(requests.read_text().splitlines()) == 2 + 39
    responses = answered(requests, server.url)
    server.requests.clear()
    status, found, errors = score("--read-responses", responses)
    assert status == 0
    assert "read 41 responses for openai:gpt-4o: 41 new." in errors
    assert score("--read-responses", responses)[:2] == (0, found)
    assert score()[:2] == (0, found)
    assert score("--write-requests", requests)[0] == 0
    assert (requests.read_text(), server.requests) == ("", [])
    monkeypatch.setenv("SPIQA_TASKS_CACHE", str(tmp_path / "other"))
    assert score()[:2] == (0, found)


def test_what_a_file_does_not_answer_is_withheld_and_written_again(
    server: OpenAIServer, score: Run, tmp_path: Path
) -> None:
    """No odd line is a number; the next file has what is missing."""
    requests = tmp_path / "requests.jsonl"
    score("--write-requests", requests)
    lines = answered(requests, server.url).read_text().splitlines()
    refused = json.loads(lines[10]) | {
        "response": {"status_code": 400, "body": {"error": {"message": "too long"}}}
    }
    foreign = json.loads(lines[11]) | {"custom_id": "f" * 64}
    half, rest = tmp_path / "half", tmp_path / "rest"
    half.write_text(
        "\n".join([*lines[:10], lines[3], json.dumps(refused), json.dumps(foreign), lines[12][:50]])
    )
    rest.write_text("\n".join(reversed(lines)))
    status, found, errors = score("--read-responses", half)
    assert (status, found["metrics"]["l3score"], found["counts"]["judge_failed"]) == (3, None, 31)
    assert "read 14 responses for openai:gpt-4o: 10 new." in errors
    assert score("--write-requests", requests)[0] == 0
    assert len(requests.read_text().splitlines()) == 2 + 31
    status, found, errors = score("--read-responses", half, rest)
    assert (status, found["counts"]["judge_failed"]) == (0, 0)


def test_a_judge_is_tried_by_its_file_too(server: OpenAIServer, score: Run, tmp_path: Path) -> None:
    """One that does not tell right from wrong, or was not tried, is refused before anything is stored."""
    requests, untested = tmp_path / "requests.jsonl", tmp_path / "untested"
    score("--write-requests", requests)
    server.behaviour.verdict = lambda _: [
        ("Yes", -0.1),
        ("No", -3.0),
        ("a", -4.0),
        ("b", -5.0),
        ("c", -6.0),
    ]
    bad = answered(requests, server.url)
    untested.write_text("\n".join(bad.read_text().splitlines()[2:]))
    status, found, errors = score("--read-responses", bad)
    assert (status, found) == (2, [])
    assert "cannot be used" in errors
    status, found, errors = score("--read-responses", untested)
    assert (status, found) == (2, [])
    assert "have it answered and name both files" in errors
    assert score("--dry-run")[1]["dry_run"][0]["cached"] == 0


def test_the_tasks_of_a_group_go_into_one_file(
    server: OpenAIServer, tmp_path: Path, capsys: pytest.CaptureFixture[str], answers: Path
) -> None:
    """Two tasks of the demo, whose test questions are in it once."""
    folder = tmp_path / "runs"
    folder.mkdir()
    for task in ("spiqa_demo", "spiqa_demo_nocaption"):
        (folder / f"m_{task}.jsonl").write_bytes(
            answers.read_bytes().replace(b"no idea", task.encode())
        )
    requests = tmp_path / "requests.jsonl"
    assert main(["score", "demo", str(folder), "--write-requests", str(requests)]) == 0
    assert (
        main(
            ["score", "demo", str(folder), "--read-responses", str(answered(requests, server.url))]
        )
        == 0
    )
    capsys.readouterr()


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_rank_takes_files(
    server: OpenAIServer, provider: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Figures go into the lines as into single requests; a file and single requests rank the same."""
    rows = load_rows("scifibench", "demo_fig2cap", "prompt=caption")
    write_captions(tmp_path / "a", "a", [sample_of(row, "a caption") for row in rows])
    server.behaviour.text = "Ranked Captions: [A, B]"
    requests, responses = tmp_path / "requests.jsonl", tmp_path / "responses.jsonl"
    rank = [*words("rank"), str(tmp_path / "a"), "--judge", f"{provider}:m"]
    assert main([*rank, "--write-requests", str(requests)]) == 0
    written = list(map(json.loads, requests.read_text().splitlines()))
    bodies = [line.get("body") or line["params"] for line in written]
    results = [
        {"response": {"status_code": 200, "body": server._chat(body, False)}}
        if provider == "openai"
        else {"result": {"type": "succeeded", "message": server._message(body)}}
        for body in bodies
    ]
    lines = [line | result for line, result in zip(written, results, strict=True)]
    responses.write_text("\n".join(map(json.dumps, lines)))
    tables = set()
    for place, options in enumerate((["--read-responses", str(responses)], [])):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("SPIQA_TASKS_CACHE", str(tmp_path / str(place)))
            assert main([*rank, *options]) == 0
        tables.add(capsys.readouterr().out)
    assert "12 figures, 0 without a caption of every model, 0 rankings failed" in tables.pop()
    assert not tables
    assert sorted(map(str, bodies)) == sorted(str(request["body"]) for request in server.requests)


def test_a_forecast_in_every_form(answers: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With nothing asked."""
    arguments = ["score", "spiqa_demo", str(answers), "--judge", "openai:gpt-4o", "--dry-run"]
    for form, begins in (("csv", "judge,calls,cached,"), ("md", "| judge "), ("text", "judge  ")):
        assert main([*arguments, "--format", form]) == 0
        assert capsys.readouterr().out.startswith(begins)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--write-requests", "FILE", "--judge", "hf:a/b"], "found hf:a/b"),
        (["--write-requests", "FOLDER"], "found a folder"),
        (["--read-responses", "FOLDER"], "Expected responses at"),
        (
            ["--write-requests", "FILE", "--judge", "openai:a", "--judge", "openai:b"],
            "Expected one judge",
        ),
    ],
)
def test_what_does_not_go_together_is_refused(
    server: OpenAIServer, score: Run, options: list[str], message: str, tmp_path: Path
) -> None:
    """In one sentence, before anybody is asked or anything loaded."""
    places = {"FOLDER": str(tmp_path), "FILE": str(tmp_path / "file")}
    status, _, errors = score(*(places.get(option, option) for option in options))
    assert (status, server.requests) == (2, [])
    assert message in errors


def test_verdicts_that_cannot_be_stored_are_status_3(
    server: OpenAIServer, score: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All answers are scored, and the next run would pay for them again; so with files, which are read again."""
    requests = tmp_path / "requests.jsonl"
    assert score("--write-requests", requests)[0] == 0
    responses = answered(requests, server.url)
    (tmp_path / "file").write_text("")
    for options in ((), ("--read-responses", responses)):
        monkeypatch.setenv("SPIQA_TASKS_CACHE", str(tmp_path / "cache"))
        monkeypatch.setattr(VerdictCache, "_write", lambda *_: None)
        status, found, errors = score(*options)
        assert (status, found["counts"]["judge_failed"], found["counts"]["judged"]) == (3, 0, 39)
        assert f"Expected to store {41 if options else 39} verdicts in the judge's cache" in errors
