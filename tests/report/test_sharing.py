"""Results in the forms that others publish."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml
from report_runs import choices, run_of, runs_at

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


SIGNATURE = "data:mmstar/val@d|prompt:p|settings:prompt=letter"


@pytest.fixture
def one(tmp_path: Path) -> Run:
    """A run with three right answers of four, in a file named as the host does."""
    path = tmp_path / "20260102_030405_results.json"
    path.touch()
    return replace(run_of(choices([True, True, True, False]), "m_1,pretrained=a/b", "t", SIGNATURE), path=path)


def test_evaluation_results_have_the_date_of_the_answers(one: Run) -> None:
    """From the file's name where the host gave it one, else from when it was written."""
    (entry,) = yaml.safe_load(sharing.as_eval_results([one]))
    assert entry == {
        "dataset": {"id": "Lin-Chen/MMStar", "task_id": "t.accuracy"},
        **{"value": 0.75, "date": "2026-01-02T03:04:05+00:00", "notes": SIGNATURE},
    }
    other = one.path.with_name("mine.jsonl")
    other.touch()
    os.utime(other, (0, 86400))
    assert sharing.made(replace(one, path=other)).isoformat() == "1970-01-02T00:00:00+00:00"


def test_latex_of_runs_is_whole(one: Run) -> None:
    """A dash where a model has no value for a task; nothing that TeX would read stays."""
    other = replace(one, task="u_1", label="n~\\")
    assert [re.sub(" +", " ", line) for line in sharing.as_latex([one, other]).splitlines()] == [
        "% needs \\usepackage{booktabs}",
        r"\begin{tabular}{lll}",
        r"\toprule",
        r" model & t (accuracy) & u\_1 (accuracy) \\",
        r"\midrule",
        r" m\_1,pretrained=a/b & 75.0\textsuperscript{1} & -- \\",
        r" n\textasciitilde \textbackslash & -- & 75.0\textsuperscript{1} \\",
        r"\bottomrule",
        r"\end{tabular}",
        rf"\par\noindent\footnotesize\textsuperscript{{1}} {SIGNATURE}",
    ]


def test_every_eval_ever_is_whole(one: Run) -> None:
    """Every field of the shared schema, for a metric that no judge gives and one that a judge does."""
    found = json.loads(sharing.as_every_eval_ever([one]))
    (result,) = found.pop("evaluation_results")
    now = found.pop("retrieved_timestamp")
    unknown = {"deployment_type": "unknown", "model_availability": "unknown"}
    assert abs(int(now) - time.time()) < 60
    assert found == {
        "schema_version": "0.3.0",
        "evaluation_id": f"mmstar/m_1,pretrained=a/b/{now}",
        "evaluation_timestamp": "2026-01-02T03:04:05+00:00",
        "source_metadata": {
            **{"source_type": "evaluation_run", "source_organization_name": "unknown"},
            **{"evaluator_relationship": "other"},
        },
        "eval_library": {"name": "spiqa-tasks", "version": version("spiqa-tasks")},
        "model_info": {
            **{"name": "m_1,pretrained=a/b", "id": "a/b"},
            "additional_details": {**unknown, "pretrained": "a/b"},
        },
    }
    interval = result["score_details"].pop("uncertainty")
    ends = interval["confidence_interval"]
    assert (round(ends.pop("lower"), 5), round(ends.pop("upper"), 5)) == (0.30064, 0.95441)
    assert interval == {"confidence_interval": {"confidence_level": 0.95}, "num_samples": 4}
    source = {"dataset_name": "mmstar", "source_type": "hf_dataset", "hf_repo": "Lin-Chen/MMStar", "hf_split": "val"}
    kind = {"metric_unit": "proportion", "lower_is_better": False, "score_type": "continuous"}
    assert result == {
        **{"evaluation_result_id": "t/accuracy", "evaluation_name": "t"},
        "source_data": {**source, "samples_number": 4},
        "metric_config": {
            **{"metric_id": "accuracy", "metric_name": "accuracy", **kind, "min_score": 0.0, "max_score": 1.0}
        },
        "score_details": {"score": 0.75, "details": {"signature": SIGNATURE}},
    }


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
