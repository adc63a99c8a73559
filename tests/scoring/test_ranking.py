"""Rankings are read in the forms that judges write, and never completed."""

from string import ascii_uppercase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.scoring.ranking import parse_ranking

orders = st.integers(2, 11).flatmap(lambda count: st.permutations(ascii_uppercase[:count]))
FORMS = {
    "as asked": lambda order: f"Ranked Captions: [{', '.join(order)}]",
    "list": lambda order: f"[{','.join(order)}]",
    "python": lambda order: str(list(order)),
    "fenced": lambda order: f"```\n{list(order)}\n```",
    "line": lambda order: f"Ranked Captions: {', '.join(order)}.",
    "bold": lambda order: f"**Ranked Captions:** {', '.join(f'**{letter}**' for letter in order)}",
    "arrows": lambda order: " > ".join(order),
    "lines": lambda order: "\n".join(order),
    "numbered": lambda order: "\n".join(
        f"{place}. {letter}" for place, letter in enumerate(order, 1)
    ),
    "before a sentence": lambda order: "\n".join(order) + "\n\nA is more precise than B.",
    "numbered captions": lambda order: "\n".join(
        f"{i}. {letter}) a plot of loss, best" for i, letter in enumerate(order, 1)
    ),
    "names": lambda order: f"[{', '.join(f'Caption {letter}' for letter in order)}]",
    "with reasons": lambda order: (
        f"The first is precise.\nRanked Captions: [{', '.join(order)}]\nI hope this helps."
    ),
}


@pytest.mark.parametrize("form", FORMS)
@given(order=orders)
def test_every_form_of_a_ranking_is_read(form: str, order: list[str]) -> None:
    """The order comes back exactly, whatever the form."""
    found = parse_ranking(FORMS[form](order), sorted(order))
    assert found == (tuple(order), "ok")


@given(
    order=orders, place=st.integers(0, 20), change=st.sampled_from(["drop", "repeat", "unknown"])
)
def test_incomplete_ranking_is_none(order: list[str], place: int, change: str) -> None:
    """A letter that is missing, repeated or unknown makes no ranking, whatever could be guessed."""
    place %= len(order)
    broken = [letter for index, letter in enumerate(order) if index != place]
    if change == "repeat":
        broken.append(broken[0])
    if change == "unknown":
        broken.append("Z")
    assert parse_ranking(f"Ranked Captions: [{', '.join(broken)}]", sorted(order))[0] is None


@given(st.text(max_size=300))
def test_any_text_is_a_whole_ranking_or_none(text: str) -> None:
    """Whatever is written, what is returned has every letter once."""
    found = parse_ranking(text, "ABC")
    assert found[0] is None or sorted(found[0]) == ["A", "B", "C"]
    assert (found[0] is None) == (found[1] != "ok")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty reply"),
        ("I cannot see the figure.", "no list"),
        ("A) one\nB) two\nC) three", "no list"),
        ("The best one is B, then A.", "no list"),
        ("A, B, C, as far as one can tell", "no list"),
        ("B", "no list"),
        ("Ranked Captions: [A, B", "incomplete list"),
    ],
)
def test_what_is_no_ranking_says_why(text: str, reason: str) -> None:
    """Captions that are repeated in their order of appearance are no ranking either."""
    assert parse_ranking(text, "ABC") == (None, reason)


@pytest.mark.parametrize(
    "text",
    [
        "Ranking: [A, B, C]\nOn reflection: [C, A, B]",
        "[A, B, C]\nOn reflection, best first:\nC\nA\nB",
        "A\nB\nC\nOn reflection: (C, A, B)",
        "1. A\n2. B\n3. C\nOn reflection: C > A > B\nRanking: [C, A, B]",
        "[C, B, A] or (A; B; C), so:\n1. C\n2. A\n3. B",
    ],
)
def test_of_several_rankings_the_one_that_stands_last_counts(text: str) -> None:
    """The order of the text decides, whatever forms the rankings have."""
    assert parse_ranking(text, "ABC")[0] == ("C", "A", "B")
