"""What runs of the host need: a server, stand-ins for the pictures of real annotations, the
samples file.
"""

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from openai_server import Behaviour, OpenAIServer


@pytest.fixture
def stub_pictures(tmp_path: Path) -> Callable[[Path], Path]:
    """`stub_pictures(annotations)`: a data folder with real test-A annotations and a stand-in
    for every figure.
    """
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


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    """A model and a judge; tests change its behaviour."""
    with OpenAIServer(Behaviour(text="{'Answer': 'blue'}")) as running:
        yield running


@pytest.fixture
def judged(server: OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> OpenAIServer:
    """The server, which the environment names as the judge."""
    monkeypatch.setenv("SPIQA_JUDGE", "openai:judge")
    monkeypatch.setenv("SPIQA_JUDGE_BASE_URL", server.url)
    return server


@pytest.fixture
def chat_args(server: OpenAIServer) -> str:
    """`--model_args` of the host's API models for the server."""
    return f"model_version=tiny,base_url={server.url},api_key=EMPTY,timeout=60"


@pytest.fixture
def write_samples(tmp_path: Path) -> Callable[[dict[str, Any], str], Path]:
    """`write_samples(result, task)`: the samples file that the host writes of a result."""
    from lmms_eval.loggers import EvaluationTracker

    def write(result: dict[str, Any], task: str) -> Path:
        tracker = EvaluationTracker(output_path=str(tmp_path / "out"))
        tracker.date_id = "20260101_000000"
        tracker.general_config_tracker.model_name_sanitized = "model"
        tracker.save_results_samples(task, copy.deepcopy(result["samples"][task]))
        return tmp_path / "out" / "model" / f"20260101_000000_samples_{task}.jsonl"

    return write
