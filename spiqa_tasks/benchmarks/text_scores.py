"""The text metrics of SPIQA (section 5): BLEU, ROUGE-L, CIDEr, METEOR and BERTScore of predictions.

As released: one reference per prediction; the COCO caption toolkit with its PTB tokenizer for the first four, and raw
BERTScore F1 (bert-base-uncased, no rescaling) on the untokenized texts. Needs Java for the tokenizer and METEOR, and
the extra `bertscore` with its weights for BERTScore; what cannot be computed is left out, with the reason.
"""

from __future__ import annotations

import functools
import importlib.util
import logging
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spiqa_tasks.scoring.text_metrics import CorpusScore, bleu, cider, rouge_l
from spiqa_tasks.scoring.tokenization import tokenize

log = logging.getLogger(__name__)

METRICS = ("bleu_1", "bleu_2", "bleu_3", "bleu_4", "rouge_l", "cider", "meteor", "bertscore_f1")

BERT_MODELS = ("google-bert/bert-base-uncased", "bert-base-uncased")
"""The model's name on the hub, and the older one under which it may lie in the local cache."""

BERT_FILES = ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "vocab.txt")
BERT_LAYER = 9
"""Layer that the bert-score package uses for bert-base-uncased."""

BERT_TOKENS = 512
JAVA_TIMEOUT = 600.0
HUB_TIMEOUT = 10.0
"""Seconds to wait for the hub to say that it is there, before its files are asked for."""

NO_JAVA = "no working Java was found; install a Java runtime (8 or later) and put `java` on the PATH"


@dataclass(frozen=True)
class TextScores:
    """The metrics of a list of (prediction, reference) pairs, in natural units (0 to 1, CIDEr 0 to 10).

    `values`: metric -> corpus value. `per_item`: metric -> one value per pair, for rouge_l, cider, meteor and
    bertscore_f1. `tokenizer`: `ptb-java` (as released) or `ptb-python`. `omitted`: metric -> why it is not there.
    """

    values: dict[str, float]
    per_item: dict[str, tuple[float, ...]]
    tokenizer: str
    omitted: dict[str, str]


def available_metrics() -> dict[str, str | None]:
    """Return each metric with `None` if `text_scores` will compute it, else the reason why not.

    Starts Java once and loads BERTScore's model, downloading it (440 MB) if it is not there yet and the hub is.
    """
    reasons = {"meteor": None if _java() else NO_JAVA, "bertscore_f1": _bert_scorer()[1]}
    return {name: reasons.get(name) for name in METRICS}


def text_scores(pairs: Sequence[tuple[str, str]]) -> TextScores:
    """Return the text metrics of (prediction, reference) pairs; the result of the last few lists is kept.

    Never fails for want of Java, a package or weights: the metric is then in `omitted`. Raises `ValueError` for an
    empty list.
    """
    return _text_scores(tuple((prediction, reference) for prediction, reference in pairs))


@functools.lru_cache(maxsize=8)
def _text_scores(pairs: tuple[tuple[str, str], ...]) -> TextScores:
    if not pairs:
        raise ValueError("Expected at least one pair of prediction and reference, found none.")
    tokenizer, tokenized = _tokenized([_one_line(text) for pair in pairs for text in pair])
    predictions, references = tokenized[::2], tokenized[1::2]
    values = dict(zip(METRICS, bleu(predictions, references), strict=False))
    items = {"rouge_l": rouge_l(predictions, references), "cider": cider(predictions, references)}
    omitted = {}
    for name, outcome in (("meteor", _meteor(predictions, references)), ("bertscore_f1", _bertscore(pairs))):
        if isinstance(outcome, str):
            omitted[name] = outcome
            log.warning("%s is not computed: %s.", name, outcome)
        else:
            items[name] = outcome
    values |= {name: score.value for name, score in items.items()}
    return TextScores(values, {name: score.per_item for name, score in items.items()}, tokenizer, omitted)


def _one_line(text: str) -> str:
    """Return `text` as one line of valid Unicode, as the line-based Java programs need it."""
    return " ".join(text.encode("utf-8", "replace").decode("utf-8").replace("\x00", " ").split())


def _tokenized(lines: Sequence[str]) -> tuple[str, list[str]]:
    """Return the tokenizer's name and each line tokenized."""
    if _java():
        try:
            return "ptb-java", _java_tokenized(lines)
        except (OSError, subprocess.SubprocessError, ValueError) as error:
            log.warning("The Java tokenizer failed (%s); using ptb-python instead.", error)
    return "ptb-python", [tokenize(line) for line in lines]


def _java_tokenized(lines: Sequence[str]) -> list[str]:
    """Tokenize as the toolkit does: Stanford PTBTokenizer, then drop punctuation."""
    from pycocoevalcap.tokenizer.ptbtokenizer import PUNCTUATIONS

    command = ["-cp", "stanford-corenlp-3.4.1.jar", "edu.stanford.nlp.process.PTBTokenizer"]
    with tempfile.TemporaryDirectory() as folder:
        path = _write_lines(Path(folder) / "lines.txt", lines)
        output = _run_java([*command, "-preserveLines", "-lowerCase", path], "tokenizer")
    tokenized = output.split("\n")[: len(lines)]
    if len(tokenized) != len(lines):
        raise ValueError(f"expected {len(lines)} lines from the tokenizer, found {len(tokenized)}")
    return [" ".join(token for token in line.rstrip().split(" ") if token not in PUNCTUATIONS) for line in tokenized]


