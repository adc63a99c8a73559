"""What a user names, and in which form the answers there are."""

import json
from pathlib import Path
from typing import Any

import pytest
from answer_files import (
    mmstar_table,
    right_answers,
    rows_of,
    write_jsonl,
    write_run_file,
    write_table,
)
from host_files import choice_samples, sample_of, write_run

from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.catalogue import catalogue, find_tasks
from spiqa_tasks.runs.loading import load_runs
from spiqa_tasks.runs.paths import FORMS, RunPath, read_path, read_runs, task_in_name
from spiqa_tasks.runs.run import Run

TASKS = list(catalogue()[0])
ANSWERS = right_answers("mmstar_demo")
TABLE = mmstar_table(rows_of(*find_tasks(["mmstar_demo"])))
SAMPLES = [
    sample_of(row, row["answer"]) for row in load_rows("mmstar", "demo", "ablation=text")[:3]
]
ENTRY = {"question": "Why?", "response": "w", "all_figures_names": ["f.png"]}


def read(*places: str | Path, include: list[Path] | None = None) -> list[Run]:
    paths = [RunPath.parse(str(place)) for place in places]
    return [run for path in paths for run in read_runs(path, include or [])[0]]


def test_an_empty_object_has_no_answers(tmp_path: Path) -> None:
    """It is refused as a file without keys."""
    (tmp_path / "a.json").write_text("{}")
    with pytest.raises(InputError, match="found none"):
        read(tmp_path / "a.json")


def told(runs: list[Run]) -> list[tuple[str, str, str]]:
    """Return (task, model, form) of each run."""
    return [(run.task, run.name, run.form) for run in runs]


def write_response(folder: Path, paper: str = "p") -> Path:
    """One of SPIQA's own files."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{paper}_response.json"
    path.write_text(json.dumps({"0": ENTRY}))
    return path


def write_own(folder: Path, model: str = "m", task: str = "mmstar_demo", stamp: str = "1") -> Path:
    """A run of lmms-eval on some questions of a task of ours."""
    return write_run(
        folder, model, {task: SAMPLES}, stamp=stamp, settings={task: "ablation=text"}, split="demo"
    )


def samples_alone(path: Path, samples: list[dict[str, Any]]) -> Path:
    """A samples file without the result file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (
        json.dumps({"doc_id": place, "target": "A", **sample}) + "\n"
        for place, sample in enumerate(samples)
    )
    path.write_text("".join(lines))
    return path


@pytest.mark.parametrize(
    ("text", "task", "path"),
    [
        ("answers.jsonl", "", "answers.jsonl"),
        ("mmstar_demo=answers.jsonl", "mmstar_demo", "answers.jsonl"),
        ("spiqa_testA=runs/a=b", "spiqa_testA", "runs/a=b"),
        ("runs/m=1/answers.jsonl", "", "runs/m=1/answers.jsonl"),
        ("a-b=answers.jsonl", "", "a-b=answers.jsonl"),
        ("=answers.jsonl", "", "=answers.jsonl"),
    ],
)
def test_a_place_may_have_its_task_before_it(text: str, task: str, path: str) -> None:
    """Names of tasks have letters, digits and underscores; any other text before a sign of
    equality is a path's.
    """
    assert RunPath.parse(text) == RunPath(Path(path), task)


@pytest.mark.parametrize(
    ("stem", "expected"),
    [
        ("llava_mmstar_demo", ("llava", "mmstar_demo")),
        ("llava_1.5_mmstar_demo_text", ("llava_1.5", "mmstar_demo_text")),
        ("mmstar_demo", ("runs", "mmstar_demo")),
        ("llava", ("llava", "")),
        ("xmmstar_demo", ("xmmstar_demo", "")),
        ("mmstar_demo_llava", ("mmstar_demo_llava", "")),
    ],
)
def test_a_file_is_called_by_model_and_task(stem: str, expected: tuple[str, str]) -> None:
    """The longest task that ends the name counts; without a model before it the folder's name
    is.
    """
    assert task_in_name(Path("runs") / f"{stem}.jsonl", TASKS) == expected


