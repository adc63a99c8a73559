"""What a line of the host's samples file holds, and what it costs."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from openai_server import OpenAIServer

from spiqa_tasks.benchmarks.record import Record
from spiqa_tasks.benchmarks.registry import load_rows

Evaluate = Callable[..., dict[str, Any]]
WriteSamples = Callable[[dict[str, Any], str], Path]
MOST_BYTES = 2600
METRICS = {"spiqa_demo": "l3score", "mmstar_demo": "accuracy", "scifibench_demo": "accuracy"}


def size(text: Any) -> int:
    """Bytes of a text in a samples file."""
    return len(json.dumps(text, ensure_ascii=False).encode())


def beyond_its_texts(line: str, headline: str) -> int:
    """Return the bytes of a line without input, target, response, prediction, reference and the
    judge's prompts.
    """
    sample = json.loads(line)
    record = sample[headline]
    texts = [
        sample["input"],
        sample["target"],
        sample["filtered_resps"],
        record["prediction"],
        record["reference"],
    ]
    texts += [{"prompt": verdict["prompt"]} for verdict in record.get("verdicts", ())]
    return len(line.encode()) - sum(map(size, texts))


def check_form(sample: dict[str, Any], headline: str) -> None:
    """Assert that the headline has the whole record, and other metrics at most id, cluster and
    score.
    """
    entries = {key: value for key, value in sample.items() if isinstance(value, dict)}
    assert next(iter(entries)) == headline
    assert Record.of_sample(sample) is not None
    for name, entry in entries.items():
        if name != headline:
            assert entry.keys() <= {"id", "cluster", "score"}, name
            assert entry["id"] == sample[headline]["id"]


@pytest.mark.usefixtures("judged")
def test_line_of_a_demo_question_is_short(
    evaluate: Evaluate, server: OpenAIServer, chat_args: str, write_samples: WriteSamples
) -> None:
    """Direct SPIQA with a judge: at most 2.5 kB beyond its own texts, for every question."""
    server.behaviour.text = "{'Answer': 'The red one, which ends at 0.45 after 100 epochs'}"
    result = evaluate("openai", ["spiqa_demo"], chat_args)
    lines = write_samples(result, "spiqa_demo").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 39
    assert max(beyond_its_texts(line, "l3score") for line in lines) <= MOST_BYTES
    for line in lines:
        check_form(json.loads(line), "l3score")
        assert json.loads(line)["l3score"]["verdicts"][0]["top_logprobs"]


@pytest.mark.usefixtures("judged")
def test_all_real_questions_are_scored_and_their_lines_are_short(
    evaluate: Evaluate,
    write_samples: WriteSamples,
    real_data: Path,
    stub_pictures: Callable[[Path], Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All 666 questions of test-A run through the host and have their metrics; the bound on a
    line is the same.
    """
    monkeypatch.setenv(
        "SPIQA_TASKS_DATA", str(stub_pictures(real_data / "spiqa/test-A/SPIQA_testA.json"))
    )
    result = evaluate("caption_retrieval", ["spiqa_testA"])
    assert result["n-samples"]["spiqa_testA"] == {"original": 666, "effective": 666}
    values = result["results"]["spiqa_testA"]
    assert 0 < values["rouge_l,none"] < 1
    assert values["rouge_l_stderr_clustered,none"] > 0
    assert values["cider,none"] > 0
    assert values["unformatted_rate,none"] == 0
    lines = write_samples(result, "spiqa_testA").read_text(encoding="utf-8").splitlines()
    assert max(beyond_its_texts(line, "l3score") for line in lines) <= MOST_BYTES


@pytest.mark.parametrize("task", ["mmstar_demo", "scifibench_demo"])
def test_choices_are_logged_the_same_way(
    evaluate: Evaluate, write_samples: WriteSamples, task: str
) -> None:
    """One whole record, and id and score under the other rows, of which there is one per
    capability.
    """
    result = evaluate("frequent_choice", [task])
    for line in write_samples(result, task).read_text(encoding="utf-8").splitlines():
        check_form(json.loads(line), "accuracy")
        assert beyond_its_texts(line, "accuracy") <= MOST_BYTES


@pytest.mark.parametrize("task", METRICS)
def test_logged_input_of_a_chat_model_is_what_it_saw(
    evaluate: Evaluate, server: OpenAIServer, chat_args: str, write_samples: WriteSamples, task: str
) -> None:
    """The texts of the request in their order; where there are several pictures, a mark stands
    for each.
    """
    server.behaviour.text = "A"
    result = evaluate("openai", [task], chat_args, limit=14)
    lines = write_samples(result, task).read_text(encoding="utf-8").splitlines()
    logged = [json.loads(line)["input"] for line in lines]
    seen = []
    for request in server.requests:
        content = request["body"]["messages"][0]["content"]
        pictures = sum(part["type"] == "image_url" for part in content)
        mark = "[picture] " if pictures > 1 else ""
        seen.append(
            "".join(mark if part["type"] == "image_url" else part["text"] for part in content)
        )
    assert sorted(logged) == sorted(seen)
    assert len(logged) == 14


def test_simple_models_text_has_one_numbering(
    evaluate: Evaluate, write_samples: WriteSamples
) -> None:
    """Pictures are numbered by the prompt's own `Image i: ` alone; the marks have no numbers."""
    result = evaluate("caption_retrieval", ["spiqa_demo"], limit=3)
    lines = write_samples(result, "spiqa_demo").read_text(encoding="utf-8").splitlines()
    for line, row in zip(lines, load_rows("spiqa", "demo", ""), strict=False):
        text = json.loads(line)["input"]
        assert all(
            f"Image {place}: [picture] Caption {place}: " in text
            for place in range(len(row["figures"]))
        )
        assert text.count("[picture]") == len(row["figures"])
        assert "[picture " not in text


@pytest.mark.parametrize("task", ["spiqa_demo", "scifibench_demo"])
def test_both_names_of_the_api_model_send_the_same_pictures(
    evaluate: Evaluate, server: OpenAIServer, chat_args: str, task: str
) -> None:
    """`--model openai_compatible` sends byte for byte what `--model openai` does."""
    sent = []
    for model in ("openai", "openai_compatible"):
        evaluate(model, [task], chat_args, limit=13)
        sent.append(sorted(str(request["body"]["messages"]) for request in server.requests))
        server.requests.clear()
    assert sent[0] == sent[1]
    assert all("data:image/png;base64," in messages for messages in sent[0])
