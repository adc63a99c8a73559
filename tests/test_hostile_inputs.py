"""One million inputs over all readers and parsers: whatever a model, a server or a file holds,
nothing raises.
"""

import copy
import json
import random
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from answer_files import (
    mmstar_table,
    right_answers,
    rows_of,
    write_jsonl,
    write_run_file,
    write_table,
)
from host_files import write_demo_run

from spiqa_tasks.benchmarks import signature
from spiqa_tasks.benchmarks.spiqa.perfigure import parse_helpful
from spiqa_tasks.errors import SpiqaTasksError
from spiqa_tasks.hosts.catalogue import find_tasks
from spiqa_tasks.judge.providers.anthropic import AnthropicJudge
from spiqa_tasks.judge.providers.openai import OpenAIJudge
from spiqa_tasks.judge.providers.provider import RequestError, retry_after_seconds
from spiqa_tasks.judge.sanitize import sanitize
from spiqa_tasks.judge.types import JudgeRequest, redacted
from spiqa_tasks.printable import printable
from spiqa_tasks.runs.paths import read_path
from spiqa_tasks.scoring.answer_formats import parse_answer, parse_answer_released, parse_cot
from spiqa_tasks.scoring.cot_released import parse_cot_released
from spiqa_tasks.scoring.mcq import extract_choice
from spiqa_tasks.scoring.ranking import parse_ranking
from spiqa_tasks.scoring.refusals import is_refusal
from spiqa_tasks.scoring.responses import without_reasoning

pytestmark = pytest.mark.slow

TEXTS, VALUES, FILES = 65_000, 50_000, 10_000
"""Inputs for each parser of texts (13 of them), of values (3) and for all readers of files: one
million.
"""
OPTIONS = {"A": "a red car", "B": "İstanbul", "C": "7.5", "D": "none of these"}
PIECES = (
    *("A", "B", "(C)", "**D**", "İ", "ß", "ﬁ", "é", "\u0301", "\u200b", "\ud800"),
    *("\x00", "\r", "\n", "\t", "–", ":", "."),
    *(
        "answer",
        "Answer: ",
        "The correct option is ",
        " not ",
        "option",
        "{'Answer': '",
        "'}",
        "{",
        "[",
        "}",
        '"',
        "\\",
    ),
    *(
        "Image ",
        "'Image': ",
        "3",
        "-1",
        "9" * 400,
        "1e999",
        "NaN",
        "<think>",
        "</think>",
        "yes",
        "No",
        "$",
        r"\boxed{",
    ),
    *(
        "Reference answer:",
        "### ",
        "<|im_end|>",
        "[INST]",
        "user:",
        "sorry",
        "cannot",
        " " * 50,
        "x" * 300,
        "%7C",
        "|",
    ),
)
ODD = (
    *(None, True, False, 0, -1, 1.5, float("nan"), float("-inf"), 10**400),
    *("", "\ud800", "x" * 2000, [], {}, [[]], [None]),
)
DAMAGE = (
    *(b"\r", b"\n", b"\t", b'"', b"\0", b"\xff", b"\xef\xbb\xbf", b"null"),
    *(b"[" * 50_000, b"x" * 140_000, b"9" * 5000),
)


def _text(rng: random.Random) -> str:
    return "".join(rng.choice(PIECES) for _ in range(rng.randrange(1, 12)))


def _damaged(rng: random.Random, value: Any) -> Any:
    """Return a copy of a value with one part replaced or removed."""
    value = copy.deepcopy(value)
    places: list[tuple[Any, Any]] = []

    def walk(inner: Any) -> None:
        for key in (
            inner
            if isinstance(inner, dict)
            else range(len(inner))
            if isinstance(inner, list)
            else ()
        ):
            places.append((inner, key))
            walk(inner[key])

    walk(value)
    if not places or rng.random() < 0.02:
        return rng.choice(ODD)
    holder, key = rng.choice(places)
    if rng.random() < 0.3:
        del holder[key]
    else:
        holder[key] = rng.choice(ODD)
    return value


PARSERS: Mapping[str, Callable[[str], Any]] = {
    "extract_choice": lambda text: extract_choice(text, OPTIONS),
    "parse_answer": parse_answer,
    "parse_answer_released": parse_answer_released,
    "parse_cot": parse_cot,
    "parse_cot_released": parse_cot_released,
    "parse_helpful": parse_helpful,
    "parse_ranking": lambda text: parse_ranking(text, tuple(OPTIONS)),
    "without_reasoning": without_reasoning,
    "is_refusal": is_refusal,
    "sanitize": sanitize,
    "printable": lambda text: printable(text) + redacted(text, "sk-secret-0123456789"),
    "retry_after": lambda text: retry_after_seconds({"retry-after": text}),
    "signature": signature.parse,
}


