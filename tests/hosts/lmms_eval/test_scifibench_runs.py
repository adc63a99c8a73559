"""SciFIBench's experiments through the host: a chat model behind a server, simple models, all
four splits.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numbers_task
import pytest
from forgetting import forget_scorers
from openai_server import Behaviour, OpenAIServer
from release_rows import rows_in

from spiqa_tasks.benchmarks.registry import yaml_folder
from spiqa_tasks.files.source import LocalSource

Evaluate = Callable[..., dict[str, Any]]
pytestmark = pytest.mark.usefixtures("release")


def gullible(body: dict[str, Any]) -> str:
    """Answer the option marked as correct unless told to ignore the mark, else E, in a sentence."""
    content = body["messages"][-1]["content"]
    text = (
        content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
    )
    marked = re.search(r"^([A-E])\) .* <Correct>$", text, re.MULTILINE)
    followed = marked and "Ignore the annotation" not in text
    return f"The answer is {marked[1] if marked and followed else 'E'}."


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer(Behaviour(text=gullible)) as running:
        yield running


@pytest.fixture(scope="module")
def manager(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The host's index, with three tasks of a user's: YAMLs of three lines in a folder of their
    own.
    """
    folder = tmp_path_factory.mktemp("own")
    for name, split, settings in (
        ("own_shots", "cs_cap2fig", "shots=2"),
        ("own_judge", "cs_fig2cap", "extractor=judge"),
        ("own_released", "cs_cap2fig_reasoning", "prompt=released"),
    ):
        leaf = yaml_folder() / "scifibench" / f"scifibench_{split}.yaml"
        (folder / f"{name}.yaml").write_text(
            f"include: {leaf}\ntask: {name}\ndataset_name: {settings}\n"
        )
    index = numbers_task.manager(folder)
    index.model_name = "openai"
    return index


@pytest.fixture
def chat(evaluate: Evaluate, manager: Any, server: OpenAIServer) -> Evaluate:
    """`chat(tasks, **options)`: the host's results of a chat model behind the server."""
    arguments = f"model_version=tiny,base_url={server.url},api_key=EMPTY,timeout=60"
    return lambda tasks, **options: evaluate(
        "openai", tasks, arguments, task_manager=manager, **options
    )


