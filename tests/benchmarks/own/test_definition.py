"""The YAML of a benchmark of one's own: its defaults, and what is refused."""

from pathlib import Path
from typing import Any

import pytest

from spiqa_tasks.benchmarks.own.definition import parse
from spiqa_tasks.errors import InputError

LEAST: dict[str, Any] = {"benchmark": "mine", "data": "rows.jsonl"}
CHOICE: dict[str, Any] = {**LEAST, "columns": {"options": "options"}}


def test_a_name_and_data_are_enough(tmp_path: Path) -> None:
    """Open questions in `question`, answers in `answer`, no pictures; judged, and matched exactly."""
    found = parse(LEAST, tmp_path)
    assert (found.kind, found.data, found.split, found.folder) == (
        "open",
        {"test": "rows.jsonl"},
        "test",
        tmp_path,
    )
    assert (found.columns.question, found.columns.answer, found.columns.images) == (
        "question",
        ("answer",),
        (),
    )
    assert found.metrics == ("l3score", "exact_match")
    assert (found.tasks, found.groups) == ({"mine": ""}, {})


def test_options_make_choices(tmp_path: Path) -> None:
    """A column of options is all that choices need; both kinds are asked for by name."""
    assert (parse(CHOICE, tmp_path).kind, parse(CHOICE, tmp_path).metrics) == (
        "choice",
        ("accuracy",),
    )
    both = parse({**CHOICE, "kind": "both"}, tmp_path)
    assert both.metrics == ("accuracy", "exact_match")


def test_variants_are_tasks_and_a_group(tmp_path: Path) -> None:
    """`text` and `grey` are a task each; `both` is the two, and the group of them and the task itself."""
    assert parse({**LEAST, "variants": ["text"]}, tmp_path).tasks == {
        "mine": "",
        "mine_text": "ablation=text",
    }
    found = parse({**LEAST, "variants": "both"}, tmp_path)
    assert found.tasks == {"mine": "", "mine_text": "ablation=text", "mine_grey": "ablation=grey"}
    assert found.groups == {"mine_both": ("mine", "mine_text", "mine_grey")}


def test_results_carry_what_makes_the_definition_again(tmp_path: Path) -> None:
    """The values with the YAML's folder give the same definition anywhere."""
    found = parse({**CHOICE, "variants": "both", "where": {"split": ["a", 1]}}, tmp_path)
    assert parse(found.portable, Path("elsewhere")) == found
    assert found.where == {"split": ("a", "1")}


def test_the_split_of_the_solved_questions_is_not_the_one_that_is_asked(tmp_path: Path) -> None:
    """Shots come from a split of their own."""
    data = {"dev": "dev.jsonl", "test": "test.jsonl"}
    found = parse({**LEAST, "data": data, "shots": {"split": "dev", "count": 2}}, tmp_path)
    assert (found.split, found.shots.count, found.shots.split) == ("test", 2, "dev")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"colums": {}}, "colums is none of benchmark, folder, data, columns, kind"),
        ({"benchmark": "my benchmark"}, "match pattern"),
        ({"data": {}}, "data: {}"),
        ({"data": 3}, "data: 3"),
        ({"columns": {"anser": "a"}}, "anser is none of question, answer"),
        ({"columns": {"points": "p"}, "metrics": ["rouge_l"]}, "do not weigh text metrics"),
        ({"columns": ["a"]}, "columns: ['a']: Input should be"),
        ({"kind": "choice"}, "columns: has to name the options"),
        ({"kind": "free"}, "kind: 'free': Input should be 'open', 'choice' or 'both'"),
        ({"metrics": ["accuracy"]}, "accuracy is none of l3score, l3score_sampled"),
        (
            {"kind": "both", "columns": {"options": "o"}, "metrics": ["accuracy"]},
            "by which it counts open answers",
        ),
        ({"variants": ["blue"]}, "variants: 'blue'"),
        ({"max_new_tokens": "many"}, "max_new_tokens: 'many'"),
        ({"shots": {"split": "dev", "count": 2}}, "beside the one that is asked"),
        ({"shots": {"count": -1}}, "shots: count: -1"),
        ({"answer_is": "roman"}, "answer_is: 'roman'"),
        (
            {"prompt": "{question} \\boxed{}"},
            "a field without a name. Write a brace that is text twice",
        ),
        ({"prompt": "{question"}, "Write a brace that is text twice"),
        (
            {"prompt": {"closed": "x"}},
            "prompt: closed: [key]: 'closed': Input should be 'choice' or 'open'",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused(
    values: dict[str, Any], message: str, tmp_path: Path
) -> None:
    """One sentence names the key and what it may be."""
    with pytest.raises(InputError) as error:
        parse({**LEAST, **values}, tmp_path)
    assert message in str(error.value)