@pytest.mark.parametrize("name", PARSERS)
def test_no_text_raises(name: str) -> None:
    """Of pieces that parsers look for, in any order, with letters whose case changes their
    number.
    """
    rng = random.Random(name)
    for _ in range(TEXTS):
        text = _text(rng)
        try:
            PARSERS[name](text)
        except Exception as error:
            pytest.fail(f"{text!r}: {error!r}")


LISTED = [{"token": token, "logprob": -1.7} for token in ("Yes", "No", "a", "b", "c")]
CHAT = {
    "model": "m",
    "choices": [
        {
            "message": {"content": "Yes"},
            "logprobs": {"content": [{"token": "Yes", "top_logprobs": LISTED}]},
        }
    ],
    "usage": {"prompt_tokens": 3, "completion_tokens": 1},
}
MESSAGE = {
    "model": "m",
    "content": [{"type": "text", "text": "A"}],
    "usage": {"input_tokens": 3, "output_tokens": 1},
}


@pytest.mark.parametrize(
    ("answer", "read"),
    [
        (CHAT, lambda answer: OpenAIJudge.verdict_of(answer, JudgeRequest("p"))),
        (MESSAGE, lambda answer: AnthropicJudge.verdict_of(answer, JudgeRequest("p"))),
    ],
    ids=["chat completion", "message"],
)
def test_no_answer_of_a_server_raises(answer: Any, read: Callable[[Any], Any]) -> None:
    """A verdict, or the error that says why there is none."""
    rng = random.Random(0)
    for _ in range(VALUES):
        damaged = _damaged(rng, answer)
        for _ in range(rng.randrange(2)):
            damaged = _damaged(rng, damaged)
        try:
            read(damaged)
        except RequestError:
            continue
        except Exception as error:
            pytest.fail(f"{damaged!r}: {error!r}")


def _damaged_file(rng: random.Random, path: Path, content: bytes) -> bytes:
    """Return the content of a file with one part replaced or removed."""
    if path.suffix in (".json", ".jsonl") and rng.random() < 0.6:
        lines = content.splitlines() if path.suffix == ".jsonl" else [content]
        place = rng.choice([0, rng.randrange(len(lines))])
        lines[place] = json.dumps(_damaged(rng, json.loads(lines[place]))).encode()
        return b"\n".join(lines)
    at, piece = rng.randrange(len(content) + 1), rng.choice(DAMAGE)
    return content[:at] + rng.choice([piece, piece, b""]) + content[at + rng.choice([0, 1, 30]) :]


def test_no_file_raises(tmp_path: Path) -> None:
    """Of every form, damaged in one place: its answers, or one sentence."""
    (task,) = find_tasks(["mmstar_demo"])
    right = right_answers(task.name)
    frame = mmstar_table(rows_of(task)[:4])
    whole = tmp_path / "whole"
    paths = [
        write_jsonl(whole / "a.jsonl", right),
        *(write_table(frame, whole / f"t{suffix}") for suffix in (".tsv", ".json", ".xlsx")),
        write_run_file(whole, task.name, "m", right),
    ]
    write_demo_run(whole / "host", "m", lambda _place, row: row["answer"])
    paths += sorted((whole / "host").iterdir())
    entry = {
        "question": "q",
        "response": {"a.png": ["Yes", "x"]},
        "answer": "y",
        "all_figures_names": ["a.png"],
    }
    paths.append(whole / "p_response.json")
    paths[-1].write_text(json.dumps({"0": entry, "1": {**entry, "response": "x"}}))
    contents = {path: path.read_bytes() for path in paths}
    rng = random.Random(0)
    work = tmp_path / "work"
    shutil.copytree(whole / "host", work)
    for _ in range(FILES):
        path = rng.choice(paths)
        place = work / path.name
        place.write_bytes(damaged := _damaged_file(rng, path, contents[path]))
        try:
            for run in read_path(place, [task.name])[0]:
                assert not run.logged or list(run.by_id) is not None
        except SpiqaTasksError:
            pass
        except Exception as error:
            pytest.fail(f"{path.name}: {damaged[:2000]!r}: {error!r}")
        if path.parent.name == "host":
            place.write_bytes(contents[path])
