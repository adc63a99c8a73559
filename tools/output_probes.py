"""Print as JSON the results of functions of the package on fixed inputs.

`python tools/output_probes.py FUNCTION FOLDER` calls a function of this module; each is a command
of `compare_outputs.py`. FOLDER has the inputs.
"""

import hashlib
import json
import os
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from spiqa_tasks import L3Score
from spiqa_tasks.benchmarks.prompting import Picture, Turn
from spiqa_tasks.benchmarks.registry import BENCHMARKS, load_rows
from spiqa_tasks.metrics.text_scores import text_scores
from spiqa_tasks.scoring.intervals import paired, share_interval
from spiqa_tasks.scoring.l3score import l3score as l3score_of
from spiqa_tasks.scoring.mcq import extract_choice
from spiqa_tasks.scoring.mcq.other_matchers import (
    lmms_eval_match,
    released_match,
    vlmevalkit_match,
)

REAL = Path(
    os.environ.get("SPIQA_TASKS_TEST_DATA", Path(__file__).resolve().parents[2] / "shared/data")
)

REAL_TASKS = (
    ("spiqa", "testA", ""),
    ("spiqa", "testA", "setting=cot"),
    ("spiqa", "testA", "setting=nocaption"),
    ("spiqa", "testA", "setting=captiononly"),
    ("spiqa", "testA", "ablation=grey"),
    ("spiqa", "testA", "ablation=text"),
    ("spiqa", "testB", ""),
    ("spiqa", "testB", "setting=fullpaper"),
    ("spiqa", "testB", "setting=perfigure,max_figures=0"),
    ("mmstar", "val", "prompt=letter"),
    ("mmstar", "val", "prompt=letter,ablation=grey"),
    ("mmstar", "val", "prompt=letter,ablation=text,shots=2"),
    ("scifibench", "cs_fig2cap", ""),
    ("scifibench", "cs_fig2cap", "prompt=reasoning"),
    ("scifibench", "cs_fig2cap", "ablation=text"),
)
"""(benchmark, split, settings) whose prompts are made from the real annotation files."""


def demo_prompts(_folder: Path) -> dict[str, Any]:
    """Return `_prompts` of every demo task."""
    command = [sys.executable, "-m", "spiqa_tasks", "list", "--json"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True)
    return {
        task["name"]: _prompts(task["benchmark"], task["split"], task["settings"])
        for task in json.loads(listed.stdout)["tasks"]
        if task["split"].startswith("demo")
    }


def real_prompts(_folder: Path) -> dict[str, Any]:
    """Return `_prompts` of `REAL_TASKS`, with stand-ins for the pictures."""
    return {" ".join(task): _prompts(*task) for task in REAL_TASKS}


def _prompts(benchmark: str, split: str, settings: str) -> Any:
    """Return the first prompt of a task and [id, digest] of every one, or the error's text."""
    try:
        rows = load_rows(benchmark, split, settings)
        prompts = [_prompt(benchmark, row) for row in rows]
    except Exception as error:
        return repr(error)
    digests = [
        [str(row["id"]), hashlib.sha256(json.dumps(prompt).encode()).hexdigest()[:16]]
        for row, prompt in zip(rows, prompts, strict=True)
    ]
    return {"first": prompts[0], "digests": digests}


def _prompt(benchmark: str, row: dict[str, Any]) -> list[str]:
    """Return the parts of a row's prompt as texts, with digests of pictures."""
    parts: list[str] = []
    for part in BENCHMARKS[benchmark].prompt(row):
        if isinstance(part, Picture):
            digest = hashlib.sha256(Path(part.path).read_bytes()).hexdigest()[:16]
            parts.append(f"<picture {digest}>")
        elif isinstance(part, Turn):
            parts.append(f"<{part.role}>")
        else:
            parts.append(part)
    return parts


def letters(_folder: Path) -> dict[str, Any]:
    """Return the counts, and a digest, of the letters that each matcher reads in real answers."""
    with (REAL / "mcq/answers.jsonl").open(encoding="utf-8") as file:
        answers = [json.loads(line) for line in file]
    read: dict[str, list[Any]] = {
        "accuracy": [],
        "rule": [],
        "released": [],
        "lmms_eval": [],
        "vlmevalkit": [],
        "vlmevalkit_2026_06": [],
    }
    for answer in answers:
        response, choices = answer["response"], answer["choices"]
        choice = extract_choice(response, choices)
        read["accuracy"].append(choice.letter)
        read["rule"].append(choice.rule)
        read["released"].append(released_match(response, answer["letter"]))
        read["lmms_eval"].append(lmms_eval_match(response, tuple(choices)))
        read["vlmevalkit"].append(vlmevalkit_match(response, choices))
        read["vlmevalkit_2026_06"].append(vlmevalkit_match(response, choices, is_2026_06=True))
    return {
        name: {
            "counts": dict(sorted(Counter(map(str, found)).items())),
            "digest": hashlib.sha256(json.dumps(found).encode()).hexdigest(),
        }
        for name, found in read.items()
    }


