"""When a value is withheld."""

from hypothesis import given
from hypothesis import strategies as st
from pages import text_of

from spiqa_tasks.benchmarks.metric import is_covered, too_few


@given(st.integers(0, 400), st.integers(0, 400))
def test_enough_is_one_and_99_in_a_hundred(known: int, total: int) -> None:
    """In whole numbers, so that no rounding decides."""
    assert is_covered(known, total) == (known > 0 and 100 * known >= 99 * total)


def test_the_share_is_the_one_of_the_docs() -> None:
    """The sentence of a withheld number names the share, and docs/answers.md defines it."""
    reason = too_few(98, 100, "answers have a score")
    assert (reason, too_few(99, 100, "")) == ("98 of 100 answers have a score, fewer than 99%", "")
    assert reason.partition(", ")[2] in text_of("answers")
    assert too_few(0, 0, "answers have a score") == "no answers have a score"
