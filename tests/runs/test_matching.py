"""Answers, matched with a task's questions, and what a file has beside them, compared with the
release.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from spiqa_tasks.benchmarks.record import Record, Response
from spiqa_tasks.errors import InputError
from spiqa_tasks.runs.differences import compare_with_release
from spiqa_tasks.runs.join import match, match_counts
from spiqa_tasks.runs.run import Answer

ROWS = [{"id": "1"}, {"id": "2"}, {"id": "30"}]
PATH = Path("answers.jsonl")


def matched(*answers: tuple[str, str]) -> tuple[dict[str, Answer], dict[str, list[str]]]:
    """Return the matched answers of (id, text) pairs."""
    given = [Answer(key, Response(text), position=n) for n, (key, text) in enumerate(answers)]
    return match(PATH, given, ROWS)


def test_unknown_missing_and_repeated_ids_are_counted_and_named() -> None:
    """Answers are matched in the task's order; what does not fit is reported."""
    found, unmatched = matched(("30", "C"), ("x", "A"), ("1", "A"), ("1", "A"))
    assert {key: answer.response.text for key, answer in found.items()} == {"1": "A", "30": "C"}
    assert list(found) == ["1", "30"]
    assert unmatched == {"missing": ["2"], "unknown": ["x"], "duplicates": ["1"]}
    assert match_counts(unmatched) == {
        "missing": 1,
        "missing_first": ["2"],
        "unknown": 1,
        "unknown_first": ["x"],
        "duplicates": 1,
        "duplicates_first": ["1"],
    }


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        (
            [("2", "A"), ("1", "A"), ("1", "B")],
            (
                "Expected one answer per question in answers.jsonl, found two for 1, number 2 and"
                " 3. Keep one, or name ids: --columns id=COLUMN (id= for none)."
            ),
        ),
        (
            [("x", "A"), ("y", "A")],
            (
                "Expected answers to the task's questions (ids such as '1') in answers.jsonl, found"
                " ids such as 'x'. Name another task, or the ids with --columns id=COLUMN."
            ),
        ),
        (
            [],
            (
                "Expected answers to the task's questions (ids such as '1') in answers.jsonl, found"
                " no answers. Name another task, or the ids with --columns id=COLUMN."
            ),
        ),
    ],
)
def test_answers_that_contradict_or_belong_elsewhere_are_refused(
    entries: list[tuple[str, str]], message: str
) -> None:
    """Two different answers to one question, or answers to questions of another task, are no
    basis for a score.
    """
    with pytest.raises(InputError) as error:
        matched(*entries)
    assert str(error.value) == message


CHOICE = {
    "id": "1",
    "question": "Which one?",
    "letters": ["A", "B"],
    "options": ["a cat", "a dog"],
    "answer": "B",
}
FREE = {"id": "1", "paper_id": "p", "question": "How much?", "answer": "-3.5 dB"}
FIGURES = {"p": ("a.png", "b.png", "c.png")}


def compare(
    answer: Answer, row: Mapping[str, Any] = CHOICE, count: int = 1, accept: bool = False
) -> tuple[dict[str, Answer], list[str], list[str]]:
    """One answer among `count` whose file has nothing to compare."""
    rows = [row, *({**row, "id": f"other {place}"} for place in range(count - 1))]
    answers = [answer, *(Answer(each["id"], Response("A")) for each in rows[1:])]
    return compare_with_release(PATH, match(PATH, answers, rows)[0], rows, FIGURES, accept)


def is_same(answer: Answer, row: Mapping[str, Any] = CHOICE) -> bool:
    """Return whether no field of an answer differs from the row."""
    _, ids, said = compare(answer, row, accept=True)
    assert bool(ids) == bool(said)
    return not said


