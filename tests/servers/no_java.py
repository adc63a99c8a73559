"""A machine without Java, where METEOR is left out and the rest of the text metrics is fast."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from spiqa_tasks.benchmarks import making
from spiqa_tasks.metrics import coco_java, text_scores


@contextmanager
def no_java() -> Iterator[None]:
    """Pretend that there is no Java, and forget what was found out before and meanwhile."""
    making.missing_text_metrics.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coco_java, "has_java", lambda: False)
        yield
    text_scores.forget()
    making.missing_text_metrics.cache_clear()
