"""The host's own statistics on our tasks: paired t-test, stability over repeats, power."""

import argparse
import json
import statistics
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from numbers_task import manager
from openai_server import OpenAIServer
from scipy.stats import ttest_rel

from spiqa_tasks.benchmarks.registry import load_rows, yaml_folder
from spiqa_tasks.metrics.text_scores import text_scores

Evaluate = Callable[..., dict[str, Any]]
WriteSamples = Callable[[dict[str, Any], str], Path]


def headline(samples: list[dict[str, Any]], name: str) -> list[float]:
    """Return the score of each sample by the headline."""
    return [sample[name]["scores"][name] for sample in samples]


@pytest.mark.usefixtures("judged")
@pytest.mark.parametrize(
    ("task", "name", "models"),
    [
        ("spiqa_demo", "l3score", ("caption_retrieval", "openai")),
        ("mmstar_demo", "accuracy", ("frequent_choice", "random_choice")),
        ("scifibench_demo", "accuracy", ("frequent_choice", "random_choice")),
    ],
)
def test_baseline_is_compared_answer_by_answer(
    evaluate: Evaluate,
    judged: OpenAIServer,
    chat_args: str,
    write_samples: WriteSamples,
    task: str,
    name: str,
    models: tuple[str, str],
) -> None:
    """`--baseline SAMPLES` gives the paired t-test of the headline, as scipy computes it from
    the samples.
    """
    answers = {
        row["question"]: row["answer"] for row in load_rows("spiqa", "demo", "ablation=text")
    }

    def right_every_second_time(body: dict[str, Any]) -> str:
        text = body["messages"][0]["content"][0]["text"]
        question = next(question for question in answers if question in text)
        return answers[question] if len(question) % 2 else "something else"

    judged.behaviour.text = right_every_second_time
    first = evaluate(models[0], [task])
    path = write_samples(first, task)
    second = evaluate(
        models[1], [task], chat_args if models[1] == "openai" else "", baseline=str(path)
    )
    found = second["results"][task]
    before, after = (headline(result["samples"][task], name) for result in (first, second))
    expected = ttest_rel(after, before)
    assert found["paired_baseline_score"] == pytest.approx(100 * statistics.mean(before))
    assert found["paired_pvalue"] == pytest.approx(expected.pvalue, abs=1e-4)
    middle = (found["paired_ci_lower"] + found["paired_ci_upper"]) / 2
    assert middle == pytest.approx(100 * (statistics.mean(after) - statistics.mean(before)))
    assert before != after


@pytest.fixture
def own_task(tmp_path: Path) -> Callable[[str], Any]:
    """`own_task(leaf)` returns lmms-eval's index with `twice`, a user's task that repeats every
    question of a leaf.
    """

    def make(leaf: str) -> Any:
        included = yaml_folder() / leaf.partition("_")[0] / f"{leaf}.yaml"
        folder = tmp_path / "own"
        folder.mkdir()
        (folder / "twice.yaml").write_text(f"include: {included}\ntask: twice\nrepeats: 2\n")
        return manager(folder)

    return make


def every_other(first: str, second: str) -> Callable[[dict[str, Any]], str]:
    """A model that answers a repeated question in another way."""
    asked: Counter[str] = Counter()

    def text(body: dict[str, Any]) -> str:
        question = str(body["messages"])
        asked[question] += 1
        return first if asked[question] % 2 else second

    return text


def test_repeats_have_their_stability_columns(
    evaluate: Evaluate, server: OpenAIServer, chat_args: str, own_task: Callable[[str], Any]
) -> None:
    """`repeats: 2`: the expected accuracy is over both answers, the accuracy over the first;
    none is consistent.
    """
    server.behaviour.text = every_other("A", "B")
    result = evaluate(
        "openai", ["twice"], f"{chat_args},num_concurrent=1", task_manager=own_task("mmstar_demo")
    )
    found = result["results"]["twice"]
    rows = load_rows("mmstar", "demo", "ablation=text")
    given = [sample["filtered_resps"] for sample in result["samples"]["twice"]]
    assert all(sorted(answers) == ["A", "B"] for answers in given)
    hits = [
        [answer == row["answer"] for answer in answers]
        for row, answers in zip(rows, given, strict=True)
    ]
    assert found["accuracy_expected_accuracy,none"] == pytest.approx(
        statistics.mean(map(statistics.mean, hits))
    )
    assert found["accuracy,none"] == pytest.approx(statistics.mean(first for first, _ in hits))
    assert found["accuracy_internal_variance,none"] > 0
    assert found["accuracy_consistency_rate,none"] < 1


def test_repeated_texts_have_scores_of_their_own(
    evaluate: Evaluate, server: OpenAIServer, chat_args: str, own_task: Callable[[str], Any]
) -> None:
    """Text metrics of the second answers are not those of the first."""
    server.behaviour.text = every_other(
        "{'Answer': 'blue'}", "{'Answer': 'A red line of the plot'}"
    )
    options = {"task_manager": own_task("spiqa_demo"), "limit": 6}
    result = evaluate("openai", ["twice"], f"{chat_args},num_concurrent=1", **options)
    rows = load_rows("spiqa", "demo", "ablation=text")[:6]
    scores = []
    for answer in ("blue", "A red line of the plot"):
        found = text_scores([(answer, row["answer"]) for row in rows], ["rouge_l"])
        scores.append(found["rouge_l"].value)
    assert result["results"]["twice"]["rouge_l_expected_accuracy,none"] == pytest.approx(
        statistics.mean(scores)
    )
    assert scores[0] != pytest.approx(scores[1])


def test_filters_of_ones_own_see_all_answers(
    evaluate: Evaluate, server: OpenAIServer, chat_args: str, own_task: Callable[[str], Any]
) -> None:
    """A YAML that chooses among the repeated answers is given all of them."""
    index = own_task("mmstar_demo")
    path = Path(index.task_index["twice"]["yaml_path"])
    path.write_text(
        path.read_text() + "filter_list: [{name: k, filter: [{function: take_first_k, k: 2}]}]\n"
    )
    server.behaviour.text = "A"
    result = evaluate("openai", ["twice"], chat_args, task_manager=index, limit=3)
    assert "accuracy,k" in result["results"]["twice"]


def test_power_counts_the_questions(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`lmms-eval power --tasks mmstar_demo` says how many there are."""
    from lmms_eval.cli.power_cmd import add_power_parser

    monkeypatch.setattr("lmms_eval.cli.power_utils.TaskManager", lambda *_, **__: manager())
    parser = argparse.ArgumentParser()
    add_power_parser(parser.add_subparsers())
    arguments = parser.parse_args(["power", "--tasks", "mmstar_demo"])
    arguments.func(arguments)
    assert "mmstar_demo:\n    Sample size:         n = 24" in capsys.readouterr().out


def test_samples_of_a_headline_hold_its_score_at_the_top(
    evaluate: Evaluate, write_samples: WriteSamples
) -> None:
    """The host's comparison reads the key `score` of a line, which no row of the table is made
    of.
    """
    result = evaluate("frequent_choice", ["scifibench_demo"])
    lines = write_samples(result, "scifibench_demo").read_text().splitlines()
    assert [json.loads(line)["score"] for line in lines] == headline(
        result["samples"]["scifibench_demo"], "accuracy"
    )
    assert "score,none" not in result["results"]["scifibench_demo"]
