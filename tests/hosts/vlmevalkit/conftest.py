"""What runs of VLMEvalKit need; without it, the tests that run it are skipped."""

import functools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from openai_server import Behaviour, OpenAIServer

from spiqa_tasks.hosts.vlmevalkit import tasks
from spiqa_tasks.hosts.vlmevalkit.registration import command_of_host
from spiqa_tasks.judge import judge
from spiqa_tasks.metrics import text_scores

Launch = Callable[..., int]


@pytest.fixture(autouse=True)
def nothing_found_out() -> None:
    """Every test finds out about tasks, rows and judges anew."""
    for function in (tasks.known, tasks.rows_of, tasks.most_pictures):
        function.cache_clear()
    judge._of_environment.clear()


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    """A model and a judge; tests change its behaviour."""
    with OpenAIServer(Behaviour()) as running:
        yield running


@pytest.fixture
def launch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Launch:
    """`launch(*arguments)`: the launcher in this process, writing to `tmp_path / "out"`; returns
    its exit status.
    """
    reason = "VLMEvalKit is not installed (make test-vlmevalkit)"
    config = pytest.importorskip("vlmeval.config", reason=reason, exc_type=ImportError)
    from vlmevalkit_models import MODELS

    from spiqa_tasks.hosts.vlmevalkit.__main__ import main

    # where the hub is out of reach, looking for BERTScore's weights takes most of a minute
    no_weights = functools.cache(lambda: (None, "its weights are not there"))
    monkeypatch.setattr(text_scores, "scorer_or_reason", no_weights)

    monkeypatch.setenv("LMUData", str(tmp_path))
    monkeypatch.setattr("sys.argv", ["spiqa-vlmevalkit"])
    monkeypatch.setenv("PRED_FORMAT", "")
    for name, model in MODELS.items():
        monkeypatch.setitem(config.supported_VLM, name, model)
    return lambda *arguments: main([*map(str, arguments), "--work-dir", str(tmp_path / "out")])


@pytest.fixture
def limit(launch: Launch) -> str:  # noqa: ARG001 - imports the host
    """The host's option of that name; tests are skipped in builds without."""
    if "--limit" not in Path(command_of_host().__file__).read_text():
        pytest.skip("this VLMEvalKit has no --limit")
    return "--limit"
