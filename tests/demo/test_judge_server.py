"""The demonstration's judge: a server that speaks enough of the protocol, and is named in every
signature.
"""

import math
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from spiqa_tasks import L3Score
from spiqa_tasks.demo.judge_server import MODEL, completion, overlap, overlap_judge
from spiqa_tasks.errors import InputError


@pytest.mark.parametrize(
    ("reference", "prediction", "f1"),
    [
        ("a b", "a b", 1.0),
        ("a b", "c", 0.0),
        ("a b c", "a", 0.5),
        ("", "", 0.0),
        ("A b", "b, a!", 1.0),
    ],
)
def test_overlap_is_the_f1_of_words(reference: str, prediction: str, f1: float) -> None:
    """Whatever their order, case and marks."""
    assert overlap(reference, prediction) == f1


def test_l3score_judges_with_it(tmp_path: Path) -> None:
    """An answer's score is the share of its words, cut at 1% and 99%; its name is in the
    signature.
    """
    with overlap_judge() as url:
        metric = L3Score(judge=f"openai:{MODEL}@{url}", cache_dir=tmp_path)
        predictions = ["the red line", "blue", "the red dot in one go"]
        found = metric.compute(
            questions=["Which?"] * 3, references=["the red line"] * 3, predictions=predictions
        )
    assert found["scores"] == pytest.approx([0.99, 0.01, 4 / 9])
    assert MODEL in str(found["signature"])


def test_other_requests_are_refused() -> None:
    """Another path, and what is no request; a taken port is one sentence."""
    with overlap_judge() as url:
        for path, content, status in (
            ("/chat/completions", b"{}", 500),
            ("/embeddings", b"{}", 404),
        ):
            with pytest.raises(urllib.error.HTTPError) as error:
                urllib.request.urlopen(urllib.request.Request(url + path, content))
            assert error.value.code == status
        port = int(url.rpartition(":")[2].partition("/")[0])
        with pytest.raises(InputError, match=f"port {port} to be free"), overlap_judge(port):
            pass


def _asked(reference: str, prediction: str) -> dict[str, object]:
    prompt = f"Ground-truth answer: {reference} \nCandidate answer: {prediction} \nSimilar?"
    return completion({"messages": [{"content": "system"}, {"role": "user", "content": prompt}]})


@pytest.mark.parametrize("prompt", ["", "Candidate answer: a", "Ground-truth answer: a\n" * 3])
def test_what_has_no_two_answers_overlaps_in_nothing(prompt: str) -> None:
    """It is a no, as sure as it may be."""
    (choice,) = completion({"messages": [{"content": prompt}]})["choices"]
    (first,) = choice["logprobs"]["content"]
    assert choice["message"]["content"] == first["token"] == "No"
    assert first["logprob"] == pytest.approx(math.log(0.99))
    assert first["top_logprobs"][1]["logprob"] == pytest.approx(math.log(0.01))