@pytest.mark.parametrize(
    ("question", "reference", "same"),
    [
        ("", "", True),
        ("Which one?", "B", True),
        ("which ONE", "b.", True),
        ("Which one? Options: A: a cat, B: a dog", "a dog", True),
        ("Look: Which one? Answer with a letter.", "B", True),
        ("one", "", True),
        ("Which two?", "B", False),
        ("Which one?", "A", False),
        ("Which one?", "a cat", False),
        ("", "C", False),
    ],
)
def test_questions_and_true_answers_are_the_releases(
    question: str, reference: str, same: bool
) -> None:
    """With the options or a prompt around the question, the true answer as letter or text;
    blanks and case are free.
    """
    assert is_same(Answer("1", Response("A"), question=question, references=(reference,))) == same


@pytest.mark.parametrize(
    ("options", "same"),
    [
        ({"A": "a cat", "B": "a dog"}, True),
        ({"A": "A) a cat", "B": "(B) A dog."}, True),
        ({"B": "a dog"}, True),
        ({"A": "a dog", "B": "a cat"}, False),
        ({"A": "a cat", "B": "a dog", "C": "a cow"}, False),
    ],
)
def test_options_are_the_releases_under_their_letters(options: dict[str, str], same: bool) -> None:
    """With or without the letter before the text; in another order a letter means another
    option.
    """
    assert is_same(Answer("1", Response("A"), options=options)) == same
    assert is_same(
        Answer("1", Response("A"), options=options), {**CHOICE, "options": ["", ""]}
    ) == ("C" not in options)


@pytest.mark.parametrize(
    ("reference", "same"),
    [
        ("-3.5 dB", True),
        ("−3.5dB", True),
        (" '-3.5 dB'. ", True),
        ("3.5 dB", False),
        ("-35 dB", False),
        ("-3.5", False),
    ],
)
def test_a_number_is_another_one_without_its_sign_or_point(reference: str, same: bool) -> None:
    """Of other signs only letters and digits count."""
    assert (
        is_same(Answer("1", Response("A"), references=(reference.replace("−", "-"),)), FREE) == same
    )


@pytest.mark.parametrize(
    ("shown", "same"),
    [
        (None, True),
        ((), True),
        (("c.png", "a.png"), True),
        (("c.png", "d.png"), False),
        (("a.png", "a.png"), False),
    ],
)
def test_figures_are_the_papers_each_once(shown: tuple[str, ...] | None, same: bool) -> None:
    """In any order; of others nothing is known, so that no number means one of them."""
    answer = Answer("1", Response("A", shown=shown))
    assert is_same(answer, FREE) == same
    answers, *_ = compare(answer, FREE, accept=True)
    assert answers["1"].response.shown == (shown if same else ())
    assert compare(answer, {**FREE, "paper_id": "not known"})[1:] == ([], [])


@pytest.mark.parametrize(
    ("prompt", "row", "same"),
    [
        ("Look at it. Which one? Answer.", CHOICE, True),
        ("A) a cat\nB) a dog\nWhich fits best?", CHOICE, True),
        ("A) a cat\nB) a cow\nWhich fits best?", CHOICE, False),
        ("Another?", CHOICE, False),
        ("Another?", {**CHOICE, "options": ["", ""]}, False),
        ("Describe it.", {**CHOICE, "prompt": "caption"}, True),
        ("", CHOICE, True),
    ],
)
def test_the_prompt_that_a_host_logged_has_the_question_or_its_options(
    prompt: str, row: Mapping[str, Any], same: bool
) -> None:
    """Some prompts have other words for the question; those of --predict_only have no record."""
    for record in (Record("1"), None):
        answer = Answer("1", Response("A"), record, question=prompt, references=("B",))
        assert is_same(answer, row) == same


def test_options_in_both_questions_do_not_make_them_one() -> None:
    """Many questions have the options yes and no, and MMStar's list theirs."""
    row = {**CHOICE, "question": "Is it a cat? A: yes, B: no", "options": ["yes", "no"]}
    answer = Answer("1", Response("A"), question="Is it a dog? A: yes, B: no", references=("B",))
    assert not is_same(answer, row)


