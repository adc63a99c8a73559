"""`spiqa-tasks compare`: what it prints."""

from itertools import islice
from pathlib import Path

import pytest
from answer_files import right_answers, write_jsonl
from host_files import choice_samples, write_demo_run, write_run
from run_command import run_json

from spiqa_tasks.cli import main


def write(folder: Path, model: str, rights: list[bool], tasks: str = "t") -> str:
    """A run of tasks of MMStar with names of one letter, as the command's argument."""
    samples = {task: choice_samples(rights) for task in tasks}
    return str(
        write_run(
            folder / model, model, samples, settings=dict.fromkeys(tasks, "prompt=letter")
        ).parent
    )


def test_the_table_for_people_has_a_line_per_pair(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With times 100 and what the columns mean below."""
    rights = {"a": [True, False] * 12, "b": [True] * 18 + [False] * 6, "c": [True] * 24}
    assert main(["compare", *(write(tmp_path, name, each) for name, each in rights.items())]) == 0
    told = capsys.readouterr().out
    lines = [line.split() for line in told.split("\n\n")[0].splitlines() if line.startswith("t ")]
    assert [line[2:5] for line in lines] == [
        ["b", "a", "25.0"],
        ["c", "a", "50.0"],
        ["c", "b", "25.0"],
    ]
    assert "p (Holm)" in told


def test_unusable_answers_are_said_once_for_each_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """However many pairs a run is in."""
    for name, count in {"a": 12, "b": 18, "c": 24}.items():
        write_demo_run(
            tmp_path / name,
            name,
            lambda place, row, count=count: row["answer"] if place < count else "E",
        )
    assert main(["compare", str(tmp_path)]) == 0
    assert capsys.readouterr().err.splitlines() == [
        f"spiqa-tasks: mmstar_demo of {name}: of 24 answers {unread} empty or unparsed."
        for name, unread in (("a", 12), ("b", 6))
    ]


def test_models_of_one_kind_are_called_by_their_checkpoints(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With and without pictures they are compared apart: Holm corrects for the pairs printed."""
    for place, name in enumerate(("Qwen/Qwen2.5-VL-7B", "gpt-4o")):
        samples = {"t": choice_samples([bool(place)] * 12 + [True] * 12)}
        arguments = f"model_version={name},base_url=http://localhost/v1"
        write_run(tmp_path, "openai", samples, arguments, stamp=f"{place}")
        blind = f"base=openai,ablation=text,{arguments}"
        write_run(tmp_path, "ablated", samples, blind, stamp=f"{place + 2}")
    _, found, _ = run_json(capsys, "compare", tmp_path)
    assert [(each["a"], each["b"]) for each in found] == [
        ("Qwen2.5-VL-7B", "gpt-4o"),
        ("Qwen2.5-VL-7B,ablation=text", "gpt-4o,ablation=text"),
    ]
    assert found[0]["p_corrected"] == pytest.approx(2 * found[0]["difference"]["p"])

    status, _, errors = run_json(
        capsys, "compare", *(tmp_path / f"{place}_results.json" for place in (0, 2))
    )
    assert (status, "`gain` compares with and without pictures" in errors) == (2, True)


def test_a_named_metric_is_missed_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The first task that lacks it has the known ones."""
    places = [write(tmp_path, name, [True, False], "tuv") for name in ("a", "b")]
    status, _, errors = run_json(capsys, "compare", *places, "--metric", "l3score")
    assert status == 2
    assert errors.count("Expected t to have the metric l3score; found accuracy") == 1
    assert errors.endswith(" Name another.\n")


def test_a_run_over_a_part_is_withheld_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By its short name; its run of a task that no other run has is no part of any pair."""
    half = dict(islice(right_answers("mmstar_demo").items(), 12))
    write_jsonl(tmp_path / "a_mmstar_demo.jsonl", half)
    write_jsonl(tmp_path / "a_mmstar_demo_text.jsonl", half)
    write_demo_run(tmp_path, "openai,model_version=org/b", lambda _, row: row["answer"])
    status, _, errors = run_json(capsys, "compare", tmp_path)
    assert status == 2
    assert errors.count("12 of 24 questions") == 1
    assert "mmstar_demo of a is left out: 12 of 24 questions were answered" in errors


def test_runs_of_one_model_are_not_listed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = write(tmp_path, "a", [True, False], "tuvw")
    assert main(["compare", place]) == 2
    assert "Found t of a and 3 more. Name the folders" in capsys.readouterr().err


def test_what_is_not_known_is_null(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One question has a difference, and neither an interval nor a p-value; JSON has no NaN."""
    places = [write(tmp_path, name, [right]) for name, right in (("a", False), ("b", True))]
    status, (found,), _ = run_json(capsys, "compare", *places)
    assert status == 0
    assert found["difference"]["difference"] == 1
    assert [found["difference"][name] for name in ("low", "high", "p")] == [None] * 3
    assert found["won"] == ["q0"]


def test_tasks_and_metrics_can_be_chosen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only the named tasks are compared; one that has a single run is one sentence."""
    places = [write(tmp_path, name, [True, False], "tu") for name in ("a", "b")]
    _, found, _ = run_json(capsys, "compare", *places)
    assert [each["task"] for each in found] == ["t", "u"]
    _, found, _ = run_json(capsys, "compare", *places, "--task", "u", "--metric", "accuracy")
    assert [(each["task"], each["metric"]) for each in found] == [("u", "accuracy")]
    status, found, errors = run_json(capsys, "compare", *places, "--metric", "cider")
    assert (status, found) == (2, [])
    assert errors.startswith("spiqa-tasks: Expected two runs of one task")
    assert errors.count("\n") == 1


def test_runs_are_compared_with_a_baseline(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each other run minus the named model's; a name that no run has is refused."""
    places = [write(tmp_path, name, [True, False] * 12) for name in "abc"]
    status, found, _ = run_json(capsys, "compare", *places, "--baseline", "b")
    assert (status, [(each["b"], each["a"]) for each in found]) == (0, [("a", "b"), ("c", "b")])
    status, _, errors = run_json(capsys, "compare", *places, "--baseline", "x")
    assert status == 2
    assert "it has no run of x" in errors


def test_a_judge_that_scored_nothing_is_status_3(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Other metrics are compared; without --judge nothing is missing."""
    answers = right_answers("spiqa_demo")
    files = [write_jsonl(tmp_path / f"{name}.jsonl", answers) for name in "ab"]
    places = [*(f"spiqa_demo={file}" for file in files), "--metric", "rouge_l"]
    status, found, errors = run_json(capsys, "compare", *places, "--judge", "openai:m")
    assert (status, len(found)) == (3, 1)
    assert "has no scores of a judge, only of other metrics." in errors
    assert run_json(capsys, "compare", *places)[0] == 0
    # the default metric is the judge's: no remark says that others count instead
    status, _, errors = run_json(capsys, "compare", *places[:2])
    assert (status, "spiqa_demo of a is left out: it has no l3score." in errors) == (2, True)
    assert "count" not in errors


def test_a_run_without_samples_is_said_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By all commands in the same words; the others are compared, or none is found."""
    places = [write(tmp_path, name, [True] * 24) for name in "abc"]
    for run, status in ((2, 3), (1, 2), (0, 2)):
        for path in Path(places[run]).glob("*samples*"):
            path.unlink()
        found, _, errors = run_json(capsys, "compare", *places)
        assert found == status
        assert errors.count(f"t of {'abc'[run]}") == 1
    assert "Found none. Name the folders of the runs to compare" in errors


def test_a_task_of_which_no_run_has_a_score_is_left_out_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of another task's answers without a metric, as of `--predict_only`, nothing is known."""
    samples = {"charts": [{"filtered_resps": "B", "target": "B"}] * 4}
    places = [write_run(tmp_path / name, name, samples).parent for name in "ab"]
    status, _, errors = run_json(capsys, "compare", *places)
    assert status == 2
    assert errors.count("charts is left out: no run of it has scores.") == 1


def test_why_prints_lines_that_add_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of two runs on 24 demo questions, of which one answers half; and of two
    metrics.
    """
    first, other = str(unread_run(tmp_path / "m", "", 12)), str(unread_run(tmp_path / "n", "A", 0))
    assert main(["compare", first, other, "--why"]) == 0
    rows = [line.split("  ") for line in capsys.readouterr().out.splitlines()]
    cells = {row[0]: " ".join(row[1:]).split() for row in rows}
    assert cells["answers empty or refused"][:2] == ["50.0", "12"]
    assert cells["answers empty or refused"][-3:] == ["12", "and", "0"]
    assert cells["difference"] == ["50.0"]

    same = str(unread_run(tmp_path / "o", "A", 0))
    main(["compare", same, other, "--why"])
    assert "questions: those whose score differs.\n" in capsys.readouterr().out

    half = write_jsonl(tmp_path / "half.jsonl", islice(right_answers("mmstar_demo").items(), 12))
    main(["compare", f"mmstar_demo={half}", other, "--why"])
    assert "half answered 12 of 24 questions." in capsys.readouterr().out

    metrics = ("--metric", "accuracy,accuracy_lmms_eval")
    _, (found,), _ = run_json(capsys, "compare", first, other, "--why", *metrics)
    total = found["number_b"] - found["number_a"]
    assert sum(line["value"] for line in found["lines"]) == pytest.approx(total)
    assert (found["metric_a"], found["metric_b"]) == ("accuracy", "accuracy_lmms_eval")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["--why"],
            "Expected two runs for --why, or one with --metric A,B; found mmstar_demo",
        ),
        (["--why", "--metric", "x,accuracy"], "Expected scores of single questions by x for --why"),
    ],
)
def test_what_cannot_be_decomposed_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    """One run alone, a metric without scores."""
    assert main(["compare", str(unread_run(tmp_path / "m", "", 1)), *arguments]) == 2
    assert said in capsys.readouterr().err


def unread_run(folder: Path, text: str, count: int) -> Path:
    """Write a run on the demo data whose first `count` answers are `text`."""
    return write_demo_run(folder, "m", lambda place, row: text if place < count else row["answer"])


@pytest.mark.parametrize(
    ("command", "text", "said"),
    [
        *(("score", text, "12 empty or unparsed") for text in ("", "nan", "None")),
        ("score", "<think>So the figure shows", "12 truncated, 12 empty or unparsed"),
        *(
            (name, "Sorry, I cannot see any image.", "12 refused")
            for name in ("compare", "compare --why", "report", "score --by", "gain")
        ),
    ],
)
def test_answers_that_are_none_are_said_by_every_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str, text: str, said: str
) -> None:
    """With their number, from 5% on; one of 24 is no news."""
    (tmp_path / "quiet").mkdir()
    for count, folder in ((12, tmp_path / "m"), (1, tmp_path / "quiet" / "m")):
        first, other = (
            str(unread_run(folder, text, count)),
            str(unread_run(folder.with_name("n"), "A", 0)),
        )
        given = {
            "compare": ["compare", first, other],
            "compare --why": ["compare", first, other, "--why"],
            "report": ["report", first, "--html", str(tmp_path / "r.html")],
            "score": ["score", first],
            "score --by": ["score", first, "--by", "group"],
            "gain": [
                "gain",
                "--with",
                f"mmstar_demo={_file(other)}",
                "--without",
                f"mmstar_demo={_file(first)}",
            ],
        }[command]
        main([*given])
        printed = capsys.readouterr()
        # `compare` says it once, below its table
        shown = printed.out + printed.err if command == "compare" else printed.err
        assert (shown.count(f"f 24 answers {said}") == 1) == (count == 12)


def _file(folder: str) -> Path:
    return next(Path(folder).rglob("*_results.json"))
