"""The thresholds of MMStar's filter (MMStar paper, sections 3 and 4.1), for any number of models."""

DIFFICULTIES = ("easy", "moderate", "hard", "tough")
_LOWEST = {"easy": 12, "moderate": 8, "hard": 4, "tough": 0}  # hits of 16 LVLMs, section 4.1


def keeps_at_most(models: int) -> int:
    """Return how many LLMs may hit a question that is kept: 2 of 8 (section 4.1), rounded down."""
    return models * 2 // 8


def is_abnormal(hits: int, models: int) -> bool:
    """Return whether a question counts to the abnormal hit rate: at least 6 of 8 LLMs hit (Figure 2)."""
    return 4 * hits >= 3 * models


def is_hit_by_most(hits: int, models: int) -> bool:
    """Return whether more than half of the models, or of pairs of LVLM and LLM base, hit a question (Figure 3)."""
    return 2 * hits > models


def difficulty(hits: int, models: int) -> str:
    """Return `easy` (12 to 16 of 16 LVLMs hit), `moderate` (8 to 11), `hard` (4 to 7) or `tough` (section 4.1).

    Raises ValueError unless 0 <= hits <= models and models > 0.
    """
    if not 0 <= hits <= models or models == 0:
        raise ValueError(f"expected 0 <= hits <= models and models > 0, got {hits} of {models}")
    return next(name for name, lowest in _LOWEST.items() if 16 * hits >= lowest * models)
