"""Results for a model card, and as the papers' table in LaTeX; the signatures name the package and its version."""

import re
from collections.abc import Iterator, Sequence

import yaml
from tabulate import tabulate

from spiqa_tasks.analysis.breakdown import overall
from spiqa_tasks.benchmarks.signature import PACKAGE
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.source import REPOSITORIES
from spiqa_tasks.report.headline import Record, records_of, shown_metrics, size_of
from spiqa_tasks.runs.run import Run
from spiqa_tasks.scoring.values import number


def as_card(runs: Sequence[Run]) -> str:
    """Return the hub's `model-index` as front matter of a model card, and the headlines as a table in Markdown.

    The index has no withheld values. Raises InputError: runs over a part of a task without `--partial`.
    """
    from huggingface_hub.repocard_data import EvalResult, eval_results_to_model_index

    results: dict[str, list[EvalResult]] = {}
    rows = []
    notes: dict[str, int] = {}
    for run, records in _published(runs):
        results.setdefault(run.name, []).extend(
            EvalResult(
                task_type="visual-question-answering",
                dataset_type=_repository(run),
                dataset_name=run.task,
                dataset_split=run.own.split,
                metric_type=record["metric"],
                metric_name=record["metric"],
                metric_value=round(record["value"], 6),
                metric_args={"signature": record["signature"]},
            )
            for record in records
            if record["value"] is not None
        )
        head = records[0]
        mark = f"[^{notes.setdefault(head['signature'], len(notes) + 1)}]"
        score = number(head["value"], head["low"], head["high"]) + mark
        rows.append(
            [run.name, run.task, head["metric"], score, size_of(head), head["judge"] or "-"]
        )
    index = [
        entry
        for model, each in results.items()
        if each
        for entry in eval_results_to_model_index(model, each)
    ]
    front = yaml.safe_dump({"model-index": index}, sort_keys=False, allow_unicode=True)
    cells = [[str(cell).replace("|", "\\|") for cell in row] for row in rows]
    headers = ["model", "task", "metric", "x 100 [95% interval]", "n", "judge"]
    table = tabulate(cells, headers, tablefmt="github", disable_numparse=True)
    footnotes = "\n".join(f"[^{mark}]: `{text}`" for text, mark in notes.items())
    return f"---\n{front}---\n\n{table}\n\n{footnotes}\n"


def as_latex(runs: Sequence[Run]) -> str:
    """Return a table with booktabs as the papers print theirs: a row per model, a column per task, headlines x 100.

    Signatures stand below as footnotes. Raises InputError: runs over a part of a task without `--partial`.
    """
    rows: dict[str, dict[str, str]] = {}
    notes: dict[str, int] = {}
    for run, (record, *_) in _published(runs):
        if record["value"] is not None:
            mark = notes.setdefault(record["signature"], len(notes) + 1)
            row = rows.setdefault(run.name, {"model": _tex(run.name)})
            row[_tex(f"{run.task} ({record['metric']})")] = (
                rf"{number(record['value'])}\textsuperscript{{{mark}}}"
            )
    table = tabulate(
        list(rows.values()),
        headers="keys",
        tablefmt="latex_raw",
        missingval="--",
        disable_numparse=True,
    )
    for rule in ("toprule", "midrule", "bottomrule"):
        table = table.replace(r"\hline", rf"\{rule}", 1)
    lines = [
        rf"\par\noindent\footnotesize\textsuperscript{{{mark}}} {_tex(text)}"
        for text, mark in notes.items()
    ]
    return "\n".join(["% needs \\usepackage{booktabs}", table, *lines]) + "\n"


def _published(runs: Sequence[Run]) -> Iterator[tuple[Run, list[Record]]]:
    """Yield each run with the records of the host's table, the headline first."""
    for run in runs:
        if not run.partial and run.record_set.part:
            raise InputError(
                f"Expected whole runs for what is published, found {run.coverage} questions of {run.task} by "
                f"{run.name}. Finish the run, or say --partial."
            )
        yield run, records_of(run, overall(run, shown_metrics(run)))


def _repository(run: Run) -> str:
    """Return the id of the data's repository on the hub, or the benchmark's name."""
    name = run.own.entry.name
    if run.own.split.startswith("demo"):
        return f"{PACKAGE}-demo"
    return next(
        (repository.repo_id for repository in REPOSITORIES if repository.folder == name), name
    )


def _tex(text: str) -> str:
    return re.sub(
        r"[&%$#_{}]",
        r"\\\g<0>",
        text.replace("\\", r"\textbackslash ").replace("~", r"\textasciitilde "),
    )
