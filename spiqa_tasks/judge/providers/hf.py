"""A local transformers causal LM as the judge: no server, exact log-probabilities, no texts."""

import hashlib
import os
from functools import lru_cache
from pathlib import Path
from typing import Any

from spiqa_tasks.errors import JudgeError
from spiqa_tasks.extras import require
from spiqa_tasks.judge.providers.provider import Provider
from spiqa_tasks.judge.types import JudgeRequest, Verdict, failed


class HfLocal(Provider):
    """Asks one model, a prompt at a time, on the GPU if there is any (of several, LOCAL_RANK's).

    Prompts go through the tokenizer's chat template with the generation prompt added; without a
    template they go in as they are. The model is loaded by the first request, and stays in memory
    for later calls. For many answers a server that batches (vLLM) is faster.
    """

    name = "hf"

    @classmethod
    def cannot(cls, request: JudgeRequest) -> str | None:
        if request.top_logprobs is not None:
            return None
        return (
            "hf: judges give l3score alone; any other rule, such as sampled, needs a server"
            " (openai:MODEL@URL)"
        )

    @classmethod
    def fingerprint(cls, model: str) -> str:
        """Return a hash of a local model's file names, sizes and times; '' for one of the hub."""
        if not Path(model).is_dir():
            return ""
        files = sorted(file for file in Path(model).iterdir() if file.is_file())
        stats = [(file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files]
        return hashlib.sha256(repr(stats).encode()).hexdigest()

    def verdict(self, request: JudgeRequest) -> Verdict:
        """Return the verdict on a request.

        Raises MissingPartError: no extra `hf`; JudgeError: the model cannot be loaded.
        """
        require("hf", f"The judge {self._config.name}")
        import torch

        model, tokenizer = _loaded(self._config.model, self.fingerprint(self._config.model))
        try:
            with torch.inference_mode():
                prompt = torch.tensor([self._tokens(tokenizer, request)], device=model.device)
                logprobs = model(prompt).logits[0, -1].float().log_softmax(-1).cpu()
        # seen: memory, a prompt beyond the model's positions, text that no tokenizer can encode
        except (RuntimeError, IndexError, ValueError, TypeError) as error:
            return failed(f"the model failed on this prompt: {error}")
        if logprobs.isnan().any():
            return failed(
                "the model's logits are not numbers (NaN); its weights or its number format are at"
                " fault"
            )

        best = logprobs.topk(request.top_logprobs)
        tokens = [tokenizer.decode([token]) for token in best.indices.tolist()]
        return Verdict(
            tokens[0],
            tuple(zip(tokens, best.values.tolist(), strict=True)),
            model=self._config.model,
            prompt_tokens=prompt.shape[1],
            completion_tokens=1,
        )

    def _tokens(self, tokenizer: Any, request: JudgeRequest) -> list[int]:
        """Return the tokens of a request, in the tokenizer's chat template if it has one."""
        if not tokenizer.chat_template:
            return list(tokenizer.encode(request.prompt))
        text = tokenizer.apply_chat_template(
            [{"role": "user", "content": request.prompt}],
            add_generation_prompt=True,
            tokenize=False,
            **self._config.extra_fields.get("chat_template_kwargs", {}),
        )
        # The template has written them.
        return list(tokenizer.encode(text, add_special_tokens=False))


@lru_cache(maxsize=1)
def _loaded(name: str, _fingerprint: str) -> tuple[Any, Any]:
    """Return the model and its tokenizer, kept: loading takes longer than judging."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    device: str = "cpu"
    dtype: Any = torch.float32
    if torch.cuda.is_available():
        rank = int(os.environ.get("LOCAL_RANK", "0"))
        device, dtype = f"cuda:{rank % torch.cuda.device_count()}", "auto"
    try:
        model = AutoModelForCausalLM.from_pretrained(name, dtype=dtype)
        return model.to(device).eval(), AutoTokenizer.from_pretrained(name)
    except (OSError, ValueError, ImportError) as error:
        # the hub's errors go on with advice for programmers
        found = str(error).partition("\n")[0].rstrip(".")
        raise JudgeError(
            f"Expected a causal language model at hf:{name}, found {found}. Name another one."
        ) from error
