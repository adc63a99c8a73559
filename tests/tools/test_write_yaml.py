"""The task YAMLs: what the script writes, and that each says in its settings what its name says."""

from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import pytest

from spiqa_tasks.benchmarks.benchmark import parse_settings
from spiqa_tasks.benchmarks.registry import BENCHMARKS, Task, yaml_folder
from spiqa_tasks.benchmarks.scifibench.release import SciFIBenchSettings
from spiqa_tasks.hosts.catalogue import catalogue, load_yaml

REPOSITORY = Path(__file__).resolve().parents[2]
MORE = {"spiqa": ("protocol=both",), "scifibench": ("extractor=judge",)}
"""Settings that a user may add to a task of the benchmark."""
MMSTAR = {
    "": "prompt=letter",
    "_text": "prompt=letter,ablation=text",
    "_grey": "prompt=letter,ablation=grey",
    "_llm": "prompt=letter,ablation=text,shots=2",
}
SPIQA = {
    "": {},
    "_224px": {"resolution": "224px"},
    "_captiononly": {"setting": "captiononly"},
    "_cot": {"setting": "cot"},
    "_fullpaper": {"setting": "fullpaper"},
    "_grey": {"ablation": "grey"},
    "_nocaption": {"setting": "nocaption"},
    "_perfigure": {"setting": "perfigure", "max_figures": 0},
    "_text": {"ablation": "text"},
}
SUFFIXES = {
    "reasoning": {"prompt": "reasoning"},
    "random": {"negatives": "random"},
    "text": {"ablation": "text"},
    "grey": {"ablation": "grey"},
    "ocr": {"ocr": "yes"},
    "marked_correct": {"mark": "correct"},
    "marked_correct_ignore": {"mark": "correct", "ignore": "yes"},
    "marked_incorrect": {"mark": "incorrect"},
    "marked_incorrect_ignore": {"mark": "incorrect", "ignore": "yes"},
    "captioning": {"prompt": "caption"},
    **{f"shuffle{k}": {"shuffle": k} for k in (1, 2, 3)},
    **{f"{k}shot": {"shots": k} for k in range(1, 6)},
    **{f"{k}shot_similar": {"shots": k, "shot_kind": "similar"} for k in range(1, 6)},
}
SPLITS = (
    "cs_fig2cap",
    "cs_cap2fig",
    "general_fig2cap",
    "general_cap2fig",
    "demo_fig2cap",
    "demo_cap2fig",
    "demo",
)
TASKS, GROUPS = catalogue()
LEAVES = {name: task for name, task in TASKS.items() if task.benchmark_name == "scifibench"}


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The script's output: path in yaml_configs/ -> text."""
    monkeypatch.syspath_prepend(REPOSITORY / "tools")
    import write_yaml

    made: Callable[[], dict[str, str]] = write_yaml.files
    return made()


def test_the_folder_holds_what_the_script_writes(files: dict[str, str]) -> None:
    """No file differs, none is missing, and none is there that the script does not make."""
    folder = REPOSITORY / "yaml_configs"
    found = {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in folder.rglob("*")
        if path.is_file() and path.suffix not in (".py", ".pyc")
    }
    assert found == files


def test_every_row_of_a_tasks_table_has_its_metric_in_the_yaml() -> None:
    """Under the settings of each task, and with both protocols or a judge, no row lacks an entry
    in `metric_list`.
    """
    for task in TASKS.values():
        path = yaml_folder() / task.benchmark_name / f"{task.name}.yaml"
        listed = {
            entry["metric"]: entry["higher_is_better"] for entry in load_yaml(path)["metric_list"]
        }
        for extra in ("", *MORE.get(task.benchmark_name, ())):
            settings = task.benchmark.parse(f"{task.settings_text},{extra}")
            rows = task.benchmark.rows_of_table(settings)
            assert {
                name: metric.higher_is_better for name, (metric, _) in rows.items()
            }.items() <= listed.items()
        assert "scoring_failed_count" in listed


def test_every_task_and_member_is_one_that_there_is() -> None:
    """Tasks name splits of their benchmark; groups name tasks and groups of ours, save the
    host's six for the gain.
    """
    for task in TASKS.values():
        assert task.split in BENCHMARKS[task.benchmark_name].splits
    ours = {*TASKS, *GROUPS}
    for name, members in GROUPS.items():
        others = set(members) - ours
        assert len(others) == (6 if name == "multimodal_gain" else 0)


@pytest.mark.parametrize("split", ["testA", "testB", "testC", "val", "demo"])
def test_spiqas_variants_are_those_of_every_split(split: str) -> None:
    """Each suffix changes its own settings alone."""
    for suffix, changed in SPIQA.items():
        task = TASKS[f"spiqa_{split}{suffix}"]
        assert task.split == split
        assert task.benchmark.parse(task.settings_text) == BENCHMARKS["spiqa"].settings(**changed)


@pytest.mark.parametrize("name", ["mmstar_filtered", "mmstar_demo"])
def test_mmstars_variants_are_those_of_both_splits(name: str) -> None:
    """Each variant is a YAML of the same split with its settings."""
    assert {suffix: TASKS[name + suffix].settings_text for suffix in MMSTAR} == MMSTAR
    assert {TASKS[name + suffix].split for suffix in MMSTAR} == {
        "val" if name == "mmstar_filtered" else "demo"
    }


@pytest.mark.parametrize("task", LEAVES.values(), ids=list(LEAVES))
def test_settings_are_those_of_the_name(task: Task) -> None:
    """What differs from the defaults is exactly what the suffix stands for, on the split of the
    name.
    """
    settings = parse_settings(SciFIBenchSettings, task.settings_text)
    changed = {
        field.name: getattr(settings, field.name)
        for field in fields(settings)
        if getattr(settings, field.name) != field.default
    }
    if task.name == "scifibench_captioning":
        assert (task.split, changed) == ("captioning", {"prompt": "caption", "sample": 100})
        return
    rest = task.name.removeprefix("scifibench_")
    split = next(split for split in SPLITS if rest == split or rest.startswith(f"{split}_"))
    suffix = rest[len(split) :].lstrip("_")
    assert changed == (SUFFIXES[suffix] if suffix else {})
    assert task.split == ("demo_fig2cap" if suffix == "captioning" else split)


def test_every_split_has_every_variant_and_figure_to_caption_the_marks() -> None:
    """No split lacks a variant."""
    for split in SPLITS[:4]:
        for suffix in (
            "reasoning",
            "random",
            "text",
            "grey",
            "ocr",
            "shuffle1",
            "shuffle2",
            "shuffle3",
        ):
            assert f"scifibench_{split}_{suffix}" in LEAVES
    for subset in ("cs", "general"):
        for suffix in (name for name in SUFFIXES if name.startswith("marked")):
            assert f"scifibench_{subset}_fig2cap_{suffix}" in LEAVES