@pytest.fixture
def release(scifibench_release: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SPIQA_TASKS_DATA", str(scifibench_release))
    return scifibench_release


def letters(result: dict[str, Any], task: str) -> list[str | None]:
    return [sample["accuracy"]["prediction"] for sample in result["samples"][task]]


def pictures(request: dict[str, Any]) -> int:
    content = request["body"]["messages"][0]["content"]
    return 0 if isinstance(content, str) else sum(part["type"] == "image_url" for part in content)


def test_group_has_both_tasks_overall_means(
    evaluate: Evaluate, manager: Any, release: Path
) -> None:
    """`scifibench` runs all four splits, and each task's mean over both subsets stands beside
    them (Table 2).
    """
    result = evaluate("frequent_choice", ["scifibench"], task_manager=manager)
    scores = {
        task: values["accuracy,none"]
        for task, values in result["results"].items()
        if "accuracy,none" in values
    }
    for task in ("fig2cap", "cap2fig"):
        subsets = [scores[f"scifibench_{subset}_{task}"] for subset in ("cs", "general")]
        assert scores[f"scifibench_{task}"] == pytest.approx(sum(subsets) / 2)
        rows = rows_in("scifibench", f"cs_{task}", "", LocalSource(release))
        assert [
            sample["accuracy"]["id"] for sample in result["samples"][f"scifibench_cs_{task}"]
        ] == [row["id"] for row in rows]


def test_alignment_study_of_a_gullible_chat_model(chat: Evaluate, server: OpenAIServer) -> None:
    """A model that follows marks is right on all, then on none, and as without a mark where told
    to ignore it.
    """
    result = chat(["scifibench_alignment"])
    name = "scifibench_cs_fig2cap"
    accuracy = {task: values.get("accuracy,none") for task, values in result["results"].items()}
    assert accuracy[f"{name}_marked_correct"] == 1
    assert accuracy[f"{name}_marked_incorrect"] == 0
    control = letters(result, name)
    assert control == ["E"] * 14
    assert letters(result, f"{name}_marked_correct_ignore") == control
    assert letters(result, f"{name}_marked_incorrect_ignore") == control
    assert {pictures(request) for request in server.requests} == {1}


def test_chat_model_sees_examples_with_their_pictures(chat: Evaluate, server: OpenAIServer) -> None:
    """Three examples of figure -> caption are four pictures in one turn; of caption -> figure
    two are fifteen.
    """
    chat(["scifibench_cs_fig2cap_3shot_similar"], limit=2)
    assert {pictures(request) for request in server.requests} == {4}
    types = [part["type"] for part in server.requests[0]["body"]["messages"][0]["content"]]
    assert types == ["image_url", "text"] * 4
    server.requests.clear()
    result = chat(["own_shots"], limit=2)
    assert {pictures(request) for request in server.requests} == {15}
    assert letters(result, "own_shots") == ["E", "E"]


def test_variants_without_pictures_send_none(chat: Evaluate, server: OpenAIServer) -> None:
    """`_text` shows no picture, `_grey` as many as the control."""
    chat(["scifibench_cs_cap2fig_text", "scifibench_cs_cap2fig_grey"], limit=2)
    assert sorted(pictures(request) for request in server.requests) == [0, 0, 5, 5]


def test_extractor_reads_what_the_matcher_leaves_open(
    chat: Evaluate, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A three-line YAML switches the judge on; its accuracy and the share that needed it are
    metrics of their own.
    """
    monkeypatch.setenv("SPIQA_JUDGE", "openai:judge")
    monkeypatch.setenv("SPIQA_JUDGE_BASE_URL", server.url)

    def text(body: dict[str, Any]) -> str:
        if body["model"] == "judge":
            return "C" if "torn" in body["messages"][-1]["content"] else "None"
        return "Between C and others I am torn, though the former has a nicer shape."

    server.behaviour.text = text
    result = chat(["own_judge"], limit=5)
    values = result["results"]["own_judge"]
    assert values["accuracy,none"] == 0
    assert values["extractor_rate,none"] == 1
    assert values["accuracy_llm,none"] == pytest.approx(1 / 5)
    records = [sample["accuracy"] for sample in result["samples"]["own_judge"]]
    assert [record["verdicts"][0]["text"] for record in records] == ["C"] * 5
    assert [record["scores"]["accuracy_llm"] for record in records] == [
        float(record["reference"] == "C") for record in records
    ]


def test_extractor_without_a_judge_stops_before_the_run() -> None:
    """With SPIQA_JUDGE=none the loading hook says what to set."""
    from datasets import Dataset, DatasetInfo, NamedSplit

    from spiqa_tasks.utils.documents import load

    forget_scorers()
    info = DatasetInfo(config_name="extractor=judge")
    stub = Dataset.from_dict({"benchmark": ["scifibench"]}, info=info, split=NamedSplit("demo"))
    with pytest.raises(SystemExit, match="SPIQA_JUDGE"):
        load(stub)


def test_captioning_keeps_the_captions(chat: Evaluate, server: OpenAIServer) -> None:
    """Every figure's caption is in the samples with the true one; the prompt holds no option."""
    server.behaviour.text = "A red plot."
    result = chat(["scifibench_captioning"])
    records = [sample["captioned_rate"] for sample in result["samples"]["scifibench_captioning"]]
    assert len(records) == 28
    assert {record["prediction"] for record in records} == {"A red plot."}
    assert len({record["id"] for record in records}) == 28
    assert not any(
        record["reference"] in str(request["body"])
        for record in records
        for request in server.requests
    )


def test_shots_flag_of_the_host_is_refused_not_ignored(evaluate: Evaluate, manager: Any) -> None:
    """--num_fewshot carries no pictures to chat models; the run ends before its first question."""
    with pytest.raises(SystemExit, match="Expected no --num_fewshot with scifibench_cs_fig2cap"):
        evaluate(
            "random_choice", ["scifibench_cs_fig2cap"], num_fewshot=2, limit=1, task_manager=manager
        )


def test_the_released_prompt_has_2048_tokens(chat: Evaluate, server: OpenAIServer) -> None:
    """By the YAML that the page shows; the other tasks have 512."""
    for task, tokens in (("own_released", 2048), ("scifibench_cs_cap2fig", 512)):
        chat([task], limit=1)
        body = server.requests[-1]["body"]
        assert body.get("max_tokens", body.get("max_completion_tokens")) == tokens