def test_one_question_of_a_hundred_is_told_and_scored_as_the_releases() -> None:
    """The sentence has the id and both texts; the answer counts."""
    answers, ids, said = compare(Answer("1", Response("A"), question="Which\ttwo?"), count=100)
    assert said == [
        "answers.jsonl: 1 of 100 questions differ from the release and are scored as the release's:"
        " 1; 1 has the question 'Which two?' there, 'Which one?' in the release."
    ]
    assert ids == ["1"]
    assert len(answers) == 100


def test_long_texts_are_quoted_from_where_they_differ() -> None:
    """A sentence that cuts them both before that would show two equal texts."""
    same = "With the same words for longer than a sentence quotes, " * 3
    row = {**CHOICE, "question": f"{same}which one?"}
    answer = Answer("1", Response("A"), question=f"{same}which two?")
    _, _, (said,) = compare(answer, row, count=100)
    assert "tence quotes, which two?' there, '...tence quotes, which one?'" in said


@pytest.mark.parametrize(
    ("answer", "count", "told"),
    [
        (
            Answer("1", Response("A"), question="Which two?"),
            99,
            "question 'Which two?' there, 'Which one?'",
        ),
        (
            Answer("1", Response("A"), references=("A",), question="q"),
            1000,
            "true answer 'A' there, 'B'",
        ),
        (
            Answer("1", Response("A"), options={"A": "a cow"}),
            1000,
            "option A 'a cow' there, 'a cat'",
        ),
    ],
)
def test_more_or_another_key_is_refused_unless_it_is_accepted(
    answer: Answer, count: int, told: str
) -> None:
    """One sentence with a pair, and the option; accepted, it is told and scored as the
    release's.
    """
    with pytest.raises(InputError) as error:
        compare(answer, count=count)
    assert (
        str(error.value)
        == f"Expected the release's questions in answers.jsonl, found 1 of {count} ids that differ"
        f" (1): 1 has the {told} in the release. Correct the task or --columns, or"
        " `score --accept-differences`."
    )
    _, ids, (said,) = compare(answer, count=count, accept=True)
    assert ids == ["1"]
    assert f"; 1 has the {told} in the release." in said


PAPERS = [
    {"id": f"{paper}/{key}", "paper_id": paper, "question": text, "answer": f"{paper} {key}"}
    for paper, texts in {
        "1611.1v1": ["Why?", "How much, in %?", "Why?"],
        "1611.1v10": ["How much, in %?"],
    }.items()
    for key, text in enumerate(texts)
]


@pytest.mark.parametrize("name", ["1611.1v1#1", "1611.1v1_qa_1", "1611.1v1.1", "1611.1v1Q0"])
def test_ids_with_another_separator_are_refused_with_one_of_the_tasks(name: str) -> None:
    """Whatever stands between paper and key; beside ids of the task they are left out."""
    match_of = "such as '1611.1v1/0'.*found ids such as '{}'. Name another task"
    with pytest.raises(InputError, match=match_of.format(re.escape(name))):
        match(PATH, [Answer(name, Response("x"))], PAPERS)
    given = [Answer("1611.1v1/0", Response("x")), Answer(name, Response("x"))]
    assert match(PATH, given, PAPERS)[1]["unknown"] == [name]


def test_answers_with_ids_of_another_pipeline_are_found_by_their_questions() -> None:
    """Where the task asks the text once: as `spiqa_434` of a shuffled copy of test-A."""
    texts = ["Whose?", "Where?", "When?"]
    rows = [
        *PAPERS,
        *({"id": f"2/{n}", "paper_id": "2", "question": text} for n, text in enumerate(texts)),
    ]
    given = [
        Answer("spiqa_7", Response("x"), question=" whose? "),
        Answer("spiqa_3", Response("x"), question="WHERE?"),
        Answer("spiqa_8", Response("x"), question="When?"),
        Answer("spiqa_9", Response("y"), question="How much, in %?"),
        Answer("spiqa_1", Response("z"), question="Of another task?"),
    ]
    found, unmatched = match(PATH, given, rows)
    assert {key: answer.id for key, answer in found.items()} == {
        f"2/{n}": f"2/{n}" for n in (0, 1, 2)
    }
    assert unmatched["unknown"] == ["spiqa_9", "spiqa_1"]

    # one id of the task says that the others are none
    ours = Answer("1611.1v1/0", Response("w"))
    assert list(match(PATH, [*given, ours], rows)[0]) == ["1611.1v1/0"]
    # of another task, which has a question of this one
    with pytest.raises(InputError, match="found ids such as 'spiqa_8'"):
        match(PATH, given[2:], rows)


