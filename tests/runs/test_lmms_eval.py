"""The host's files, read."""

import json
from pathlib import Path
from typing import Any

import pytest
from host_files import FAILED, SPLIT, choice_samples, sample_of, write_run
from run_files import read_results

from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.registry import BENCHMARKS, load_rows
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts import lmms_eval_files
from spiqa_tasks.hosts.lmms_eval_files import result_files
from spiqa_tasks.runs.lmms_eval import benchmark_answers, read_samples
from spiqa_tasks.runs.run import Run

ROWS = load_rows("mmstar", "demo", "ablation=text")
OWN = {"settings": {"t": "ablation=text"}, "split": "demo"}


def write_own(folder: Path, count: int = 3, **options: Any) -> Path:
    """A run of the task t of ours, answered rightly."""
    tasks = {"t": [sample_of(row, row["answer"]) for row in ROWS[:count]]}
    return write_run(folder, "m", tasks, "a=1", **{**OWN, **options})


def changed(path: Path, change: Any) -> Run:
    """Return the only run of a results file, after `change` has changed the file's content."""
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))
    (run,) = read_results(path)
    return run


def logged(path: Path, task: str = "t") -> Path:
    """The samples file of a task beside a result file."""
    return path.with_name(path.name.replace("results.json", f"samples_{task}.jsonl"))


def write_samples(path: Path, lines: list[dict[str, Any]]) -> Path:
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


def test_a_result_file_has_a_run_for_each_of_its_tasks(tmp_path: Path) -> None:
    """With the model's identity, the YAML's values and the numbers; of a task of ours its
    definition, too.
    """
    own = [sample_of(row, row["answer"]) for row in ROWS[:3]]
    tasks = {"t": own, "mmmu_val": choice_samples([True])}
    totals = {"t": {"accuracy": 0.25}, "mmmu_val": {"mmmu_acc": 0.5}}
    path = write_run(tmp_path, "m", tasks, "seed=3,a=1", totals=totals, **OWN)
    ours, other = read_results(path)
    assert (ours.task, other.task, ours.path, ours.form) == ("t", "mmmu_val", path, "lmms-eval")
    assert (ours.identity.model, ours.identity.seed, ours.identity) == (
        "m,a=1",
        "3",
        other.identity,
    )
    assert (ours.reported.values, other.reported.values) == ({"accuracy": 0.25}, {"mmmu_acc": 0.5})
    assert (
        ours.benchmark_task.name,
        ours.benchmark_task.benchmark_name,
        ours.benchmark_task.split,
    ) == ("t", "mmstar", "demo")
    assert ours.benchmark_task.settings_text == "prompt=letter,ablation=text,shots=0"
    assert (other.benchmark_task_or_none, other.origin.config["dataset_path"]) == (
        None,
        "owner/data",
    )
    assert [(answer.id, answer.position) for answer in ours.read()] == [
        (row["id"], k) for k, row in enumerate(ROWS[:3])
    ]


@pytest.mark.parametrize(
    ("values", "original", "expected"),
    [
        ({"process_docs": "<function load at 0x7f0>"}, 24, 24),
        ({"process_docs": "<function load at 0x7f0>"}, 3, 24),
        ({"process_docs": "<function load at 0x7f0>"}, None, 24),
        ({}, 3, 24),
        ({"process_docs": "<function of_ones_own at 0x7f0>"}, 3, 3),
        ({"process_docs": "<function of_ones_own at 0x7f0>"}, None, 24),
        ({"process_docs": "<function loading at 0x7f0>"}, 3, 3),
        (
            {
                "process_docs": "<function load at 0x7f0>",
                "metadata": {"benchmark": "mmstar", "kept": "d"},
            },
            3,
            3,
        ),
        ({"dataset_name": "", "test_split": "val"}, 24, 1500),
        (
            {
                "metadata": {"benchmark": "scifibench"},
                "dataset_name": "sample=5",
                "test_split": "cs_fig2cap",
            },
            24,
            5,
        ),
        (
            {
                "metadata": {"benchmark": "scifibench"},
                "dataset_name": "",
                "test_split": "cs_fig2cap",
            },
            24,
            500,
        ),
    ],
)
def test_a_task_of_ours_has_the_releases_questions_but_for_what_was_left_out_on_purpose(
    tmp_path: Path, values: dict[str, Any], original: int | None, expected: int
) -> None:
    """By its sample, or by a filter or a hook of one's own, of which the host knows how many
    they left.
    """

    def change(content: dict[str, Any]) -> None:
        config = content["configs"]["t"]
        config.pop("process_docs")
        config |= values
        if original is None:
            del content["n-samples"]
        else:
            content["n-samples"]["t"]["original"] = original

    run = changed(write_own(tmp_path), change)
    assert run.asked == expected
    assert run.answered == (0 if original is None else 3)


