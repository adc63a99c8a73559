"""A tiny local model as the judge, compared with one plain forward pass."""

import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from spiqa_tasks.errors import JudgeError, MissingPartError
from spiqa_tasks.judge.judge import Judge, JudgeClient
from spiqa_tasks.judge.providers.hf import HfLocal
from spiqa_tasks.judge.rules import make_rule
from spiqa_tasks.judge.types import JudgeConfig, JudgeRequest, Verdict

# lmms-eval brings the torch that these tests import
pytestmark = pytest.mark.xdist_group("lmms-eval")

TEMPLATE = (
    "{% for m in messages %}<|{{ m['role'] }}|> {{ m['content'] }} {% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


@pytest.fixture(scope="module", params=["llama", "gpt2"])
def model_dir(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random-weight model with a tokenizer trained on a few sentences; Llama with a chat
    template, GPT-2 without.
    """
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    folder = tmp_path_factory.mktemp(request.param)
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=["<s>"], initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
    )
    corpus = ["Yes", "No", " yes", " no", "yes", "no", "Yeah"] * 50 + [
        "Question: what is the answer? the sky is blue."
    ] * 9
    tokenizer.train_from_iterator(corpus, trainer)
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<s>")
    if request.param == "llama":
        fast.chat_template = TEMPLATE
    fast.save_pretrained(folder)
    torch.manual_seed(0)
    sizes: dict[str, Any] = {"vocab_size": len(fast), "initializer_range": 0.5}
    config = (
        transformers.LlamaConfig(
            hidden_size=32,
            intermediate_size=64,
            num_hidden_layers=2,
            num_attention_heads=4,
            **sizes,
        )
        if request.param == "llama"
        else transformers.GPT2Config(n_embd=32, n_layer=2, n_head=4, n_positions=512, **sizes)
    )
    transformers.AutoModelForCausalLM.from_config(config).save_pretrained(folder)
    return folder


def _plain_logprobs(folder: Path, prompt: str) -> list[tuple[str, float]]:
    """All tokens with their log-probabilities after `prompt`, by one unpadded forward pass."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    text = f"<|user|> {prompt} <|assistant|>" if tokenizer.chat_template else prompt
    logits = AutoModelForCausalLM.from_pretrained(folder)(
        torch.tensor([tokenizer(text)["input_ids"]])
    ).logits
    values = torch.log(torch.softmax(logits[0, -1].double(), -1)).tolist()
    pairs = [(tokenizer.decode([token]), value) for token, value in enumerate(values)]
    return sorted(pairs, key=lambda pair: -pair[1])


def _ask(folder: Path, tmp_path: Path, requests: list[JudgeRequest]) -> list[Verdict]:
    return JudgeClient(JudgeConfig("hf", str(folder), cache_dir=tmp_path)).verdicts(requests)


PROMPTS = [
    "Question: what is the answer?",
    "the sky is blue " * 20,
    "no",
    "Question: yes or no? " * 5,
    "x",
    "Yes yes",
]


def test_logprobs_are_those_of_a_plain_pass(model_dir: Path, tmp_path: Path) -> None:
    """Each prompt's five most likely tokens are those of its own forward pass."""
    found = _ask(model_dir, tmp_path, [JudgeRequest(prompt) for prompt in PROMPTS])
    for prompt, verdict in zip(PROMPTS, found, strict=True):
        expected = _plain_logprobs(model_dir, prompt)[:5]
        assert [token for token, _ in verdict.top_logprobs] == [token for token, _ in expected]
        assert [logprob for _, logprob in verdict.top_logprobs] == pytest.approx(
            [v for _, v in expected], abs=1e-4
        )
        assert verdict.text == expected[0][0]
        assert verdict.completion_tokens == 1


def test_a_rule_that_needs_written_answers_is_refused(tmp_path: Path) -> None:
    """Before the model is loaded, in one sentence that says what to do."""
    with pytest.raises(
        JudgeError,
        match=r"^sampled cannot be judged by hf:.*: hf: judges give l3score alone; .* needs"
        r" a server \(openai:MODEL@URL\), or switch judging off with SPIQA_JUDGE=none\.$",
    ):
        Judge(JudgeConfig("hf", str(tmp_path)), make_rule("sampled", {}))


def test_a_prompt_that_does_not_fit_fails_alone(model_dir: Path, tmp_path: Path) -> None:
    """A prompt beyond the model's positions or its tokenizer is a failed judgement; the others
    are judged.
    """
    prompts = ["x", "the sky is blue " * 400, "lone \ud800 surrogate", "yes"]
    found = _ask(model_dir, tmp_path, [JudgeRequest(prompt) for prompt in prompts])
    limited = "gpt2" in str(model_dir)
    assert [verdict.ok for verdict in found] == [True, not limited, False, True]
    assert [token for token, _ in found[3].top_logprobs] == [
        t for t, _ in _plain_logprobs(model_dir, "yes")[:5]
    ]


def test_another_model_in_the_same_folder_is_another_judge(model_dir: Path) -> None:
    """When the files of a local model change, its cached verdicts do not count."""
    before = HfLocal.fingerprint(str(model_dir))
    os.utime(model_dir / "config.json", ns=(1, 1))
    assert before != HfLocal.fingerprint(str(model_dir))


def test_a_missing_model_is_named(tmp_path: Path) -> None:
    """A folder without a model is one sentence."""
    with pytest.raises(JudgeError, match=f"a causal language model at hf:{tmp_path}, found"):
        _ask(tmp_path, tmp_path, [JudgeRequest("p")])


def test_a_missing_package_is_one_sentence_with_the_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Before anything is asked."""
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingPartError, match=r"pip install '\.\[hf\]'"):
        JudgeClient(JudgeConfig("hf", "m")).verdicts([JudgeRequest("p")])


def test_logits_that_are_no_numbers_are_a_failure(model_dir: Path, tmp_path: Path) -> None:
    """A model that computes NaN gives failed judgements, and nothing is stored."""
    import torch
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(model_dir)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.fill_(float("nan"))
    broken = tmp_path / "broken"
    shutil.copytree(model_dir, broken)
    model.save_pretrained(broken)
    for _ in range(2):
        (verdict,) = _ask(broken, tmp_path, [JudgeRequest("p")])
        assert not verdict.ok
        assert "not numbers" in (verdict.reason or "")
