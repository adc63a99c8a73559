"""Fields that a user adds to every request to a judge, such as what switches a model's thinking off."""

from __future__ import annotations

import json
from collections.abc import Collection

from spiqa_tasks.errors import JudgeError

EXTRA_VARIABLE = "SPIQA_JUDGE_EXTRA"
NO_THINKING = '{"chat_template_kwargs": {"enable_thinking": false}}'
"""What vLLM and SGLang understand, and `hf:` judges, for models whose template has that switch."""

_OURS = frozenset(
    ("model", "messages", "system", "max_tokens", "max_completion_tokens", "temperature", "logprobs", "top_logprobs")
)


def checked_extra(text: str, allowed: Collection[str] | None) -> str:
    """Return a JSON object of extra fields in one spelling; empty where there are none.

    Args:
        text: the JSON object.
        allowed: the fields that the judge's provider knows; None: any but those that the judge's own requests have.

    Raises:
        JudgeError: no JSON object, or a field that is not allowed.
    """
    if not text.strip():
        return ""
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict):
        raise JudgeError(f"Expected a JSON object as the judge's extra fields, such as {NO_THINKING}; found {text!r}.")
    refused = sorted(name for name in fields if name in _OURS or (allowed is not None and name not in allowed))
    if refused:
        known = "any but those that a judgement sets itself" if allowed is None else ", ".join(sorted(allowed))
        raise JudgeError(f"The judge's extra fields may be {known}; found {', '.join(refused)}. Leave them out.")
    return json.dumps(fields, sort_keys=True) if fields else ""
