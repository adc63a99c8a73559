"""L3Score agrees with an independent calculation and with what the paper says of each case."""

import math
import random
from decimal import Decimal, getcontext

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from spiqa_tasks.scoring.l3score import l3score

getcontext().prec = 40
FILLERS = ["The", "Y", "Not", "n", " maybe", "nope", "yes.", "\n", "True", "none", "Yess", "N"]
YES = ["yes", "Yes", " yes", "YES", "yeah", " Yeah "]
NO = ["no", "No", " NO", "no "]


def by_definition(entries: list[tuple[str, float]]) -> float:
    """Equations 1 and 2 in exact decimals, written from the paper."""
    five = entries[:5]
    odds = [Decimal(logprob).exp() for _, logprob in five]
    words = [token.strip().lower() for token, _ in five]
    where_yes = [i for i in range(len(five)) if words[i] in ("yes", "yeah")]
    where_no = [i for i in range(len(five)) if words[i] == "no"]
    if not where_yes and not where_no:
        return 0.0
    rest = max(Decimal("1e-8"), min(odds[-1], Decimal(1) - sum(odds)))
    yes = odds[where_yes[0]] if where_yes else rest
    no = odds[where_no[0]] if where_no else rest
    return float(yes / (yes + no))


def random_list(rng: random.Random, words: list[str]) -> list[tuple[str, float]]:
    weights = [rng.random() ** rng.choice([1, 4, 12]) for _ in range(len(words) + 1)]
    probabilities = sorted((weight / sum(weights) for weight in weights[1:]), reverse=True)
    return [(word, math.log(max(p, 1e-300))) for word, p in zip(words, probabilities, strict=True)]


@pytest.mark.parametrize("wanted", [[YES, NO], [YES], [NO], [], [YES, YES, NO, NO]])
def test_agrees_with_exact_decimals_in_every_case(wanted: list[list[str]]) -> None:
    """1,000 random top-5 lists with yes, no, both or neither score as the paper's equations in
    exact decimals.
    """
    rng = random.Random(str(wanted))
    for _ in range(1000):
        words = [rng.choice(forms) for forms in wanted]
        words += rng.choices(FILLERS, k=5 - len(words))
        rng.shuffle(words)
        entries = random_list(rng, words)
        assert l3score(entries) == pytest.approx(by_definition(entries), abs=1e-9, rel=1e-6)


@pytest.mark.parametrize("low", [-20.0, -30.0, -9999.0, -math.inf])
def test_a_certain_verdict_scores_as_the_release_says(low: float) -> None:
    """A certain yes scores 0.99999999 and a certain no about 1e-8."""
    others = [(word, low) for word in ("a", "b", "c", "d")]
    assert l3score([("Yes", 0.0), *others]) == pytest.approx(0.99999999, abs=1e-9)
    assert l3score([("No", 0.0), *others]) == pytest.approx(1e-8, rel=1e-3)


def test_order_of_the_list_does_not_matter() -> None:
    """A list that is not sorted scores as the sorted one."""
    entries = [("no", math.log(0.1)), ("d", math.log(0.01)), ("yes", math.log(0.7))]
    assert l3score(entries) == l3score(sorted(entries, key=lambda entry: -entry[1]))


def test_entries_after_the_first_five_do_not_count() -> None:
    """A no in sixth place is missing."""
    probabilities = [0.5, 0.1, 0.1, 0.1, 0.1, 0.05]
    words = ["yes", "a", "b", "c", "d", "no"]
    entries = [(word, math.log(p)) for word, p in zip(words, probabilities, strict=True)]
    assert l3score(entries) == pytest.approx(0.5 / 0.6)


def test_one_entry_may_be_all_that_there_is() -> None:
    """The probability of no is what the entry leaves, if that is less than its own."""
    assert l3score([("yes", math.log(0.6))]) == pytest.approx(0.6)


def test_impossible_words_score_zero() -> None:
    """Yes and no of probability 0 both score 0, not 0/0."""
    assert l3score([("a", 0.0), ("yes", -math.inf), ("no", -math.inf)]) == 0.0
    assert l3score([("yes", -9999.0), ("no", -9999.0)]) == 0.0


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        (
            [],
            (
                r"Expected \(token, logprob\) pairs, found none; use a judge that returns"
                r" top_logprobs\."
            ),
        ),
        ([("a", 0.0), ("yes", math.nan)], "found nan for token 'yes'"),
        ([("yes", 3.0)], r"Expected natural-log probabilities .*, found 3.0 for token 'yes'\."),
        ([("yes", 0.0101)], "found 0.0101"),
        ([("yes", math.inf)], "found inf"),
    ],
)
def test_unusable_lists_are_refused(entries: list[tuple[str, float]], message: str) -> None:
    """An empty list, NaN and logits are errors, never scores."""
    with pytest.raises(
        ValueError, match=f"{message}$" if message.endswith(".") else message
    ) as found:
        l3score(entries)
    assert str(found.value).startswith("Expected ")


LOGPROBS = st.one_of(st.floats(-40, 0), st.sampled_from([0.0, -9999.0, -math.inf]))
TOKENS = st.one_of(st.sampled_from(YES + NO + FILLERS), st.text(max_size=5))
ENTRIES = st.lists(st.tuples(TOKENS, LOGPROBS), min_size=1, max_size=20)


@given(ENTRIES)
def test_the_score_is_in_range(entries: list[tuple[str, float]]) -> None:
    """Every list of log probabilities, even one that sums to more than 1, scores between 0 and
    1.
    """
    assert 0.0 <= l3score(entries) <= 1.0


@given(ENTRIES, st.data())
def test_case_and_blanks_do_not_matter(
    entries: list[tuple[str, float]], data: st.DataObject
) -> None:
    """Upper case and blanks around a token change nothing."""
    entries = [(token, logprob) for token, logprob in entries if token.isascii()]
    assume(entries)
    forms = st.sampled_from([str.upper, str.lower, str.title, lambda token: f" {token}\n"])
    assert l3score([(data.draw(forms)(token), logprob) for token, logprob in entries]) == l3score(
        entries
    )


@given(
    st.floats(-30, 0), st.floats(-30, 0), st.floats(-30, 0), st.lists(st.floats(-30, 0), max_size=3)
)
def test_a_likelier_yes_never_scores_less(
    less: float, more: float, no: float, rest: list[float]
) -> None:
    """With both words present the score grows with the logprob of yes, but for rounding."""
    less, more = sorted([less, more])
    others = [("no", no), *(("x", logprob) for logprob in rest)]
    assert l3score([("yes", less), *others]) <= l3score([("yes", more), *others]) + 1e-15
