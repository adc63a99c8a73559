"""Benchmarks of one's own as tasks of lmms-eval; `tests/tools/test_write_yaml.py` holds the shipped YAMLs."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from numbers_task import manager, write_source
from own_data import COLUMNS, write_own

from spiqa_tasks.benchmarks import registry
from spiqa_tasks.benchmarks.registry import BENCHMARKS
from spiqa_tasks.cli import main
from spiqa_tasks.files.atomic import cache_path
from spiqa_tasks.hosts.catalogue import INCLUDE, load_yaml, own_definitions
from spiqa_tasks.hosts.lmms_eval.task_yaml import stub, template
from spiqa_tasks.hosts.lmms_eval.task_yaml import write_own as write_yamls

Evaluate = Callable[..., dict[str, Any]]


def test_every_variant_is_a_task_of_the_host(tmp_path: Path, evaluate: Evaluate) -> None:
    """A folder with the YAML is enough; pictures are shown, grey or none, and the records are scored."""
    folder = tmp_path / "mine"
    folder.mkdir()
    write_own(folder, variants="both", columns={**COLUMNS, "cluster": "image"})
    result = evaluate("dummy", ["shapes_both"], "response=B", task_manager=manager(folder))
    for task in ("shapes", "shapes_grey", "shapes_text"):
        assert result["results"][task]["accuracy,none"] == pytest.approx(1 / 3)
        assert result["configs"][task]["cluster_key"] == "cluster"
        samples = result["samples"][task]
        assert [sample["accuracy"]["id"] for sample in samples] == ["a", "b", "c"]
        assert [sample["score"] for sample in samples] == [1.0, 0.0, 0.0]
    assert "Which colour?" in json.dumps(result["samples"]["shapes_text"][0], default=str)


def test_results_can_be_read_without_the_yaml(tmp_path: Path, evaluate: Evaluate) -> None:
    """The definition is in what the host logs of a task, from which the benchmark is made again."""
    write_own(tmp_path)
    result = evaluate("dummy", ["shapes"], "response=B", task_manager=manager(tmp_path))
    logged = json.loads(json.dumps(result["configs"]["shapes"], default=str))
    before = registry.BENCHMARKS.pop("shapes")
    registry.register_own(logged["metadata"]["definition"], Path())
    assert registry.BENCHMARKS["shapes"].definition == before.definition


def test_the_hosts_cache_tells_definitions_apart(tmp_path: Path) -> None:
    """What the host makes its cache's key of has the prompt and the columns."""
    one, two = (
        manager(write_own(tmp_path / name, prompt=prompt).parent).load_task_or_group(["shapes"])[
            "shapes"
        ]
        for name, prompt in (("one", "{question}"), ("two", "{question}?"))
    )
    assert one.dump_config()["metadata"] != two.dump_config()["metadata"]


@pytest.mark.usefixtures("host")
def test_a_variable_names_folders_that_are_always_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the host and by the commands."""
    write_own(tmp_path)
    monkeypatch.setenv(INCLUDE, str(tmp_path))
    assert "shapes" in manager().all_tasks
    assert main(["prepare", "shapes"]) == 0
    assert "shapes: 3 questions, 2 pictures, ready" in capsys.readouterr().out
    monkeypatch.setenv(INCLUDE, str(tmp_path / "gone"))
    with pytest.raises(SystemExit, match=r"Expected a folder with YAMLs .* SPIQA_TASKS_INCLUDE"):
        manager()


@pytest.mark.usefixtures("host")
def test_the_name_of_a_hosts_task_is_refused(tmp_path: Path) -> None:
    """The host would run its own task in the place of ours."""
    write_source(tmp_path / "host")
    write_own(tmp_path / "own", name="numbers")
    with pytest.raises(
        SystemExit, match=r"Expected another name than that of a task of lmms-eval, found numbers"
    ):
        manager(tmp_path / "host", tmp_path / "own")


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (
            {"mine.yaml": "benchmark: mine\ndata: x\nkind: what\n"},
            "Input should be 'open', 'choice' or 'both'",
        ),
        (
            {"mine.yaml": "benchmark: mmstar\ndata: x\n"},
            "another name than that of a benchmark of this package",
        ),
        (
            {"a/x.yaml": "benchmark: x\ndata: x\n", "b/x.yaml": "benchmark: x\ndata: x\n"},
            "found two, in",
        ),
    ],
)
def test_a_yaml_that_is_none_ends_in_one_sentence(
    files: dict[str, str], message: str, tmp_path: Path
) -> None:
    """The host would retry an exception, and exit with 0."""
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    with pytest.raises(SystemExit, match=message):
        write_yamls([tmp_path])


def test_a_variant_that_is_gone_is_no_task_any_more(tmp_path: Path) -> None:
    """The YAMLs that are made follow the one that they are made of, and others in the folder are left alone."""
    (tmp_path / "other.yaml").write_text("task: other\n")
    path = write_own(tmp_path, variants=["text"])
    (folder,) = write_yamls([tmp_path])
    assert sorted(made.name for made in folder.glob("*.yaml")) == [
        "shapes.yaml",
        "shapes_text.yaml",
    ]
    path.write_text(path.read_text().replace("- text", "- grey"))
    assert write_yamls([tmp_path]) == [folder]
    assert sorted(made.name for made in folder.glob("*.yaml")) == [
        "shapes.yaml",
        "shapes_grey.yaml",
    ]


def test_the_yamls_are_kept_by_benchmark_and_folder(tmp_path: Path) -> None:
    """In the cache; what is as it should be is not written again, and what is not is."""
    path = write_own(tmp_path / "mine", variants="both")
    place = hashlib.sha256(str(path.parent).encode()).hexdigest()[:8]
    (folder,) = write_yamls([tmp_path / "mine"])
    assert folder == cache_path() / "own" / f"shapes-{place}"
    template = folder / "_template_yaml"
    assert template.read_text().startswith(
        "# What the tasks of shapes share; made of it by spiqa-tasks.\ndataset_path: json\n"
    )
    before = {each: (each.stat().st_mtime_ns, each.read_bytes()) for each in folder.iterdir()}
    template.write_text("damaged")
    (folder / "shapes.yaml").unlink()
    assert write_yamls([tmp_path / "mine"]) == [folder]
    after = {each: (each.stat().st_mtime_ns, each.read_bytes()) for each in folder.iterdir()}
    assert {each: content for each, (_, content) in after.items()} == {
        each: it for each, (_, it) in before.items()
    }
    kept = [each.name for each in before if before[each][0] == after[each][0]]
    assert sorted(kept) == [
        "rows.jsonl",
        "shapes_both.yaml",
        "shapes_grey.yaml",
        "shapes_text.yaml",
    ]


def test_a_benchmark_of_ones_own_carries_its_definition(tmp_path: Path) -> None:
    """In what the host logs of a task, and in the row by which our hook knows the benchmark."""
    write_own(tmp_path)
    (definition,) = own_definitions([tmp_path])
    benchmark = BENCHMARKS[definition.benchmark]
    (tmp_path / "t").write_text(template(benchmark, "", "", [""]))
    metadata = load_yaml(tmp_path / "t")["metadata"]
    assert metadata == {
        **{
            "version": 2.0,
            "benchmark": "shapes",
            "headline": benchmark.metrics(benchmark.parse(""))[0].name,
        },
        "definition": json.loads(json.dumps(benchmark.definition)),
    }
    row = json.loads(stub(benchmark))
    assert (row["benchmark"], json.loads(row["definition"])) == ("shapes", metadata["definition"])
