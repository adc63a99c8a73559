"""A local transformers causal LM as the judge: no server, exact probabilities."""

import hashlib
import inspect
import os
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from spiqa_tasks.errors import JudgeError
from spiqa_tasks.judge.providers.provider import Provider, written_fault
from spiqa_tasks.judge.types import JudgeRequest, Verdict, failed

BATCH = 16
"""Prompts in one forward pass."""
_NOT_NUMBERS = (
    "the model's logits are not numbers (NaN); its weights or its number format are at fault"
)


class HfLocal(Provider):
    """Runs requests in batches of `BATCH` through one model, on the GPU if any (of several, LOCAL_RANK's).

    A batch that does not fit is halved. Prompts go through the tokenizer's chat template with the generation prompt
    added; without a template they go in as they are. The model is loaded by the first request, and stays in memory for
    later calls.
    """

    name = "hf"
    extra = "hf"

    async def ask(self, request: JudgeRequest) -> Verdict:
        return self.batch([request])[0]

    @classmethod
    def cannot(cls, request: JudgeRequest) -> str | None:
        return "hf: judges see no pictures; choose another judge" if request.images else None

    @classmethod
    def fingerprint(cls, model: str) -> str:
        """Return names, sizes and times of a local model's files, hashed; '' for a model of the hub."""
        if not Path(model).is_dir():
            return ""
        files = sorted(each for each in Path(model).iterdir() if each.is_file())
        stats = [(each.name, each.stat().st_size, each.stat().st_mtime_ns) for each in files]
        return hashlib.sha256(repr(stats).encode()).hexdigest()

    def batch(self, requests: Sequence[JudgeRequest]) -> list[Verdict]:
        """Return the verdicts on at most `BATCH` requests. Raises JudgeError: the model cannot be loaded."""
        import torch

        self._model, self._tokenizer = _loaded(
            self._config.model, self.fingerprint(self._config.model)
        )
        groups: defaultdict[tuple[int, bool], list[JudgeRequest]] = defaultdict(list)
        for request in requests:
            limit = request.max_tokens + request.thoughts if request.top_logprobs is None else 0
            groups[limit, request.draws > 0].append(request)
        verdicts: dict[JudgeRequest, Verdict] = {}
        for (max_tokens, draws), group in groups.items():
            run = partial(self._texts, max_tokens, draws) if max_tokens else self._first_tokens
            with torch.inference_mode():
                verdicts.update(zip(group, _halving(run, group), strict=True))
        return [verdicts[request] for request in requests]

    def _first_tokens(self, requests: list[JudgeRequest]) -> list[Verdict]:
        """One forward pass; log-softmax over the whole vocabulary at the last position."""
        inputs = self._inputs(requests)
        parameters = inspect.signature(self._model.forward).parameters
        positions = (inputs["attention_mask"].cumsum(-1) - 1).clamp(min=0)
        extra = {"position_ids": positions, "logits_to_keep": 1, "use_cache": False}
        outputs = self._model(
            **inputs, **{name: value for name, value in extra.items() if name in parameters}
        )
        logprobs = outputs.logits[:, -1].float().log_softmax(-1).cpu()
        counts = inputs["attention_mask"].sum(-1).tolist()
        return [
            failed(_NOT_NUMBERS)
            if row.isnan().any()
            else self._logprob_verdict(request, row, count)
            for request, row, count in zip(requests, logprobs, counts, strict=True)
        ]

    def _logprob_verdict(self, request: JudgeRequest, logprobs: Any, prompt_tokens: int) -> Verdict:
        top = logprobs.topk(min(request.top_logprobs or 0, len(logprobs)))
        chosen = zip(top.indices.tolist(), top.values.tolist(), strict=True)
        pairs = tuple((self._tokenizer.decode([token]), logprob) for token, logprob in chosen)
        return Verdict("ok", pairs[0][0], pairs, self._config.model, None, False, prompt_tokens, 1)

    def _texts(self, max_tokens: int, draws: bool, requests: list[JudgeRequest]) -> list[Verdict]:
        """Generation of at most `max_tokens` tokens: greedy, or draws at temperature 1, seeded by the requests."""
        import torch

        inputs = self._inputs(requests)
        width = inputs["input_ids"].shape[1]
        padding = self._tokenizer.pad_token_id or self._tokenizer.eos_token_id or 0
        options: dict[str, Any] = {"do_sample": draws, "pad_token_id": padding}
        options |= {"temperature": 1.0, "top_k": 0, "top_p": 1.0} if draws else {}
        seed = hashlib.sha256(
            repr([(each.prompt, each.repeat) for each in requests]).encode()
        ).digest()[:8]
        with torch.random.fork_rng():
            torch.manual_seed(int.from_bytes(seed, "big") >> 1)
            output = self._model.generate(**inputs, max_new_tokens=max_tokens, **options)
        verdicts = []
        prompts = inputs["attention_mask"].sum(-1).tolist()
        texts = self._tokenizer.batch_decode(output[:, width:], skip_special_tokens=True)
        for text, prompt_tokens in zip(texts, prompts, strict=True):
            tokens = len(self._tokenizer.encode(text, add_special_tokens=False))
            fault = written_fault(text, "length" if tokens >= max_tokens else "stop")
            ok = Verdict("ok", text, (), self._config.model, None, False, prompt_tokens, tokens)
            verdicts.append(failed(fault) if fault else ok)
        return verdicts

    def _inputs(self, requests: list[JudgeRequest]) -> dict[str, Any]:
        """Token ids padded on the left, and their mask, both (requests, longest prompt)."""
        import torch

        rows = [self._tokens(request) for request in requests]
        width = max(len(row) for row in rows)
        device = self._model.device
        ids = torch.tensor([[0] * (width - len(row)) + row for row in rows], device=device)
        mask = torch.tensor(
            [[0] * (width - len(row)) + [1] * len(row) for row in rows], device=device
        )
        return {"input_ids": ids, "attention_mask": mask}

    def _tokens(self, request: JudgeRequest) -> list[int]:
        if not self._tokenizer.chat_template:
            return list(self._tokenizer.encode(request.prompt))
        messages = [{"role": "user", "content": request.prompt}]
        options = self._config.extra_fields.get("chat_template_kwargs", {})
        text = self._tokenizer.apply_chat_template(
            messages, add_generation_prompt=True, tokenize=False, **options
        )
        return list(self._tokenizer.encode(text, add_special_tokens=False))


