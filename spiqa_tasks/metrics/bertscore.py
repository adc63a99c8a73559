"""BERTScore F1 as released: bert-base-uncased, its ninth layer, no rescaling, untokenized texts (SPIQA section 5).

Needs the extra `bertscore` and the model's weights. A pair is scored once in the life of the process, so that a corpus
and its subsets cost one pass of the model.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from spiqa_tasks.extras import how_to_install, is_installed
from spiqa_tasks.scoring.text_metrics import CorpusScore

MODELS = ("google-bert/bert-base-uncased", "bert-base-uncased")
"""The model's name on the hub, and the older one under which it may lie in the local cache."""

FILES = ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "vocab.txt")
LAYER = 9
"""Layer that the bert-score package uses for bert-base-uncased."""

TOKENS = 512
HUB_TIMEOUT = 10.0
"""Seconds to wait for the hub to say that it is there, before its files are asked for."""

_scores: dict[tuple[str, str], float] = {}


def bertscore(pairs: Sequence[tuple[str, str]]) -> CorpusScore | str:
    """Return BERTScore F1 of (prediction, reference) pairs, one line each, or why there is none.

    A pair with an empty text scores 0, as in the package.
    """
    scorer, reason = scorer_or_reason()
    if reason is not None:
        return reason
    unknown = list(dict.fromkeys(pair for pair in pairs if all(pair) and pair not in _scores))
    try:
        if unknown:
            predictions, references = [first for first, _ in unknown], [second for _, second in unknown]
            values = scorer.score(predictions, references)[2].tolist()
            _scores.update(zip(unknown, map(float, values), strict=True))
    except Exception as error:  # whatever the optional package meets must not cost the other metrics
        return f"the bert-score package failed ({type(error).__name__}: {error})"
    per_item = tuple(_scores.get(pair, 0.0) for pair in pairs)
    return CorpusScore(sum(per_item) / len(per_item), per_item)


@functools.cache
def scorer_or_reason() -> tuple[Any, str | None]:
    """Return the scorer of the bert-score package, or `None` and why it could not be made."""
    if not is_installed("bertscore"):
        return None, f"the package bert-score is not installed; install it with: {how_to_install('bertscore')}"
    try:
        folder = model_folder()
        from bert_score import BERTScorer

        scorer = BERTScorer(model_type=str(folder), num_layers=LAYER)
    except Exception as error:  # an optional package, its dependencies and the hub can fail in any way
        first_line = str(error).strip().partition("\n")[0]
        return None, f"{MODELS[0]} could not be loaded ({type(error).__name__}: {first_line})"
    scorer._tokenizer.model_max_length = min(scorer._tokenizer.model_max_length, TOKENS)
    return scorer, None


def model_folder() -> Path:
    """Return the folder with the model: from the local cache, else downloaded from the hub."""
    from huggingface_hub import HfApi, snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    for name in MODELS:
        try:
            folder = Path(snapshot_download(name, local_files_only=True))
        except LocalEntryNotFoundError:
            continue
        if (folder / "model.safetensors").exists() or (folder / "pytorch_model.bin").exists():
            return folder
    HfApi().model_info(MODELS[0], timeout=HUB_TIMEOUT)
    return Path(snapshot_download(MODELS[0], allow_patterns=list(FILES)))
