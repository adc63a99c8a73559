"""BERTScore on a model of this machine."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest
from forgetting import forget_bertscore

from spiqa_tasks.metrics import text_scores as module
from spiqa_tasks.metrics.text_scores import text_scores
from spiqa_tasks.scoring.coco_toolkit import CorpusScore

# lmms-eval brings the torch that these tests import
pytestmark = pytest.mark.xdist_group("lmms-eval")


def test_bertscore_runs_on_a_local_model(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """BERTScore is 1 for the same text, 0 for an empty one, less than 1 for another, and takes
    long texts.
    """
    pytest.importorskip("bert_score")
    monkeypatch.setattr(module, "MODEL", str(tiny_bert(tmp_path)))
    pairs = [
        ("same text", "same text"),
        ("", "text"),
        ("text", ""),
        ("other", "same text"),
        ("word " * 2000, "word"),
    ]
    forget_bertscore()
    scores = text_scores(pairs, ["bertscore_f1"])
    forget_bertscore()
    values = scores["bertscore_f1"].per_item
    assert values[0] == pytest.approx(1.0, abs=1e-5)
    assert values[1] == values[2] == 0.0
    assert values[3] < 0.9999
    assert scores["bertscore_f1"].value == pytest.approx(sum(values) / 5)


def tiny_bert(folder: Path) -> Path:
    """A BERT of random weights with nine layers and letters for tokens."""
    import torch
    from transformers import BertConfig, BertModel, BertTokenizer

    letters = "abcdefghijklmnopqrstuvwxyz"
    vocabulary = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "[MASK]",
        *letters,
        *(f"##{letter}" for letter in letters),
    ]
    (folder / "vocab.txt").write_text("\n".join(vocabulary))
    BertTokenizer(str(folder / "vocab.txt")).save_pretrained(folder)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=16,
        num_hidden_layers=9,
        num_attention_heads=2,
        intermediate_size=32,
    )
    BertModel(config).save_pretrained(folder)
    return folder


def test_without_the_package_there_is_a_reason_in_its_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where bert-score is not installed, the reason says what to install."""
    forget_bertscore()
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    reason = module.bertscore([("a", "b")])
    forget_bertscore()
    assert isinstance(reason, str)
    assert "[bertscore]" in reason


class FakeScorer:
    """A stand-in for bert-score's class; F1 is the ratio of the texts' lengths."""

    made: ClassVar[list[dict[str, Any]]] = []
    longest: ClassVar[int] = 10**30

    def __init__(self, **options: Any) -> None:
        self.made.append(options)
        self.asked: list[tuple[list[str], list[str]]] = []
        self._tokenizer = SimpleNamespace(model_max_length=self.longest)

    def score(self, predictions: list[str], references: list[str]) -> tuple[None, None, np.ndarray]:
        self.asked.append((predictions, references))
        if "fail" in predictions:
            raise RuntimeError("no memory")
        sizes = [(len(one), len(other)) for one, other in zip(predictions, references, strict=True)]
        return None, None, np.array([min(size) / max(size) for size in sizes])


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[FakeScorer]]:
    """Install the stand-in for bert-score, with a model that is on disk."""
    forget_bertscore()
    FakeScorer.made.clear()
    monkeypatch.setattr(module, "is_installed", lambda extra: extra == "bertscore")
    monkeypatch.setitem(sys.modules, "bert_score", SimpleNamespace(BERTScorer=FakeScorer))
    yield FakeScorer
    forget_bertscore()


def test_a_pair_is_scored_once_and_an_empty_text_is_worth_nothing(fake: type[FakeScorer]) -> None:
    """Whatever list it is in; the value is the mean of all."""
    found = module.bertscore([("a", "ab"), ("", "x"), ("a", "ab"), ("x", "")])
    assert found == CorpusScore(0.25, (0.5, 0.0, 0.5, 0.0))
    assert module.bertscore([("abc", "abcd"), ("a", "ab")]) == CorpusScore(0.625, (0.75, 0.5))
    scorer, reason = module.scorer_or_reason()
    assert reason is None
    assert scorer.asked == [(["a"], ["ab"]), (["abc"], ["abcd"])]
    assert fake.made == [{"model_type": "google-bert/bert-base-uncased", "num_layers": 9}]
    forget_bertscore()
    module.bertscore([("a", "ab")])
    assert len(fake.made) == 2


@pytest.mark.usefixtures("fake")
def test_a_package_that_fails_costs_no_other_metric() -> None:
    """The reason has what it raised; nothing of the failed call is kept."""
    assert (
        module.bertscore([("fail", "x")])
        == "the bert-score package failed (RuntimeError: no memory)"
    )
    assert module.bertscore([("a", "a")]) == CorpusScore(1.0, (1.0,))


@pytest.mark.usefixtures("fake")
def test_a_model_that_cannot_be_loaded_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    """In one line, looked for once."""

    def fail(**_: object) -> None:
        raise OSError("\nno route\nto the hub")

    monkeypatch.setattr(sys.modules["bert_score"], "BERTScorer", fail)
    reason = "google-bert/bert-base-uncased could not be loaded (OSError: no route)"
    assert module.scorer_or_reason() == (None, reason)
    assert module.bertscore([("a", "a")]) == reason


# The package bert-score, as far as it asks the hub.
LOADER = """
from transformers import AutoModel, AutoTokenizer

class BERTScorer:
    def __init__(self, model_type, num_layers):
        self._tokenizer = AutoTokenizer.from_pretrained(model_type)
        self.model = AutoModel.from_pretrained(model_type)

    def __repr__(self):
        return self.model.config.model_type
"""


@pytest.mark.parametrize(
    ("is_cached", "said"),
    [
        (True, "(bert, None)"),
        (False, "google-bert/bert-base-uncased could not be loaded (OSError: "),
    ],
)
def test_a_hub_that_does_not_answer_is_asked_once(
    is_cached: bool, said: str, tmp_path: Path
) -> None:
    """Then a model in the cache is loaded, and another one has its reason."""
    pytest.importorskip("torch")
    asked = []

    class Busy(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            asked.append(self.path)
            self.send_error(503)

        def do_GET(self) -> None:
            self.do_HEAD()

        def log_message(self, *_: Any) -> None:
            """Print nothing."""

    if is_cached:
        cache = tmp_path / "hub" / "models--google-bert--bert-base-uncased"
        (cache / "refs").mkdir(parents=True)
        (cache / "refs" / "main").write_text("abc")
        snapshot = cache / "snapshots" / "abc"
        snapshot.mkdir(parents=True)
        tiny_bert(snapshot)
    (tmp_path / "bert_score.py").write_text(LOADER)
    script = "from spiqa_tasks.metrics import text_scores as t; print(t.scorer_or_reason())"
    with HTTPServer(("127.0.0.1", 0), Busy) as hub:
        threading.Thread(target=hub.serve_forever, daemon=True).start()
        online = {name: text for name, text in os.environ.items() if not name.endswith("OFFLINE")}
        env = online | {
            "HF_ENDPOINT": f"http://127.0.0.1:{hub.server_port}",
            "HF_HOME": str(tmp_path),
            "PYTHONPATH": str(tmp_path),
        }
        command = [sys.executable, "-c", script]
        found = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
        hub.shutdown()
    assert said in found.stdout, found.stderr
    # the hub's client asks for other files, too
    assert len([path for path in asked if module.MODEL in path]) == 1