@pytest.mark.parametrize("settings", ["nonsense", "prompt=other"])
def test_a_task_whose_settings_cannot_be_read_is_none_of_ours(
    tmp_path: Path, settings: str
) -> None:
    """It was made by another version, or is of somebody else."""
    path = write_own(tmp_path, settings={"t": settings})
    (run,) = read_results(path)
    assert (run.benchmark_task_or_none, run.settings, run.is_of_benchmark) == (None, None, False)


def test_result_files_are_found_oldest_first(tmp_path: Path) -> None:
    """In subfolders too; a submission file of the host's own tasks is none."""
    for place, stamp in (
        ("b", "20250102_000000"),
        ("a", "20250103_000000"),
        ("c", "20250101_000000"),
    ):
        write_run(tmp_path / place, place, {"t": []}, stamp=stamp)
    (tmp_path / "submissions").mkdir()
    (tmp_path / "submissions" / "mmbench_results.json").write_text('{"overall_acc": 0.5}')
    assert [path.parent.name for path in result_files(tmp_path)] == ["c", "b", "a"]
    assert result_files(tmp_path / "submissions") == []


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        '{"results": {}}',
        '{"results": {}, "config": {}, "configs": {}}',
        "[" * 100_000,
        "\xff",
    ],
)
def test_other_files_are_refused(tmp_path: Path, content: str) -> None:
    """The message has the file and what to do."""
    path = tmp_path / "x_results.json"
    path.write_text(content, encoding="latin-1")
    with pytest.raises(
        InputError, match=r"x_results\.json to be a result file .*\. Name a \*_results\.json\.$"
    ):
        read_results(path)
    with pytest.raises(InputError, match=r"nowhere to be a result file"):
        read_results(tmp_path / "nowhere")


@pytest.mark.parametrize(
    "change",
    [
        {"configs": {"t": 0.5}},
        {"configs": {"t": {"metadata": {"benchmark": "mmstar"}, "test_split": "demo"}}},
        {"configs": {"t": {"metadata": {"benchmark": []}, "test_split": "demo"}}},
        {"spiqa_tasks": {"t": {"groups": {"math": None}}}},
        {"spiqa_tasks": {"t": 1}},
    ],
)
def test_a_file_with_a_value_of_another_kind_is_refused(
    tmp_path: Path, change: dict[str, Any]
) -> None:
    """As one that was written by hand, or damaged in one place."""
    samples = {"t": choice_samples([True])}
    path = write_run(tmp_path, "m", samples, settings={"t": "prompt=letter"})
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(
        InputError, match=r"to be a result file of lmms-eval, found (\w+Error |no ')"
    ):
        read_results(path)


def test_samples_are_read_line_by_line(tmp_path: Path) -> None:
    """Only line feeds end a sample, though an answer has other separators; a broken line is
    named by its number.
    """
    tasks = {"t": [{**sample, "filtered_resps": SPLIT} for sample in choice_samples([True, False])]}
    (run,) = read_results(write_run(tmp_path, "m", tasks, settings={"t": "prompt=letter"}))
    assert [answer.response.text for answer in run.read()] == [SPLIT, SPLIT]
    assert [dict(record.scores) for record in run.records] == [{"accuracy": 1.0}, {"accuracy": 0.0}]
    path = logged(run.path)
    assert [number for number, _ in lmms_eval_files.read_samples(path)] == [1, 2]
    for line in (b'{"doc_id": 2}', b'{"target": ""}'):
        good = path.read_bytes().split(b"\n")[:2]
        path.write_bytes(b"\n".join([*good, line]))
        with pytest.raises(InputError) as error:
            list(lmms_eval_files.read_samples(path))
        assert str(error.value).startswith(
            f"Expected a logged sample of lmms-eval in line 3 of {path}, found "
        )
        assert str(error.value).endswith(". Name a run made with --log_samples.")


@pytest.mark.parametrize(
    "answers", [{"filtered_resps": "B"}, {"resps": [["B"]]}, {"resps": ["B", "B"]}]
)
def test_the_host_writes_an_answer_in_several_ways(tmp_path: Path, answers: dict[str, Any]) -> None:
    """One answer is a string, a list, or a list of lists."""
    line = {"doc_id": 7, "target": "A", "accuracy": Record("2").as_dict(), **answers}
    (answer,) = benchmark_answers(write_samples(tmp_path / "s.jsonl", [line]))
    assert (answer.id, answer.response.text, answer.position, answer.reference) == (
        "2",
        "B",
        7,
        "A",
    )


