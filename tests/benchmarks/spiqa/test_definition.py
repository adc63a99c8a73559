"""Advice where a server takes fewer images than a question shows."""

from __future__ import annotations

import pytest

from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.signature import Signature
from spiqa_tasks.benchmarks.spiqa.definition import SPIQA, image_limit_advice
from spiqa_tasks.benchmarks.spiqa.settings import SpiqaSettings

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


def test_the_whole_advice_has_the_servers_words() -> None:
    """The first 300 of their characters; every refused request counts, failed ones for other reasons do not."""
    reason = "at most 1 image " + "x" * 400
    failed = Record("a", status="request_failed", reason=reason, signature=SIGNATURE)
    other = Record("b", status="request_failed", reason="no answer", signature=SIGNATURE)
    silent = Record("c", status="request_failed", signature=SIGNATURE)
    assert image_limit_advice([silent, other, failed, failed]) == [
        "2 of 4 requests were refused, it seems for the number of images "
        f"({reason[:300]!r}). Show one figure at a time with spiqa_testB_perfigure, or fewer at once with a task of "
        "your own (include the task's YAML, set dataset_name: max_figures=4; see docs/spiqa.md)."
    ]


def test_scoring_reads_neither_pictures_nor_full_texts() -> None:
    """Everything else of the settings stays."""
    assert SPIQA.unseen(SpiqaSettings("fullpaper", seed=3)) == SpiqaSettings("direct", seed=3, ablation="text")
    assert SPIQA.unseen(SpiqaSettings("cot", ablation="grey")) == SpiqaSettings("cot", ablation="text")
