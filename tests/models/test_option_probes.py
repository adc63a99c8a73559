"""Probes of options: what a model is shown, and which letter the host scores."""

from collections.abc import Callable
from typing import Any

import pytest
from openai_server import Behaviour, OpenAIServer

from spiqa_tasks.errors import InputError
from spiqa_tasks.models.option_probes import NONE, shown_options
from spiqa_tasks.runs.identity import identity, model_of
from spiqa_tasks.scoring.options import options_in

Evaluate = Callable[..., dict[str, Any]]
PROMPTS = (
    (
        "What is it?\nOptions: A: a red car, B: a car, C: a bus, D: nothing\nAnswer with the"
        " option's letter."
    ),
    (
        "What is it?\n(A) a red car\n(B) a car\n(C) a bus\n(D) nothing\nAnswer with the option's"
        " letter."
    ),
    "What is it?\nA. a red car\nB. a car\nC. a bus\nD. nothing\n\nAnswer with the option's letter.",
)


@pytest.mark.parametrize("prompt", PROMPTS)
def test_permuted_texts_move_and_answers_come_back(prompt: str) -> None:
    """Each label has the text of another; the answer that names a text's new place is the letter
    of the text.
    """
    shown = shown_options(prompt, "permuted", 1, str)
    was, now = options_in(prompt), options_in(shown.rewritten(prompt))
    assert sorted(now.values()) == sorted(was.values())
    assert now != was
    for letter, text in now.items():
        assert was[shown.mapped_back(f"The answer is {letter}.")] == text
        assert was[shown.mapped_back(f"Answer: {text}")] == text
    assert shown.rewritten(prompt).endswith("Answer with the option's letter.")
    assert shown_options(prompt, "permuted", 1, str) == shown
    assert shown_options(prompt, "permuted", 2, str) != shown


@pytest.mark.parametrize("prompt", PROMPTS)
def test_numbers_stand_for_letters(prompt: str) -> None:
    """The labels and the instruction have numbers, and an answer by number is the letter."""
    shown = shown_options(prompt, "numbered", 0, str)
    asked = shown.rewritten(prompt)
    assert asked.endswith("Answer with the option's number.")
    for place, letter in enumerate("ABCD", 1):
        before, after = (text.index(shown.shown[letter][1]) for text in (prompt, asked))
        assert asked[:after].endswith(prompt[:before][-4:].replace(letter, str(place)))
    assert [shown.mapped_back(text) for text in ("2", "(3)", "The answer is 1.")] == ["B", "C", "A"]


def test_the_right_option_goes() -> None:
    """`none of these` stands in its place and is right; a true answer that is no option is
    refused.
    """
    shown = shown_options(PROMPTS[1], "without_answer", 0, lambda: "C")
    assert options_in(shown.rewritten(PROMPTS[1])) == {
        "A": "a red car",
        "B": "a car",
        "C": NONE,
        "D": "nothing",
    }
    assert shown.mapped_back("None of these.") == "C"
    with pytest.raises(InputError, match="true answer to be one of A, B, C, D"):
        shown_options(PROMPTS[1], "without_answer", 0, lambda: "7")


def test_what_picks_nothing_is_not_read_as_a_letter_of_another_place() -> None:
    """Letters of an answer that leaves several open are mapped, too; a refusal stays as it is."""
    shown = shown_options(PROMPTS[1], "permuted", 1, str)
    back = shown.mapped_back("It may be A or B.")
    assert back == f"It may be {shown.letters['A']} or {shown.letters['B']}."
    assert shown.mapped_back("Sorry, I cannot see any image.") == "Sorry, I cannot see any image."


def test_a_prompt_without_options_is_refused() -> None:
    """In one sentence that quotes it."""
    with pytest.raises(InputError, match="Expected options with letters in the prompt"):
        shown_options("What is it?", "numbered", 0, str)


@pytest.mark.parametrize(
    ("arguments", "ablation"),
    [
        ("base=m,options=permuted,pretrained=p,seed=3", "options=permuted"),
        ("base=m,ablation=text,options=numbered,pretrained=p", "text,options=numbered"),
    ],
)
def test_a_probe_is_part_of_a_runs_identity(arguments: str, ablation: str) -> None:
    """With or without an ablation of the pictures; the command line comes back."""
    who = identity("ablated", arguments)
    assert (who.model, who.ablation) == ("m,pretrained=p", ablation)
    assert identity(*model_of(who)) == who
    assert model_of(who)[1].startswith(
        f"base=m,{ablation if ablation[0] == 'o' else f'ablation={ablation}'}"
    )


@pytest.fixture
def server() -> Any:
    """A model that names the label of the longest option, wherever that is."""

    def text(body: dict[str, Any]) -> str:
        parts = [part for message in body["messages"] for part in message["content"]]
        prompt = "".join(part.get("text", "") for part in parts)
        options = options_in(prompt) or options_in(
            prompt.replace("1:", "A:").replace("2:", "B:").replace("3:", "C:")
        )
        return max(options, key=lambda letter: (len(options[letter]), options[letter]))

    with OpenAIServer(Behaviour(text=text)) as running:
        yield running


def letters(result: dict[str, Any], task: str) -> list[str | None]:
    """Return the letters that lmms-eval scored."""
    return [sample["accuracy"].get("prediction") for sample in result["samples"][task]]


def test_answers_that_follow_their_text_are_scored_as_before(
    evaluate: Evaluate, server: OpenAIServer
) -> None:
    """Permuted, the same letters reach the host although the model named other ones, and the
    pictures stay.
    """
    base = f"model_version=tiny,base_url={server.url},api_key=EMPTY,timeout=60,num_concurrent=1"
    plain = evaluate("openai", ["mmstar_demo"], base, batch_size=1)
    bodies = [request["body"] for request in server.requests]
    server.requests.clear()
    moved = evaluate(
        "ablated", ["mmstar_demo"], f"base=openai,options=permuted,seed=1,{base}", batch_size=1
    )
    assert letters(moved, "mmstar_demo") == letters(plain, "mmstar_demo")
    pictures = [str(body).count("image_url") for body in bodies]
    assert sorted(str(request["body"]).count("image_url") for request in server.requests) == sorted(
        pictures
    )
    assert sorted(str(request["body"]) for request in server.requests) != sorted(map(str, bodies))
    server.requests.clear()
    right = evaluate(
        "ablated", ["mmstar_demo"], f"base=openai,options=without_answer,{base}", batch_size=1
    )
    assert len(letters(right, "mmstar_demo")) == 24
    assert all(NONE in str(request["body"]) for request in server.requests)


def test_a_task_without_options_ends_before_the_model_is_asked(
    evaluate: Evaluate, server: OpenAIServer
) -> None:
    """In one sentence."""
    base = (
        f"base=openai,options=permuted,model_version=tiny,base_url={server.url},"
        "api_key=EMPTY,timeout=60"
    )
    with pytest.raises(SystemExit, match="Expected options with letters in the prompt"):
        evaluate("ablated", ["spiqa_demo"], base, batch_size=1, limit=2)
    assert server.requests == []
