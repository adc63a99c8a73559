"""`spiqa-tasks paper scifibench table3`: judges behind a server rank the captions of three runs
and the true ones.
"""

import base64
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from choice_runs import write_captions
from host_files import sample_of, write_run
from openai_server import Behaviour, OpenAIServer
from report_runs import runs_at
from run_command import words

from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.cli import main
from spiqa_tasks.commands.paper_ranking import (
    TRUE,
    Figure,
    Rank,
    RankingQuestion,
    mean_ranks,
    ranking_question,
    read_figures,
    read_rankings,
)
from spiqa_tasks.errors import InputError
from spiqa_tasks.judge.types import JudgeRequest, Verdict

PREFERENCES = {
    "first": ["caption by b", "true", "caption by a"],
    "second": ["caption by a", "true", "caption by b"],
}


def judge(body: dict[str, Any]) -> str:
    """Return a ranking by the model's preference, whatever the letters; the true caption is the one
    without a writer.
    """
    text = body["messages"][-1]["content"][-1]["text"]
    captions = dict(re.findall(r"^([A-Z])\) (.*)$", text, re.MULTILINE))
    writers = {
        letter: caption if caption.startswith("caption by") else "true"
        for letter, caption in captions.items()
    }
    order = sorted(writers, key=lambda letter: PREFERENCES[body["model"]].index(writers[letter]))
    return f"Ranked Captions: [{', '.join(order)}]"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenAIServer]:
    with OpenAIServer(Behaviour(text=judge)) as running:
        monkeypatch.setenv("SPIQA_JUDGE_BASE_URL", running.url)
        yield running


@pytest.fixture
def runs(tmp_path: Path) -> list[str]:
    """Captions of two models for the demo's figures, the second one without its last."""
    rows = load_rows("scifibench", "demo_fig2cap", "prompt=caption")
    for model in "ab":
        texts = [
            f"caption by {model}" if (model, index) != ("b", 11) else ""
            for index in range(len(rows))
        ]
        samples = [sample_of(row, text) for row, text in zip(rows, texts, strict=True)]
        write_captions(tmp_path / model, model, samples)
    return [str(tmp_path / model) for model in "ab"]


RANK = words("rank")
JUDGES = ["--judge", "openai:first", "--judge", "openai:second"]


