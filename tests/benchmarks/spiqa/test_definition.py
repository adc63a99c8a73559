"""Advice where a server takes fewer images than a question shows."""

from __future__ import annotations

import pytest

from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.signature import Signature
from spiqa_tasks.benchmarks.spiqa.definition import image_limit_advice

SIGNATURE = Signature("1", "offline", "spiqa/testB@0123456789ab").text


@pytest.mark.parametrize(
    ("reason", "advised"),
    [
        ("Error code: 400 - At most 1 image(s) may be provided in one request.", True),
        ("Too many images in request. Max is 50.", True),
        ("This model supports only a single image", True),
        ("Connection error.", False),
        ("Rate limit exceeded", False),
    ],
)
def test_advice_is_given_for_refused_images_alone(reason: str, advised: bool) -> None:
    """The advice counts the requests and names the task variant; other failures get none."""
    failed = Record("a", status="request_failed", reason=reason, signature=SIGNATURE)
    advice = image_limit_advice([failed, Record("b", "x", signature=SIGNATURE)])
    assert len(advice) == advised
    assert not advised or ("spiqa_testB_perfigure" in advice[0] and advice[0].startswith("1 of 2 requests"))


def test_a_judges_reason_is_no_refused_image() -> None:
    """Only requests to the model count."""
    judged = Record("a", "x", status="judge_failed", reason="At most 1 image(s)", signature=SIGNATURE)
    assert image_limit_advice([judged]) == []
