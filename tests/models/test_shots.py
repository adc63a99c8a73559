"""`--model ablated ...,ablation=text,shots=2,shots_split=dev`: solved questions before each
question.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from choice_task import lettered, write_task
from openai_server import Behaviour, OpenAIServer

Evaluate = Callable[..., dict[str, Any]]
ROWS = [lettered(n, "ABCD"[n % 4]) for n in range(5)]
DEV = [lettered(n, "DCBA"[n % 4]) for n in range(100, 106)]
RUN_ON = "B\n\nWhich is number 7?\nA. x\nB. y\nAnswer: A"


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    """A base model that continues its answer with a question of its own."""
    with OpenAIServer(Behaviour(text=RUN_ON)) as running:
        yield running


@pytest.fixture
def ask(
    evaluate: Evaluate, tmp_path: Path, server: OpenAIServer
) -> Callable[..., tuple[list[str], dict[str, Any]]]:
    """`ask(shots, rows, dev, **options)` runs the task and returns the model's prompts in order,
    and the results.
    """
    from numbers_task import manager

    def run(
        shots: str, rows: Any = ROWS, dev: Any = DEV, **options: Any
    ) -> tuple[list[str], dict[str, Any]]:
        folder = write_task(tmp_path / f"task{len(list(tmp_path.iterdir()))}", rows, dev)
        base = f"model_version=tiny,base_url={server.url},api_key=EMPTY,timeout=60,num_concurrent=1"
        given = f"base=openai,ablation=text,{shots},{base}"
        results = evaluate(
            "ablated", ["host_choice"], given, task_manager=manager(folder), batch_size=1, **options
        )
        texts = []
        for request in server.requests:
            parts = [part for message in request["body"]["messages"] for part in message["content"]]
            assert all(part["type"] == "text" for part in parts)
            texts.append("".join(part["text"] for part in parts))
        server.requests.clear()
        order = [row["question"] for row in rows]
        return (
            sorted(
                texts,
                key=lambda text: next(n for n, asked in enumerate(order) if asked in last(text)),
            ),
            results,
        )

    return run


def last(text: str) -> str:
    """Return the question that is asked, after the solved ones."""
    return text.split("\n\n")[-1]


def test_two_solved_questions_of_the_split_stand_before_each(ask: Callable[..., Any]) -> None:
    """Text alone, each with its answer; the same two for every question; the seed decides which."""
    solved = {f"{row['question']}\nAnswer: {row['answer']}" for row in DEV}
    drawn = {}
    for seed in (0, 1, 2, 3):
        texts, _ = ask(f"shots=2,shots_split=dev,seed={seed}")
        assert len(texts) == len(ROWS)
        for text, row in zip(texts, ROWS, strict=True):
            *shots, asked = text.split("\n\n")
            assert asked == f"{row['question']}\nAnswer:"
            assert len(shots) == len(set(shots)) == 2
            assert set(shots) <= solved
        (drawn[seed],) = {tuple(text.split("\n\n")[:2]) for text in texts}
    assert len(set(drawn.values())) > 1
    assert ask("shots=2,shots_split=dev,seed=1", limit=2)[0][0].split("\n\n")[:2] == list(drawn[1])


def test_a_question_is_never_its_own_shot(ask: Callable[..., Any]) -> None:
    """Of the split that is asked: the other two of three questions, whatever the seed; nor one
    with the same text.
    """
    rows = ROWS[:3]
    for split, dev in (("test", DEV), ("dev", rows)):
        texts, _ = ask(f"shots=2,shots_split={split}", rows, dev)
        for text, row in zip(texts, rows, strict=True):
            *shots, asked = text.split("\n\n")
            assert row["question"] in asked
            assert {shot.rpartition("\nAnswer: ")[0] for shot in shots} == {
                other["question"] for other in rows if other is not row
            }


@pytest.mark.parametrize(
    ("shots", "dev", "message"),
    [
        ("shots=2,shots_split=val", DEV, "one of test, dev; found 'val'"),
        ("shots=7,shots_split=dev", DEV, "Expected 7 other questions of host_choice .* found 6"),
        ("shots=2,shots_split=dev", [lettered(n, "?") for n in range(9)], "found 0"),
        ("shots=2", DEV, "Expected shots=2,shots_split=validation"),
        ("shots_split=dev", DEV, "found shots=None"),
        ("shots=0,shots_split=dev", DEV, "found shots=0"),
        ("shots=2,shots_split=dev,ablation=grey", DEV, "ablation=grey"),
    ],
    ids=[
        "another split",
        "too many",
        "answers not told",
        "no split",
        "no number",
        "none",
        "with pictures",
    ],
)
def test_shots_that_there_cannot_be_are_refused(
    ask: Callable[..., Any], shots: str, dev: Any, message: str
) -> None:
    """In one sentence, and before the model is asked."""
    with pytest.raises(SystemExit, match=message):
        ask(shots, dev=dev)


def test_a_split_that_the_task_cannot_ask_is_refused(ask: Callable[..., Any]) -> None:
    """Its columns are empty."""
    with pytest.raises(SystemExit, match="found 0"):
        ask(
            "shots=2,shots_split=dev", dev=[{"question": None, "answer": "A", "options": ["x"]}] * 3
        )


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ("B\n\nWhich is the next", "B"),
        (" (B).\n\nWhich is the next", "(B)."),
        ("The figure shows a cat, so B.\n\nWhich one?\nAnswer: C", "The figure shows a cat, so B."),
        ("Let us look at the options.\n\nIt is B.", "Let us look at the options.\n\nIt is B."),
        ("B", "B"),
    ],
)
def test_the_first_paragraph_is_the_answer_where_more_questions_follow(
    response: Any, expected: Any
) -> None:
    """Or where it is as short as the answers shown; thoughts before an answer stay."""
    from spiqa_tasks.models.shots import Shots

    class Request:
        args = ("context", "t", "test")

    shots = Shots(1, "dev", 0, {"t": [("q", "A")]})
    assert shots.mapped_back(response, Request()) == expected  # type: ignore[arg-type]


def test_simple_models_get_them_in_their_context(evaluate: Evaluate, tmp_path: Path) -> None:
    """As chat models do."""
    from lmms_eval import models
    from lmms_eval.models.registry_v2 import ModelManifest
    from numbers_task import manager
    from recording_model import Recorder

    models.MODEL_REGISTRY_V2.register_manifest(
        ModelManifest("recorder", "recording_model.Recorder")
    )
    Recorder.seen.clear()
    folder = write_task(tmp_path / "task", ROWS, DEV)
    given = "base=recorder,ablation=text,shots=2,shots_split=dev"
    evaluate("ablated", ["host_choice"], given, task_manager=manager(folder))
    for (text, visuals), row in zip(Recorder.seen, ROWS, strict=True):
        *shots, asked = text.split("\n\n")
        assert (len(shots), asked, visuals) == (2, f"{row['question']}\nAnswer:", [])