@pytest.mark.usefixtures("server")
def test_table_has_mean_and_deviation_per_judge_and_combined(
    runs: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Two judges of opposite taste: ranks 1 and 3 are swapped between them, everybody is 2 on
    average.
    """
    assert main([*RANK, *runs, *JUDGES, "--json"]) == 3
    rows, errors = capsys.readouterr()
    means = {}
    for row in json.loads(rows):
        writer = row.pop("captions_by")
        means[writer] = {judge: column["mean"] for judge, column in row.items()}
        assert all((column["sd"], column["n"]) == (0, 11) for column in row.values())
    assert means == {
        "a": {"openai:first": 3, "openai:second": 1, "Combined": 2},
        "b": {"openai:first": 1, "openai:second": 3, "Combined": 2},
        "True Caption": {"openai:first": 2, "openai:second": 2, "Combined": 2},
    }
    assert "11 figures, 1 without a caption of every model, 0 rankings failed." in errors


def test_judge_sees_the_figure_and_captions_in_an_order_of_its_own(
    server: OpenAIServer, runs: list[str]
) -> None:
    """The request holds the figure's bytes and appendix G.3's text; orders vary between items
    and judges.
    """
    main([*RANK, *runs, *JUDGES])
    bodies = [request["body"] for request in server.requests]
    assert len(bodies) == 22
    picture = load_rows("scifibench", "demo_fig2cap", "prompt=caption")[0]["images"][0]
    encoded = base64.b64encode(Path(picture).read_bytes()).decode()
    about = [
        body
        for body in bodies
        if body["messages"][0]["content"][0]["image_url"]["url"].endswith(encoded)
    ]
    assert {body["model"] for body in about} == {"first", "second"}
    texts = [body["messages"][0]["content"][-1]["text"] for body in bodies]
    assert all(text.startswith("Your task is to rank the following captions") for text in texts)
    assert all(text.endswith("Ranked Captions:") for text in texts)
    orders = [
        tuple("by" in caption for caption in re.findall(r"^[A-Z]\) (.*)$", text, re.MULTILINE))
        for text in texts
    ]
    assert len(set(orders)) > 1


def test_rankings_that_cannot_be_read_are_counted(
    server: OpenAIServer, runs: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """A judge that answers without a list has no ranks; nothing is guessed."""
    server.behaviour.text = "A is best, clearly."
    assert main([*RANK, *runs, "--judge", "openai:first", "--json"]) == 3
    rows, errors = capsys.readouterr()
    assert json.loads(rows) == []
    assert "openai:first: no list, 11 times." in errors


def test_a_second_run_is_paid_already(server: OpenAIServer, runs: list[str]) -> None:
    """Verdicts are kept."""
    main([*RANK, *runs, *JUDGES])
    assert len(server.requests) == 22
    main([*RANK, *runs, *JUDGES])
    assert len(server.requests) == 22


def test_judge_without_eyes_and_runs_without_captions_are_refused(
    server: OpenAIServer, runs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A local text judge and a run of another task end with one sentence each."""
    assert main([*RANK, *runs, "--judge", "hf:x"]) == 2
    write_run(tmp_path / "other", "m", {"t": [{"accuracy": {"id": "1", "score": 1.0}}]})
    assert main([*RANK, str(tmp_path / "other"), "--judge", "openai:first"]) == 2
    assert capsys.readouterr().err.count("Expected") == 2
    assert server.requests == []


def test_listed_figures_alone_are_ranked(
    server: OpenAIServer, runs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--ids` names three of the figures that both models have a caption of."""
    keys = [row["id"] for row in load_rows("scifibench", "demo_fig2cap", "prompt=caption")[:3]]
    listed = tmp_path / "ids.txt"
    listed.write_text("\n".join(keys))
    assert main([*RANK, *runs, *JUDGES[:2], "--ids", str(listed), "--json"]) == 0
    assert {row["openai:first"]["n"] for row in json.loads(capsys.readouterr().out)} == {3}
    assert len(server.requests) == 3


def test_captions_of_a_part_of_the_figures_are_ranked_if_that_is_asked_for(
    server: OpenAIServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of 12 figures 6 have a caption: no judge is paid without `--partial`."""
    rows = load_rows("scifibench", "demo_fig2cap", "prompt=caption")
    samples = [sample_of(row, "caption by a") for row in rows[:6]]
    write_captions(tmp_path, "a", samples, asked=len(rows))
    command = [*RANK, str(tmp_path), *JUDGES[:2]]
    assert main(command) == 2
    assert "6 of 12 questions were answered" in capsys.readouterr().err
    assert server.requests == []
    main([*command, "--partial"])
    assert len(server.requests) == 6


@pytest.mark.usefixtures("server")
def test_an_unreadable_file_of_captions_is_done_in_part(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All figures of the others are ranked, and the status is 3."""
    rows = load_rows("scifibench", "demo_fig2cap", "prompt=caption")
    samples = [sample_of(row, "caption by a") for row in rows]
    write_captions(tmp_path / "a", "a", samples)
    command = [*RANK, str(tmp_path), *JUDGES[:2]]
    assert main(command) == 0
    write_captions(tmp_path / "c", "c", samples)
    (broken,) = (tmp_path / "c").rglob("*_samples_*.jsonl")
    broken.write_text("{broken")
    assert main(command) == 3
    assert "Left out: " in capsys.readouterr().err


def test_each_judge_may_have_its_own_address(
    server: OpenAIServer,
    runs: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`provider:model@URL` is asked there, whatever the environment says."""
    monkeypatch.setenv("SPIQA_JUDGE_BASE_URL", "http://127.0.0.1:9/v1")
    judge = f"openai:first@{server.url}"
    assert main([*RANK, *runs, "--judge", judge, "--json"]) == 3
    rows = json.loads(capsys.readouterr().out)
    assert {row["captions_by"]: row[judge]["mean"] for row in rows}["b"] == 1
    assert len(server.requests) == 11


def test_captions_of_other_settings_are_not_ranked_together(tmp_path: Path) -> None:
    """Other samples of figures are another task."""
    for model, settings in (("a", "prompt=caption"), ("b", "prompt=caption,sample=3")):
        tasks = {
            "captions": [
                sample_of(row, "c") for row in load_rows("scifibench", "demo_fig2cap", settings)
            ]
        }
        options: dict[str, Any] = {"benchmark": "scifibench", "split": "demo_fig2cap"}
        write_run(tmp_path / model, model, tasks, settings={"captions": settings}, **options)
    with pytest.raises(InputError, match="one choice of settings, found 2"):
        read_figures(runs_at(tmp_path / "a", tmp_path / "b"))


def test_more_models_than_letters_are_refused(tmp_path: Path) -> None:
    """The true caption has the 26th."""
    rows = load_rows("scifibench", "demo_fig2cap", "prompt=caption")[:1]
    folders = [tmp_path / f"m{number}" for number in range(26)]
    for folder in folders:
        write_captions(folder, folder.name, [sample_of(rows[0], "c")])
    assert len(read_figures(runs_at(*folders[:25]))[0]) == 1
    with pytest.raises(InputError, match=r"at most 25 models, .* found 26"):
        read_figures(runs_at(*folders))


def test_the_order_is_drawn_by_figure_and_judge() -> None:
    """Both give the same order, with every caption once."""
    figure = Figure("7", "f.png", {TRUE: "t", "a": "x", "b": "y", "c": "z"})
    question = ranking_question(figure, "j")
    assert question == ranking_question(figure, "j")
    assert all(
        f"\n{letter}) {figure.captions[writer]}\n" in question.request.prompt
        for letter, writer in question.writers.items()
    )
    others = [ranking_question(figure, f"j{number}") for number in range(9)]
    assert len({tuple(other.writers.values()) for other in others}) > 3


def test_a_failed_request_is_no_ranking_whatever_its_text() -> None:
    """Nor is an incomplete one; both are counted by their reason."""
    verdicts = [
        Verdict("[B, A]"),
        Verdict("[A]"),
        Verdict("[A, B]", reason="boom"),
    ]
    request = JudgeRequest("")
    questions = [RankingQuestion(str(number), {"A": "a", "B": "b"}, request) for number in range(3)]
    failures: Counter[str] = Counter()
    ranks = read_rankings("j", questions, verdicts, failures)
    assert ranks == [Rank("j", "0", "b", 1), Rank("j", "0", "a", 2)]
    assert failures == {"j: no list": 1, "j: no reply (boom)": 1}


def test_ranks_are_combined_over_the_figures_that_every_judge_ranked() -> None:
    """Mean, deviation and number of each judge and combined; the best writer first."""
    ranks = [
        *(
            Rank("one", figure, writer, rank)
            for figure in "12"
            for writer, rank in (("a", 2), ("t", 1))
        ),
        *(Rank("two", "1", writer, rank) for writer, rank in (("a", 1), ("t", 3))),
    ]
    rows = mean_ranks(ranks)
    assert [row.pop("captions_by") for row in rows] == ["a", "t"]
    expected = {"one": (2.0, 0.0, 2), "two": (1.0, 0.0, 1), "Combined": (1.5, 0.0, 1)}
    assert {judge: tuple(cell.values()) for judge, cell in rows[0].items()} == expected
