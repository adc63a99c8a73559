"""Which options an answer picks of several."""

import pytest

from spiqa_tasks.scoring.mcq.several import extract_letters, letters_in

OPTIONS = {"A": "red", "B": "blue", "C": "green", "D": "white", "E": "grey"}


@pytest.mark.parametrize(
    ("response", "letters"),
    [
        ("b, e", "BE"),
        ("a,b,d", "ABD"),
        ("BE", "BE"),
        ("be", "BE"),
        ("c", "C"),
        ("(B) and (E)", "BE"),
        ("A et C", "AC"),
        ("\\boxed{A,C}", "AC"),
        ("正解はbとeです", "BE"),
        ("The correct answers are B and D.", "BD"),
        ("The correct answers are B. blue and D. white.", "BD"),
        ("Les réponses correctes sont : b et d", "BD"),
        ("B. blue\nD. white", "BD"),
        ("A and B are wrong; answer: C", "C"),
        ("I think it is C.", "C"),
        ("B, Z", ""),
        ("残念ながら、写真がありません。", ""),
        ("bad", ""),
        ("", ""),
    ],
)
def test_the_letters_are_those_that_the_answer_lists(response: str, letters: str) -> None:
    """Alone, as labels, behind the words that name the answer, or line by line; one that is no option spoils all."""
    assert "".join(sorted(extract_letters(response, OPTIONS))) == letters


def test_long_lists_are_read_in_linear_time() -> None:
    """They are no answer; a pattern with two ways to skip a blank would take minutes."""
    assert letters_in("A B " * 20000) == letters_in(" " * 20000) == frozenset()
