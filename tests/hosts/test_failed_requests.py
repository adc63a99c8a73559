"""How answers that are none are known."""

import json
from pathlib import Path
from typing import Any

import pytest

from spiqa_tasks.benchmarks.registry import rows_for_scoring
from spiqa_tasks.hosts.failed_requests import (
    FAILURE_MARKERS,
    NULL,
    is_request_failure,
    reads_like_failure,
    response_of,
)


@pytest.mark.parametrize(
    "text",
    [
        "[LMMS_EVAL_REQUEST_FAILED after 5 retries] boom",
        "\n [LMMS_EVAL_BUDGET_EXCEEDED]",
        "Failed to obtain answer via API.",
        "Fail to obtain answer",
    ],
)
def test_marks_of_hosts_are_failures_with_their_words(text: str) -> None:
    """The response has no text and says why."""
    assert is_request_failure(text)
    assert (response_of(text).text, response_of(text).failure) == ("", text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "A",
        "I failed to obtain answer.",
        "It prints [LMMS_EVAL_REQUEST_FAILED].",
        "Error rate",
        "Error: 0.35",
        "Error 5",
        "MeanSquaredError: 0.5",
        "The connection error grows with the distance.",
        "Connection errors are rarer.",
        "500 servers",
        "429",
        "404 images were used.",
        "Timeouts grow.",
        "API: the interface that the figure shows",
        "{'Answer': 'error'}",
        "Rate limit of the sampler",
        "HTTP traffic",
        "HTTP 404",
        "<html>",
        "Error: 512",
        '{"error": 0.12}',
        "Status: 450 K",
        "Connection error.",
        "RateLimitError: the name of the class in the figure",
    ],
)
def test_texts_that_look_like_an_error_are_answers(text: str) -> None:
    """Hosts mark failed requests at the beginning; a figure may well ask for an error code."""
    assert not is_request_failure(text)
    assert (response_of(text).text, response_of(text).failure) == (text, None)


def test_what_is_known_of_an_answer_comes_along() -> None:
    """Figures in the order shown, also of a failed request, and whether the answer was cut."""
    assert response_of("A", ("a",), truncated=True).shown == ("a",)
    assert response_of("A", truncated=True).truncated
    assert response_of(FAILURE_MARKERS[0], ("a",)).shown == ("a",)


def test_a_null_that_the_host_adds_to_a_text_is_an_empty_answer() -> None:
    """As `async_openai` does, which keeps Python's words as the answer."""
    null: Any = None
    with pytest.raises(TypeError) as error:
        "" + null
    assert f"Error: {error.value}" == NULL
    response = response_of(NULL, truncated=True)
    assert (response.text, response.failure, response.truncated) == ("", None, True)


def test_no_true_answer_and_no_real_answer_reads_like_an_error(
    real_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All references of test-A and those of test-B that are here, and 17,087 answers of real
    models.
    """
    monkeypatch.setenv("SPIQA_TASKS_DATA", str(real_data))
    texts = [
        row["answer"]
        for split in ("testA", "testB")
        for row in rows_for_scoring("spiqa", split, "")
    ]
    for name in ("answers", "free_form"):
        lines = (real_data / "mcq" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        texts += [json.loads(line)["response"] for line in lines]
    assert len(texts) > 17_000
    assert [text for text in texts if is_request_failure(text)] == []


@pytest.mark.parametrize(
    ("text", "is_like_one"),
    [
        ("Error code: 429 - {'error': {'message': 'Rate limit reached'}}", True),
        ("openai.APIConnectionError: Connection error.", True),
        ("HTTP 502 Bad Gateway", True),
        ("Error: 0.35", False),
        ("The connection error grows with the distance.", False),
        ("The figure shows the failed requests of a server that was overloaded.", False),
        ("Error bars " + "of the models in the figure " * 10 + "show no timeout.", False),
    ],
)
def test_an_answer_like_a_servers_error_begins_with_it_and_names_its_cause(
    text: str, is_like_one: bool
) -> None:
    assert reads_like_failure(text) == is_like_one
