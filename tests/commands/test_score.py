"""`spiqa-tasks score` on the shipped data, with a judge at a local server."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from openai_server import Behaviour, OpenAIServer, agreeing
from run_command import WITHOUT_JAVA, run_json
from run_files import run_header, run_records

from spiqa_tasks.benchmarks.registry import rows_for_scoring, yaml_folder
from spiqa_tasks.cli import main
from spiqa_tasks.scoring.l3score import l3score

KEY = "sk-secret-0123456789"
YES = l3score([("Yes", -0.105360516), ("No", -2.525728644)])
"""What the local server's agreeing answer is worth."""


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    """A judge that says yes to equal answers."""
    with OpenAIServer(Behaviour()) as running:
        yield running


@pytest.fixture(autouse=True)
def judged_here(server: OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the local server judge, without Java, so that only the judge takes time."""
    monkeypatch.setenv("SPIQA_JUDGE", "openai:gpt-4o")
    monkeypatch.setenv("SPIQA_JUDGE_BASE_URL", server.url)
    monkeypatch.setenv("SPIQA_JUDGE_API_KEY", KEY)


@pytest.fixture
def predictions(tmp_path: Path) -> Path:
    """Answers to the 39 demo questions: right where the position is even, else wrong."""
    return write(
        tmp_path / "model.jsonl",
        lambda index, answer: answer if index % 2 == 0 else f"wrong {index}",
    )


def write(path: Path, answer: Callable[[int, str], str]) -> Path:
    """A jsonl file with an answer for every demo question."""
    rows = rows_for_scoring("spiqa", "demo", "")
    entries = [
        {
            "id": row["id"],
            "prediction": f"{{'Answer': {answer(index, row['answer'])!r}}}",
        }
        for index, row in enumerate(rows)
    ]
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    return path


def score(capsys: pytest.CaptureFixture[str], *arguments: str | Path, status: int = 0) -> Any:
    """Return the JSON that `score` prints."""
    assert main(["score", *map(str, arguments), "--json"]) == status
    return json.loads(capsys.readouterr().out)


def test_the_json_has_the_metrics_the_counts_and_the_signature(
    server: OpenAIServer, predictions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """20 of 39 answers are right: the mean is that of 20 agreeing and 19 disagreeing verdicts."""
    found = score(capsys, "spiqa_demo", predictions)
    parts = {"task", "metrics", "counts", "signature", "omitted", "intervals", "n"}
    assert set(found) == parts
    assert found["metrics"]["l3score"] == pytest.approx((20 * YES + 19 * (1 - YES)) / 39)
    assert found["metrics"]["judge_failed_rate"] == 0.0
    assert {key: found["counts"][key] for key in ("docs", "judged", "judge_failed")} == {
        "docs": 39,
        "judged": 39,
        "judge_failed": 0,
    }
    for part in (
        "judge:openai:gpt-4o",
        "judge_served:gpt-4o",
        "judge_prompt:released:",
        "judge_rule:top-5",
    ):
        assert f"|{part}" in found["signature"]
    assert server.counts["ok"] == 39 + 2  # with the two test questions
    assert KEY not in json.dumps(found)


def test_answers_are_judged_by_the_rule_that_is_named(
    server: OpenAIServer, predictions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It names the metric and stands in the signature; what only L3Score has is not there."""

    def text(body: dict[str, Any]) -> str:
        first, second, *_ = agreeing(body["messages"][0]["content"])
        return first[0] if first[1] > second[1] else second[0]

    server.behaviour.text = text
    found = score(capsys, "spiqa_demo", predictions, "--rule", "sampled:1")
    assert found["metrics"]["l3score_sampled"] == pytest.approx(20 / 39)
    assert found["counts"]["judged"] == 39
    assert not {"l3score", "yes_no_mass"} & set(found["metrics"])
    assert re.search(
        r"\|settings:[^|]*,rule=sampled:1\|.*\|judge_rule:share of 1 draws\|", found["signature"]
    )


def test_a_dry_run_asks_nothing_and_tells_the_price(
    server: OpenAIServer,
    predictions: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Calls and tokens; dollars where the judge's own server would be asked, and where the package
    of prices exists.
    """
    monkeypatch.delenv("SPIQA_JUDGE_BASE_URL")
    judges = ("--judge", "openai:gpt-4o", "--judge", f"openai:local@{server.url}")
    paid, local = score(capsys, "spiqa_demo", predictions, *judges, "--dry-run")["dry_run"]
    assert (paid["judge"], paid["calls"], paid["cached"]) == ("openai:gpt-4o", 39, 0)
    if sys.version_info >= (3, 11):
        assert 0 < paid["cost"] < 0.1
    else:
        assert paid["cost"] is None
    assert paid["prompt_tokens"] > 39 * 50
    assert (local["judge"], local["cost"]) == (f"openai:local@{server.url}", None)
    assert not server.requests


@pytest.fixture
def judged_letters(tmp_path: Path) -> tuple[Path, Path]:
    """A YAML with a judge that reads letters, and answers: 20 right, two open, one refused, one
    wrong.
    """
    task = tmp_path / "mine.yaml"
    own = {"include": str(yaml_folder() / "scifibench" / "scifibench_demo.yaml"), "task": "mine"}
    task.write_text(json.dumps({**own, "dataset_name": "prompt=letter,extractor=judge"}))
    rows = rows_for_scoring("scifibench", "demo", "")
    texts = [row["answer"] for row in rows]
    texts[:2] = [
        f"It is surely the one with the letter that follows, {row['answer']}, or so"
        for row in rows[:2]
    ]
    texts[2] = "Sorry, I cannot see any image."
    texts[3] = next(letter for letter in rows[3]["letters"] if letter != rows[3]["answer"])
    path = tmp_path / "answers.jsonl"
    lines = [
        json.dumps({"id": row["id"], "prediction": text})
        for row, text in zip(rows, texts, strict=True)
    ]
    path.write_text("\n".join(lines))
    return task, path


def test_a_judge_reads_open_answers_of_scifibench(
    server: OpenAIServer, judged_letters: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """accuracy_llm counts the answers that the matcher leaves open as the judge reads them; only
    these are asked.
    """
    server.behaviour.text = lambda body: (
        re.findall(r"follows, ([A-E])", str(body["messages"])) or ["B"]
    )[0]
    task, answers = judged_letters
    given = ("mine", answers, "--include-path", task.parent)
    forecast = score(capsys, *given, "--dry-run")["dry_run"]
    assert [each["calls"] for each in forecast] == [2]
    found = score(capsys, *given)
    assert found["metrics"]["accuracy"] == pytest.approx(20 / 24)
    assert found["metrics"]["accuracy_llm"] == pytest.approx(22 / 24)
    assert found["metrics"]["extractor_rate"] == pytest.approx(2 / 24)
    assert found["counts"]["judged"] == 2
    assert len(server.requests) == 2 + 1
    assert "judge_prompt:letters:" in found["signature"]


def test_a_judge_at_a_server_of_its_own_never_gets_the_public_key(
    server: OpenAIServer,
    predictions: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """OPENAI_API_KEY is for OpenAI; another server gets the judge's key or none."""
    monkeypatch.delenv("SPIQA_JUDGE_API_KEY")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-public")
    found = score(capsys, "spiqa_demo", predictions, "--judge", f"openai:local@{server.url}")
    assert found["counts"]["judged"] == 39
    assert not any("authorization" in request["headers"] for request in server.requests)


def test_a_judge_out_of_reach_stops_before_anything_is_scored(
    server: OpenAIServer, predictions: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The test questions fail: exit status 2, one sentence with the remedy, nothing written."""
    server.behaviour.sticky = "401"
    assert main(["score", "spiqa_demo", str(predictions), "--output", str(tmp_path / "out")]) == 2
    assert "SPIQA_JUDGE_API_KEY" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
    assert len(server.requests) == 1


def test_failed_judgements_are_withheld_and_filled_in_later_at_the_price_of_the_missing_ones(
    server: OpenAIServer, predictions: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Four refused requests: no number, exit status 3; the next call asks these four only."""
    server.behaviour.script = ["ok"] * 2 + ["400"] * 4
    found = score(capsys, "spiqa_demo", predictions, "--output", tmp_path / "out", status=3)
    assert found["metrics"]["l3score"] is None
    assert "35 of 39" in found["omitted"]["l3score"]
    assert (found["counts"]["judged"], found["counts"]["judge_failed"]) == (35, 4)
    assert found["metrics"]["judge_failed_rate"] == pytest.approx(4 / 39)
    samples = run_records(tmp_path / "out", "spiqa_demo")
    failed = [sample for sample in samples if sample["status"] == "judge_failed"]
    assert len(failed) == 4
    assert all("400" in sample["reason"] and "l3score" not in sample["scores"] for sample in failed)
    before = len(server.requests)
    found = score(capsys, "spiqa_demo", predictions, "--output", tmp_path / "out")
    assert found["counts"]["judged"] == 39
    assert len(server.requests) - before == 4 + 2
    header = run_header(tmp_path / "out", "spiqa_demo")
    assert {name: header[name] for name in found} == found
    assert (
        len(list((tmp_path / "out" / "model").glob("*_results.json"))) == 2
    )  # nothing is overwritten


def test_missing_and_unknown_ids_are_told_and_give_exit_status_3(
    predictions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is there is scored; stderr and the counts say what is not."""
    lines = predictions.read_text().splitlines()[1:]
    predictions.write_text("\n".join([*lines, '{"id": "nowhere/7", "prediction": "x"}']))
    assert main(["score", "spiqa_demo", str(predictions), "--json"]) == 3
    output = capsys.readouterr()
    counts = json.loads(output.out)["counts"]
    assert (counts["docs"], counts["missing"], counts["unknown"]) == (38, 1, 1)
    assert counts["unknown_first"] == ["nowhere/7"]
    assert "1 id without an answer" in output.err
    assert "nowhere/7" in output.err


def test_several_judges_and_models_are_compared(
    server: OpenAIServer, predictions: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """One column per model and judge, each under its judge's name."""
    better = write(
        tmp_path / "better.jsonl", lambda index, answer: answer if index % 4 else "wrong"
    )
    places = ("spiqa_demo", predictions, better, "--judge", "openai:one", "--judge", "openai:two")
    found = score(capsys, *places)
    assert [(each["predictions"], each["judge"]) for each in found["results"]] == [
        ("model", "openai:one"),
        ("model", "openai:two"),
        ("better", "openai:one"),
        ("better", "openai:two"),
    ]
    asked = len(server.requests)
    assert main(["score", *map(str, places)]) == 0
    assert "judge openai:one" in capsys.readouterr().out
    assert len(server.requests) == asked


@pytest.mark.usefixtures("no_java")
def test_the_table_for_people_is_times_100_with_intervals_and_reasons(
    predictions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The mean of 20 yes and 19 no; METEOR says why it is not there."""
    assert main(["score", "spiqa_demo", str(predictions)]) == 0
    lines = capsys.readouterr().out.splitlines()
    (line,) = [line for line in lines if line.startswith("l3score ")]
    expected = 100 * (20 * YES + 19 * (1 - YES)) / 39
    assert line.split()[1] == f"{expected:.1f}"
    assert line.endswith("39")
    assert any("meteor left out: no working Java" in line for line in lines)
    assert any(line.startswith("signature: spiqa-tasks:") for line in lines)


def test_extra_fields_go_to_a_judge_at_its_own_address(
    server: OpenAIServer,
    predictions: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """They are in every request and in the signature."""
    thinking = '{"chat_template_kwargs": {"enable_thinking": false}}'
    monkeypatch.setenv("SPIQA_JUDGE_EXTRA", thinking)
    found = score(capsys, "spiqa_demo", predictions, "--judge", f"openai:m@{server.url}")
    assert all(
        request["body"]["chat_template_kwargs"] == {"enable_thinking": False}
        for request in server.requests
    )
    assert "enable_thinking" in found["signature"]


def test_answers_about_single_figures_are_joined_before_they_are_judged(
    server: OpenAIServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One verdict per question, foretold by the dry run and asked once though several metrics
    need it.
    """
    rows = rows_for_scoring("spiqa", "demo", "setting=perfigure,max_figures=0")
    path = tmp_path / "p.jsonl"
    said = [
        {
            "id": row["id"],
            "prediction": (
                ("Yes" if row["referred"] else "No") if row["step"] == "helpful" else "wrong"
            ),
        }
        for row in rows
    ]
    path.write_text("".join(json.dumps(entry) + "\n" for entry in said))
    calls = score(capsys, "spiqa_demo_perfigure", path, "--dry-run")["dry_run"][0]["calls"]
    found = score(capsys, "spiqa_demo_perfigure", path)
    assert found["metrics"]["l3score"] == pytest.approx(1 - YES)
    assert found["counts"]["judged"] == 39
    assert len(server.requests) == calls + 2
    assert calls <= 39


def test_after_kill_9_only_the_missing_verdicts_are_asked_for(
    server: OpenAIServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process killed in the middle of 400 judgements leaves its verdicts; the next one asks
    for the rest.
    """
    questions = 400
    data = tmp_path / "data" / "spiqa" / "test-A"
    data.mkdir(parents=True)
    figure = {"f.png": {"caption": "c", "content_type": "table", "figure_type": "table"}}
    asked = [
        {"question": f"Q{i}?", "answer": f"a{i}", "reference": "f.png"} for i in range(questions)
    ]
    (data / "SPIQA_testA.json").write_text(json.dumps({"p": {"all_figures": figure, "qa": asked}}))
    lines = [json.dumps({"id": f"p/{i}", "prediction": f"a{i}"}) for i in range(questions)]
    predictions = tmp_path / "p.jsonl"
    predictions.write_text("\n".join(lines))
    monkeypatch.setenv("SPIQA_TASKS_DATA", str(tmp_path / "data"))
    monkeypatch.setenv(
        "PATH", str(Path(sys.executable).parent)
    )  # without Java, so that only the judge takes time
    server.behaviour.latency = 0.3
    command = [*WITHOUT_JAVA, "score", "spiqa_testA", str(predictions), "--json", "--partial"]
    first = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while server.counts["ok"] < 100 and time.monotonic() < deadline:
        time.sleep(0.01)
    os.kill(first.pid, signal.SIGKILL)
    first.communicate()
    time.sleep(0.5)
    answered = server.counts["ok"]
    assert 100 <= answered < questions
    server.behaviour.latency = 0.0
    on_their_way = 2 * 64  # asked and not yet answered, or answered and not yet on the disk
    for most in (questions - answered + on_their_way + 1, 0):
        before = server.counts["ok"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["counts"]["judged"] == questions
        assert server.counts["ok"] - before <= most


@pytest.mark.parametrize(
    ("number", "word"), [(signal.SIGINT, "interrupted"), (signal.SIGTERM, "terminated")]
)
def test_a_signal_while_a_judge_is_asked_is_one_sentence(
    server: OpenAIServer, tmp_path: Path, number: signal.Signals, word: str
) -> None:
    """Without a word of asyncio on the requests that were on their way."""
    line = {"question": "Q?", "reference": "red"}
    lines = [json.dumps({**line, "prediction": f"a{place}"}) for place in range(400)]
    answers = tmp_path / "a.jsonl"
    answers.write_text("\n".join(lines))
    server.behaviour.latency = 0.3
    words = ["score", str(answers), "--metrics", "l3score"]
    command = [sys.executable, "-m", "spiqa_tasks.cli", *words]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as started:
        deadline = time.monotonic() + 60
        while server.counts["ok"] < 50 and time.monotonic() < deadline:
            time.sleep(0.01)
        started.send_signal(number)
        _, errors = started.communicate(timeout=60)
    assert started.returncode == 128 + number
    *others, last = errors.splitlines()
    assert last == f"spiqa-tasks: {word}; what was finished is kept."
    assert [line for line in others if not line.startswith("spiqa-tasks: judge ")] == []


def test_failed_requests_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They are no answers of the model: 2 of 39 withhold its numbers, and a sentence has the
    first reason.
    """
    path = write(tmp_path / "m.jsonl", lambda _, answer: answer)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines[:2]:
        line["error"] = "Error code: 429 - {'error': {'message': 'Rate limit reached'}}"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    status, found, errors = run_json(capsys, "score", "spiqa_demo", path)
    assert (status, found["counts"]["request_failed"], found["metrics"]["rouge_l"]) == (3, 2, None)
    assert (
        "m: 2 of 39 answers are failed requests, not the model's, the first is"
        f" {lines[0]['id']}: Error code: 429" in errors
    )
    assert "They have no score: ask the model again." in errors


def test_a_file_with_other_true_answers_is_scored_only_where_that_is_accepted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The exit status says so all the same, and the ids are counted."""
    path = write(tmp_path / "m.jsonl", lambda _, answer: answer)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    path.write_text("".join(json.dumps({**line, "answer": "another"}) + "\n" for line in lines))
    status, found, errors = run_json(capsys, "score", "spiqa_demo", path)
    assert (status, found) == (2, [])
    assert "found 39 of 39 ids that differ" in errors
    status, found, errors = run_json(capsys, "score", "spiqa_demo", path, "--accept-differences")
    assert (status, found["metrics"]["rouge_l"], found["counts"]["differing"]) == (
        3,
        pytest.approx(1.0),
        39,
    )
    assert "39 of 39 questions differ from the release and are scored as the release's" in errors
