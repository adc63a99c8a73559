"""`spiqa-tasks score --by`: what it chooses and prints, for all three benchmarks."""

import json
from pathlib import Path

import pytest
from answer_files import right_answers, write_jsonl
from host_files import choice_sample, choice_samples, sample_of, write_run
from judged_runs import write_two_judges
from run_command import run_json

from spiqa_tasks.benchmarks.registry import BENCHMARKS, rows_for_scoring
from spiqa_tasks.cli import main
from spiqa_tasks.metrics import text_scores


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A run of each benchmark's demo task, the first twelve questions answered with `A`."""
    for name in ("spiqa", "mmstar", "scifibench"):
        samples = {
            f"{name}_demo": [sample_of(row, "A") for row in rows_for_scoring(name, "demo", "")[:12]]
        }
        write_run(
            tmp_path / name,
            "m",
            samples,
            settings={f"{name}_demo": ""},
            benchmark=name,
            split="demo",
        )
    return tmp_path


def test_every_benchmark_has_its_headline_or_every_metric(
    runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without --metric one metric per task; with `all` every one that the run has, the headline
    first.
    """
    found = run_json(capsys, "score", "--by", "group", runs)[1]
    assert {(row["task"], row["metric"]) for row in found} == {
        ("spiqa_demo", "bleu_1"),
        ("mmstar_demo", "accuracy"),
        ("scifibench_demo", "accuracy"),
    }
    assert set(found[0]) >= {"model", "task", "metric", "group", "n", "value", "low", "high"}
    everything = run_json(capsys, "score", "--by", "group", runs, "--metrics", "all")[1]
    for name, benchmark in BENCHMARKS.items():
        of_task = list(
            dict.fromkeys(row["metric"] for row in everything if row["task"] == f"{name}_demo")
        )
        computable = [
            metric.name
            for metric in benchmark.metrics(benchmark.parse(""))
            if metric.needs != "judge" and metric.name not in ("meteor", "bertscore_f1")
        ]
        assert [metric for metric in of_task if metric in computable] == computable
    groups = {(row["task"], row["metric"], row["group"]) for row in everything}
    assert ("spiqa_demo", "rouge_l", "plot") in groups
    assert ("mmstar_demo", "refusal_rate", "coarse_perception") in groups


def test_a_label_needs_runs_of_a_benchmark_that_has_it(
    runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of runs of three benchmarks those with the column are taken; without any, the message
    names it.
    """
    found = run_json(capsys, "score", runs, "--by", "source")[1]
    assert {row["task"] for row in found} == {"mmstar_demo"}
    assert main(["score", str(runs), "--by", "source", "--task", "scifibench_demo"]) == 2
    assert "No answers have the column source." in capsys.readouterr().err
    # The name of the row of all questions.
    assert main(["score", str(runs), "--by", "all"]) == 2


def test_runs_without_samples_have_no_groups(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The host's option that logs them is named."""
    write_run(tmp_path, "m", {"t": choice_samples([True])})
    (samples,) = tmp_path.glob("*_samples_t.jsonl")
    samples.unlink()
    assert main(["score", str(tmp_path), "--by", "group"]) == 2
    said = capsys.readouterr().err
    assert "No run has samples to score. Run it again with --log_samples." in said


def test_the_scores_of_two_judges_are_told_apart_or_one_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rows of the same model would look alike."""
    place = write_two_judges(tmp_path, {("m", "a"): [0.0] * 39, ("m", "b"): [0.5] * 39})
    _, found, _ = run_json(capsys, "score", "--by", "group", place, "--metrics", "l3score")
    overall = {row["model"]: row["value"] for row in found if row["group"] == "all"}
    assert overall == {"m (judge openai:a)": 0.0, "m (judge openai:b)": 0.5}
    _, found, _ = run_json(
        capsys, "score", "--by", "group", place, "--metrics", "l3score", "--judge", "openai:b"
    )
    assert [(row["model"], row["value"]) for row in found if row["group"] == "all"] == [("m", 0.5)]


def test_the_source_is_logged_and_read_again(
    runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By a run of lmms-eval; answers that were logged without are of an unknown one, and tasks
    without are refused.
    """
    status, found, _ = run_json(capsys, "score", runs / "mmstar", "--by", "source", "--partial")
    assert (status, [(row["group"], row["n"]) for row in found]) == (0, [("demo", 12)])
    assert (
        "No answers have the column source."
        in run_json(capsys, "score", runs / "scifibench", "--by", "source")[2]
    )
    write_run(runs / "old", "m", {"t": choice_samples([True])}, settings={"t": ""})
    assert (
        run_json(capsys, "score", runs / "old", "--by", "source", "--partial")[1][0]["group"]
        == "unknown"
    )


def test_answers_are_scored_by_the_metrics_named_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """No text program is started for others, no judge is asked; of groups too; an unknown name
    is refused.
    """
    monkeypatch.setenv("SPIQA_JUDGE", "openai:nobody")
    path = tmp_path / "answers.jsonl"
    rows = rows_for_scoring("spiqa", "demo", "")
    path.write_text(
        "".join(json.dumps({"id": row["id"], "prediction": row["answer"]}) + "\n" for row in rows)
    )
    monkeypatch.setattr(
        text_scores, "text_scores", lambda *_: pytest.fail("a text program was started")
    )
    status, found, _ = run_json(
        capsys, "score", "spiqa_demo", path, "--metrics", "request_failed_rate,unformatted_rate"
    )
    assert (status, found["metrics"]) == (0, {"request_failed_rate": 0.0})
    status, found, _ = run_json(
        capsys, "score", "spiqa_demo", path, "--metrics", "request_failed_rate", "--by", "group"
    )
    assert (status, found[0]["metric"], found[0]["group"], found[0]["n"]) == (
        0,
        "request_failed_rate",
        "all",
        len(rows),
    )
    assert (
        "found nonsense"
        in run_json(capsys, "score", "spiqa_demo", path, "--metrics", "nonsense")[2]
    )


def test_withheld_groups_of_scored_answers_have_their_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Half of the task was answered, with all questions of three categories."""
    path = write_jsonl(tmp_path / "half.jsonl", list(right_answers("mmstar_demo").items())[:12])
    command = ("score", "mmstar_demo", path, "--by", "category")
    status, rows, errors = run_json(capsys, *command)
    assert (status, {row["value"] for row in rows}) == (3, {None})
    assert errors.count("12 of 24 questions were answered, fewer than 99%; --partial") == 1
    status, rows, errors = run_json(capsys, *command, "--partial")
    assert (status, {row["value"] for row in rows}) == (0, {1.0})
    assert "fewer than 99%" not in errors


def test_a_run_that_is_withheld_as_a_whole_has_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """None of each metric and group."""
    write_run(tmp_path, "m", {"t": choice_samples([True] * 4)}, asked=10)
    for more in ((), ("--by", "group")):
        assert main(["score", str(tmp_path), *more]) == 3
        assert capsys.readouterr().err.splitlines() == [
            "spiqa-tasks: t of m: 4 of 10 questions were answered, fewer than 99%; --partial prints"
            " its values."
        ]


def test_tasks_of_a_host_have_their_groups(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As MME's samples name them, under its metric."""
    scores = {"artwork": [1.0, 1.0, 0.0, 0.0], "color": [1.0, 1.0, 1.0, 0.0]}
    samples = [
        {"mme_perception_score": {"question_id": f"{name}/{place}", "category": name, "score": one}}
        for name, of_group in scores.items()
        for place, one in enumerate(of_group)
    ]
    write_run(tmp_path, "m", {"mme": samples}, totals={"mme": {"mme_perception_score": 225.0}})
    status, rows, errors = run_json(capsys, "score", tmp_path, "--by", "category")
    assert status == 0, errors
    values = {row["group"]: (row["value"], row["n"]) for row in rows}
    assert values == {"artwork": (0.5, 4), "color": (0.75, 4)}


def test_columns_that_share_the_names_of_groups_have_their_own_values(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of four questions two are easy and two others are visual, and both columns say yes or no."""
    cells = [("yes", "no", "A"), ("yes", "yes", "B"), ("no", "yes", "A"), ("no", "no", "A")]
    lines = [
        {"question": f"{place}?", "options": ["x", "y"], "answer": "A", "prediction": letter}
        | {"category": easy, "visual": visual}
        for place, (easy, visual, letter) in enumerate(cells)
    ]
    path = tmp_path / "own.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    status, found, errors = run_json(capsys, "score", path, "--by", "visual")
    assert (status, errors) == (0, "")
    assert [(row["group"], row["value"], row["questions"]) for row in found] == [
        ("no", 1.0, "2 of 2"),
        ("yes", 0.5, "2 of 2"),
    ]


def test_groups_of_one_name_are_printed_with_their_column(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where no two groups share a name, the name is enough."""
    for second, heads in (("math", ["by", "group"]), ("sums", ["group"])):
        samples = [choice_sample(place, True, "math") for place in range(2)]
        for sample in samples:
            sample["accuracy"]["groups"]["l2"] = second
        folder = tmp_path / second
        write_run(folder, "m", {"mmstar_filtered": samples}, settings={"mmstar_filtered": ""})
        main(["score", str(folder), "--by", "group", "--partial"])
        head, *_ = capsys.readouterr().out.splitlines()
        assert head.split(" x 100")[0].split() == ["model", "task", "metric", *heads]
