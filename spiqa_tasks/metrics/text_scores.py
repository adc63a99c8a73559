"""The text metrics of SPIQA (section 5): BLEU, ROUGE-L, CIDEr, METEOR and BERTScore of predictions.

As released, but for one full stop (`TOKENIZER`): one reference per prediction; the COCO caption
toolkit with its PTB tokenizer for the first four, and raw BERTScore F1 (bert-base-uncased, no
rescaling) on the untokenized texts. All but BERTScore need Java, for the tokenizer and METEOR's
aligner; BERTScore needs the extra `bertscore` and its weights. A metric that cannot be computed is
left out, with the reason: other tokens would give other numbers under the same name.
"""

import functools
import subprocess
from collections.abc import Collection, Sequence
from typing import Any

from spiqa_tasks.extras import how_to_install, is_installed
from spiqa_tasks.metrics import coco_java
from spiqa_tasks.scoring.coco_toolkit import CorpusScore, bleu, cider, meteor, rouge_l

# In the order of the toolkit; BERTScore is no part of it.
METRICS = ("bleu_1", "bleu_2", "bleu_3", "bleu_4", "rouge_l", "cider", "meteor", "bertscore_f1")

# The metrics that a program or a model computes; all but the last need the tokenizer.
SLOW = ("meteor", "bertscore_f1")

NO_JAVA = (
    f"no working Java was found; install one with {how_to_install('java')}, "
    "or put `java` (8 or later) on the PATH"
)

# The tokenizer in signatures: the toolkit's Stanford PTBTokenizer 3.4.1, each text alone. The
# released scripts tokenize all texts in one go, where the text that follows decides whether a full
# stop at a text's end belongs to an abbreviation ("800 m.").
TOKENIZER = "ptb-java,texts-alone"

# Of the hub, with its layer that the bert-score package uses for it, and its longest text.
MODEL = "google-bert/bert-base-uncased"
LAYER = 9
TOKENS = 512

# What was embedded once is kept for the process: a task and its groups share their pairs.
_bertscores: dict[tuple[str, str], float] = {}

Pairs = tuple[tuple[str, str], ...]


# A metric of a list of pairs, in natural units (0 to 1, CIDEr 0 to 10), with a value per pair (not
# BLEU); or why it cannot be computed.
TextScore = CorpusScore | str


def available_metrics(quick: bool = False) -> dict[str, str | None]:
    """Return metric -> None if it can be computed, else the reason.

    May download BERTScore's model (440 MB); `quick` only looks whether that was done before.
    """
    no_java = None if coco_java.java() else NO_JAVA
    if quick and is_installed("bertscore"):
        from huggingface_hub import try_to_load_from_cache

        # neither None nor the mark of a file that the hub was known not to have
        is_there = isinstance(try_to_load_from_cache(MODEL, "model.safetensors"), str)
        no_model = None if is_there else f"the first use downloads {MODEL} (440 MB)"
    else:
        no_model = scorer_or_reason()[1]
    return {**dict.fromkeys(METRICS, no_java), "bertscore_f1": no_model}


def text_scores(
    pairs: Sequence[tuple[str, str]], metrics: Collection[str] = METRICS
) -> dict[str, TextScore]:
    """Return `metrics` of (prediction, reference) pairs; slow parts are kept per line and pair.

    A metric that lacks Java, a package or weights has the reason in place of a score. Raises
    ValueError: an empty list.
    """
    if not pairs:
        raise ValueError("Expected at least one pair of prediction and reference, found none.")
    lines = tuple((_one_line(prediction), _one_line(reference)) for prediction, reference in pairs)
    # Pairs, or why there are none; also without a metric, when the words are kept for later calls.
    tokenized = _tokenized(lines)
    return {
        name: bertscore(lines) if name == "bertscore_f1" else _toolkit(name, tokenized)
        for name in metrics
    }


