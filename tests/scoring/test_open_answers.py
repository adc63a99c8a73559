"""Reading and matching of open answers."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiqa_tasks.scoring.open_answers import (
    LEXICAL,
    contains,
    contains_normalized,
    exact,
    exact_match,
    final_answer,
    mathvista_match,
    normalized,
    read_as,
    relaxed_match,
    token_f1,
)


@pytest.mark.parametrize(
    ("response", "answer"),
    [
        ("The answer is 42.", "42"),
        ("First 3, then 4.\n**Answer:** 5 cm", "5 cm"),
        ("Answer:\n\n7", "7"),
        ("Answer: 3? No.\nThe final answer is: 4", "4"),
        ("So it is \\boxed{\\frac{1}{2}}. Good.", "\\frac{1}{2}"),
        ('{"answer": "blue"}', "blue"),
        ("答案：5", "5"),
        ("答えは5です。", "5"),
        ("Donc 6 x 7. Réponse : 42", "42"),
        ("La respuesta correcta es 3", "3"),
        (' "Blue." ', "Blue"),
        ("Blue\nand red", "Blue\nand red"),
        ("", ""),
    ],
)
def test_the_final_answer_is_what_the_response_calls_so(response: str, answer: str) -> None:
    """A field for the answer counts first, then the last line that names one, then the whole response."""
    assert final_answer(response) == answer


@pytest.mark.parametrize(
    ("prediction", "reference", "read"),
    [
        ("18 inches", "18", "18"),
        ("18cm", "18", "18"),
        ("18 inches (1.5 feet)", "18", "18"),
        ("18 inches. That is 1.5 feet.", "18", "18"),
        ("The total volume of the measuring cup is 250 grams.", "1000", "250"),
        ("Without the spheres, there are three small objects left.", "4", "3"),
        ("So it is compressed by $\\sqrt{0.25} = 0.5$ meters.", "1.2", "0.5"),
        ("The value is \\frac12.", "0.5", "\\frac12"),
        ("Yes. The study shows it.", "yes", "yes"),
        ("No idea", "no", None),
        *(
            ("正确。因为", "对", "对"),
            ("否", "是", "否"),
            ("對", "正确", "正确"),
            ("错误", "否", "否"),
        ),
        ("2 and 3", "2", None),
        ("There are 3 apples and 4 pears", "3", None),
        ("between 3 and 5", "3", None),
        ("H2O, x^2, the 3rd", "2", None),
        ("18", "18", None),
        ("18 inches", "a foot", None),
    ],
)
def test_a_number_or_a_verdict_is_read_in_words(
    prediction: str, reference: str, read: str | None
) -> None:
    """Only where the true answer is one, and only if the words leave one."""
    assert read_as(prediction, reference) == read


@pytest.mark.parametrize(
    ("prediction", "reference", "right"),
    [
        ("105", "100", True),
        ("105.1", "100", False),
        ("-95", "-100", True),
        ("0.5", "50%", True),
        ("51%", "0.5", True),
        ("0", "0", True),
        ("0.0", "0", False),
        ("Blue", "blue", True),
        ("blue.", "blue", True),
        ("dark blue", "blue", False),
        ("nan", "nan", True),
        ("inf", "100", False),
        ("1,000", "1000", False),
    ],
)
def test_relaxed_accuracy_is_chartqas(prediction: str, reference: str, right: bool) -> None:
    """Numbers within 5%, `50%` as 0.5; texts, and numbers where the true one is 0, the same but for their case."""
    assert relaxed_match(prediction, reference) is right


@pytest.mark.parametrize(
    ("prediction", "reference"),
    [
        *(
            ("10^-2", "0.01"),
            ("1.5e3", "1500"),
            ("1,500", "1500"),
            ("$1.5 \\times 10^{3}$", "1500"),
            ("1/2", "0.5"),
        ),
        *(
            ("\\frac{3}{4}", "0.75"),
            ("50%", "0.5"),
            ("−3", "-3"),
            ("2.50", "2.5"),
            ("α", "alpha"),
            ("$\\alpha$", "α"),
        ),
        *(
            ("$R^2_{t,h,v,m}$", "R^2_t,h,v,m"),
            ("b", "(b)"),
            ("(B)", "b"),
            ("B, A", "A, B"),
            ("A and B", "b, a"),
        ),
        *(
            ("$\\lambda_L = 0.13$", "lambda_L=0.13"),
            ("[50,100]", "[50, 100]"),
            ("Increasing.", "increasing"),
        ),
        *(("\\text{Joint-CNN}", "joint-CNN"), ("10", "10^1"), ("-10^2", "-100")),
    ],
)
def test_an_exact_match_allows_other_forms_of_the_same(prediction: str, reference: str) -> None:
    """Equal numbers in any notation, the same terms in another form or order: CharXiv's examples and their like."""
    assert exact_match(prediction, reference)
    assert exact_match(reference, prediction)


