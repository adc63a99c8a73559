"""Has the package find out again what it keeps for the life of a process."""

from spiqa_tasks.benchmarks.scorer import log_missing_text_metrics, missing_text_metrics
from spiqa_tasks.hosts.lmms_eval import batch_scoring
from spiqa_tasks.metrics import coco_java, text_scores


def forget_java() -> None:
    """Whether there is Java, and what its programs said."""
    for kept in (coco_java._tokens, coco_java._statistics):
        kept.clear()
    coco_java.java.cache_clear()


def forget_bertscore() -> None:
    """The scorer and its scores."""
    text_scores.scorer_or_reason.cache_clear()
    text_scores._bertscores.clear()


def forget_text_metrics() -> None:
    """Everything that the text metrics keep."""
    forget_java()
    forget_bertscore()
    text_scores._bleu.cache_clear()
    text_scores._tokenized.cache_clear()
    text_scores._warn_once.cache_clear()
    missing_text_metrics.cache_clear()
    log_missing_text_metrics.cache_clear()


def forget_scorers() -> None:
    """The judges of lmms-eval's tasks, and the answers scored ahead."""
    batch_scoring.scorer_of.cache_clear()
    batch_scoring._judge.cache_clear()
    batch_scoring._waiting.clear()