def test_every_form_is_known_by_its_content(tmp_path: Path) -> None:
    """Results and the samples beside them, samples alone, runs of score, responses, jsonl, and
    tables of any name.
    """
    results = write_own(tmp_path / "host", "vlm")
    (logged,) = (tmp_path / "host").glob("*.jsonl")
    expected = {
        results: ("mmstar_demo", "vlm", "lmms-eval", 3),
        logged: ("mmstar_demo", "vlm", "lmms-eval", 3),
        samples_alone(tmp_path / "x_samples_t.jsonl", SAMPLES): (
            "t",
            "x_samples_t",
            "lmms-eval",
            3,
        ),
        write_run_file(tmp_path, "mmstar_demo", "scored", ANSWERS): (
            "mmstar_demo",
            "scored",
            "score",
            24,
        ),
        write_response(tmp_path / "spiqa"): ("", "p_response", "spiqa-responses", 1),
        write_jsonl(tmp_path / "odd.name", ANSWERS): ("", "odd", "jsonl", 24),
        write_table(TABLE, tmp_path / "t_mmstar_demo.xlsx"): ("mmstar_demo", "t", "table", 24),
        write_table(TABLE, tmp_path / "t.tsv"): ("", "t", "table", 24),
        write_table(TABLE, tmp_path / "t.json"): ("", "t", "table", 24),
    }
    for path, each in expected.items():
        (run,), _ = read_path(path, TASKS)
        assert (run.task, run.name, run.form, len(run.read())) == each


@pytest.mark.parametrize("content", [b"", b"an answer\n", b"[1]\n"])
def test_an_unknown_form_is_refused_with_the_known_ones(tmp_path: Path, content: bytes) -> None:
    """Nothing is guessed from a file that is in none of the forms."""
    path = tmp_path / "p.dat"
    path.write_bytes(content)
    with pytest.raises(InputError) as error:
        read(path)
    assert str(error.value) == f"Expected answers in {path}, found none. Give {FORMS}."


def test_a_place_where_nothing_is_says_so(tmp_path: Path) -> None:
    """A misspelt path and an empty folder have messages of their own; that of the folder ends
    with the forms.
    """
    with pytest.raises(InputError) as error:
        read(tmp_path / "nowhere")
    assert str(error.value) == f"There is no file or folder {tmp_path / 'nowhere'}."
    (tmp_path / "log.jsonl").write_text('{"message": "hello"}\n')
    (tmp_path / "notes.json").write_text("[]")
    with pytest.raises(InputError) as error:
        read(tmp_path)
    files = "only log.jsonl, notes.json, which hold none that are read"
    assert str(error.value) == f"Expected answers in {tmp_path}, found {files}. Give {FORMS}."


def test_a_folder_is_read_through_oldest_runs_of_the_host_first(tmp_path: Path) -> None:
    """Then runs of score, by name, and SPIQA's responses, which are of one model."""
    for stamp, model in (("20250102_000000", "new"), ("20250101_000000", "old")):
        write_own(tmp_path / model, model, stamp=stamp)
    for model in "ab":
        write_run_file(tmp_path / "deep" / "scored", "mmstar_demo", model, ANSWERS)
    write_response(tmp_path, "p")
    write_response(tmp_path, "q")
    assert told(read(tmp_path)) == [
        ("mmstar_demo", "old", "lmms-eval"),
        ("mmstar_demo", "new", "lmms-eval"),
        ("mmstar_demo", "a", "score"),
        ("mmstar_demo", "b", "score"),
        ("", tmp_path.name, "spiqa-responses"),
    ]
    assert len(read(tmp_path)[-1].read()) == 2


@pytest.mark.parametrize("kind", ["samples", "jsonl", "tables"])
def test_a_folder_of_files_that_name_their_tasks_is_read(tmp_path: Path, kind: str) -> None:
    """Samples without their result file, answers of one's own and tables, wherever below; other
    files are passed.
    """
    for model in ("a", "b"):
        if kind == "samples":
            samples_alone(tmp_path / model / f"{model}_samples_mmstar_demo.jsonl", SAMPLES)
        elif kind == "jsonl":
            write_jsonl(tmp_path / model / f"{model}_mmstar_demo.jsonl", ANSWERS)
        else:
            write_table(TABLE, tmp_path / f"of_{model}" / f"{model}_mmstar_demo.tsv")
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "log.jsonl").write_text('{"message": "hello"}\n')
    runs = read(tmp_path)
    assert [(run.task, run.name.partition("_")[0]) for run in runs] == [
        ("mmstar_demo", "a"),
        ("mmstar_demo", "b"),
    ]
    assert {run.form for run in runs} == {
        {"samples": "lmms-eval", "jsonl": "jsonl", "tables": "table"}[kind]
    }


