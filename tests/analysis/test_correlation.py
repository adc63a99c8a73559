"""L3Score against the text metrics (SPIQA Table 8)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from judged_runs import write_judged
from run_command import run_json

from spiqa_tasks.benchmarks.registry import rows_for_scoring

pytestmark = pytest.mark.usefixtures("no_java")


def test_correlations_are_spearmans_of_each_run_and_of_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Equal to numpy's correlation of ranks; a run without a judge is left out with a sentence."""
    scores = {name: np.random.default_rng(seed).random(39).tolist() for seed, name in enumerate("ab")}
    for name, each in scores.items():
        write_judged(tmp_path, name, each)
    write_judged(tmp_path, "unjudged", None)
    status, rows, errors = run_json(capsys, "correlate", tmp_path)
    assert status == 3
    assert "spiqa_demo of unjudged is left out: it has no L3Score." in errors
    rouge = {row["model"]: row for row in rows if row["metric"] == "rouge_l"}
    assert {model: row["n"] for model, row in rouge.items()} == {"a": 39, "b": 39, "all runs": 78}
    from scipy.stats import rankdata

    from spiqa_tasks.metrics.text_scores import text_scores

    pairs = []
    for place, row in enumerate(rows_for_scoring("spiqa", "demo", "")):
        words = row["answer"].split()
        pairs.append((" ".join(words[: 1 + place % len(words)]), row["answer"]))
    lengths = text_scores(pairs, ["rouge_l"]).per_item["rouge_l"]
    expected = np.corrcoef(rankdata(scores["a"]), rankdata(lengths))[0, 1]
    assert rouge["a"]["spearman"] == pytest.approx(expected)
