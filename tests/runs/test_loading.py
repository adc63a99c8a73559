"""Runs of our tasks, read back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from choice_runs import answered, write_own
from host_files import FAILED, SPLIT, choice_samples, sample_of, write_run

from spiqa_tasks.analysis.own_runs import OwnRun, own_runs
from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.registry import load_rows, rows_for_scoring
from spiqa_tasks.errors import InputError

RowsOf = Callable[[str, str], list[dict[str, Any]]]


def accuracies(runs: list[OwnRun]) -> dict[str, float]:
    """Model -> accuracy."""
    return {run.model: run.value(run.metric("accuracy")).value for run in runs}


def test_the_newest_run_counts_and_a_sentence_says_so(rows_of: RowsOf, tmp_path: Path) -> None:
    """The same model on the same task again replaces the older answers, whatever the order of the places."""
    rows = rows_of("cs_fig2cap", "")
    write_own(tmp_path / "old", "m", {"t": answered(rows, 14)}, stamp="20250101_000000")
    write_own(tmp_path / "new", "m", {"t": answered(rows, 0)}, stamp="20250102_000000")
    for places in (["old", "new"], ["new", "old"]):
        runs, remarks = own_runs([tmp_path / place for place in places])
        assert accuracies(runs) == {"m": 1.0}
        assert remarks == [
            "t of m was run again: 20250102_000000_results.json counts, not 20250101_000000_results.json."
        ]


def test_a_run_named_twice_is_one_run(rows_of: RowsOf, tmp_path: Path) -> None:
    """A folder and a file in it name the same run, of which nothing is to be said."""
    path = write_own(tmp_path, "m", {"t": answered(rows_of("cs_fig2cap", ""), 7)})
    runs, remarks = own_runs([tmp_path, path])
    assert (accuracies(runs), remarks) == ({"m": 0.5}, [])


def test_models_that_differ_in_an_argument_an_ablation_or_a_seed_are_all_there(rows_of: RowsOf, tmp_path: Path) -> None:
    """Five runs of one task in one folder are five rows, under names that tell them apart."""
    rows = rows_of("cs_fig2cap", "")
    given = {
        "pretrained=a": ("vlm", "pretrained=a,batch_size=2", 0),
        "max_pixels=9,pretrained=a": ("vlm", "pretrained=a,max_pixels=9", 7),
        "pretrained=a,ablation=shuffled,seed=1": ("ablated", "base=vlm,ablation=shuffled,seed=1,pretrained=a", 14),
        "pretrained=a,ablation=shuffled,seed=2": ("ablated", "base=vlm,ablation=shuffled,seed=2,pretrained=a", 7),
        "pretrained=a,ablation=grey": ("ablated", "base=vlm,ablation=grey,pretrained=a", 0),
    }
    for place, (model, arguments, wrong) in enumerate(given.values()):
        write_own(tmp_path, model, {"t": answered(rows, wrong)}, model_args=arguments, stamp=f"2025010{place}_000000")
    runs, remarks = own_runs([tmp_path])
    assert remarks == []
    assert accuracies(runs) == {f"vlm,{name}": 1 - wrong / 14 for name, (_, _, wrong) in given.items()}


def test_failed_requests_have_no_score(rows_of: RowsOf, tmp_path: Path) -> None:
    """One failed request of 14 is more than 1%: the accuracy is withheld, over the 13 that there are."""
    rows = rows_of("cs_fig2cap", "")
    write_own(tmp_path, "m", {"t": [sample_of(rows[0], FAILED), *answered(rows, 0)[1:]]})
    (run,), _ = own_runs([tmp_path])
    value = run.value(run.metric("accuracy"))
    assert (value.n, value.value) == (13, pytest.approx(float("nan"), nan_ok=True))
    assert run.value(run.metric("request_failed_rate")).value == pytest.approx(1 / 14)


def test_runs_without_samples_are_told_and_others_read(rows_of: RowsOf, tmp_path: Path) -> None:
    """A task of ours that was run without --log_samples has a sentence; a task of the host has none."""
    write_own(tmp_path, "m", {"t": answered(rows_of("cs_fig2cap", ""), 0)})
    write_own(tmp_path, "n", {"t": []}, stamp="20250102_000000").with_name("20250102_000000_samples_t.jsonl").unlink()
    write_run(tmp_path, "m", {"mmmu_val": [{"mmmu_acc": {"id": "1"}}]}, stamp="20250103_000000")
    runs, remarks = own_runs([tmp_path])
    assert [run.task for run in runs] == ["t"]
    assert remarks == ["t of n has no samples; run it with --log_samples."]


def test_only_the_tasks_that_are_named_are_read(rows_of: RowsOf, tmp_path: Path) -> None:
    """`tasks` chooses; one that is not there is refused with those that are."""
    rows = rows_of("cs_fig2cap", "")
    write_own(tmp_path, "m", {"t": answered(rows, 0), "u": answered(rows, 7)})
    assert [run.task for run in own_runs([tmp_path], ["u"])[0]] == ["u"]
    with pytest.raises(InputError, match="found t, u"):
        own_runs([tmp_path], ["v"])


def test_nothing_to_read_is_refused(tmp_path: Path) -> None:
    """An empty folder, samples of the host's tasks only, and a broken samples file."""
    with pytest.raises(InputError, match="found none at"):
        own_runs([tmp_path])
    path = write_run(tmp_path, "m", {"t": [{"accuracy": 1.0}]})
    with pytest.raises(InputError, match="Expected samples of this package's tasks"):
        own_runs([tmp_path])
    path.with_name(path.name.replace("results.json", "samples_t.jsonl")).write_text("{broken")
    with pytest.raises(InputError, match="line 1"):
        own_runs([tmp_path])


