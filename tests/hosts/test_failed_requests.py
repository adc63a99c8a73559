"""How answers that are none are known."""

import json
from pathlib import Path

import pytest

from spiqa_tasks.benchmarks.registry import rows_for_scoring
from spiqa_tasks.hosts.failed_requests import FAILURE_MARKERS, is_request_failure, response_of


@pytest.mark.parametrize(
    "text",
    [
        "[LMMS_EVAL_REQUEST_FAILED after 5 retries] boom",
        "\n [LMMS_EVAL_BUDGET_EXCEEDED]",
        "Failed to obtain answer via API.",
        "Fail to obtain answer",
        "Error code: 429 - {'error': {'message': 'Rate limit reached for gpt-4o'}}",
        " Error code: 500",
        "openai.RateLimitError: Error code: 429",
        "RateLimitError('too many')",
        "requests.exceptions.ConnectionError: HTTPSConnectionPool(host='api')",
        "ReadTimeout: the server did not answer",
        "google.api_core.exceptions.ResourceExhausted: 429 Quota exceeded",
        "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB",
        "CUDA out of memory.",
        "Traceback (most recent call last):\n  File",
        "503 Service Unavailable",
        "429 Client Error: Too Many Requests for url: https://api",
        "HTTP Error 502: Bad Gateway",
        '{"error": {"code": 400}}',
        "<!DOCTYPE html><html>",
        "<html><body>502 Bad Gateway</body></html>",
        "Request timed out.",
        "Connection error.",
        "Rate limit exceeded: try again",
    ],
)
def test_marks_of_hosts_and_texts_of_errors_are_failures_with_their_words(text: str) -> None:
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
    ],
)
def test_a_mark_within_an_answer_or_words_about_errors_are_an_answer(text: str) -> None:
    """Only the beginning counts, and an empty answer is one."""
    assert not is_request_failure(text)
    assert (response_of(text).text, response_of(text).failure) == (text, None)


def test_what_is_known_of_an_answer_comes_along() -> None:
    """Figures in the order shown, also of a failed request, and whether the answer was cut."""
    assert response_of("A", ("a",), truncated=True).shown == ("a",)
    assert response_of("A", truncated=True).truncated
    assert response_of(FAILURE_MARKERS[0], ("a",)).shown == ("a",)


def test_no_true_answer_and_no_real_answer_reads_like_an_error(
    real_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All references of test-A and those of test-B that are here, and 17,087 answers of real models."""
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
