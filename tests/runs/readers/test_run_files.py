"""What `score --output` wrote, read again."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from answer_files import right_answers, scored, scorer_of, write_run_file
from host_files import sample_of, write_run

from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.benchmarks.run_file import read_header
from spiqa_tasks.errors import InputError
from spiqa_tasks.runs import scoring
from spiqa_tasks.runs.identity import Identity
from spiqa_tasks.runs.join import join_questions
from spiqa_tasks.runs.loading import Selection, load_runs
from spiqa_tasks.runs.paths import RunPath
from spiqa_tasks.runs.readers.run_files import read_run, run_files
from spiqa_tasks.runs.run import Run
from spiqa_tasks.runs.scoring import score_object, values_of
from spiqa_tasks.runs.unscored import own_tasks
from spiqa_tasks.runs.writer import write_runs
from spiqa_tasks.scoring.intervals import wilson

PERFIGURE = "setting=perfigure,max_figures=0"
RIGHT = 15


def half_right(task: str) -> dict[str, str]:
    """Answers of which the first fifteen are right, one that was cut off and one that failed."""
    answers = dict(right_answers(task))
    return {key: text if place < RIGHT else f"wrong {place}" for place, (key, text) in enumerate(answers.items())}


def back(run: Run, folder: Path) -> Run:
    """The run as it is read from the file that was written of it."""
    (path,) = write_runs([run], folder)
    found = read_run(path)
    assert found is not None
    return found


def numbers(run: Run) -> dict[str, tuple[float, int, tuple[float, float] | None, str | None]]:
    """Value, number of answers, interval and reason of every metric, overall and by group."""
    found = {}
    for metric in run.metrics:
        groups = {name for record in run.record_set.members(metric) for name in record.groups.values()}
        for group in (None, *sorted(groups)):
            value = run.value(metric, group)
            number = None if math.isnan(value.value) else value.value
            found[f"{metric.name}/{group}"] = (number, value.n, value.interval, value.reason)
    return found


@pytest.mark.parametrize("task", ["mmstar_demo", "spiqa_demo_both", "spiqa_demo_perfigure"])
@pytest.mark.parametrize("asked", [0, 1000])
def test_a_run_that_is_read_again_is_the_same(tmp_path: Path, task: str, asked: int) -> None:
    """Every value, its interval and its reason, overall and by group; whole or over a part of the task."""
    run = scored(task, half_right(task))
    run = replace(run, asked=asked or run.asked)
    found = back(run, tmp_path)
    for partial in (False, True):
        one, other = replace(run, partial=partial), replace(found, partial=partial)
        assert numbers(other) == numbers(one)
        assert other.coverage == one.coverage
        assert other.signature == one.signature
        assert [metric.name for metric in other.metrics] == [metric.name for metric in one.metrics]
    assert list(found.by_id) == list(run.by_id)
    assert found.records == run.records
    assert found.questions == run.questions
    for answer in found.read():
        ours = run.by_id[answer.id]
        assert (answer.response.text, answer.place) == (ours.response.text, ours.place)
        assert answer.reference == answer.record.reference if answer.record else False


@pytest.mark.parametrize("partial", [False, True])
@pytest.mark.parametrize(
    ("benchmark", "settings", "count"),
    [("mmstar", "ablation=text", 24), ("mmstar", "ablation=text", 7), ("spiqa", "", 39), ("spiqa", PERFIGURE, 40)],
)
def test_a_run_of_the_host_and_the_file_written_of_it_have_the_same_numbers(
    tmp_path: Path, benchmark: str, settings: str, count: int, partial: bool
) -> None:
    """Scored once by the host's hooks and once by `score RUN --output`."""
    rows = load_rows(benchmark, "demo", settings)
    asked = len({row.get("question_id", row["id"]) for row in rows})
    samples = {"t": [sample_of(row, row["answer"] if place % 3 else "Yes") for place, row in enumerate(rows[:count])]}
    options: dict[str, Any] = {"settings": {"t": settings}, "benchmark": benchmark, "split": "demo", "asked": asked}
    path = write_run(tmp_path / "host", "vlm", samples, "pretrained=x,seed=4", totals={"t": {}}, **options)
    ((of_host,), _) = load_runs([RunPath(path)], Selection(partial=partial))
    ((given, (again,)),), _ = own_tasks(RunPath(path), [], [])
    unjudged = scoring.read(join_questions(again, given), scorer_of(given))
    read = replace(back(scoring.score(unjudged), tmp_path), partial=partial)
    assert (read.task, read.identity, read.asked, read.answered) == ("t", of_host.identity, asked, count)
    assert (read.coverage, read.signature.questions) == (of_host.coverage, of_host.signature.questions)
    ours, theirs = numbers(read), numbers(of_host)
    assert ours.keys() == theirs.keys()
    for name, (value, n, interval, reason) in theirs.items():
        assert ours[name] == (pytest.approx(value), n, interval and pytest.approx(interval), reason)
    for field in ("data", "prompt", "settings", "matcher", "tokenizer"):
        assert getattr(read.signature, field) == getattr(of_host.signature, field)


