"""A model card and a table in LaTeX."""

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from report_runs import choices, run_of, runs_at

from spiqa_tasks.errors import InputError
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
        values = {
            (run.task, metric.name): run.value(metric).value
            for run in own
            for metric in run.metrics
        }
        for result in results:
            assert result.metric_value == pytest.approx(
                values[result.dataset_name, result.metric_type], abs=1e-6
            )
            assert "spiqa-tasks:" in result.metric_args["signature"]
    table, notes = card.text.strip().split("\n\n")
    assert len(table.splitlines()) == 2 + len(runs)
    assert "100.0 [86.2, 100.0][^1]" in table
    assert "| -[^" in table  # the withheld one
    assert all(re.match(r"\[\^\d+\]: `spiqa-tasks:", line) for line in notes.splitlines())


def test_a_part_of_a_task_is_not_published_unless_it_is_asked_for(of_a: list[Run]) -> None:
    """The refusal names the run and how much of it there is."""
    part = replace(of_a[0], asked=1000)
    for write in (sharing.as_card, sharing.as_latex):
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


SIGNATURE = "data:mmstar/val@d|prompt:p|settings:prompt=letter"


def test_latex_of_runs_is_whole() -> None:
    """A dash where a model has no value for a task; nothing that TeX would read stays."""
    one = run_of(choices([True, True, True, False]), "m_1,pretrained=a/b", "t", SIGNATURE)
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
