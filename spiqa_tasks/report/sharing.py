"""Results in published formats: a model card, the hub's evaluation results, LaTeX, Every Eval Ever.

Withheld values are in none of them; the signatures name the package and its version. All raise InputError for runs
over a part of a task without `--partial`.
"""

import json
import math
import re
import time
from collections.abc import Iterator, Sequence
from typing import Any

import yaml
from tabulate import tabulate

from spiqa_tasks.analysis.breakdown import GroupValue, overall
from spiqa_tasks.benchmarks.aggregation import Metric
from spiqa_tasks.benchmarks.signature import PACKAGE, version
from spiqa_tasks.errors import InputError
from spiqa_tasks.files.source import REPOSITORIES
from spiqa_tasks.judge.rules import wording_of
from spiqa_tasks.report.headline import judge_of, made, records_of, shown_metrics, size_of
from spiqa_tasks.runs.identity import model_arguments
from spiqa_tasks.runs.run import Run
from spiqa_tasks.scoring.units import number

SCHEMA = "0.3.0"
"""Version of Every Eval Ever's schema."""
_UNKNOWN = {"deployment_type": "unknown", "model_availability": "unknown"}
_UNBOUNDED = {"cider": 10.0}
"""Metric -> its largest value if that is not 1."""


def as_card(runs: Sequence[Run]) -> str:
    """Return the hub's `model-index` as front matter of a model card, and the headlines as a table in Markdown."""
    from huggingface_hub.repocard_data import EvalResult, eval_results_to_model_index

    index = []
    for model in dict.fromkeys(run.name for run in runs):
        results = [
            EvalResult(
                task_type="visual-question-answering",
                dataset_type=_repository(run),
                dataset_name=run.task,
                dataset_split=run.own.split,
                metric_type=metric.name,
                metric_name=metric.name,
                metric_value=round(value.value, 6),
                metric_args={"signature": run.signature.text},
            )
            for run, metric, value in published([run for run in runs if run.name == model])
        ]
        index += eval_results_to_model_index(model, results) if results else []
    front = yaml.safe_dump({"model-index": index}, sort_keys=False, allow_unicode=True)
    return f"---\n{front}---\n\n{_headlines(runs)}"


def as_eval_results(runs: Sequence[Run]) -> str:
    """Return YAML for the hub's `.eval_results/` folder of one model. Raises InputError: runs of several."""
    from huggingface_hub import EvalResultEntry, eval_result_entries_to_yaml

    _one_model(runs)
    entries = [
        EvalResultEntry(
            dataset_id=_repository(run),
            task_id=f"{run.task}.{metric.name}",
            value=round(value.value, 6),
            date=made(run).isoformat(),
            notes=run.signature.text,
        )
        for run, metric, value in published(runs)
    ]
    return yaml.safe_dump(eval_result_entries_to_yaml(entries), sort_keys=False, allow_unicode=True)


def as_latex(runs: Sequence[Run]) -> str:
    """Return a table with booktabs as the papers print theirs: a row per model, a column per task, headlines x 100.

    Signatures stand below as footnotes, one for each that differs.
    """
    scores: dict[str, dict[str, str]] = {}
    notes: dict[str, int] = {}
    for run, metric, value in published(runs, headlines=True):
        mark = notes.setdefault(run.signature.text, len(notes) + 1)
        column = f"{run.task} ({metric.name})"
        scores.setdefault(run.name, {})[column] = rf"{100 * value.value:.1f}\textsuperscript{{{mark}}}"
    columns = list(dict.fromkeys(column for row in scores.values() for column in row))
    rows = [[_tex(model), *(row.get(column, "--") for column in columns)] for model, row in scores.items()]
    table = tabulate(rows, ["model", *map(_tex, columns)], tablefmt="latex_raw", disable_numparse=True)
    for rule in ("toprule", "midrule", "bottomrule"):
        table = table.replace(r"\hline", rf"\{rule}", 1)
    lines = [rf"\par\noindent\footnotesize\textsuperscript{{{mark}}} {_tex(text)}" for text, mark in notes.items()]
    return "\n".join(["% needs \\usepackage{booktabs}", table, *lines]) + "\n"