def _toolkit(name: str, pairs: Pairs | str) -> TextScore:
    """Return a metric of the caption toolkit, or why there is none: `pairs` if that is a reason."""
    if isinstance(pairs, str):
        return pairs
    if name.startswith("bleu_"):
        return CorpusScore(_bleu(pairs)[int(name.removeprefix("bleu_")) - 1], ())
    if name == "meteor":
        try:
            return meteor(coco_java.meteor_statistics(pairs))
        except (OSError, subprocess.SubprocessError, ValueError) as error:
            return f"METEOR's Java program failed ({error})"
    predictions, references = zip(*pairs, strict=True)
    return {"rouge_l": rouge_l, "cider": cider}[name](predictions, references)


@functools.lru_cache(maxsize=4)
def _bleu(pairs: Pairs) -> tuple[float, float, float, float]:
    """Return BLEU-1 to BLEU-4 of a corpus, each from 0 to 1."""
    predictions, references = zip(*pairs, strict=True)
    return bleu(predictions, references)


def _one_line(text: str) -> str:
    """Return `text` as one line of valid Unicode, as the line-based Java programs need it."""
    return " ".join(text.encode("utf-8", "replace").decode("utf-8").replace("\x00", " ").split())


@functools.lru_cache(maxsize=4)
def _tokenized(pairs: Pairs) -> Pairs | str:
    """Return the pairs in the toolkit's words, or the reason why they cannot be made."""
    if not coco_java.java():
        return NO_JAVA
    try:
        tokens = coco_java.tokenize_lines([line for pair in pairs for line in pair])
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        return f"the Java tokenizer failed ({error})"
    return tuple(zip(tokens[::2], tokens[1::2], strict=True))


def bertscore(pairs: Sequence[tuple[str, str]]) -> TextScore:
    """Return BERTScore F1 of pairs, one line each, or why there is none.

    It is 0 with an empty text, as in the package.
    """
    scorer, reason = scorer_or_reason()
    if reason is not None:
        return reason

    def f1(new: Sequence[tuple[str, str]]) -> list[float]:
        predictions, references = zip(*new, strict=True)
        _precision, _recall, scores = scorer.score(list(predictions), list(references))
        return list(scores.tolist())

    try:
        coco_java.computed_once([pair for pair in pairs if all(pair)], _bertscores, f1)
    except Exception as error:  # an optional package must not cost the other metrics
        return f"the bert-score package failed ({type(error).__name__}: {error})"
    per_item = tuple(_bertscores.get(pair, 0.0) for pair in pairs)
    return CorpusScore(sum(per_item) / len(per_item), per_item)


@functools.cache
def scorer_or_reason() -> tuple[Any, str | None]:
    """Return the scorer of the bert-score package, or `None` and why it could not be made."""
    if not is_installed("bertscore"):
        command = how_to_install("bertscore")
        return None, f"the package bert-score is not installed; install it with: {command}"
    try:
        scorer = _load_scorer()
    except Exception as error:  # the package, its dependencies and the hub fail in any way
        first_line = str(error).strip().partition("\n")[0]
        return None, f"{MODEL} could not be loaded ({type(error).__name__}: {first_line})"
    scorer._tokenizer.model_max_length = min(scorer._tokenizer.model_max_length, TOKENS)
    return scorer, None


def _load_scorer() -> Any:
    """Return the package's scorer, of the cache alone if the hub does not answer one request."""
    from bert_score import BERTScorer
    from huggingface_hub import constants, get_hf_file_metadata, hf_hub_url

    was_offline = constants.HF_HUB_OFFLINE
    try:
        get_hf_file_metadata(hf_hub_url(MODEL, "config.json"))
    except Exception:  # the hub, proxies and firewalls fail in any way
        # else each file is asked for again and again, for half a minute
        constants.HF_HUB_OFFLINE = True

    try:
        return BERTScorer(model_type=MODEL, num_layers=LAYER)
    finally:
        constants.HF_HUB_OFFLINE = was_offline