@pytest.mark.parametrize(
    ("prediction", "reference"),
    [
        *(
            ("ACC", "ACC+"),
            ("P=101", "P-101"),
            ("0.012", "0.01"),
            ("[100, 50]", "[50, 100]"),
            ("A, B, C", "A, B"),
        ),
        *(
            ("5", "five"),
            ("1500 m", "1500"),
            ("", "0"),
            ("increasing", "increasing then decreasing"),
            ("1/0", "0"),
        ),
        *(("50", "50%"), ("Δ", "delta x")),
    ],
)
def test_an_exact_match_allows_nothing_else(prediction: str, reference: str) -> None:
    """Another number, another term or one more do not match."""
    assert not exact_match(prediction, reference)


@given(st.text(max_size=60), st.text(max_size=60))
def test_every_text_can_be_compared(prediction: str, reference: str) -> None:
    """Nothing raises, an answer matches itself, and an exact match holds both ways."""
    assert exact_match(prediction, prediction)
    assert relaxed_match(prediction, prediction)
    assert exact_match(prediction, reference) == exact_match(reference, prediction)
    relaxed_match(final_answer(prediction), reference)


@given(
    st.decimals(
        allow_nan=False, allow_infinity=False, places=3, min_value=-(10**9), max_value=10**9
    )
)
def test_a_number_matches_itself_in_scientific_notation(number: object) -> None:
    """`1234.5` is `1.2345E+3`."""
    assert exact_match(f"{number:.12e}", f"{number:f}")


SYSTEMS = ("fid", "gpt35", "chatgpt", "gpt4", "newbing")
AGREEMENT = {
    "contains": (88.8, 83.8, 79.6, 81.7, 80.8),
    "contains_normalized": (89.7, 84.7, 80.3, 82.5, 82.3),
}
"""How often each agrees with the people on the half of EVOUNA from Natural Questions, by system, in percent."""


def test_case_punctuation_and_articles_do_not_count() -> None:
    """Except for `contains`, which ignores case alone."""
    assert normalized("The  U.S.A., an ally!") == "usa ally"
    assert exact("The Beatles.", ["beatles"]) == 1
    assert contains("it was John  Smith", ["john smith"]) == 0
    assert contains_normalized("it was John  Smith", ["Smith", "x"]) == 1


def test_overlap_is_the_harmonic_mean_of_precision_and_recall() -> None:
    """Words count as often as both have them; the best reference counts."""
    assert token_f1("red red car", ["red car car"]) == pytest.approx(2 / 3)
    assert token_f1("x y", ["z", "x"]) == pytest.approx(2 * (1 / 2) / (3 / 2))
    assert token_f1("x", []) == 0


@given(st.text(), st.lists(st.text(), max_size=3))
def test_scores_lie_between_0_and_1_and_a_reference_has_all(text: str, others: list[str]) -> None:
    """And an empty reference stands in no answer."""
    for name, score in LEXICAL.items():
        assert 0 <= score(text, others) <= 1
        assert score(text, [""]) == 0
        if normalized(text):
            assert score(text, [*others, text]) == 1, name


@pytest.mark.parametrize("name", AGREEMENT)
def test_the_known_agreement_with_people_comes_out(real_data: Path, name: str) -> None:
    """On 15,099 verdicts; a missing answer is empty."""
    rows = [
        row
        for row in json.loads((real_data / "evouna" / "NQ.json").read_text())
        if not row["improper"]
    ]
    found, verdicts = [], 0
    for system in SYSTEMS:
        judged = [row for row in rows if row[f"judge_{system}"] is not None]
        verdicts += len(judged)
        right = sum(
            LEXICAL[name](row[f"answer_{system}"] or "", row["golden_answer"].split("/"))
            == row[f"judge_{system}"]
            for row in judged
        )
        found.append(round(100 * right / len(judged), 1))
    assert verdicts == 15099
    assert found == pytest.approx(AGREEMENT[name], abs=0.051)


@pytest.mark.parametrize(
    ("prediction", "reference", "right"),
    [
        ("1.24", "1.2", True),
        ("1.26", "1.2", False),
        ("5.9", "5", True),
        ("1,000", "1000", True),
        ("x", "5", False),
        ("[1, 2]", "[1, 2]", True),
        ("[1,2]", "[1, 2]", False),
    ],
)
def test_mathvista_rounds_to_the_true_answers_precision(
    prediction: str, reference: str, right: bool
) -> None:
    """And cuts the fraction off against a whole number, as its script does."""
    assert mathvista_match(prediction, reference) == right
