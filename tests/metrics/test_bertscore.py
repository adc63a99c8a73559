"""BERTScore on a model of this machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from spiqa_tasks.metrics import bertscore
from spiqa_tasks.metrics.text_scores import text_scores


def test_bertscore_runs_on_a_local_model(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """BERTScore is 1 for the same text, 0 for an empty one, less than 1 for another, and takes long texts."""
    pytest.importorskip("bert_score")
    monkeypatch.setattr(bertscore, "model_folder", lambda: tiny_bert(tmp_path))
    pairs = [("same text", "same text"), ("", "text"), ("text", ""), ("other", "same text"), ("word " * 2000, "word")]
    bertscore.forget()
    scores = text_scores(pairs, ["bertscore_f1"])
    bertscore.forget()
    values = scores.per_item["bertscore_f1"]
    assert values[0] == pytest.approx(1.0, abs=1e-5)
    assert values[1] == values[2] == 0.0
    assert values[3] < 0.9999
    assert scores.values["bertscore_f1"] == pytest.approx(sum(values) / 5)


def tiny_bert(folder: Path) -> Path:
    """A BERT of random weights with nine layers and letters for tokens."""
    import torch
    from transformers import BertConfig, BertModel, BertTokenizer

    letters = "abcdefghijklmnopqrstuvwxyz"
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *(f"##{letter}" for letter in letters)]
    (folder / "vocab.txt").write_text("\n".join(vocabulary))
    BertTokenizer(str(folder / "vocab.txt")).save_pretrained(folder)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(vocabulary), hidden_size=16, num_hidden_layers=9, num_attention_heads=2, intermediate_size=32
    )
    BertModel(config).save_pretrained(folder)
    return folder


def test_without_the_package_there_is_a_reason_in_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where bert-score is not installed, the reason says what to install."""
    bertscore.forget()
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    reason = bertscore.bertscore([("a", "b")])
    bertscore.forget()
    assert isinstance(reason, str)
    assert "spiqa-tasks[bertscore]" in reason