def _halving(
    run: Callable[[list[JudgeRequest]], list[Verdict]], requests: list[JudgeRequest]
) -> list[Verdict]:
    """The verdicts of `run`, by halves where it fails, so that a prompt that cannot be judged fails alone.

    Reasons seen: memory, a prompt beyond the model's positions, text that the tokenizer cannot encode.
    """
    try:
        return run(requests)
    except (RuntimeError, IndexError, ValueError, TypeError) as error:
        if len(requests) == 1:
            return [failed(f"the model failed on this prompt: {error}")]
    middle = len(requests) // 2
    return _halving(run, requests[:middle]) + _halving(run, requests[middle:])


@lru_cache(maxsize=1)
def _loaded(name: str, _fingerprint: str) -> tuple[Any, Any]:
    """The model and its tokenizer, kept for later calls: loading them takes longer than judging with them."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    device: str = "cpu"
    dtype: Any = torch.float32
    if torch.cuda.is_available():
        device, dtype = (
            f"cuda:{int(os.environ.get('LOCAL_RANK', '0')) % torch.cuda.device_count()}",
            "auto",
        )
    try:
        model = AutoModelForCausalLM.from_pretrained(name, dtype=dtype)
        return model.to(device).eval(), AutoTokenizer.from_pretrained(name)
    except (OSError, ValueError, ImportError) as error:
        raise JudgeError(
            f"Expected a causal language model at hf:{name}, found {error}. Name another one."
        ) from error
