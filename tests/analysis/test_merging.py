"""Runs merged on their questions, and which may be compared."""

from dataclasses import replace
from pathlib import Path

import pytest
from gain_files import LLM, host_samples, rights, write_triple
from host_files import choice_samples, write_run
from report_runs import choices, run_of
from run_pairs import load, only, scores, write_pair

from spiqa_tasks.analysis.gain import ablation_pairs
from spiqa_tasks.analysis.merging import check_comparable, questions
from spiqa_tasks.benchmarks.metric import mean_of
from spiqa_tasks.errors import InputError

ACCURACY = mean_of("accuracy")


def test_a_rate_has_a_score_of_each_question(tmp_path: Path) -> None:
    """Though no record names one: it is what the metric gives of a single question."""
    write_triple(tmp_path, rights(1, 2), rights(1, 2), None)
    run = load(tmp_path)[1]
    found = questions(run, run.metric("refusal_rate"))
    assert dict(found.score) == {"q0": 0, "q1": 0}


def test_only_questions_that_every_run_has_a_score_of_are_compared(tmp_path: Path) -> None:
    """A failed request of any run leaves the question out."""
    write_triple(
        tmp_path, [True, None, True, True], [True, True, None, True], [True, True, True, None]
    )
    assert scores(only(load(tmp_path))) == {"q0": (1, 1, 1)}


def test_a_question_that_was_not_asked_completely_is_none() -> None:
    """As a group of turns that a --limit cut."""
    first, second = choices([True, True])
    run = run_of([first, replace(second, status="incomplete", scores={})])
    assert list(questions(run, ACCURACY).index) == ["q0"]
    assert list(questions(run, run.metric("refusal_rate")).index) == ["q0"]


@pytest.mark.parametrize(
    ("options", "count", "message"),
    [
        (
            {},
            5,
            (
                "found 4 and 5, 1 in one of them only (such as q4). Run both on the whole task, or"
                " with the same --limit."
            ),
        ),
        (
            {},
            2,
            (
                "found 4 and 2, 2 in one of them only (such as q2, q3). Run both on the whole task,"
                " or with the same --limit."
            ),
        ),
        (
            {"data": "d2"},
            4,
            "found mmstar/val@d1 and mmstar/val@d2. Run both with the same data revision.",
        ),
        ({"prompt": "p2"}, 4, "found p1 and p2. Run both with the same prompt setting."),
        (
            {"answer": "B"},
            4,
            (
                "found 4 with another text or answer under the same id (such as q0, q1, q2). Run"
                " both with the same version of the task and of its prompt."
            ),
        ),
    ],
)
def test_runs_of_other_questions_are_refused(
    tmp_path: Path, options: dict[str, str], count: int, message: str
) -> None:
    """Other ids, another data hash, another prompt or another answer: refused, and the message
    says how.
    """
    write_run(tmp_path, "m", {"x": choice_samples(rights(1, 4))}, stamp="1", settings={"x": ""})
    samples = choice_samples(rights(1, count), **options)
    write_run(tmp_path, "m", {"x_text": samples}, stamp="2", settings={"x_text": "ablation=text"})
    with pytest.raises(InputError) as error:
        ablation_pairs(load(tmp_path, partial=True))
    field = next(
        (f"the same {name} " for name in ("data", "prompt") if name in options),
        "the same questions ",
    )
    said = f"Expected {field}for x in 1_results.json and x_text in 2_results.json; {message}"
    assert str(error.value) == said


def test_a_bases_prompt_may_be_another(tmp_path: Path) -> None:
    """Its questions and data may not."""
    write_triple(tmp_path, rights(3, 4), rights(2, 4), rights(1, 4))
    v, _, t = only(load(tmp_path)).runs
    check_comparable(v, t, ACCURACY, same_prompt=False)
    other = {"mmstar_filtered_llm": choice_samples(rights(1, 4), prompt="shots", data="d2")}
    write_run(tmp_path, "llm", other, "pretrained=b", stamp="3", settings=LLM)
    with pytest.raises(
        InputError,
        match=r"Expected the same data for mmstar_filtered in 1_results\.json and mmstar",
    ):
        ablation_pairs(load(tmp_path))


def test_other_text_of_a_host_task_is_refused(tmp_path: Path) -> None:
    """The marks of pictures may go, any other change of the prompt is refused; of a base it is
    no matter.
    """
    lines = host_samples("AB", lambda letter: float(letter == "A"))
    without = [{**line, "input": line["input"].replace(" <image>", "")} for line in lines]
    runs = write_pair(tmp_path, lines, without)
    assert only(runs).metric.name == "score"
    other = [{**line, "input": "other"} for line in lines]
    v, wv = write_pair(tmp_path, lines, other)
    with pytest.raises(
        InputError, match=r"2 with another text or answer under the same id \(such as 0, 1\)"
    ):
        ablation_pairs([v, wv])
    check_comparable(v, wv, v.metric(), same_prompt=False)
    answers = [{**line, "target": "B"} for line in lines]
    with pytest.raises(InputError, match="2 with another text or answer"):
        ablation_pairs(write_pair(tmp_path, lines, answers))


def test_other_revision_of_a_host_dataset_is_refused(tmp_path: Path) -> None:
    """Where the YAMLs name a revision, it must be the same; where none is named it is the
    newest.
    """
    lines = host_samples("AB", lambda letter: float(letter == "A"))
    write_run(tmp_path, "m", {"t": lines}, stamp="1", revision="a1")
    path = write_run(
        tmp_path, "ablated", {"t": lines}, "base=m,ablation=text", stamp="2", revision="b2"
    )
    with pytest.raises(
        InputError, match=r"the same data for .* found owner/data@a1 and owner/data@b2\. Run both"
    ):
        ablation_pairs(load(tmp_path))
    path.write_text(
        path.read_text().replace('"dataset_kwargs": {"revision": "b2"}', '"dataset_kwargs": null')
    )
    with pytest.raises(InputError, match=r"found owner/data@a1 and owner/data@newest"):
        ablation_pairs(load(tmp_path))
