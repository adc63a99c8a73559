"""The plan of an experiment: which model answers which task, and what of it counts as there."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from host_files import choice_sample, choice_samples, write_run

from spiqa_tasks.analysis.experiments import (
    LLM,
    PAPERS,
    PICTURES,
    PlannedRun,
    gain_plan,
    paper_plan,
    task_names,
)
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.catalogue import catalogue
from spiqa_tasks.hosts.lmms_eval.command_line import Model, Options

VLM, BASE = Model("qwen2_5_vl", "pretrained=a,device=cuda"), Model("vllm", "model=b")


TASKS, GROUPS = catalogue()


def asked(
    plan: list[PlannedRun], limit: int | None = None
) -> list[tuple[str, str, str, int | None]]:
    """Role, task, model and requests of each run."""
    return [
        (run.role, run.task, f"{run.model.name} {run.model.arguments}", run.requests(limit))
        for run in plan
    ]


def test_mmstar_is_asked_by_its_own_variants() -> None:
    """With pictures, without, grey where it is asked for, and 2-shot by the LLM base."""
    vlm, base = "qwen2_5_vl pretrained=a,device=cuda", "vllm model=b"
    assert asked(gain_plan(TASKS, ["mmstar_filtered"], VLM, BASE, ("text", "grey"))) == [
        (PICTURES, "mmstar_filtered", vlm, 1500),
        ("text", "mmstar_filtered_text", vlm, 1500),
        ("grey", "mmstar_filtered_grey", vlm, 1500),
        (LLM, "mmstar_filtered_llm", base, 1500),
    ]


def test_a_task_of_the_host_is_asked_with_the_wrapped_model() -> None:
    """How many requests it takes only the host knows; a model without arguments has no comma at the end."""
    assert asked(gain_plan(TASKS, ["ai2d"], VLM, Model("dummy"), ("text",))) == [
        (PICTURES, "ai2d", "qwen2_5_vl pretrained=a,device=cuda", None),
        ("text", "ai2d", "ablated base=qwen2_5_vl,ablation=text,pretrained=a,device=cuda", None),
        (LLM, "ai2d", "ablated base=dummy,ablation=text", None),
    ]


def test_a_group_is_its_tasks_each_once() -> None:
    """Those of Table 6; a limit bounds the requests; without an LLM base no run is its."""
    plan = gain_plan(
        TASKS, task_names(["multimodal_gain", "mmstar_filtered"], GROUPS), VLM, None, ("text",)
    )
    assert [run.task for run in plan if run.role == PICTURES] == list(GROUPS["multimodal_gain"])
    assert {run.role for run in plan} == {PICTURES, "text"}
    assert {run.requests(8) for run in plan if run.task.startswith("mmstar")} == {8}


def test_the_papers_tables_are_our_tasks() -> None:
    """SciFIBench's four and SPIQA's three; two requests a figure cannot be counted; others have no published rows."""
    tasks = {
        name: [run.task for run in paper_plan(TASKS, task_names([name], GROUPS), VLM)]
        for name in PAPERS
    }
    assert tasks["spiqa"] == ["spiqa_testA", "spiqa_testB", "spiqa_testC"]
    assert sorted(tasks["scifibench"]) == [
        f"scifibench_{subset}_{direction}"
        for subset in ("cs", "general")
        for direction in ("cap2fig", "fig2cap")
    ]
    counted = paper_plan(TASKS, ["spiqa_demo", "spiqa_demo_perfigure"], VLM)
    assert [run.requests(None) for run in counted] == [39, None]
    with pytest.raises(InputError, match="found ai2d"):
        paper_plan(TASKS, ["ai2d", "spiqa_demo"], VLM)


@pytest.mark.parametrize(
    ("arguments", "extra", "same"),
    [
        ("pretrained=a,device=cpu", ["--batch_size", "4"], True),
        ("pretrained=b,device=cuda", [], False),
        ("pretrained=a,device=cuda", ["--gen_kwargs", "temperature=1"], False),
    ],
)
def test_another_model_or_generation_has_another_folder(
    arguments: str, extra: list[str], same: bool
) -> None:
    """So that its answers never count as those of the first; where and how fast it runs changes nothing."""
    first = PlannedRun(PICTURES, "ai2d", VLM).folder(Options())
    other = PlannedRun(PICTURES, "ai2d", Model(VLM.name, arguments)).folder(Options(extra=extra))
    assert (first == other) == same


RUN = PlannedRun(PICTURES, "t", Model("m"))


def look(
    output: Path, limit: int | None = None, judge: str | None = None, run: PlannedRun = RUN
) -> PlannedRun:
    """The run with its results."""
    found = replace(run)
    found.look(output, Options(limit=limit), judge)
    return found


def written(
    output: Path, rights: list[bool | None], stamp: str = "1", limit: int | None = None
) -> Path:
    """A result file of the run."""
    folder = output / RUN.folder(Options()) / "m"
    path = write_run(
        folder, "m", {"t": choice_samples(rights)}, stamp=stamp, settings={"t": "prompt=letter"}
    )
    content = json.loads(path.read_text())
    path.write_text(json.dumps({**content, "config": {**content["config"], "limit": limit}}))
    return path


def test_a_run_with_all_samples_is_complete(tmp_path: Path) -> None:
    """The newest of several; one with failed requests is to be repeated, and its answers can be used."""
    assert look(tmp_path) == RUN
    first = written(tmp_path, [True, False])
    there = look(tmp_path)
    assert (there.path, there.complete, there.state) == (first, True, "complete, 2 answers")
    second = written(tmp_path, [True, None], stamp="2")
    there = look(tmp_path)
    assert (there.path, there.complete, there.state) == (second, False, "1 failed")


def test_a_run_of_another_part_is_not_there(tmp_path: Path) -> None:
    """Neither the whole where a part is wanted, nor a part where the whole is."""
    whole, part = (
        written(tmp_path, [True, True, True]),
        written(tmp_path, [True, True], stamp="2", limit=2),
    )
    assert [look(tmp_path, limit).path for limit in (None, 2, 3)] == [whole, part, None]


def test_the_tasks_of_a_hosts_group_are_there_together(tmp_path: Path) -> None:
    """Only where each has all of its samples."""
    both = {name: choice_samples([True, False]) for name in ("one", "two")}
    path = write_run(tmp_path / RUN.folder(Options()), "m", both, stamp="1")
    assert look(tmp_path) == replace(RUN, path=path, answered=4)
    path.with_name("1_samples_two.jsonl").unlink()
    assert look(tmp_path) == RUN


@pytest.mark.parametrize("damage", ["cut results", "cut samples", "no samples"])
def test_a_run_that_was_killed_while_it_wrote_is_not_there(tmp_path: Path, damage: str) -> None:
    """Whatever file is missing or ends in the middle."""
    path = written(tmp_path, [True, True])
    samples = path.with_name("1_samples_t.jsonl")
    if damage == "no samples":
        samples.unlink()
    else:
        cut = path if damage == "cut results" else samples
        cut.write_bytes(cut.read_bytes()[:-20])
    assert look(tmp_path) == RUN


def test_scores_by_another_judge_are_not_there(tmp_path: Path) -> None:
    """Answers that no judge scored are there under any."""
    path = written(tmp_path, [True])
    assert look(tmp_path, judge="openai:gpt-4o").path == path
    samples = path.with_name("1_samples_t.jsonl")
    judged = "settings:prompt=letter|judge:openai:other"
    samples.write_text(samples.read_text().replace("settings:prompt=letter", judged))
    assert look(tmp_path, judge="openai:other").path == path
    assert look(tmp_path, judge="openai:gpt-4o").path is None


@pytest.mark.parametrize(
    ("status", "failed"), [("judge_failed", 1), ("scoring_failed", 1), ("refused", 0)]
)
def test_what_failed_in_any_way_is_to_be_repeated(tmp_path: Path, status: Any, failed: int) -> None:
    """A refusal is an answer."""
    samples = [*choice_samples([True]), choice_sample(1, False, status=status)]
    write_run(
        tmp_path / RUN.folder(Options()), "m", {"t": samples}, settings={"t": "prompt=letter"}
    )
    there = look(tmp_path)
    assert (there.failed, there.answered, there.complete) == (failed, 2 - failed, not failed)


def test_a_variant_without_pictures_is_no_task_of_a_gain_plan() -> None:
    """The sentence names it."""
    with pytest.raises(InputError) as error:
        gain_plan(TASKS, ["mmstar_filtered_grey"], VLM, None, ("text",))
    assert str(error.value) == (
        "Expected tasks with pictures, found mmstar_filtered_grey. Name the task that it is a variant of: the "
        "experiment adds the runs without pictures."
    )
