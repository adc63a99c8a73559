"""Which judges and files `score` takes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from spiqa_tasks.benchmarks.registry import rows_for_scoring
from spiqa_tasks.errors import InputError, JudgeError
from spiqa_tasks.hosts.catalogue import Task, find_tasks
from spiqa_tasks.judge.rules.l3score import L3ScoreRule
from spiqa_tasks.judge.rules.letters import LettersRule
from spiqa_tasks.offline.inputs import Input, chosen_judges, differences, read_inputs
from spiqa_tasks.offline.matching import Matched, Prediction
from spiqa_tasks.offline.scored import Scored

(SPIQA,) = find_tasks(["spiqa_demo"])
(MMSTAR,) = find_tasks(["mmstar_demo"])
LETTERS = Task("mine", "scifibench", "demo", "prompt=letter,extractor=judge")
ENVIRON = {"SPIQA_JUDGE": "openai:gpt-4o", "SPIQA_JUDGE_BASE_URL": "http://localhost:1/v1"}


def judges(task: Task, names: list[str] | None, environ: dict[str, str] | None = None, top: str = "5") -> list[str]:
    """What they are called."""
    return list(chosen_judges(task, names, "released", top, ENVIRON if environ is None else environ))


def test_the_environments_judge_is_the_default_and_none_switches_off() -> None:
    """Named judges replace it, each once; a task that needs no judge has none of the environment's."""
    assert judges(SPIQA, None) == ["openai:gpt-4o"]
    assert judges(SPIQA, None, {"SPIQA_JUDGE": "none"}) == []
    assert judges(SPIQA, ["none"]) == []
    assert judges(SPIQA, ["openai:a", "openai:b@http://x/v1", "openai:a"]) == ["openai:a", "openai:b@http://x/v1"]
    assert judges(MMSTAR, None) == []


def test_each_task_has_the_kind_of_judge_that_it_needs() -> None:
    """L3Score needs log-probabilities, the reading of letters does not; top is a number or the whole vocabulary."""
    (judge,) = chosen_judges(SPIQA, None, "released", "3", ENVIRON).values()
    assert judge.rule == L3ScoreRule(top=3)
    (judge,) = chosen_judges(LETTERS, ["anthropic:claude-3-haiku"], "released", "5", ENVIRON).values()
    assert judge.rule == LettersRule()
    with pytest.raises(JudgeError, match="anthropic"):
        judges(SPIQA, ["anthropic:claude-3-haiku"])
    with pytest.raises(InputError, match="top must be a number"):
        judges(SPIQA, None, top="many")
    with pytest.raises(InputError, match="no --judge for mmstar_demo"):
        judges(MMSTAR, ["openai:a"])


def test_files_are_called_by_their_names_or_paths(tmp_path: Path) -> None:
    """Two files of one name are told apart by their paths; one file twice is refused; what is missing is told."""
    rows = rows_for_scoring("mmstar", "demo", "")
    paths = [tmp_path / place / "m.jsonl" for place in "ab"]
    for path in paths:
        path.parent.mkdir()
        path.write_text(json.dumps({"id": rows[0]["id"], "prediction": "A"}))
    (given,) = read_inputs(paths[:1], MMSTAR)
    assert given.label == "m"
    assert given.remarks == (
        f"{MMSTAR.name}: {paths[0]}: {len(rows) - 1} questions have no answer and are left out, the first: "
        f"{', '.join(row['id'] for row in rows[1:6])}.",
    )
    assert [given.label for given in read_inputs(paths, MMSTAR)] == [str(path) for path in paths]
    with pytest.raises(InputError, match="one of them twice"):
        read_inputs([paths[0], paths[0]], MMSTAR)


def test_answers_made_with_other_data_are_told() -> None:
    """Other data than those that they are scored with are named; the same, or none told, are not."""
    result = Scored("t", "m", None, {}, {}, {}, "data:mmstar/demo@1|prompt:p1+p2|settings:s", [])

    def said(signature: str | None) -> list[str]:
        matched = Matched("lmms-eval", {"1": Prediction("1", "A", signature=signature)}, (), (), ())
        return differences(Input("m", MMSTAR, [], matched, ()), result)

    assert said(None) == said("data:mmstar/demo@1|prompt:p2|settings:s") == []
    assert said("data:mmstar/demo@2") == ["m: made with the data mmstar/demo@2, scored with mmstar/demo@1."]