def test_line_separators_in_an_answer_end_no_sample(tmp_path: Path) -> None:
    """An answer with line separators that JSON leaves as they are is one sample."""
    samples = choice_samples([True, False])
    for sample in samples:
        sample["filtered_resps"] = SPLIT
    write_run(tmp_path, "m", {"t": samples})
    (run,), _ = own_runs([tmp_path])
    assert [record.id for record in run.records] == ["q0", "q1"]


def test_a_metric_that_a_run_lacks_is_refused_with_those_it_has(tmp_path: Path) -> None:
    """The sentence names every metric that could be chosen."""
    write_run(tmp_path, "m", {"t": [sample_of(row, "A") for row in load_rows("mmstar", "demo", "ablation=text")]})
    (run,), _ = own_runs([tmp_path])
    assert [metric.name for metric in run.metrics] == [
        "accuracy",
        "accuracy_released",
        "refusal_rate",
        "unparsed_rate",
        "request_failed_rate",
        "truncated_rate",
    ]
    with pytest.raises(InputError, match="metric accuracy_llm; found accuracy, accuracy_released"):
        run.metric("accuracy_llm")


@pytest.mark.usefixtures("no_java")
def test_the_headline_of_a_run_without_a_judge_is_the_first_metric_that_it_has(tmp_path: Path) -> None:
    """SPIQA's L3Score is not there where no judge was asked; BLEU-1 speaks for the run."""
    rows = rows_for_scoring("spiqa", "demo", "")[:3]
    write_run(tmp_path, "m", {"spiqa_demo": [sample_of(row, row["answer"]) for row in rows]})
    (run,), _ = own_runs([tmp_path])
    assert run.metric(None).name == "bleu_1"
    assert "l3score" not in {metric.name for metric in run.metrics}


@pytest.mark.usefixtures("no_java")
def test_l3score_speaks_for_a_judged_run(tmp_path: Path) -> None:
    """The scores that the judge gave are read from the records; nothing is asked again."""
    samples = []
    for row, score in zip(rows_for_scoring("spiqa", "demo", ""), (1.0, 0.5, 0.0), strict=False):
        record = Record.from_dict(sample_of(row, row["answer"])["bleu_1"])
        verdict = {"metric": "l3score", "score": score, "model": "gpt-4o"}
        judged = replace(record, scores={**record.scores, "l3score": score}, verdicts=(verdict,))
        samples.append({"l3score": {**judged.as_dict(), "score": score}})
    write_run(tmp_path, "m", {"spiqa_demo": samples})
    (run,), _ = own_runs([tmp_path])
    assert run.metric(None).name == "l3score"
    value = run.value(run.metric(None))
    assert (value.n, value.value) == (3, 0.5)
    assert {"bleu_1", "judge_failed_rate"} <= {metric.name for metric in run.metrics}
