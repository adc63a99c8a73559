"""The host's own cache of answers, with failures in it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from spiqa_tasks.cli import main


def _run(folder: Path, answers: list[str]) -> list[Any]:
    """What the host serves for as many requests, the model answering `answers`; its own class does the caching."""
    from lmms_eval.api.instance import Instance
    from lmms_eval.caching.response_cache import ResponseCache

    requests = [
        Instance(
            request_type="generate_until",
            arguments=(f"question {i}", {"temperature": 0, "do_sample": False}, None, i, "t", "test"),
            idx=0,
            metadata={"task": "t", "doc_id": i, "repeats": 1},
        )
        for i in range(len(answers))
    ]
    asked: list[int] = []

    def model(missing: list[Any]) -> list[str]:
        asked.extend(request.doc_id for request in missing)
        return [answers[request.doc_id] for request in missing]

    cache = ResponseCache.create(str(folder), model="m")
    served = cache.execute(SimpleNamespace(rank=0, generate_until=model), "generate_until", requests)
    cache.finalize(success=True)
    return [served, asked]


def test_failures_are_dropped_and_asked_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """After the command the failed request is asked again and the good answers come from the cache."""
    _run(tmp_path, ["good", "[LMMS_EVAL_REQUEST_FAILED after 3 retries] timeout", "fine"])
    assert main(["cache", "drop-failures", str(tmp_path)]) == 0
    assert "1 failed request deleted" in capsys.readouterr().out
    served, asked = _run(tmp_path, ["good", "better", "fine"])
    assert asked == [1]
    assert served == ["good", "better", "fine"]