def as_every_eval_ever(runs: Sequence[Run]) -> str:
    """Return one model's results in the schema of Every Eval Ever, as JSON. Raises InputError: runs of several."""
    _one_model(runs)
    model, now = runs[0].name, str(int(time.time()))
    arguments = model_arguments(runs[0].identity.model.partition(",")[2])
    found = {
        "schema_version": SCHEMA,
        "evaluation_id": f"{runs[0].own.entry.name}/{model}/{now}",
        "evaluation_timestamp": made(runs[0]).isoformat(),
        "retrieved_timestamp": now,
        "source_metadata": {
            "source_type": "evaluation_run",
            "source_organization_name": "unknown",
            "evaluator_relationship": "other",
        },
        "eval_library": {"name": PACKAGE, "version": version(PACKAGE)},
        "model_info": {
            "name": model,
            "id": next((arguments[key] for key in ("pretrained", "model", "model_version") if key in arguments), model),
            "additional_details": {**_UNKNOWN, **arguments},
        },
        "evaluation_results": [_result(run, metric, value) for run, metric, value in published(runs)],
    }
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def published(
    runs: Sequence[Run], headlines: bool = False, withheld: bool = False
) -> Iterator[tuple[Run, Metric, GroupValue]]:
    """Yield every metric of the host's table, or the headlines alone; withheld values, as NaN, if they are wanted."""
    for run in runs:
        if not run.partial and run.record_set.part:
            raise InputError(
                f"Expected whole runs for what is published, found {run.coverage} questions of {run.task} by "
                f"{run.name}. Finish the run, or say --partial."
            )
        metrics = shown_metrics(run)[: 1 if headlines else None]
        for metric, value in zip(metrics, overall(run, metrics), strict=True):
            if withheld or not math.isnan(value.value):
                yield run, metric, value


def _result(run: Run, metric: Metric, value: GroupValue) -> dict[str, Any]:
    score: dict[str, Any] = {"score": value.value, "details": {"signature": run.signature.text}}
    if value.low is not None:
        interval = {"lower": value.low, "upper": value.high, "confidence_level": 0.95}
        score["uncertainty"] = {"confidence_interval": interval, "num_samples": value.n}
    config: dict[str, Any] = {
        "metric_id": metric.name,
        "metric_name": metric.name,
        "metric_unit": "proportion",
        "lower_is_better": not metric.higher_is_better,
        "score_type": "continuous",
        "min_score": -1.0 if metric.name == "bertscore_f1" else 0.0,
        "max_score": _UNBOUNDED.get(metric.name, 1.0),
    }
    if metric.needs == "judge":
        signature = run.signature
        info = {"name": judge_of(run), "id": signature.judge, "additional_details": _UNKNOWN}
        details = {"prompt": signature.judge_prompt, "rule": signature.judge_rule}
        config["llm_scoring"] = {
            "judges": [{"model_info": info}],
            "input_prompt": wording_of(signature.judge_prompt) or signature.judge_prompt,
            "additional_details": {name: value for name, value in details.items() if value},
        }
    source = {"dataset_name": run.own.entry.name, "source_type": "hf_dataset", "hf_repo": _repository(run)}
    return {
        "evaluation_result_id": f"{run.task}/{metric.name}",
        "evaluation_name": run.task,
        "source_data": {**source, "hf_split": run.own.split, "samples_number": value.n},
        "metric_config": config,
        "score_details": score,
    }


def _headlines(runs: Sequence[Run]) -> str:
    """Return the headlines as a table with signatures as footnotes."""
    notes: dict[str, int] = {}
    rows = []
    for run, metric, value in published(runs, headlines=True, withheld=True):
        mark = f"[^{notes.setdefault(run.signature.text, len(notes) + 1)}]"
        (record,) = records_of(run, [value])
        score = number(value.value, value.low, value.high)
        rows.append([run.name, run.task, metric.name, score + mark, size_of(record), record["judge"] or "-"])
    cells = [[str(cell).replace("|", "\\|") for cell in row] for row in rows]
    headers = ["model", "task", "metric", "x 100 [95% interval]", "n", "judge"]
    table = tabulate(cells, headers, tablefmt="github", disable_numparse=True)
    return "\n".join([table, "", *(f"[^{mark}]: `{text}`" for text, mark in notes.items())]) + "\n"


def _one_model(runs: Sequence[Run]) -> None:
    names = list(dict.fromkeys(run.name for run in runs))
    if len(names) != 1:
        raise InputError(f"Expected runs of one model for this file, found {', '.join(names)}. Name the folder of one.")


def _repository(run: Run) -> str:
    """Return the id of the data's repository on the hub, or the benchmark's name."""
    name = run.own.entry.name
    if run.own.split.startswith("demo"):
        return f"{PACKAGE}-demo"
    return next((repository.repo_id for repository in REPOSITORIES if repository.folder == name), name)


def _tex(text: str) -> str:
    return re.sub(r"[&%$#_{}]", r"\\\g<0>", text.replace("\\", r"\textbackslash ").replace("~", r"\textasciitilde "))
