"""Records of SPIQA, and what people are told of a run."""

import json
from typing import Any

import pytest

from spiqa_tasks.benchmarks.record import Record, Response
from spiqa_tasks.benchmarks.registry import load_rows
from spiqa_tasks.benchmarks.scorer import make_scorer
from spiqa_tasks.benchmarks.signature import Signature, parse
from spiqa_tasks.benchmarks.spiqa.definition import SPIQA, image_limit_advice, record
from spiqa_tasks.benchmarks.spiqa.release import SpiqaSettings
from spiqa_tasks.judge.rules import Candidate, L3ScoreRule

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
    assert not advised or (
        "spiqa_testB_perfigure" in advice[0] and advice[0].startswith("1 of 2 requests")
    )


def test_scoring_reads_neither_pictures_nor_full_texts() -> None:
    """Everything else of the settings stays."""
    assert SPIQA.scoring_settings(SpiqaSettings("fullpaper", seed=3)) == SpiqaSettings(
        "direct", seed=3, ablation="text"
    )
    assert SPIQA.scoring_settings(SpiqaSettings("cot", ablation="grey")) == SpiqaSettings(
        "cot", ablation="text"
    )


RULE = L3ScoreRule()


def row(settings: str) -> dict[str, Any]:
    return load_rows("spiqa", "demo", f"{settings},ablation=text")[0]


def answered(settings: str, text: str) -> Record:
    return record(row(settings), Response(text), RULE)


def test_a_record_names_answer_figures_and_groups() -> None:
    """It holds what is needed to check a score by hand, once, and is JSON."""
    shown = row("")
    found = answered("", "{'Answer': 'blue'}")
    assert (found.prediction, found.reference, found.rule, found.status) == (
        "blue",
        shown["answer"],
        "ok",
        "ok",
    )
    assert (found.id, found.cluster) == (shown["id"], shown["paper_id"])
    assert found.details == {"figures": [figure["file"] for figure in shown["figures"]]}
    assert found.groups["figure_type"] == shown["figure_type"]
    assert json.dumps(found.as_dict()).count("blue") == 1


@pytest.mark.parametrize(
    ("text", "prediction", "rule"),
    [
        ("{'Answer': 'blue'}", "blue", "ok"),
        ("It is blue", "It is blue", "unformatted"),
        ("", "", "empty"),
        ("{'Answer': 'blue and", "blue and", "truncated"),
    ],
)
def test_the_rule_tells_how_the_answer_was_found(text: str, prediction: str, rule: str) -> None:
    """Unformatted and truncated answers are answers all the same."""
    found = answered("", text)
    assert (found.prediction, found.rule) == (prediction, rule)


def test_a_refusal_is_told_and_still_judged() -> None:
    """Refusing is no failure of the host: the judge decides the score."""
    found = answered("", "I'm sorry, but I cannot answer this question without the images.")
    assert found.refused
    assert len(found.requests) == 1


def test_a_failed_request_has_neither_answer_nor_judgement() -> None:
    """Only the question, the reason and what was shown are there."""
    shown = row("")
    failed = make_scorer(SPIQA, "", "offline", None).record(shown, Response("", "boom"))
    assert (failed.id, failed.reference, failed.cluster) == (
        shown["id"],
        shown["answer"],
        shown["paper_id"],
    )
    assert failed.groups["figure_type"] == shown["figure_type"]
    assert parse(failed.signature).host == "offline"
    assert (failed.status, failed.reason, failed.prediction, failed.scores) == (
        "request_failed",
        "boom",
        None,
        {},
    )
    assert failed.requests == ()
    assert set(failed.details) == {"figures"}


@pytest.mark.parametrize(
    ("protocol", "metrics", "released"),
    [
        ("corrected", ["l3score"], None),
        ("both", ["l3score", "l3score_released"], "'blue'"),
    ],
)
def test_each_protocol_has_its_own_names_and_reading(
    protocol: str, metrics: list[str], released: str | None
) -> None:
    """Corrected reads the answer, released keeps its quotes; neither is judged without being
    asked for.
    """
    found = answered(f"protocol={protocol}", "{'Answer': 'blue'}")
    assert found.prediction == "blue"
    assert found.details.get("released", {}).get("prediction") == released
    assert [request.metric for request in found.requests] == metrics
    predictions = {"l3score": "blue", "l3score_released": "'blue'"}
    shown, rule = row(""), L3ScoreRule()
    assert [request.request for request in found.requests] == [
        rule.request(Candidate(predictions[name], shown["question"], shown["answer"]))
        for name in metrics
    ]


def test_the_judge_of_the_released_protocol_sees_the_released_bytes() -> None:
    """With blanks and control tokens, which are no part of the corrected answer."""
    found = answered("setting=cot,protocol=both", "The answer is a <s> b </s>")
    corrected, released = (request.request.prompt for request in found.requests)
    assert "\nCandidate answer: a < s> b \n" in corrected
    assert "\nCandidate answer:  a <s> b </s> \n" in released


@pytest.mark.parametrize(
    ("text", "prediction"),
    [
        ("{'Answer': 'MAP'} <s>", "MAP"),
        ("{'Answer': 'MAP </s>'}", "MAP"),
        ("<|im_start|> MAP<|im_end|>\n", "MAP"),
        ("MAP <s> BLEU", "MAP <s> BLEU"),
    ],
)
def test_control_tokens_around_an_answer_are_no_part_of_it(text: str, prediction: str) -> None:
    """Behind its format or within it; those within the answer stay."""
    assert answered("", text).prediction == prediction
    assert answered("setting=cot", text).prediction == prediction


def test_the_order_of_the_figures_is_the_answers_own_or_unknown() -> None:
    """Retrieval is scored by the figures that the model saw; where nobody knows them there is no
    score and no group.
    """
    shown = row("setting=cot,protocol=both")
    files = [figure["file"] for figure in shown["figures"]]
    text = "{'Image': 0, 'Rationale': 'r'} The answer is : x"
    needed = files[shown["referred"][0]]
    for order in (files, [needed, *(file for file in files if file != needed)]):
        found = record(shown, Response(text, shown=tuple(order)), RULE)
        assert found.details["figures"] == order
        right = float(order[0] in {files[index] for index in shown["referred"]})
        assert found.scores == {"retrieval_accuracy": right, "retrieval_accuracy_released": right}
        assert found.groups["figures"] == f"figures_{len(files)}"
    unknown = record(shown, Response(text, shown=()), RULE)
    assert unknown.scores == {}
    assert unknown.details["figures"] == []
    assert "figures" not in unknown.groups


def test_released_retrieval_takes_the_first_image_of_the_rationale() -> None:
    """Where the rationale names another image before, corrected and released retrieval differ."""
    shown = row("setting=cot,protocol=both")
    right = shown["referred"][0]
    wrong = (right + 1) % 8
    response = (
        f"{{'Image': {right}, 'Rationale': 'unlike Image {wrong}, it has the numbers'}} The answer"
        " is : blue"
    )
    found = record(shown, Response(response), RULE)
    assert found.scores == {"retrieval_accuracy": 1.0, "retrieval_accuracy_released": 0.0}
    assert (found.details["image"], found.details["released"]["image"]) == (right, wrong)
    assert set(found.details["released"]) == {"image", "prediction"}
    assert "blue" in found.details["released"]["prediction"]
    assert found.groups["figure_type"] == shown["figure_type"]
