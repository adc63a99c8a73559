"""From what is named to scored runs."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from answer_files import (
    mmstar_table,
    right_answers,
    rows_of,
    scored,
    write_jsonl,
    write_run_file,
    write_table,
)
from choice_runs import answered, write_own
from host_files import sample_of, write_run
from judged_runs import write_judged
from openai_server import OpenAIServer
from report_runs import choices, run_of

from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.registry import load_rows, rows_for_scoring
from spiqa_tasks.errors import DataError, InputError
from spiqa_tasks.hosts.catalogue import find_tasks
from spiqa_tasks.metrics import coco_java
from spiqa_tasks.runs.loading import load_runs, runs_by_task
from spiqa_tasks.runs.paths import RunPath
from spiqa_tasks.runs.run import Run
from spiqa_tasks.runs.selection import (
    EVERY,
    Selection,
    judged_as_wanted,
    remarks_on,
    remarks_on_answers,
)

RIGHT = right_answers("mmstar_demo")
HALF = {key: text if place % 2 else "no letter" for place, (key, text) in enumerate(RIGHT.items())}
(DEMO,) = find_tasks(["mmstar_demo"])


def load(*places: str | Path, **wanted: Any) -> tuple[list[Run], list[str]]:
    return load_runs([RunPath.parse(str(place)) for place in places], Selection(**wanted))


def accuracies(runs: list[Run]) -> dict[str, float]:
    """Model -> accuracy."""
    return {run.name: run.value(run.metric("accuracy")).value for run in runs}


def write_demo(folder: Path, answers: Mapping[str, str], model: str = "m", **options: Any) -> Path:
    """Write a run of lmms-eval on MMStar's demo questions, without those that `answers` lacks."""
    rows = load_rows("mmstar", "demo", "ablation=text")
    samples = [sample_of(row, answers[row["id"]]) for row in rows if row["id"] in answers]
    options = {
        "settings": {"mmstar_demo": "ablation=text"},
        "split": "demo",
        "asked": 24,
        **options,
    }
    return write_run(folder, model, {"mmstar_demo": samples}, **options)


@pytest.mark.parametrize("form", ["host", "run", "jsonl", "xlsx", "tsv", "json"])
def test_the_answers_of_every_form_have_the_same_values(tmp_path: Path, form: str) -> None:
    """Overall and by group; each says of which form it is, and that all questions were answered."""
    path = tmp_path / f"m_mmstar_demo.{form}"
    if form == "host":
        path = write_demo(tmp_path, HALF)
    elif form == "run":
        path = write_run_file(tmp_path, "mmstar_demo", "m", HALF)
    elif form == "jsonl":
        write_jsonl(path, HALF)
    else:
        write_table(mmstar_table(rows_of(DEMO), list(HALF.values())), path)
    (run,), remarks = load(path)
    assert remarks == []
    expected = scored("mmstar_demo", HALF)
    for name in ("accuracy", "accuracy_released", "unparsed_rate"):
        for group in (None, "math", "geometry"):
            ours, theirs = (
                expected.value(expected.metric(name), group),
                run.value(run.metric(name), group),
            )
            assert (theirs.value, theirs.n, theirs.interval) == (ours.value, ours.n, ours.interval)
    assert (run.task, run.name, run.coverage) == ("mmstar_demo", "m", "24 of 24")
    assert run.form == {"host": "lmms-eval", "run": "score", "jsonl": "jsonl"}.get(form, "table")


