"""A local transformers causal LM as the judge: no server, exact probabilities from its whole vocabulary."""

import asyncio
import hashlib
import inspect
import os
import re
from collections import defaultdict
from collections.abc import Callable
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Any

from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.providers.provider import AskError, Provider, written_fault
from spiqa_tasks.judge.types import JudgeRequest, Verdict, failed

NOT_NUMBERS = "the model's logits are not numbers (NaN); its weights or its number format are at fault"


class HfLocal(Provider):
    """Runs requests in batches of `config.batch_size` through one model, on the GPU if any (of several, LOCAL_RANK's).

    A batch that does not fit is halved.

    Prompts go through the tokenizer's chat template with the generation prompt added; without a template they go in as
    they are. A special token that a prompt spells out is read as text. The model is loaded by the first request, and
    stays in memory for later calls.
    """

    name = "hf"
    extra = "hf"
    logprob_judges = "hf:<path or id>"
    searches_vocabulary = True
    extras = frozenset({"chat_template_kwargs"})

    def __init__(self, config: JudgeConfig) -> None:
        super().__init__(config)
        self._id = config.model
        self._waiting: list[tuple[JudgeRequest, asyncio.Future[Verdict]]] = []
        self._turn = asyncio.Lock()

    async def ask(self, request: JudgeRequest) -> Verdict:
        answer: asyncio.Future[Verdict] = asyncio.get_running_loop().create_future()
        self._waiting.append((request, answer))
        await asyncio.sleep(0)  # so that the other workers' requests are in the batch, too
        async with self._turn:
            if not answer.done():
                size = self._config.batch_size
                batch, self._waiting = self._waiting[:size], self._waiting[size:]
                await self._answer(batch)
        return await answer

    async def _answer(self, batch: list[tuple[JudgeRequest, asyncio.Future[Verdict]]]) -> None:
        """Run a batch beside the loop, whose timers go on; an error is that of each of its requests."""
        try:
            verdicts = await asyncio.to_thread(self._run, [request for request, _ in batch])
        except Exception as error:
            for _, answer in batch:
                answer.set_exception(error)
        else:
            for (_, answer), verdict in zip(batch, verdicts, strict=True):
                answer.set_result(verdict)

    @classmethod
    def fingerprint(cls, model: str) -> str:
        """Return names, sizes and times of a local model's files, hashed; '' for a model of the hub."""
        path = Path(model)
        if not path.exists():
            return ""
        files = [path] if path.is_file() else sorted(each for each in path.iterdir() if each.is_file())
        stats = [(each.name, each.stat().st_size, each.stat().st_mtime_ns) for each in files]
        return hashlib.sha256(repr(stats).encode()).hexdigest()

    @cached_property
    def _model(self) -> Any:
        return _loaded_model(self._id, self.fingerprint(self._id))

    @cached_property
    def _tokenizer(self) -> Any:
        from transformers import AutoTokenizer

        return _loaded(self._id, "tokenizer", AutoTokenizer)

    @cached_property
    def _words(self) -> list[str]:
        """Every token of the vocabulary, stripped and in lower case."""
        tokens = self._tokenizer.batch_decode([[token] for token in range(self._model.config.vocab_size)])
        return [token.strip().lower() for token in tokens]

    def _run(self, requests: list[JudgeRequest]) -> list[Verdict]:
        import torch

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
        outputs = self._model(**inputs, **{name: value for name, value in extra.items() if name in parameters})
        logprobs = outputs.logits[:, -1].float().log_softmax(-1).cpu()
        counts = inputs["attention_mask"].sum(-1).tolist()
        return [
            failed(NOT_NUMBERS) if row.isnan().any() else self._logprob_verdict(request, row, count)
            for request, row, count in zip(requests, logprobs, counts, strict=True)
        ]

    def _logprob_verdict(self, request: JudgeRequest, logprobs: Any, prompt_tokens: int) -> Verdict:
        top = logprobs.topk(min(request.top_logprobs or 0, len(logprobs)))
        chosen = dict(zip(top.indices.tolist(), top.values.tolist(), strict=True))
        for word in request.lookup:
            tokens = [token for token, form in enumerate(self._words[: len(logprobs)]) if form == word]
            best = max(tokens, key=lambda token: float(logprobs[token]), default=None)
            if best is not None:
                chosen.setdefault(best, float(logprobs[best]))
        ranked = sorted(chosen.items(), key=lambda item: -item[1])
        pairs = tuple((self._tokenizer.decode([token]), logprob) for token, logprob in ranked)
        return Verdict("ok", pairs[0][0], pairs, self._id, None, False, prompt_tokens, 1)

    def _texts(self, max_tokens: int, draws: bool, requests: list[JudgeRequest]) -> list[Verdict]:
        """Generation of at most `max_tokens` tokens: greedy, or draws at temperature 1, seeded by the requests."""
        import torch

        inputs = self._inputs(requests)
        width = inputs["input_ids"].shape[1]
        padding = self._tokenizer.pad_token_id or self._tokenizer.eos_token_id or 0
        broken: set[int] = set()

        def look(_ids: Any, scores: Any) -> Any:
            broken.update(scores.isnan().any(-1).nonzero().flatten().tolist())
            return scores

        options: dict[str, Any] = {"do_sample": draws, "pad_token_id": padding, "logits_processor": [look]}
        options |= {"temperature": 1.0, "top_k": 0, "top_p": 1.0} if draws else {}
        seed = hashlib.sha256(repr([(each.prompt, each.repeat) for each in requests]).encode()).digest()[:8]
        with torch.random.fork_rng():
            torch.manual_seed(int.from_bytes(seed, "big") >> 1)
            output = self._model.generate(**inputs, max_new_tokens=max_tokens, **options)
        texts = self._tokenizer.batch_decode(output[:, width:], skip_special_tokens=True)
        counts = inputs["attention_mask"].sum(-1).tolist()
        written = [len(self._tokenizer.encode(text, add_special_tokens=False)) for text in texts]
        faults = [
            NOT_NUMBERS if place in broken else written_fault(text, "length" if tokens >= max_tokens else "stop")
            for place, (text, tokens) in enumerate(zip(texts, written, strict=True))
        ]
        return [
            failed(fault) if fault else Verdict("ok", text, (), self._id, None, False, count, tokens)
            for fault, text, count, tokens in zip(faults, texts, counts, written, strict=True)
        ]

    def _inputs(self, requests: list[JudgeRequest]) -> dict[str, Any]:
        """Token ids padded on the left, and their mask, both (requests, longest prompt)."""
        import torch

        rows = [self._tokens(request) for request in requests]
        width = max(len(row) for row in rows)
        device = self._model.device
        ids = torch.tensor([[0] * (width - len(row)) + row for row in rows], device=device)
        mask = torch.tensor([[0] * (width - len(row)) + [1] * len(row) for row in rows], device=device)
        return {"input_ids": ids, "attention_mask": mask}

    def _tokens(self, request: JudgeRequest) -> list[int]:
        prompt = self._special.sub(lambda match: f"{match[0][0]} {match[0][1:]}", request.prompt)
        if not self._tokenizer.chat_template:
            return list(self._tokenizer.encode(prompt))
        messages = [{"role": "user", "content": prompt}]
        options = self._config.extra_fields.get("chat_template_kwargs", {})
        text = self._tokenizer.apply_chat_template(messages, add_generation_prompt=True, tokenize=False, **options)
        return list(self._tokenizer.encode(text, add_special_tokens=False))

    @cached_property
    def _special(self) -> re.Pattern[str]:
        """The tokenizer's special tokens, which a prompt may not contain; without any, a pattern without a match."""
        added = self._tokenizer.added_tokens_decoder.values()
        names = {token.content for token in added if token.special} | set(self._tokenizer.all_special_tokens)
        longest_first = sorted((name for name in names if len(name.strip()) > 1), key=len, reverse=True)
        return re.compile("|".join(map(re.escape, longest_first)) or "(?!)")


def _halving(run: Callable[[list[JudgeRequest]], list[Verdict]], requests: list[JudgeRequest]) -> list[Verdict]:
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
def _loaded_model(name: str, _fingerprint: str) -> Any:
    """The model, kept for later calls: loading one takes longer than judging with it."""
    import torch
    from transformers import AutoModelForCausalLM

    device: str = "cpu"
    dtype: Any = torch.float32
    if torch.cuda.is_available():
        device, dtype = f"cuda:{int(os.environ.get('LOCAL_RANK', '0')) % torch.cuda.device_count()}", "auto"
    return _loaded(name, "model", AutoModelForCausalLM, dtype=dtype).to(device).eval()


def _loaded(name: str, what: str, kind: Any, **options: Any) -> Any:
    folder: str | Path = name
    if name.endswith(".gguf"):  # one file with weights, tokenizer and chat template
        folder, options["gguf_file"] = Path(name).parent, Path(name).name
    try:
        return kind.from_pretrained(folder, **options)
    except (OSError, ValueError, ImportError) as error:
        raise AskError(f"the {what} {name} cannot be loaded: {error}", retryable=False) from error
