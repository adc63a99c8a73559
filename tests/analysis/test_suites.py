"""The plan of a suite: which model answers which task."""

from __future__ import annotations

import pytest

from spiqa_tasks.analysis.suites import LLM, PAPERS, PICTURES, Known, PlannedRun, gain_plan, paper_plan
from spiqa_tasks.errors import InputError
from spiqa_tasks.hosts.catalogue import catalogue
from spiqa_tasks.hosts.lmms_eval.command_line import Model, Options

VLM, BASE = Model("qwen2_5_vl", "pretrained=a,device=cuda"), Model("vllm", "model=b")


@pytest.fixture(scope="module")
def known() -> Known:
    """The shipped tasks and groups."""
    return Known(*catalogue())


def asked(plan: list[PlannedRun]) -> list[tuple[str, str, str, int | None]]:
    """Role, task, model and requests of each run."""
    return [(run.role, run.task, f"{run.model.name} {run.model.arguments}", run.requests) for run in plan]


def test_mmstar_is_asked_by_its_own_variants(known: Known) -> None:
    """With pictures, without, grey where it is asked for, and 2-shot by the LLM base."""
    vlm, base = "qwen2_5_vl pretrained=a,device=cuda", "vllm model=b"
    assert asked(gain_plan(known, ["mmstar_filtered"], VLM, BASE, ("text", "grey"), None)) == [
        (PICTURES, "mmstar_filtered", vlm, 1500),
        ("text", "mmstar_filtered_text", vlm, 1500),
        ("grey", "mmstar_filtered_grey", vlm, 1500),
        (LLM, "mmstar_filtered_llm", base, 1500),
    ]


def test_a_task_of_the_host_is_asked_with_the_wrapped_model(known: Known) -> None:
    """How many requests it takes only the host knows; a model without arguments has no comma at the end."""
    assert asked(gain_plan(known, ["ai2d"], VLM, Model("dummy"), ("text",), 8)) == [
        (PICTURES, "ai2d", "qwen2_5_vl pretrained=a,device=cuda", None),
        ("text", "ai2d", "ablated base=qwen2_5_vl,ablation=text,pretrained=a,device=cuda", None),
        (LLM, "ai2d", "ablated base=dummy,ablation=text", None),
    ]


def test_a_group_is_its_tasks_each_once(known: Known) -> None:
    """Those of Table 6; a limit bounds the requests; without an LLM base no run is its."""
    plan = gain_plan(known, ["multimodal_gain", "mmstar_filtered"], VLM, None, ("text",), 8)
    assert [run.task for run in plan if run.role == PICTURES] == list(known.groups["multimodal_gain"])
    assert {run.role for run in plan} == {PICTURES, "text"}
    assert {run.requests for run in plan if run.task.startswith("mmstar")} == {8}


def test_a_variant_without_pictures_is_refused(known: Known) -> None:
    """It would be compared with itself."""
    with pytest.raises(InputError, match="Name the task that it is a variant of"):
        gain_plan(known, ["mmstar_filtered_text"], VLM, None, ("text",), None)


def test_the_papers_tables_are_our_tasks(known: Known) -> None:
    """SciFIBench's four and SPIQA's three; two requests a figure cannot be counted; others have no published rows."""
    tasks = {name: [run.task for run in paper_plan(known, [name], VLM, None)] for name in PAPERS}
    assert tasks["spiqa"] == ["spiqa_testA", "spiqa_testB", "spiqa_testC"]
    assert sorted(tasks["scifibench"]) == [
        f"scifibench_{subset}_{direction}" for subset in ("cs", "general") for direction in ("cap2fig", "fig2cap")
    ]
    counted = paper_plan(known, ["spiqa_demo", "spiqa_demo_perfigure"], VLM, None)
    assert [run.requests for run in counted] == [39, None]
    with pytest.raises(InputError, match="found ai2d"):
        paper_plan(known, ["ai2d", "spiqa"], VLM, None)


@pytest.mark.parametrize(
    ("arguments", "extra", "same"),
    [
        ("pretrained=a,device=cpu", ["--batch_size", "4"], True),
        ("pretrained=b,device=cuda", [], False),
        ("pretrained=a,device=cuda", ["--gen_kwargs", "temperature=1"], False),
    ],
)
def test_another_model_or_generation_has_another_folder(arguments: str, extra: list[str], same: bool) -> None:
    """So that its answers never count as those of the first; where and how fast it runs changes nothing."""
    first = PlannedRun(PICTURES, "ai2d", VLM).folder(Options())
    other = PlannedRun(PICTURES, "ai2d", Model(VLM.name, arguments)).folder(Options(extra=extra))
    assert (first == other) == same
