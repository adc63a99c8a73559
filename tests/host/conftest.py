"""Runs of the real host inside this process: its imports cost 20 seconds, so they are paid once."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Evaluate = Callable[..., dict[str, Any]]


@pytest.fixture(scope="session")
def evaluate() -> Evaluate:
    """`evaluate(model, tasks, model_args="", **options)`: the host's results, its samples among them."""
    from lmms_eval.evaluator import simple_evaluate

    def run(model: str, tasks: list[str], model_args: str = "", **options: Any) -> dict[str, Any]:
        from spiqa_tasks.utils import judging, spiqa_perfigure

        judging.judge_of_environment.cache_clear()
        spiqa_perfigure._verdicts.clear()
        result = simple_evaluate(model=model, model_args=model_args, tasks=tasks, bootstrap_iters=0, **options)
        assert result is not None
        json.dumps(result["samples"], default=str)
        return dict(result)

    return run


@pytest.fixture
def stub_pictures(tmp_path: Path) -> Callable[[Path], Path]:
    """`stub_pictures(annotations)`: a data folder with real test-A annotations and a stand-in for every figure."""
    from PIL import Image

    def make(annotations: Path) -> Path:
        one = tmp_path / "one.png"
        Image.new("RGB", (32, 24), "white").save(one)
        target = tmp_path / "data" / "spiqa" / "test-A"
        for paper_id, paper in json.loads(annotations.read_text()).items():
            folder = target / "SPIQA_testA_Images" / paper_id
            folder.mkdir(parents=True)
            for name in paper["all_figures"]:
                (folder / name).hardlink_to(one)
        (target / annotations.name).symlink_to(annotations)
        return tmp_path / "data"

    return make
