"""Results and samples files as lmms-eval writes them."""

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from spiqa_tasks.benchmarks.benchmark import settings_text
from spiqa_tasks.benchmarks.record import Record, Status
from spiqa_tasks.benchmarks.registry import BENCHMARKS, load_rows
from spiqa_tasks.benchmarks.scorer import make_scorer
from spiqa_tasks.benchmarks.signature import Signature
from spiqa_tasks.hosts.failed_requests import response_of
from spiqa_tasks.hosts.lmms_eval.batch_scoring import logged_values

SPLIT = "one\u2028two\x85three"
"""An answer with line separators of Unicode, which JSON does not escape: `str.splitlines` would
break a line of a samples file.
"""
FAILED = "[LMMS_EVAL_REQUEST_FAILED after 5 retries] boom"
"""The answer that lmms-eval logs for a failed request."""


def write_run(
    folder: Path,
    model: str,
    tasks: Mapping[str, Iterable[Mapping[str, Any]]],
    model_args: str = "",
    stamp: str = "20250101_000000",
    *,
    settings: Mapping[str, str] | None = None,
    totals: Mapping[str, Mapping[str, float]] | None = None,
    revision: str = "main",
    benchmark: str = "mmstar",
    split: str = "val",
    asked: int | None = None,
) -> Path:
    """Write `<stamp>_results.json` and a samples file per task; return the path of the former.

    Args:
        folder: the folder of the files.
        model, model_args: the arguments of lmms-eval.
        tasks: task -> its samples; `doc_id`, `target` and `filtered_resps` have defaults.
        stamp: the date in the names of the files.
        settings: `dataset_name` of the tasks of `benchmark`; all other tasks are the host's own.
        totals: task -> metric -> reported value (default: of the host's own tasks an accuracy of
            0.5).
        revision: revision of the dataset in the tasks' YAMLs.
        benchmark, split: those of the tasks in `settings`.
        asked: number of questions of each task (default: of its samples).
    """
    folder.mkdir(parents=True, exist_ok=True)
    settings = settings or {}
    samples_of_task = {task: list(samples) for task, samples in tasks.items()}

    reported = {task: {} if task in settings else {"accuracy": 0.5} for task in tasks}
    reported |= totals or {}
    results = {
        task: {f"{metric},none": value for metric, value in values.items()}
        for task, values in reported.items()
    }

    configs: dict[str, dict[str, Any]] = {}
    for task in tasks:
        configs[task] = {
            "task": task,
            "dataset_path": "owner/data",
            "dataset_kwargs": {"revision": revision},
        }
        if task in settings:
            configs[task] |= {
                "dataset_name": settings[task],
                "metadata": {"benchmark": benchmark},
                "test_split": split,
                # A user's function may leave questions out: the count is that of `n-samples`.
                "process_docs": "<function of_ones_own at 0x1>",
            }

    counts = {
        task: {"original": asked or len(samples), "effective": len(samples)}
        for task, samples in samples_of_task.items()
    }
    config = {"model": model, "model_args": model_args}
    content = {"results": results, "configs": configs, "config": config, "n-samples": counts}
    path = folder / f"{stamp}_results.json"
    path.write_text(json.dumps(content))

    for task, samples in samples_of_task.items():
        with (folder / f"{stamp}_samples_{task}.jsonl").open("w", encoding="utf-8") as file:
            for number, sample in enumerate(samples):
                line = {"doc_id": number, "target": "", "filtered_resps": SPLIT, **sample}
                file.write(f"{json.dumps(line, ensure_ascii=False)}\n")
    return path


def sample_of(row: Mapping[str, Any], answer: str) -> dict[str, Any]:
    """Return the sample of an answer to a row of our benchmarks, scored without a judge."""
    scorer = make_scorer(BENCHMARKS[row["benchmark"]], row["settings"], "lmms-eval 0.7.3", None)
    (record,) = scorer.score([scorer.record(row, response_of(answer))], whole=False)
    logged = logged_values(record, scorer, (row["benchmark"], row["settings"]))
    return {"target": record.reference, "filtered_resps": answer, **logged}


def choice_sample(
    place: int,
    right: bool | None,
    category: str = "math",
    status: Status = "ok",
    prompt: str = "p1",
    data: str = "d1",
    metric: str = "accuracy",
    answer: str = "A",
) -> dict[str, Any]:
    """Return the sample of an invented question of MMStar, with the id `q<place>`.

    `right` is whether the answer is the right one, None for a failed request.
    """
    scores = {} if right is None else {metric: float(right)}
    record = Record(
        f"q{place}",
        reference=answer,
        status="request_failed" if right is None else status,
        refused=status == "refused",
        scores=scores,
        groups={"category": category},
        signature=Signature(
            data=f"mmstar/val@{data}", prompt=prompt, settings="prompt=letter"
        ).text,
    )
    score = {} if right is None else {"score": float(right)}
    texts = {
        "refused": "I cannot see it.",
        "unparsed": "",
        "ok": answer if right else "none of these",
    }
    response = FAILED if right is None else texts.get(status, "none of these")
    return {
        "doc_id": place,
        "target": answer,
        "filtered_resps": response,
        metric: {**record.as_dict(), **score},
        f"{metric}/{category}": {"id": record.id, **score},
        "refusal_rate": {"id": record.id, "score": float(record.refused)},
        "input": f"question {place}",
        **score,
    }


def choice_samples(rights: Iterable[bool | None], **options: Any) -> list[dict[str, Any]]:
    """Return a sample for each of `rights`; `options` are arguments of `choice_sample`."""
    return [choice_sample(place, right, **options) for place, right in enumerate(rights)]


def write_demo_run(
    folder: Path,
    model: str,
    answers: Callable[[int, Mapping[str, Any]], str],
    task: str = "mmstar_demo",
    benchmark: str = "mmstar",
    repeat: int = 1,
) -> Path:
    """Write a run of `--model openai` over the shipped questions; return its folder.

    Args:
        folder: where to.
        model: its `model_version`.
        answers: place and row -> the model's text.
        task, benchmark: what is answered.
        repeat: so many questions are made of each, with the places as ids.
    """
    settings = settings_text(BENCHMARKS[benchmark].parse(""))
    rows = load_rows(benchmark, "demo", settings)
    named = (
        rows
        if repeat == 1
        else [{**row, "id": str(place)} for place, row in enumerate(rows * repeat)]
    )
    samples = [sample_of(row, answers(place, row)) for place, row in enumerate(named)]
    options: dict[str, Any] = {
        "settings": {task: settings},
        "benchmark": benchmark,
        "split": "demo",
    }
    write_run(folder, "openai", {task: samples}, f"model_version={model}", **options)
    return folder