def test_models_that_differ_in_an_argument_an_ablation_or_a_seed_are_all_there(
    rows_of_release: Any, tmp_path: Path
) -> None:
    """Five runs of one task in one folder are five rows, under names that tell them apart."""
    rows = rows_of_release("cs_fig2cap", "")
    given = {
        "pretrained=a": ("vlm", "pretrained=a,batch_size=2", 0),
        "max_pixels=9,pretrained=a": ("vlm", "pretrained=a,max_pixels=9", 7),
        "pretrained=a,ablation=shuffled,seed=1": (
            "ablated",
            "base=vlm,ablation=shuffled,seed=1,pretrained=a",
            14,
        ),
        "pretrained=a,ablation=shuffled,seed=2": (
            "ablated",
            "base=vlm,ablation=shuffled,seed=2,pretrained=a",
            7,
        ),
        "pretrained=a,ablation=grey": ("ablated", "base=vlm,ablation=grey,pretrained=a", 0),
    }
    for place, (model, arguments, wrong) in enumerate(given.values()):
        write_own(
            tmp_path,
            model,
            {"t": answered(rows, wrong)},
            model_args=arguments,
            stamp=f"2025010{place}_000000",
        )
    runs, remarks = load(tmp_path)
    assert remarks == []
    assert accuracies(runs) == {
        f"vlm,{name}": 1 - wrong / 14 for name, (_, _, wrong) in given.items()
    }


