"""The difference of two numbers as a sum of lines."""

import math
import random
from collections.abc import Mapping
from statistics import fmean

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.analysis.decomposition import (
    AVERAGE,
    COVERAGE,
    MIXED,
    OTHER,
    RULE,
    UNKNOWN,
    Line,
    decomposed,
)
from spiqa_tasks.analysis.numbers import CUT, FAILED, NONE, Average, ReportedNumber
from spiqa_tasks.scoring.intervals import paired


def lines_of(a: ReportedNumber, b: ReportedNumber, *, same_rule: bool = True) -> dict[str, Line]:
    """Cause -> line."""
    return {line.cause: line for line in decomposed(a, b, same_rule)}


def number(
    scores: Mapping[str, float],
    rescored: Mapping[str, float] | None = None,
    kinds: Mapping[str, str] | None = None,
    groups: Mapping[str, str] | None = None,
    counts_failed: bool = False,
    value: float | None = None,
) -> ReportedNumber:
    """A number of these scores; its value is what they give, unless it is named."""
    ids = [*scores, *(key for key in kinds or () if key not in scores)]
    columns = {
        "score": [scores.get(key, math.nan) for key in ids],
        "rescored": [(rescored or {}).get(key, math.nan) for key in ids],
        "kind": [(kinds or {}).get(key, "") for key in ids],
        "cluster": [None] * len(ids),
        "group": [(groups or {}).get(key, "") for key in ids],
    }
    frame = pd.DataFrame(columns, index=ids)
    average = Average("group" if groups else "", counts_failed)
    made = average.of(frame) if value is None else value
    return ReportedNumber(made, "accuracy", frame, average)


def some_number(source: random.Random, other: list[str]) -> ReportedNumber:
    """Questions that were cut, failed or left out, in groups or none, and a number that need not
    be theirs.
    """
    keys = [key for key in other if source.random() < 0.9] or other[:1]
    kinds = {key: source.choice((FAILED, CUT, NONE)) for key in keys if source.random() < 0.4}
    scores = {key: source.choice((0.0, 1.0, 0.3)) for key in keys if kinds.get(key) != FAILED}
    scores = scores or {keys[0]: 1.0}
    return number(
        scores,
        {key: source.choice((0.0, 1.0)) for key in scores if source.random() < 0.7},
        kinds,
        {key: source.choice("xyz") for key in other} if source.random() < 0.5 else {},
        source.random() < 0.5,
        source.random(),
    )


@given(st.integers(0, 10**6), st.booleans())
def test_the_lines_add_up_to_the_difference(seed: int, same_rule: bool) -> None:
    """Whatever failed, was left out, counted twice, read otherwise or averaged by groups."""
    source = random.Random(seed)
    ids = [str(place) for place in range(source.randint(2, 12))]
    a, b = some_number(source, ids), some_number(source, ids)
    if not set(a.questions.index) & set(b.questions.index):
        with pytest.raises(ValueError, match="common"):
            decomposed(a, b, same_rule)
        return
    found = decomposed(a, b, same_rule)
    assert math.fsum(line.value for line in found) == pytest.approx(b.value - a.value, abs=1e-9)


def test_equal_numbers_have_no_line() -> None:
    """All values are 0, and no question is named."""
    a = number({"1": 1.0, "2": 0.0})
    assert [(line.value, list(line.ids)) for line in decomposed(a, a, same_rule=True)] == [
        (0.0, [])
    ] * 10


def test_each_cause_has_its_line() -> None:
    """Ten questions, all right in A; of B's one is missing, one failed, one cut, one empty and
    one wrong.
    """
    keys = [str(place) for place in range(10)]
    a = number(dict.fromkeys(keys, 1.0))
    kinds = {"1": FAILED, "2": CUT, "3": NONE}
    b = number({key: float(key > "4") for key in keys[2:]}, kinds=kinds, counts_failed=True)
    found = lines_of(a, b)
    assert {cause: list(line.ids) for cause, line in found.items() if line.ids} == {
        COVERAGE: ["0"],
        FAILED: ["1"],
        CUT: ["2"],
        NONE: ["3"],
        OTHER: ["4"],
    }
    assert found[COVERAGE].value == 0
    assert [found[cause].value for cause in (FAILED, CUT, NONE, OTHER)] == pytest.approx(
        [-1 / 9] * 4
    )
    test = paired([1.0] + [0.0] * 8, [0.0] * 9)
    assert (found[OTHER].low, found[OTHER].high) == (test.low, test.high)


@pytest.mark.parametrize(("counts", "value"), [(True, -0.25), (False, 1 / 3 - 1 / 2)])
def test_failed_requests_are_one_line_however_they_are_counted(counts: bool, value: float) -> None:
    """As wrong, or left out of a number that then is of easier questions."""
    a = number({"0": 1.0, "1": 1.0, "2": 0.0, "3": 0.0})
    b = number({"1": 1.0, "2": 0.0, "3": 0.0}, kinds={"0": FAILED}, counts_failed=counts)
    assert lines_of(a, b)[FAILED].value == pytest.approx(value)
    assert b.value - a.value == pytest.approx(value)


def test_the_rule_is_averaged_over_both_orders() -> None:
    """A's answers by B's rule, and the reverse: 0.5 and 0.25 more, so 0.375 of the difference."""
    a = number(
        {"0": 0.0, "1": 0.0, "2": 1.0, "3": 0.0}, rescored={"0": 1.0, "1": 1.0, "2": 1.0, "3": 0.0}
    )
    b = number(
        {"0": 1.0, "1": 1.0, "2": 1.0, "3": 1.0}, rescored={"0": 1.0, "1": 1.0, "2": 1.0, "3": 0.0}
    )
    found = lines_of(a, b, same_rule=False)
    by_total = [a.questions.rescored.mean() - a.value, b.value - b.questions.rescored.mean()]
    assert found[RULE].value == pytest.approx(fmean(by_total))
    assert found[OTHER].value == pytest.approx(b.value - a.value - fmean(by_total))
    assert set(found[RULE].ids) == {"0", "1", "3"}


def test_one_order_is_enough_and_none_is_not() -> None:
    """With a reading by the other rule in one order it decides; without any the rule cannot be
    told from the answer.
    """
    a, b = number({"0": 0.0, "1": 0.0}, rescored={"0": 1.0}), number({"0": 1.0, "1": 1.0})
    found = lines_of(a, b, same_rule=False)
    assert (found[RULE].value, found[MIXED].value, found[OTHER].value) == (0.5, 0.5, 0.0)
    assert list(found[MIXED].ids) == ["1"]


def test_a_mean_of_groups_is_a_line_of_its_own() -> None:
    """The same scores, over questions in A, over two groups of unequal size in B."""
    scores = {"0": 1.0, "1": 0.0, "2": 0.0, "3": 0.0}
    a, b = number(scores), number(scores, groups={"0": "x", "1": "y", "2": "y", "3": "y"})
    assert (a.value, b.value) == (0.25, 0.5)
    assert lines_of(a, b)[AVERAGE].value == pytest.approx(0.25)


def test_a_number_that_is_no_average_of_the_scores_is_unknown() -> None:
    """The part that its scores do not make."""
    a = number({"0": 1.0, "1": 0.0})
    assert lines_of(a, number({"0": 1.0, "1": 0.0}, value=0.7))[UNKNOWN].value == pytest.approx(0.2)
