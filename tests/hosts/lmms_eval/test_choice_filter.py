"""The filter `choice_letter` of the host: any task can name it."""

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from openai_server import OpenAIServer

pytestmark = pytest.mark.usefixtures("host")
OPTIONS = {"A": "red", "B": "blue"}
YAML = """dataset_path: json
dataset_kwargs: {data_files: {test: rows.jsonl}}
task: colours
test_split: test
doc_to_visual: !function utils.visual
doc_to_text: question
doc_to_target: answer
output_type: generate_until
generation_kwargs: {max_new_tokens: 4}
process_results: !function utils.results
filter_list:
  - {name: letter, filter: [{function: choice_letter}, {function: take_first}]}
metric_list:
  - {metric: exact_match, aggregation: mean, higher_is_better: true}
"""
HOOKS = """
def visual(doc):
    return []

def results(doc, results):
    return {"exact_match": float(results[0] == doc["answer"])}
"""


def made(**arguments: Any) -> Any:
    """Return the filter with these arguments, by its name in lmms-eval."""
    from lmms_eval.filters import get_filter

    from spiqa_tasks.hosts.lmms_eval.registration import register_tasks

    register_tasks()
    return get_filter("choice_letter")(**arguments)


def test_a_task_of_the_host_reads_letters_with_it(
    server: OpenAIServer, chat_args: str, tmp_path: Path, evaluate: Any
) -> None:
    """In a real run of a task that is not ours, also where a limit leaves docs out."""
    from numbers_task import manager

    rows = [
        {
            "question": f"{n}?",
            "choices": ["red", "blue"] if n % 2 else ["blue", "red"],
            "answer": "B" if n % 2 else "A",
        }
        for n in range(4)
    ]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "colours.yaml").write_text(YAML.replace("rows.jsonl", str(tmp_path / "rows.jsonl")))
    (tmp_path / "utils.py").write_text(HOOKS)
    server.behaviour.text = "It is as blue as the sky, not red."
    for more in ({}, {"limit": 2, "offset": 1}):
        found = evaluate("openai", ["colours"], chat_args, task_manager=manager(tmp_path), **more)
        assert found["results"]["colours"]["exact_match,letter"] == 1.0
        letters = [sample["filtered_resps"] for sample in found["samples"]["colours"]]
        assert (
            letters == [["A"], ["B"], ["A"], ["B"]][more.get("offset", 0) :][: more.get("limit", 4)]
        )


def test_every_repeat_is_read() -> None:
    """A doc's answers become a list of letters, or a letter where another filter has chosen one."""
    docs = [{"options": ["red", "blue"]}, {"options": ["blue", "red"]}]
    assert made().apply([["B", "(A)"], ["It is blue"]], docs) == [["B", "A"], ["A"]]
    assert made().apply(["It is blue", "It is blue"], docs) == ["B", "A"]


def test_answers_belong_to_the_docs_whose_places_are_given() -> None:
    """Not to the first ones: a process has every second doc of the split."""
    filtered = made()
    filtered.positions = [2, 0]
    docs = [{"choices": OPTIONS}, {"choices": {}}, {"choices": {"C": "red", "D": "blue"}}]
    assert filtered.apply([["It is blue"], ["It is blue"]], docs) == [["D"], ["B"]]


def test_an_answer_that_picks_nothing_becomes_the_fallback() -> None:
    """The host's own filters have the same one."""
    docs = [{"choices": OPTIONS}]
    assert made().apply([["It depends."]], docs) == [["[invalid]"]]
    assert made(fallback="").apply([["It depends."]], docs) == [[""]]


def test_options_may_be_named_or_be_letters_alone() -> None:
    """A column, a column for each, the question, or letters (of numbers, too) where the texts are
    in a picture.
    """
    doc = {"one": "red", "two": "blue", "mine": ["blue", "red"]}
    assert made(options=["one", "two"]).apply([["It is blue"]], [doc]) == [["B"]]
    assert made(options="mine").apply([["It is blue"]], [doc]) == [["A"]]
    columns = {"question": "Which?", "opa": "red", "opb": "blue"}
    listed = {"question": "Which?\nA. red\nB. blue"}
    assert made().apply([["It is blue"], ["It is red"]], [columns, listed]) == [["B"], ["A"]]
    assert made(letters="ABCD").apply([["So (D)."], ["It is blue"]], [doc, doc]) == [
        ["D"],
        ["[invalid]"],
    ]
    assert made(letters=1234).apply([["Answer: 2"]], [doc]) == [["2"]]


@pytest.mark.parametrize("doc", [{"question": "Which?"}, {"choices": 7}])
def test_docs_without_options_are_said_once(
    doc: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    """Nothing is raised, as the host would lose every task of the run."""
    filtered = made()
    with caplog.at_level(logging.ERROR, logger="spiqa_tasks"):
        assert filtered.apply([["B"], ["A"]], [doc, doc]) == [["[invalid]"], ["[invalid]"]]
    (said,) = caplog.messages
    assert said.startswith("choice_letter: Expected the options of a doc in ")
    assert "`letters`" in said
