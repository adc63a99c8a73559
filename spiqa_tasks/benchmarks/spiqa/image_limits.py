"""What to run instead where a server takes fewer images than a question shows."""

from __future__ import annotations

import re
from collections.abc import Sequence

from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.signature import parse

_IMAGES = re.compile(r"\b(?:images?|pictures?|multi-?modal|media)\b", re.IGNORECASE)
_LIMIT = re.compile(r"\b(?:many|most|limit\w*|max\w*|exceed\w*|only|up to|single|support\w*)\b", re.IGNORECASE)


def image_limit_advice(records: Sequence[Record]) -> list[str]:
    """Return a sentence for people where failed requests tell of a limit on images, else nothing."""
    failed = [record for record in records if record.status == "request_failed" and record.reason]
    refused = [
        record for record in failed if _IMAGES.search(record.reason or "") and _LIMIT.search(record.reason or "")
    ]
    if not refused:
        return []
    return [
        f"{len(refused)} of {len(records)} requests were refused, it seems for the number of images "
        f"({(refused[0].reason or '')[:300]!r}). Show one figure at a time with "
        f"spiqa_{parse(refused[0].signature).split}_perfigure, or fewer at once with a task of your own (include the "
        "task's YAML, set dataset_name: max_figures=4; see docs/spiqa.md)."
    ]