def test_answers_to_parts_of_a_question_are_not_told_apart_by_its_text() -> None:
    """One figure at a time, a question is several documents: in the order of a file they would be
    answers to any of them.
    """
    rows = [{"id": f"p/0/f.png/{step}", "question": "Why?"} for step in ("helpful", "answer")]
    given = [Answer(f"x{n}", Response("a"), position=n, question="Why?") for n in (0, 1)]
    with pytest.raises(InputError, match="found ids such as 'x0'"):
        match(PATH, given, rows)


def test_an_id_of_the_task_counts_before_paper_and_question() -> None:
    """Whose text may be a whole prompt; another pipeline's id does not hide them."""
    given = [
        Answer("1611.1v1/1", Response("a"), question="A prompt", paper="1611.1v1"),
        Answer("q_7", Response("b"), question="how much, in %?", paper="1611.1v10"),
    ]
    found, unmatched = match(PATH, given, PAPERS)
    assert {key: answer.response.text for key, answer in found.items()} == {
        "1611.1v1/1": "a",
        "1611.1v10/0": "b",
    }
    assert not unmatched["unknown"]


def test_answers_to_a_text_that_a_paper_asks_twice_are_in_its_order() -> None:
    """If both are there, and different or not."""
    for text in ("x{}", "x"):
        given = [
            Answer(
                "",
                Response(text.format(place)),
                position=place,
                question=row["question"],
                paper=row["paper_id"],
            )
            for place, row in enumerate(PAPERS)
        ]
        found, unmatched = match(PATH, given, PAPERS)
        assert [answer.position for answer in found.values()] == list(range(len(PAPERS)))
        assert not any(unmatched.values())


def test_one_answer_to_a_text_that_a_paper_asks_twice_is_of_no_question() -> None:
    """Nobody knows of which it is."""
    given = [
        Answer("", Response(row["id"]), question=row["question"].upper(), paper=row["paper_id"])
        for row in PAPERS[:2] + PAPERS[3:]
    ]
    found, unmatched = match(PATH, given, PAPERS)
    assert {key: answer.response.text for key, answer in found.items()} == {
        key: key for key in ("1611.1v1/1", "1611.1v10/0")
    }
    assert unmatched["unknown"] == ["1611.1v1/WHY?"]


def test_ids_that_count_the_questions_of_a_paper_from_1_are_refused() -> None:
    """All but the last would be answers to other questions; so it is in a task without papers."""
    shifted = []
    for row in PAPERS:
        paper, _, key = row["id"].partition("/")
        shifted.append(Answer(f"{paper}/{int(key) + 1}", Response(row["answer"])))
    with pytest.raises(InputError, match=r"found '1611.1v1/3' and no 0. Count from 0."):
        match(PATH, shifted, PAPERS)

    of_one_list = [Answer(str(place), Response("A"), position=place) for place in (1, 2, 3)]
    with pytest.raises(InputError, match=r"found '3' and no 0. Count from 0."):
        match(PATH, of_one_list, [{"id": str(place)} for place in range(3)])


def test_an_unknown_id_that_is_not_one_too_high_refuses_no_file() -> None:
    """It is left out and named, as is one of a paper whose first question has its answer."""
    given = [Answer(row["id"], Response("x")) for row in PAPERS[1:]]
    for unknown in ("1611.1v1/7", "1611.1v10/1"):
        assert match(PATH, [*given, Answer(unknown, Response("x"))], PAPERS)[1]["unknown"] == [
            unknown
        ]