def _meteor(predictions: Sequence[str], references: Sequence[str]) -> CorpusScore | str:
    """Return METEOR 1.5 (English, normalising, as the toolkit calls it), or why there is none.

    One Java process per call reads both texts from files and ends by itself, so that there is nothing to lock.
    """
    if not _java():
        return NO_JAVA
    try:
        with tempfile.TemporaryDirectory() as folder:
            paths = [
                _write_lines(Path(folder) / name, lines)
                for name, lines in (("predictions", predictions), ("references", references))
            ]
            output = _run_java(["-Xmx2G", "-jar", "meteor-1.5.jar", *paths, "-l", "en", "-norm"], "meteor")
    except (OSError, subprocess.SubprocessError) as error:
        return f"METEOR's Java program failed ({error})"
    per_item = tuple(float(value) for value in re.findall(r"^Segment \d+ score:\s*(\S+)", output, re.MULTILINE))
    final = re.search(r"^Final score:\s*(\S+)", output, re.MULTILINE)
    if final is None or len(per_item) != len(predictions):
        return f"METEOR's Java program gave {len(per_item)} scores for {len(predictions)} predictions"
    return CorpusScore(float(final.group(1)), per_item)


def _write_lines(path: Path, lines: Sequence[str]) -> str:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")
    return str(path)


def _run_java(arguments: Sequence[str], toolkit_folder: str) -> str:
    """Run Java in a folder of the COCO caption toolkit and return what it prints."""
    spec = importlib.util.find_spec("pycocoevalcap")
    locations = spec.submodule_search_locations if spec else None
    if not locations:
        raise FileNotFoundError("the package pycocoevalcap is not installed")
    done = subprocess.run(
        ["java", "-Dfile.encoding=UTF-8", *arguments],
        cwd=Path(next(iter(locations))) / toolkit_folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=JAVA_TIMEOUT,
        check=True,
    )
    return done.stdout


@functools.cache
def _java() -> bool:
    """Return whether `java` is there and runs."""
    if shutil.which("java") is None:
        return False
    try:
        return subprocess.run(["java", "-version"], capture_output=True, timeout=60, check=False).returncode == 0
    except (OSError, subprocess.SubprocessError):
        return False


def _bertscore(pairs: Sequence[tuple[str, str]]) -> CorpusScore | str:
    """Return BERTScore F1, or why there is none; a pair with an empty text scores 0, as in the package."""
    scorer, reason = _bert_scorer()
    if reason is not None:
        return reason
    filled = [i for i, (prediction, reference) in enumerate(pairs) if _one_line(prediction) and _one_line(reference)]
    per_item = [0.0] * len(pairs)
    try:
        if filled:
            columns = ([_one_line(pairs[i][side]) for i in filled] for side in (0, 1))
            per_pair = scorer.score(*columns)[2].tolist()
            for i, value in zip(filled, per_pair, strict=True):
                per_item[i] = float(value)
    except Exception as error:  # whatever the optional package meets must not cost the other metrics
        return f"the bert-score package failed ({type(error).__name__}: {error})"
    return CorpusScore(sum(per_item) / len(per_item), tuple(per_item))


@functools.cache
def _bert_scorer() -> tuple[Any, str | None]:
    """Return the scorer of the bert-score package, or `None` and why it could not be made."""
    if importlib.util.find_spec("bert_score") is None:
        return None, "the package bert-score is not installed; install spiqa-tasks[bertscore]"
    try:
        folder = _bert_folder()
        from bert_score import BERTScorer

        scorer = BERTScorer(model_type=str(folder), num_layers=BERT_LAYER)
    except Exception as error:  # an optional package, its dependencies and the hub can fail in any way
        first_line = str(error).strip().partition("\n")[0]
        return None, f"{BERT_MODELS[0]} could not be loaded ({type(error).__name__}: {first_line})"
    scorer._tokenizer.model_max_length = min(scorer._tokenizer.model_max_length, BERT_TOKENS)
    return scorer, None


def _bert_folder() -> Path:
    """Return the folder with BERTScore's model: from the local cache, else downloaded from the hub."""
    from huggingface_hub import HfApi, snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    for name in BERT_MODELS:
        try:
            folder = Path(snapshot_download(name, local_files_only=True))
        except LocalEntryNotFoundError:
            continue
        if (folder / "model.safetensors").exists() or (folder / "pytorch_model.bin").exists():
            return folder
    HfApi().model_info(BERT_MODELS[0], timeout=HUB_TIMEOUT)
    return Path(snapshot_download(BERT_MODELS[0], allow_patterns=list(BERT_FILES)))
