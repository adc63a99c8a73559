"""Result and samples files as the host writes them, for tests of what reads them."""

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
"""An answer with line separators that JSON does not escape and that end no line of a samples
file.
"""
FAILED = "[LMMS_EVAL_REQUEST_FAILED after 5 retries] boom"
"""What the host logs for an answer whose request failed."""


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
    """Write `<stamp>_results.json` and one samples file per task; return the former.

    Args:
        folder: where to.
        model, model_args: as on the host's command line.
        tasks: task -> its samples; what the host adds to each may be left out.
        stamp: the date in the names.
        settings: task -> its `dataset_name`; tasks named here are those of `benchmark`, the others
            the host's own.
        totals: task -> metric -> the number that the host reports (default: an accuracy of 0.5 of
            the host's own).
        revision: of the dataset, in the tasks' YAMLs.
        benchmark, split: of the tasks in `settings`.
        asked: how many questions each task has (default: as many as it has samples).
    """
    folder.mkdir(parents=True, exist_ok=True)
    logged = {task: list(samples) for task, samples in tasks.items()}
    usual = {task: {} if task in (settings or {}) else {"accuracy": 0.5} for task in tasks}
    reported = {**usual, **(totals or {})}
    results = {
        task: {f"{metric},none": value for metric, value in each.items()}
        for task, each in reported.items()
    }
    configs: dict[str, dict[str, Any]] = {}
    for task in tasks:
        data = {"dataset_path": "owner/data", "dataset_kwargs": {"revision": revision}}
        own = {}
        if task in (settings or {}):
            own = {
                "dataset_name": settings[task],
                "metadata": {"benchmark": benchmark},
                "test_split": split,
            }
            own |= {
                "process_docs": "<function of_ones_own at 0x1>"
            }  # so that the host's count is the task's
        configs[task] = {"task": task, **data, **own}
    path = folder / f"{stamp}_results.json"
    config = {"model": model, "model_args": model_args}
    counts = {
        task: {"original": asked or len(each), "effective": len(each)}
        for task, each in logged.items()
    }
    content = {"results": results, "configs": configs, "config": config, "n-samples": counts}
    path.write_text(json.dumps(content))
    for task, samples in logged.items():
        lines = [
            json.dumps(
                {"doc_id": place, "target": "", "filtered_resps": SPLIT, **sample},
                ensure_ascii=False,
            )
            for place, sample in enumerate(samples)
        ]
        (folder / f"{stamp}_samples_{task}.jsonl").write_text(
            "".join(f"{line}\n" for line in lines), encoding="utf-8"
        )
    return path


def sample_of(row: Mapping[str, Any], answer: str) -> dict[str, Any]:
    """Return the sample of one answered question of a benchmark of ours, scored without a judge."""
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
    """Return the sample of a made-up question of ours with the id q<place>; `right` None is a
    failed request.
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
    """Return the samples of one task, one for each of `rights`; `options` as of `choice_sample`."""
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
