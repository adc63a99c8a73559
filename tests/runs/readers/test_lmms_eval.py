"""The host's files, read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from host_files import SPLIT, choice_sample, choice_samples, write_run

from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.lmms_eval.results import all_runs, find_runs, latest_run, read_run, record_of, task_runs


def test_a_result_file_has_numbers_and_standard_errors(tmp_path: Path) -> None:
    """The clustered error wins over the other; what is no number is None, and a list is no metric."""
    path = write_run(tmp_path, "m", {"t": []}, "a=1")
    content = json.loads(path.read_text())
    content["results"]["t"] = {
        "alias": "t",
        "l3score,none": 0.5,
        "l3score_stderr_clt,none": 0.3,
        "l3score_stderr_clustered,none": 0.2,
        "bleu_1,none": 0.1,
        "bleu_1_stderr_clt,none": "N/A",
        "meteor,none": float("nan"),
        "score,none": [],
    }
    path.write_text(json.dumps(content))
    run = read_run(path)
    scores = {name: (score.value, score.stderr) for name, score in run.tasks["t"].items()}
    assert scores == {"l3score": (0.5, 0.2), "bleu_1": (0.1, None), "meteor": (None, None)}
    assert (run.model, run.model_args) == ("m", "a=1")


def test_runs_are_found_oldest_first_and_once(tmp_path: Path) -> None:
    """In subfolders too; a submission file of the host's own tasks is none; places may overlap."""
    for place, stamp in (("b", "20250102_000000"), ("a", "20250103_000000"), ("c", "20250101_000000")):
        write_run(tmp_path / place, place, {"t": []}, stamp=stamp)
    (tmp_path / "submissions").mkdir()
    (tmp_path / "submissions" / "mmbench_results.json").write_text('{"overall_acc": 0.5}')
    assert [run.model for run in find_runs(tmp_path)] == ["c", "b", "a"]
    places = [tmp_path / "a", tmp_path / "c", tmp_path / "a" / "20250103_000000_results.json"]
    assert [run.model for run in all_runs(places)] == ["c", "a"]
    latest = latest_run(tmp_path)
    assert latest is not None
    assert latest.model == "a"
    assert latest_run(tmp_path / "submissions") is None


@pytest.mark.parametrize("content", ["", "[]", '{"results": {}}', '{"results": {}, "config": {}, "configs": {}}'])
def test_other_files_are_refused(tmp_path: Path, content: str) -> None:
    """The message names the file."""
    path = tmp_path / "x_results.json"
    path.write_text(content)
    with pytest.raises(InputError, match=r"x_results\.json to be a result file"):
        read_run(path)


def test_samples_are_read_line_by_line(tmp_path: Path) -> None:
    """Only line feeds end a sample, though an answer has other separators; a broken line is named by its number."""
    samples = [{**sample, "filtered_resps": SPLIT} for sample in choice_samples([True, False])]
    path = write_run(tmp_path, "m", {"t": samples}, settings={"t": "prompt=letter"})
    (run,), _ = task_runs([path])
    assert [sample["filtered_resps"] for sample in run.samples()] == [SPLIT, SPLIT]
    assert [dict(record_of(sample).scores) for sample in run.samples()] == [{"accuracy": 1.0}, {"accuracy": 0.0}]
    with path.with_name("20250101_000000_samples_t.jsonl").open("a") as file:
        file.write('{"doc_id": 2}\n')
    with pytest.raises(InputError, match="line 3"):
        run.samples()


def test_only_samples_of_ours_have_records() -> None:
    """The record is whole: id, scores, group names and signature come back; the host's own samples have none."""
    record = record_of(choice_sample(3, True, category="logic"))
    assert record is not None
    assert (record.id, record.groups, record.scores) == ("q3", {"category": "logic"}, {"accuracy": 1.0})
    assert record.signature.startswith("data:mmstar/val@d1")
    assert record_of({"doc_id": 1, "mmmu_acc": {"id": "1", "answer": "A"}, "score": 1.0}) is None


def test_the_settings_of_a_task_are_typed(tmp_path: Path) -> None:
    """Those of our tasks are read by their benchmark; other tasks and unreadable texts have none."""
    settings = {"t": "prompt=letter, ablation=grey", "u": "nonsense"}
    write_run(tmp_path, "m", {"t": [], "u": [], "v": []}, settings=settings)
    found = {run.task: run.settings for run in task_runs([tmp_path])[0]}
    assert (found["t"].ablation, found["t"].prompt) == ("grey", "letter")
    assert (found["u"], found["v"]) == (None, None)