def test_a_file_that_is_named_twice_is_one_run(tmp_path: Path) -> None:
    """By itself and by its folder, or by two paths."""

    def load(*paths: Path) -> list[Run]:
        return load_runs(map(RunPath, paths))[0]

    path = write_own(tmp_path / "a")
    other = write_jsonl(tmp_path / "m_mmstar_demo.jsonl", ANSWERS)
    assert len(load(path.parent, path, path.parent / ".." / "a")) == 1
    assert len(load(other, other)) == 1
    assert len(load(write_jsonl(tmp_path / "n_mmstar_demo.jsonl", ANSWERS), other)) == 2
    both = write_run(
        tmp_path / "b", "m", {"t": choice_samples([True]), "u": choice_samples([True])}
    )
    assert [run.task for run in load(both, both.parent)] == ["t", "u"]


def test_a_named_task_is_that_of_answers_that_do_not_say_it(tmp_path: Path) -> None:
    """Whatever the file is called; the model is called as the rest of the file's name."""
    plain = write_jsonl(tmp_path / "m.jsonl", ANSWERS)
    named = write_jsonl(tmp_path / "m_mmstar_demo.jsonl", ANSWERS)
    assert told(read(plain)) == [("", "m", "jsonl")]
    assert told(read(f"mmstar_demo={plain}")) == [("mmstar_demo", "m", "jsonl")]
    assert told(read(f"mmstar_demo={named}")) == [("mmstar_demo", "m", "jsonl")]
    assert told(read(f"mine={named}")) == [("mine", "m", "jsonl")]
    write_response(tmp_path / "spiqa")
    assert told(read(f"spiqa_demo={tmp_path / 'spiqa'}")) == [
        ("spiqa_demo", "spiqa", "spiqa-responses")
    ]
    alone = samples_alone(tmp_path / "logged.jsonl", SAMPLES)
    assert told(read(f"mmstar_demo={alone}")) == [("mmstar_demo", "logged", "lmms-eval")]


def test_a_named_task_chooses_among_those_of_a_run(tmp_path: Path) -> None:
    """And one that is not there is refused with those that are."""
    write_own(tmp_path, task="mmstar_demo", stamp="1")
    write_own(tmp_path, task="mine", stamp="2")
    assert [run.task for run in read(f"mine={tmp_path}")] == ["mine"]
    with pytest.raises(InputError) as error:
        read(f"other={tmp_path}")
    assert (
        str(error.value)
        == f"Expected answers to other in {tmp_path}, found those to mine, mmstar_demo. Name one of"
        " them."
    )


def test_no_form_is_known_by_a_files_name(tmp_path: Path) -> None:
    """A list called as lmms-eval's results is of plain answers, and spoils no folder; renamed
    results are a run.
    """
    plain = tmp_path / "plain" / "gpt4_results.json"
    plain.parent.mkdir()
    plain.write_text(json.dumps([{"id": key, "prediction": text} for key, text in ANSWERS.items()]))
    (run,) = read(f"mmstar_demo={plain}")
    assert (run.form, len(run.read())) == ("table", 24)
    assert told(read(plain.parent)) == [("", "gpt4_results", "table")]
    host = write_own(tmp_path / "host", "vlm")
    assert told(read(tmp_path)) == [
        ("mmstar_demo", "vlm", "lmms-eval"),
        ("", "gpt4_results", "table"),
    ]
    renamed = host.rename(host.with_name("answers.txt"))
    assert told(read(renamed)) == [("mmstar_demo", "vlm", "lmms-eval")]


def test_samples_without_their_results_file_spoil_no_folder(tmp_path: Path) -> None:
    """Those of a task of ours are a run, those of a host's are named; alone they are refused."""
    samples_alone(tmp_path / "9_samples_other.jsonl", [{"resps": ["x"], "accuracy": 1.0}])
    with pytest.raises(InputError, match="9_samples_other"):
        read(tmp_path)
    write_own(tmp_path)
    samples_alone(tmp_path / "8_samples_t.jsonl", SAMPLES)
    runs, (fault,) = read_runs(RunPath(tmp_path))
    assert [run.task for run in runs] == ["mmstar_demo", "t"]
    assert "9_samples_other" in str(fault)
