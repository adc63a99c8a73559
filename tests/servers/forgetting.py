"""Empty the caches that the package keeps for the life of a process."""

from spiqa_tasks.benchmarks.scorer import log_missing_text_metrics, missing_text_metrics
from spiqa_tasks.hosts.lmms_eval import batch_scoring
from spiqa_tasks.judge import judge
from spiqa_tasks.metrics import coco_java, text_scores


def forget_java() -> None:
    """Forget whether Java is installed, and the output of its programs."""
    coco_java._tokens.clear()
    coco_java._statistics.clear()
    coco_java.java.cache_clear()


def forget_bertscore() -> None:
    """Forget BERTScore's model and scores."""
    text_scores.scorer_or_reason.cache_clear()
    text_scores._bertscores.clear()


def forget_text_metrics() -> None:
    """Forget everything that the text metrics keep."""
    forget_java()
    forget_bertscore()
    text_scores._bleu.cache_clear()
    text_scores._tokenized.cache_clear()
    missing_text_metrics.cache_clear()
    log_missing_text_metrics.cache_clear()


def forget_scorers() -> None:
    """Forget the scorers and judges of lmms-eval's tasks, and the answers scored in batches."""
    batch_scoring.scorer_of.cache_clear()
    judge._of_environment.clear()
    batch_scoring._waiting.clear()
