"""Runs of the host inside this process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture(scope="session")
def evaluate() -> Callable[..., dict[str, Any]]:
    """`evaluate(model, tasks, model_args, **options)`: the host's results, its samples among them."""
    import lmms_eval.models  # noqa: F401 - loads the entry points, as the host's command does
    from lmms_eval.evaluator import simple_evaluate
    from lmms_eval.tasks import TaskManager

    manager = TaskManager("WARNING")

    def run(model: str, tasks: list[str], model_args: str, **options: Any) -> dict[str, Any]:
        options = {"task_manager": manager, "bootstrap_iters": 0, **options}
        result = simple_evaluate(model=model, model_args=model_args, tasks=tasks, **options)
        assert result is not None
        return dict(result)

    return run