def test_the_header_says_what_was_scored(tmp_path: Path) -> None:
    """Who answered, the task, the judge, the number of questions, and every value; withheld ones are null."""
    who = Identity("vlm,pretrained=a", "grey", "3")
    run = replace(scored("mmstar_demo", half_right("mmstar_demo")), identity=who, judge="none at all")
    (path,) = write_runs([run], tmp_path)
    header = read_header(path)
    assert header is not None
    assert (header.task, header.model, header.ablation, header.seed) == ("mmstar_demo", "vlm,pretrained=a", "grey", "3")
    assert (header.judge, header.questions, header.documents) == ("none at all", 24, 24)
    assert (header.benchmark, header.split, header.settings) == ("mmstar", "demo", run.own.settings)
    assert header.metrics == score_object(run)["metrics"]
    first = json.loads(path.read_text().splitlines()[0])
    assert first["counts"] == score_object(run)["counts"]
    assert first["intervals"]["accuracy"] == list(wilson(RIGHT, 24))
    assert first["n"]["accuracy"] == 24
    read = read_run(path)
    assert read is not None
    assert (read.identity, read.judge_name, read.form, read.asked, read.answered) == (who, "none at all", "run", 24, 24)
    assert read.reported == values_as_numbers(run)
    part = replace(run, asked=99)
    (path,) = write_runs([part], tmp_path / "part")
    assert set((read_header(path) or header).metrics.values()) == {None}
    assert (read_run(path) or read).reported == {}


def values_as_numbers(run: Run) -> dict[str, float]:
    """Row -> value of those that are not withheld."""
    return {name: value.value for name, value in values_of(run).items() if not math.isnan(value.value)}


def test_answers_without_a_score_are_not_written(tmp_path: Path) -> None:
    """A file has records alone."""
    run = scored("mmstar_demo")
    answers = [replace(answer, record=None if answer.id == "0" else answer.record) for answer in run.read()]
    assert len(back(replace(run, read=lambda: answers), tmp_path).by_id) == 23


def test_reported_values_need_no_program_again(tmp_path: Path) -> None:
    """METEOR of a machine with Java is there on one without, with its scores a question."""
    run = scored("spiqa_demo")
    records = [record.with_scores({"meteor": 0.5}) for record in run.records]
    answers = [replace(answer, record=record) for answer, record in zip(run.read(), records, strict=True)]
    run = replace(run, read=lambda: answers, omitted={}, reported={"meteor": 0.4})
    read = back(run, tmp_path)
    value = read.value(read.metric("meteor"))
    assert (value.value, len(value.scores), value.interval) == (0.4, 39, None)


def test_each_run_has_a_file_of_its_own(tmp_path: Path) -> None:
    """Called by model and task, and by the judge where there are several; nothing in a name leaves the folder."""
    one = scored("mmstar_demo")
    runs = [
        replace(one, identity=Identity(name), judge=judge)
        for name in ("a", "x/../y z:é")
        for judge in ("openai:a@http://x/v1", "")
    ]
    names = [path.name for path in write_runs(runs, tmp_path)]
    assert names == [
        "a_mmstar_demo_openai-a@http-x-v1.run.jsonl",
        "a_mmstar_demo_none.run.jsonl",
        "x-..-y-z-é_mmstar_demo_openai-a@http-x-v1.run.jsonl",
        "x-..-y-z-é_mmstar_demo_none.run.jsonl",
    ]
    assert sorted(names) == [path.name for path in run_files(tmp_path)]
    (path,) = write_runs(runs[:1], tmp_path / "b")
    assert path.name == "a_mmstar_demo.run.jsonl"
    labelled = replace(one, label="a (b/c)")
    assert write_runs([labelled], tmp_path / "c")[0].name == "a-b-c-_mmstar_demo.run.jsonl"


def test_runs_are_found_below_a_folder_by_name(tmp_path: Path) -> None:
    """Wherever they lie; other files are nobody's."""
    for folder, model in (("b", "m"), ("a", "n")):
        write_run_file(tmp_path / folder, "mmstar_demo", model, right_answers("mmstar_demo"))
    (tmp_path / "a" / "samples.jsonl").touch()
    assert [path.parent.name for path in run_files(tmp_path)] == ["a", "b"]


def test_a_run_of_a_benchmark_that_is_not_installed_is_refused(tmp_path: Path) -> None:
    """The sentence names those that are."""
    path = write_run_file(tmp_path, "mmstar_demo", "m", right_answers("mmstar_demo"))
    path.write_text(path.read_text().replace('"benchmark": "mmstar"', '"benchmark": "other"', 1))
    with pytest.raises(InputError, match=r"to be of a benchmark among spiqa, mmstar, .*, found other\. Install the"):
        read_run(path)


def test_another_file_is_no_run(tmp_path: Path) -> None:
    """It may be of another form."""
    (tmp_path / "p").write_text('{"id": 1, "prediction": "A"}')
    assert read_run(tmp_path / "p") is None


@pytest.mark.parametrize("fault", ["cut", "older", "no object"])
def test_what_score_did_not_write_is_refused_when_it_is_read(tmp_path: Path, fault: str) -> None:
    """One sentence that says what to do."""
    path = write_run_file(tmp_path, "mmstar_demo", "m", right_answers("mmstar_demo"))
    text = path.read_text()
    line = json.dumps({"record": Record("1").as_dict(), "prediction": "A"})
    path.write_text({"cut": text[:-9], "older": f"{text}{line}\n", "no object": f"{text}3\n"}[fault])
    run = read_run(path)
    assert run is not None
    number = 25 if fault == "cut" else 26
    with pytest.raises(InputError, match=rf"Expected line {number} of .*\.run\.jsonl to be what `spiqa-tasks score"):
        run.read()
