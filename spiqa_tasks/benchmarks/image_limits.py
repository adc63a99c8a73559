"""What to run instead where a server takes fewer images than a question shows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

_IMAGES = re.compile(r"\b(?:images?|pictures?|multi-?modal|media)\b", re.IGNORECASE)
_LIMIT = re.compile(r"\b(?:many|most|limit\w*|max\w*|exceed\w*|only|up to|single|support\w*)\b", re.IGNORECASE)


def image_limit_advice(records: Sequence[Mapping[str, Any]]) -> str | None:
    """One sentence for people where failed requests tell of a limit on images, else None.

    Args:
        records: of `request_failed_rate`; a failed one has `reason` (the server's words) and `split`.
    """
    refused = [
        record for record in records if _IMAGES.search(record.get("reason", "")) and _LIMIT.search(record["reason"])
    ]
    if not refused:
        return None
    return (
        f"{len(refused)} of {len(records)} requests were refused, it seems for the number of images "
        f"({refused[0]['reason']!r}). Show one figure at a time with spiqa_{refused[0]['split']}_perfigure, or "
        "fewer at once with a task of your own (include the task's YAML, set dataset_name: max_figures=4; see "
        "docs/spiqa.md)."
    )
