"""Results in the forms that others publish."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from report_runs import run_of, runs_at

from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.errors import InputError
from spiqa_tasks.judge.rules.l3score import PROMPTS, L3ScoreRule
from spiqa_tasks.report import sharing
from spiqa_tasks.runs.run import Run


@pytest.fixture(scope="module")
def runs(two_runs: Path) -> list[Run]:
    """Two models' runs of two benchmarks; one of them is withheld."""
    return runs_at(two_runs)


@pytest.fixture(scope="module")
def of_a(runs: list[Run]) -> list[Run]:
    """Those of one model."""
    return [run for run in runs if run.name.endswith("=a")]


def test_the_card_is_read_by_the_hub_s_own_reader(runs: list[Run]) -> None:
    """Its model-index has each value with its signature, none that is withheld; the table has footnotes."""
    from huggingface_hub import ModelCard
    from huggingface_hub.repocard_data import model_index_to_eval_results

    card = ModelCard(sharing.as_card(runs))
    index = yaml.safe_load(card.content.split("---")[1])["model-index"]
    names = {entry["name"] for entry in index}
    assert names <= {run.name for run in runs}
    for entry in index:
        _, results = model_index_to_eval_results([entry])
        own = [run for run in runs if run.name == entry["name"]]
        values = {(run.task, metric.name): run.value(metric).value for run in own for metric in run.metrics}
        for result in results:
            assert result.metric_value == pytest.approx(values[result.dataset_name, result.metric_type], abs=1e-6)
            assert "spiqa-tasks:" in result.metric_args["signature"]
    table, notes = card.text.strip().split("\n\n")
    assert len(table.splitlines()) == 2 + len(runs)
    assert "100.0 [86.2, 100.0][^1]" in table
    assert "| -[^" in table  # the withheld one
    assert all(re.match(r"\[\^\d+\]: `spiqa-tasks:", line) for line in notes.splitlines())


def test_the_hub_s_evaluation_results_are_of_one_model(runs: list[Run], of_a: list[Run]) -> None:
    """An entry a value, of the data's repository; several models are refused."""
    entries = yaml.safe_load(sharing.as_eval_results(of_a))
    assert {entry["dataset"]["id"] for entry in entries} == {"spiqa-tasks-demo"}
    (accuracy,) = (entry for entry in entries if entry["dataset"]["task_id"] == "mmstar_demo.accuracy")
    assert accuracy["value"] == 1.0
    assert accuracy["notes"].startswith("spiqa-tasks:")
    with pytest.raises(InputError, match="Expected runs of one model"):
        sharing.as_eval_results(runs)


def test_a_part_of_a_task_is_not_published_unless_it_is_asked_for(of_a: list[Run]) -> None:
    """The refusal names the run and how much of it there is."""
    part = replace(of_a[0], asked=1000)
    for write in (sharing.as_card, sharing.as_latex, sharing.as_eval_results, sharing.as_every_eval_ever):
        with pytest.raises(InputError, match=r"found \d+ of 1000 questions of .* --partial"):
            write([part])
        assert write([replace(part, partial=True)])


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_latex_compiles(runs: list[Run], tmp_path: Path) -> None:
    """With booktabs alone."""
    body = sharing.as_latex(runs)
    document = f"\\documentclass{{article}}\n\\usepackage{{booktabs}}\n\\begin{{document}}\n{body}\\end{{document}}\n"
    (tmp_path / "t.tex").write_text(document)
    command = ["pdflatex", "-interaction=nonstopmode", "t.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout


def test_latex_has_a_row_per_model_and_a_footnote_per_signature(runs: list[Run]) -> None:
    """Three rules of booktabs, and nothing that TeX would take for a command."""
    text = sharing.as_latex(runs)
    assert [text.count(rule) for rule in (r"\toprule", r"\midrule", r"\bottomrule")] == [1, 1, 1]
    assert r"mmstar\_demo (accuracy)" in text
    assert r"100.0\textsuperscript{1}" in text
    notes = [line for line in text.splitlines() if line.startswith(r"\par")]
    assert len(notes) == len({run.signature.text for run, _, value in sharing.published(runs, headlines=True)})
    assert not re.search(r"(?<!\\)[_%#$]", "\n".join(notes))


def test_every_eval_ever_has_the_judge_s_prompt_itself(tmp_path: Path) -> None:
    """The text in full with its fields, not only its name and digest; the name alone where the text is not known."""
    rule = L3ScoreRule("paper")
    verdicts = ({"metric": "l3score", "score": 0.5},)
    row = load_rows("spiqa", "demo", "")[0]
    record = Record(row["id"], "blue", "red", scores={"l3score": 0.5}, verdicts=verdicts)
    (tmp_path / "r.json").touch()
    for prompt, text in ((rule.signature()["prompt"], PROMPTS["paper"]), ("mine:123", "mine:123")):
        signature = f"data:spiqa/demo@d|settings:setting=direct|judge:openai:m|judge_prompt:{prompt}|judge_rule:top-5"
        run = replace(run_of([record], task="spiqa_demo", signature=signature), path=tmp_path / "r.json")
        (result,) = (
            each
            for each in json.loads(sharing.as_every_eval_ever([run]))["evaluation_results"]
            if each["evaluation_result_id"] == "spiqa_demo/l3score"
        )
        scoring = result["metric_config"]["llm_scoring"]
        assert scoring["input_prompt"] == text
        assert scoring["additional_details"] == {"prompt": prompt, "rule": "top-5"}


@pytest.mark.slow
def test_every_eval_ever_holds_its_published_schema(of_a: list[Run], tmp_path: Path) -> None:
    """The schema of the package `every-eval-ever` of the same version, fetched from the package index."""
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    uv = shutil.which("uv") or str(Path(sys.executable).with_name("uv"))
    wanted = [f"every-eval-ever=={sharing.SCHEMA}", "--no-deps", "--python-version", "3.13", "--target", str(tmp_path)]
    subprocess.run([uv, "pip", "install", "--quiet", *wanted], check=True, env={**os.environ})
    schema = json.loads((tmp_path / "every_eval_ever" / "schemas" / "eval.schema.json").read_text())
    found = json.loads(sharing.as_every_eval_ever(of_a))
    jsonschema.validate(found, schema)
    assert schema["version"] == found["schema_version"]
    scores = {each["evaluation_result_id"]: each["score_details"]["score"] for each in found["evaluation_results"]}
    assert scores["mmstar_demo/accuracy"] == 1.0