def intervals(_folder: Path) -> list[Any]:
    """Return intervals and paired differences of random scores, with and without clusters."""
    generator = random.Random(7)
    results = []
    for n in (0, 1, 2, 5, 24, 100, 666):
        a = [float(generator.random() < 0.6) for _ in range(n)]
        b = [generator.random() for _ in range(n)]
        clusters = [str(index // 4) for index in range(n)]
        for groups in (None, clusters):
            results += [
                {"n": n, "clustered": groups is not None, **_interval(a, groups)},
                {"n": n, "clustered": groups is not None, **_interval(b, groups)},
                {"n": n, "clustered": groups is not None, **_paired(a, b, groups)},
                {"n": n, "clustered": groups is not None, **_paired(a, a, groups)},
            ]
    return results


def _interval(scores: list[float], clusters: list[str] | None) -> dict[str, Any]:
    try:
        interval = share_interval(scores, clusters)
    except Exception as error:
        return {"error": repr(error)}
    return {"low": interval.low, "high": interval.high}


def _paired(a: list[float], b: list[float], clusters: list[str] | None) -> dict[str, Any]:
    try:
        pair = paired(a, b, clusters)
    except Exception as error:
        return {"error": repr(error)}
    return {name: getattr(pair, name) for name in ("difference", "low", "high", "p", "smallest")}


def text_metrics(folder: Path) -> dict[str, Any]:
    """Return the text metrics of 200 real references and the predictions made for them."""
    pairs = _pairs(folder)
    names = ("bleu_1", "bleu_2", "bleu_3", "bleu_4", "rouge_l", "cider", "meteor")
    scores = text_scores(pairs, names)
    known = {name: score for name, score in scores.items() if not isinstance(score, str)}
    return {
        "values": {name: score.value for name, score in known.items()},
        "per_item": {name: score.per_item for name, score in known.items() if score.per_item},
        "omitted": {name: score for name, score in scores.items() if isinstance(score, str)},
    }


def _pairs(folder: Path) -> list[tuple[str, str]]:
    """Return (prediction, reference) of the first 200 questions of test-A."""
    papers = json.loads((REAL / "spiqa/test-A/SPIQA_testA.json").read_text(encoding="utf-8"))
    references = [question["answer"] for paper in papers.values() for question in paper["qa"]]
    with (folder / "inputs/real_spiqa_testA.jsonl").open(encoding="utf-8") as file:
        predictions = [json.loads(line)["prediction"] for line in file]
    return list(zip(predictions, references, strict=True))[:200]


def l3score(_folder: Path) -> dict[str, Any]:
    """Return L3Scores of fixed log-probabilities, and of answers by the demo's judge."""
    cases: list[list[tuple[str, float]]] = [
        [("Yes", -0.01), ("No", -5.0), ("Maybe", -8.0), ("The", -9.0), ("It", -10.0)],
        [(" yes", -0.5), ("NO ", -1.0), ("x", -3.0), ("y", -4.0), ("z", -5.0)],
        [("Yeah", -0.2), ("a", -3.0), ("b", -3.5), ("c", -4.0), ("d", -4.5)],
        [("No", -0.2), ("a", -3.0), ("b", -3.5), ("c", -4.0), ("d", -4.5)],
        [("a", -0.2), ("b", -3.0), ("c", -3.5), ("d", -4.0), ("e", -4.5), ("Yes", -5.0)],
        [("Yes", 0.0), ("a", -20.0), ("b", -21.0), ("c", -22.0), ("d", -23.0)],
    ]
    metric = L3Score(judge=os.environ["SPIQA_JUDGE"], cache=False)
    result = metric.compute(
        questions=["Where is it?", "How many?", "Which?"],
        references=["in the north of the town", "three", ["the red line", "the line in red"]],
        predictions=["in the north", "four", "the line in red"],
    )
    return {"formula": [l3score_of(case) for case in cases], "class": result}


if __name__ == "__main__":
    function = globals()[sys.argv[1]]
    print(json.dumps(function(Path(sys.argv[2])), indent=1, default=str))