@pytest.fixture
def rows_of_release(scifibench_release: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """`rows_of_release(split, settings)` returns rows of `scifibench_release`."""
    monkeypatch.setenv("SPIQA_TASKS_DATA", str(scifibench_release))
    return lambda split, settings: load_rows("scifibench", split, settings)


def test_runs_without_samples_are_told_and_others_read(tmp_path: Path) -> None:
    """A task of ours that was run without --log_samples has a sentence; a task of the host has
    none.
    """
    write_demo(tmp_path, HALF)
    write_demo(tmp_path, {}, "n", stamp="2").with_name("2_samples_mmstar_demo.jsonl").unlink()
    write_run(tmp_path, "m", {"mmmu_val": [{"mmmu_acc": {"id": "1"}}]}, stamp="3")
    runs, _ = load(tmp_path)
    assert [run.name for run in runs if run.has_samples] == ["m"]
    of_task = [run for run in runs if run.task == "mmstar_demo"]
    assert remarks_on(of_task) + remarks_on_answers(of_task) == [
        "mmstar_demo of n has no samples; run it with --log_samples.",
        "mmstar_demo of m: of 24 answers 12 empty or unparsed.",
    ]
    assert len(runs) == 3


def test_nothing_to_read_is_refused(tmp_path: Path) -> None:
    """An empty folder, runs of other tasks, and a broken samples file."""
    with pytest.raises(InputError, match="found none"):
        load(tmp_path)
    write_run(tmp_path, "m", {"t": [{"accuracy": 1.0}]})
    with pytest.raises(InputError, match=r"Expected runs of u, v; found t\. Correct"):
        load(tmp_path, tasks=["u", "v"])
    path = write_demo(tmp_path / "broken", HALF, stamp="2")
    path.with_name("2_samples_mmstar_demo.jsonl").write_text("{broken")
    with pytest.raises(DataError, match="line 1"):
        load(tmp_path / "broken")
    runs, remarks = load(tmp_path)
    assert [run.task for run in runs] == ["t"]
    assert [bool(re.match(r"Left out: .* line 1", remark)) for remark in remarks] == [True, True]


@pytest.mark.parametrize("named", ["before", "task", "name"])
def test_answers_that_do_not_say_their_task_are_told_it(tmp_path: Path, named: str) -> None:
    """As TASK=PATH, as the only task that is wanted, or by the name of their file."""
    path = write_jsonl(tmp_path / ("m_mmstar_demo.jsonl" if named == "name" else "m.jsonl"), HALF)
    place = f"mmstar_demo={path}" if named == "before" else path
    runs, _ = load(place, tasks=["mmstar_demo"] if named == "task" else [])
    assert accuracies(runs) == {"m": 0.5}
    assert runs[0].task == "mmstar_demo"


def test_answers_whose_task_nobody_says_are_refused(tmp_path: Path) -> None:
    """With the ways to say it; of several tasks one is to be named."""
    path = write_jsonl(tmp_path / "m.jsonl", HALF)
    with pytest.raises(InputError, match="Name one of them, not a group: mmstar_demo, spiqa_demo"):
        load(path, tasks=["mmstar_demo", "spiqa_demo"])
    with pytest.raises(InputError) as error:
        load(path)
    assert (
        str(error.value)
        == f"Which task do the answers in {path} belong to? Add --task TASK, or question "
        "(or options) and reference (--columns FIELD=COLUMN; pandas.merge joins those of another "
        "file); found id, prediction."
    )


@pytest.mark.parametrize(
    ("cells", "missing"),
    [({"question": "q?"}, "reference"), ({"answer": "Paris"}, "question (or options)")],
)
def test_the_column_that_is_missing_is_named(
    tmp_path: Path, cells: dict[str, str], missing: str
) -> None:
    """Alone, with those that the file has."""
    path = tmp_path / "m.json"
    path.write_text(json.dumps([{"id": "1", "response": "A", **cells}]))
    found = f"; found id, response, {next(iter(cells))}."
    with pytest.raises(InputError) as error:
        load(path)
    where = "(--columns FIELD=COLUMN; pandas.merge joins those of another file)"
    assert f"Add --task TASK, or {missing} {where}{found}" in str(error.value)


def test_choices_need_no_question(tmp_path: Path) -> None:
    """MMMU's files of answers have options and a letter."""
    path = tmp_path / "m.json"
    options = {"A": "red", "B": "blue"}
    letters = ["A", "B", "B", "B"]
    path.write_text(
        json.dumps(
            [
                {"id": str(place), "options": options, "answer": letter, "response": "B"}
                for place, letter in enumerate(letters)
            ]
        )
    )
    assert accuracies(load(path)[0]) == {"m": 0.75}


@pytest.mark.parametrize(
    ("row", "benchmark"),
    [
        ({"reference": "red", "prediction": "blue"}, "answers"),
        ({"options": ["red", "blue"], "answer": "A", "prediction": "A"}, "choices"),
    ],
)
def test_lines_with_their_own_questions_need_no_task(
    tmp_path: Path, row: dict[str, Any], benchmark: str
) -> None:
    """With options they are choices; without ids they are counted from 1."""
    lines = [{"question": question, **row} for question in ("What?", "Which?")]
    path = tmp_path / "m.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))

    ((task, (run,)),), remarks = runs_by_task([RunPath(path)], EVERY)
    assert (task.benchmark_name, run.task, remarks) == (benchmark, benchmark, [])
    assert [(answer.id, answer.question) for answer in run.read()] == [
        ("1", "What?"),
        ("2", "Which?"),
    ]


def test_the_headline_of_a_run_without_a_judge_is_the_first_metric_that_it_has(
    tmp_path: Path,
) -> None:
    """SPIQA's L3Score is not there where no judge was asked; BLEU-1 speaks for the run, and a
    remark says why.
    """
    path = write_jsonl(tmp_path / "m_spiqa_demo.jsonl", right_answers("spiqa_demo"))
    (run,), remarks = load(path)
    assert run.metric().name == "bleu_1"
    assert "l3score" not in {metric.name for metric in run.metrics}
    assert remarks == [
        f"{path} has no scores of a judge, only of other metrics. `spiqa-tasks score RUN --judge "
        "PROVIDER:MODEL --output DIR` asks one."
    ]
    write_judged(tmp_path / "host", "m", None)
    (run,), remarks = load(tmp_path / "host")
    assert (run.metric().name, remarks) == ("bleu_1", [])
    (run,), remarks = load(tmp_path / "host", judge="openai:gpt-4o")
    assert (run.metric().name, len(remarks)) == ("bleu_1", 1)


def test_l3score_speaks_for_a_judged_run(tmp_path: Path) -> None:
    """The scores that the judge gave are read from the records; nothing is asked again."""
    scores = [place / 38 for place in range(39)]
    write_judged(tmp_path, "m", scores)
    (run,), _ = load(tmp_path)
    value = run.value(run.metric())
    assert (run.metric().name, value.n, value.value) == ("l3score", 39, pytest.approx(0.5))
    assert {"bleu_1", "judge_failed_rate"} <= {metric.name for metric in run.metrics}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenAIServer]:
    """A judge that says yes to equal answers."""
    with OpenAIServer() as running:
        monkeypatch.setenv("SPIQA_JUDGE_BASE_URL", running.url)
        monkeypatch.setenv("SPIQA_JUDGE_API_KEY", "key")
        yield running