def test_a_sample_is_its_filtered_answer_with_the_record(tmp_path: Path) -> None:
    """Reasoning that the host removed before scoring stays removed; figures and signature come
    along.
    """
    record = Record("1", details={"figures": ["b.png", "a.png"]}, signature="data:x")
    line = {
        "doc_id": 7,
        "target": "",
        "resps": [["<think>no</think>A"]],
        "filtered_resps": ["A"],
        "truncated_rate": {"id": "1", "score": 0.0},
        "l3score": record.as_dict(),
        "score": 1.0,
        "input": "the prompt",
    }
    (answer,) = benchmark_answers(write_samples(tmp_path / "s.jsonl", [line]))
    assert (answer.record, answer.response.text, answer.response.shown) == (
        record,
        "A",
        ("b.png", "a.png"),
    )
    assert (answer.signature.data, answer.question) == ("x", "the prompt")


def test_a_failed_request_has_its_reason(tmp_path: Path) -> None:
    """What the host logged in the answer's place is no answer."""
    (run,) = read_results(
        write_run(tmp_path, "m", {"t": choice_samples([None])}, settings={"t": ""})
    )
    (answer,) = run.read()
    assert answer.response.failure == FAILED


@pytest.mark.parametrize(
    ("line", "missing"),
    [
        ({"filtered_resps": "B", "accuracy": 1.0}, "no record with an id"),
        ({"filtered_resps": "B", "mmmu_acc": {"id": "1", "answer": "A"}}, "no record with an id"),
        ({"accuracy": Record("1").as_dict()}, "no answer"),
        ({"accuracy": Record("1").as_dict(), "filtered_resps": []}, "no answer"),
        ({"accuracy": Record("1").as_dict(), "filtered_resps": [None]}, "no answer"),
        (
            {
                "accuracy": Record("1", reference="A").as_dict(),
                "filtered_resps": "A",
                "target": "B",
            },
            "the target 'B' beside the reference 'A'",
        ),
    ],
)
def test_samples_of_other_tasks_are_refused(
    tmp_path: Path, line: dict[str, Any], missing: str
) -> None:
    """Without our records they cannot be told apart."""
    good = {"doc_id": 0, "target": "", "accuracy": Record("0").as_dict(), "filtered_resps": "A"}
    path = write_samples(tmp_path / "s.jsonl", [good, {"doc_id": 1, "target": "", **line}])
    with pytest.raises(InputError) as error:
        benchmark_answers(path)
    assert (
        str(error.value)
        == f"Expected line 2 of {path} to be a sample of one of this package's tasks, found"
        f" {missing}. Name the samples file of such a task."
    )


def test_a_samples_file_is_of_the_run_beside_it(tmp_path: Path) -> None:
    """The one of its task."""
    own = [sample_of(row, row["answer"]) for row in ROWS[:3]]
    settings = dict.fromkeys(["t", "my_t"], "ablation=text")
    path = write_run(tmp_path, "m", {"my_t": own, "t": own}, settings=settings, split="demo")
    assert [read_samples(logged(path, task)).task for task in settings] == ["t", "my_t"]
    assert read_samples(logged(path)).identity.model == "m"


def test_samples_alone_have_their_task_in_their_name_and_its_settings_in_their_records(
    tmp_path: Path,
) -> None:
    """Their number of questions is the task's; the model is called as the file, or as the folder of
    a file that only has the host's date.
    """
    path = write_own(tmp_path / "run")
    alone = logged(path).rename(tmp_path / "x_samples_mine.jsonl")
    run = read_samples(alone)
    assert (
        run.task,
        run.identity.model,
        run.benchmark_task.benchmark_name,
        run.benchmark_task.split,
    ) == (
        "mine",
        alone.stem,
        "mmstar",
        "demo",
    )
    assert run.benchmark_task.settings_text == "prompt=letter,ablation=text,shots=0"
    assert (run.asked, run.answered, len(run.by_id), run.form) == (24, 3, 3, "lmms-eval")
    assert read_samples(alone.rename(tmp_path / "renamed.jsonl")).task == "renamed"

    folder = tmp_path / "Qwen__Qwen2-VL"
    folder.mkdir()
    (tmp_path / "renamed.jsonl").rename(folder / "20260101_120000_samples_t.jsonl")
    (dated,) = folder.iterdir()
    assert read_samples(dated).identity.model == "Qwen__Qwen2-VL"


@pytest.mark.parametrize(
    ("signature", "found"), [("", "another task"), ("data:other/val@d", "other")]
)
def test_samples_alone_of_an_unknown_benchmark_are_refused(
    tmp_path: Path, signature: str, found: str
) -> None:
    """They may be of a package that is not installed here."""
    line = {
        "doc_id": 0,
        "target": "",
        "x": Record("1", signature=signature).as_dict(),
        "filtered_resps": "A",
    }
    path = write_samples(tmp_path / "s.jsonl", [line])
    with pytest.raises(InputError) as error:
        read_samples(path)
    assert (
        str(error.value)
        == f"Expected samples of {', '.join(BENCHMARKS)} in {path}, found those of {found}. Name"
        " the results file of the same run, or columns: --columns question=input,reference=target,"
        "prediction=filtered_resps."
    )
