"""The host's requests of one task, with their answers; none of it needs the host itself."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from spiqa_tasks.hosts.lmms_eval.instances import answers_of, split_repeats


def _counts(*tokens: int | None) -> list[Any]:
    return [SimpleNamespace(output_tokens=each) for each in tokens]


def _request(place: int, filtered: Any, counts: list[Any] | None = None, **changes: Any) -> Any:
    """A request as the host has it, its answers filtered by `none`."""
    fields = {"doc_id": place, "arguments": ("context", {"max_new_tokens": 9}), "filtered_resps": {"none": filtered}}
    return SimpleNamespace(**{**fields, "token_counts": counts or [], **changes})


@pytest.mark.parametrize(("tokens", "expected"), [(512, True), (511, False), (None, None)])
def test_the_host_tells_the_length_in_its_requests(tokens: int | None, expected: bool | None) -> None:
    """An answer with as many tokens as the task generates at most was cut off."""
    request: Any = SimpleNamespace(
        doc_id=7,
        arguments=("context", {"max_new_tokens": 512}),
        filtered_resps={"none": ["B"]},
        token_counts=[SimpleNamespace(output_tokens=tokens)],
    )
    assert answers_of([request], "none") == {7: [("B", expected)]}


def test_answers_stand_by_the_place_of_their_document() -> None:
    """As one text, as a list and as the host's lists within a list; what has none is not named."""
    requests = [_request(4, "B"), _request(0, ["A"]), _request(2, [["C", "D"]]), _request(1, []), _request(3, None)]
    assert answers_of(requests, "none") == {
        4: [("B", None)],
        0: [("A", None)],
        2: [("C", None), ("D", None)],
    }
    assert answers_of(requests, "other") == {}


def test_several_requests_for_one_document_are_its_repeats() -> None:
    """In their order."""
    requests = [_request(0, "A", _counts(9)), _request(1, "x"), _request(0, "B", _counts(8))]
    assert answers_of(requests, "none")[0] == [("A", True), ("B", False)]


@pytest.mark.parametrize(
    "changes",
    [
        {"arguments": ("context", {})},
        {"arguments": ("context",)},
        {"token_counts": None},
        {"token_counts": _counts(9, 9)},
    ],
)
def test_without_a_limit_or_a_length_for_each_answer_nothing_is_said(changes: dict[str, Any]) -> None:
    """Whether the answer was cut off is then not known."""
    assert answers_of([_request(0, ["B"], _counts(9), **changes)], "none") == {0: [("B", None)]}


def test_a_request_with_repeats_becomes_one_for_each_answer() -> None:
    """Each has its own answer, number and length, nothing of the filters, and all else of the first; in place."""
    repeated = _request(7, ["A"], _counts(5, 9, 2), resps=["A", "B", "C"], raw_filtered_resps={"none": 1}, idx=0)
    single = _request(8, ["D"], _counts(3), resps=["D"], raw_filtered_resps={}, idx=0)
    instances = given = [repeated, single]
    split_repeats(instances)
    assert instances is given
    assert instances[-1] is single
    assert [(each.idx, each.resps, each.token_counts[0].output_tokens) for each in instances[:-1]] == [
        (0, ["A"], 5),
        (1, ["B"], 9),
        (2, ["C"], 2),
    ]
    assert all(each.filtered_resps == each.raw_filtered_resps == {} for each in instances[:-1])
    assert all((each.doc_id, each.arguments) == (7, repeated.arguments) for each in instances[:-1])
    instances[0].filtered_resps["none"] = "A"
    assert instances[1].filtered_resps == {}


def test_nothing_is_split_where_nothing_is_repeated() -> None:
    """Requests with one answer or none stay the objects that they are."""
    requests = [_request(0, [], resps=[]), _request(1, ["A"], resps=["A"])]
    before = list(requests)
    split_repeats(requests)
    assert all(one is other for one, other in zip(requests, before, strict=True))