def test_reading_answers_asks_no_judge(tmp_path: Path, server: OpenAIServer) -> None:
    """A judge that is named chooses among scores; without any, other metrics count."""
    path = write_jsonl(tmp_path / "m_spiqa_demo.jsonl", right_answers("spiqa_demo"))
    (run,), remarks = load(path, judge="openai:gpt-4o")
    assert (run.metric().name, run.signature.judge) == ("bleu_1", "")
    assert ["has no scores of a judge" in remark for remark in remarks] == [True]
    assert server.requests == []


def test_only_scores_of_the_wanted_judge_count(tmp_path: Path) -> None:
    """A run that another one judged is left out; runs that no judge scored, or without answers,
    stay.
    """
    for name in "ab":
        write_judged(tmp_path / name, name, [0.5] * 39, f"openai:{name}")
    write_demo(tmp_path / "c", HALF, "c")
    write_demo(tmp_path / "d", {}, "d").with_name(
        "20250101_000000_samples_mmstar_demo.jsonl"
    ).unlink()
    names = [run.name for run in load(tmp_path, judge="openai:b")[0]]
    assert sorted(names) == ["b", "c", "d"]
    assert sorted(run.name for run in load(tmp_path)[0]) == ["a", "b", "c", "d"]


def test_a_judges_run_counts_though_another_judges_is_newer(tmp_path: Path) -> None:
    """Both stand beside each other unless one is wanted; a judge that scored none is refused
    with those that did.
    """
    for stamp, judge in (("1", "openai:a"), ("2", "openai:b")):
        write_judged(tmp_path, "m", [float(stamp) / 4] * 39, judge, stamp=stamp)
    for judge, expected in ((None, [0.25, 0.5]), ("openai:b", [0.5]), ("openai:a", [0.25])):
        runs, remarks = load(tmp_path, judge=judge)
        assert [run.value(run.metric("l3score")).value for run in runs] == pytest.approx(expected)
        assert not remarks
    with pytest.raises(InputError) as error:
        load(tmp_path, judge="openai:c")
    assert (
        str(error.value)
        == "Expected scores by the judge openai:c, found those by openai:a, openai:b. Correct"
        " --judge."
    )


def test_the_judge_of_the_environment_is_not_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: OpenAIServer
) -> None:
    """Commands on runs ask none unless it is named."""
    monkeypatch.setenv("SPIQA_JUDGE", "openai:gpt-4o")
    rows = rows_for_scoring("spiqa", "demo", "")
    load(write_jsonl(tmp_path / "m_spiqa_demo.jsonl", {row["id"]: "a" for row in rows}))
    assert server.requests == []


@pytest.mark.parametrize(
    ("judge", "expected"),
    [
        ("openai:a", True),
        ("openai:a@http://one/v1", True),
        ("openai:a@http://two/v1", False),
        ("openai:b", False),
        ("openai:b@http://one/v1", False),
    ],
)
def test_a_judge_is_its_name_and_where_it_is_named_its_server(judge: str, expected: bool) -> None:
    """A run that no judge scored is anybody's."""
    signature = "data:spiqa/testA@d|settings:|judge:openai:a|judge_host:one"
    run = run_of(
        [Record("p/0", "a", "a", scores={"l3score": 0.5})], task="spiqa_testA", signature=signature
    )
    unjudged = run_of(choices([True]))
    assert judged_as_wanted([run, unjudged], judge) == [run, unjudged][not expected :]


def test_a_comparison_of_unscored_answers_starts_no_aligner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """METEOR is computed when its value is asked for."""

    def refuse(*_: Any) -> None:
        raise AssertionError("METEOR was started")

    monkeypatch.setattr(coco_java, "meteor_statistics", refuse)
    path = write_jsonl(tmp_path / "m.jsonl", right_answers("spiqa_demo"))
    (run,), _ = load(f"spiqa_demo={path}")
    assert run.value(run.metric("rouge_l")).value == pytest.approx(1.0)
    with pytest.raises(AssertionError, match="was started"):
        run.value(run.metric("meteor"))
