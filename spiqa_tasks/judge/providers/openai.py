"""Judges behind OpenAI's chat completions: OpenAI, Azure, vLLM, SGLang, llama.cpp, Gemini."""

import math
from contextlib import suppress
from operator import itemgetter
from typing import Any
from urllib.parse import urlsplit

from spiqa_tasks.files.json_text import conforms
from spiqa_tasks.judge.providers.provider import (
    WITHOUT_LOGPROBS,
    Json,
    RequestError,
    written_verdict,
)
from spiqa_tasks.judge.providers.sdk import SdkJudge, text_of, with_usage
from spiqa_tasks.judge.types import JudgeConfig, JudgeRequest, Verdict
from spiqa_tasks.scoring.l3score import ROUNDING

# Ends of the hosts of Azure, whose key goes into a header of its own.
_AZURE = (".azure.com", ".azure.us", ".azure.cn")

# Azure API Management, in front of any server: some want Azure's header, some OpenAI's.
_GATEWAY = ".azure-api.net"

# Tolerance of a sum of probabilities above 1: servers round log-probabilities to few digits.
_SUM_TOLERANCE = 0.01

# Most characters of a token: far beyond any vocabulary.
_LONGEST_TOKEN = 1_000

# Log-probability of an impossible token: -inf, which some servers send, is no JSON.
_IMPOSSIBLE = -9999.0

# How vocabularies write a blank and a line break: byte-level BPE, SentencePiece.
_SPELLINGS = str.maketrans({"Ġ": " ", "▁": " ", "Ċ": "\n"})


class OpenAIJudge(SdkJudge):
    """Asks for chat completions.

    On an Azure host the key goes out as `api-key`, and the base URL carries the deployment and
    `?api-version=`.
    """

    name = "openai"
    url = "https://api.openai.com/v1"
    key_variable = "OPENAI_API_KEY"
    path = "/chat/completions"

    @staticmethod
    def headers(config: JudgeConfig) -> dict[str, str]:
        """Return the headers with the key: `api-key` for Azure, a bearer token for others."""
        if not config.api_key:
            return {}
        host = urlsplit(config.url).hostname or ""
        headers = {}
        if host.endswith((*_AZURE, _GATEWAY)):
            headers["api-key"] = config.api_key
        if not host.endswith(_AZURE):
            headers["Authorization"] = f"Bearer {config.api_key}"
        return headers

    @staticmethod
    def image_part(media_type: str, data: str) -> Json:
        return {"type": "image_url", "image_url": {"url": f"data:{media_type};base64,{data}"}}

    def body(self, request: JudgeRequest) -> Json:
        body = super().body(request)
        if request.top_logprobs is not None:
            body |= {"logprobs": True, "top_logprobs": request.top_logprobs}
        return body

    @staticmethod
    def verdict_of(answer: Json, request: JudgeRequest) -> Verdict:
        """Return the verdict of a chat completion."""
        try:
            choice = answer["choices"][0]
            message, stop = choice["message"], choice.get("finish_reason")
            text = text_of(message.get("content"))
            if refusal := message.get("refusal"):
                text, stop = str(refusal), "refusal"
        except (KeyError, IndexError, TypeError, AttributeError):
            reason = "the server's answer is no chat completion"
            raise RequestError(reason, retryable=False) from None

        if request.top_logprobs is None:
            verdict = written_verdict(text, stop)
        else:
            pairs = _first_token(choice)
            if not pairs:
                written_verdict(text, stop)  # raises for a refusal, which is told as one
                raise _impossible(f"no token log-probabilities; {WITHOUT_LOGPROBS}")
            verdict = Verdict(text, most_likely(pairs, request.top_logprobs))
        return with_usage(verdict, answer)


def _first_token(choice: Json) -> list[tuple[Any, Any]]:
    """Return the most likely first tokens of a completion; [] without log-probabilities.

    The chosen token is added if the server leaves it out of the list (LMDeploy).
    """
    with suppress(KeyError, IndexError, TypeError, AttributeError):
        chosen = choice["logprobs"]["content"][0]
        pairs = [_pair(listed) for listed in chosen.get("top_logprobs") or ()]
        if "logprob" in chosen and _pair(chosen)[0] not in [token for token, _ in pairs]:
            pairs.append(_pair(chosen))
        return pairs
    return []


def _pair(listed: Json) -> tuple[Any, Any]:
    """Return a token's text, by its bytes if they are there: some servers write `token_id:9891`."""
    token = listed["token"]
    spelled = listed.get("bytes")
    if spelled and conforms(spelled, list[int]) and all(0 <= byte < 256 for byte in spelled):
        token = bytes(spelled).decode("utf-8", "replace")
    elif isinstance(token, str):
        token = token.translate(_SPELLINGS)
    return token, listed["logprob"]


def most_likely(pairs: list[tuple[Any, Any]], top: int) -> tuple[tuple[str, float], ...]:
    """Return the `top` most likely of first tokens with their natural log-probabilities.

    There may be fewer: servers merge tokens of equal text. Servers write -inf or -9999 for
    probability 0. Raises RequestError, not retryable, for those that cannot be.
    """
    for token, logprob in pairs:
        _check_pair(token, logprob)

    finite = [(token, max(float(logprob), _IMPOSSIBLE)) for token, logprob in pairs]
    best = sorted(finite, key=itemgetter(1), reverse=True)[:top]
    total = math.fsum(min(math.exp(logprob), 1.0) for _, logprob in best)
    if total > 1 + _SUM_TOLERANCE:
        raise _impossible(f"probabilities that add up to {total:.3g}")
    if not total:
        raise _impossible("tokens of probability 0 alone")
    return tuple(best)


def _check_pair(token: Any, logprob: Any) -> None:
    """Raise RequestError if a token or its log-probability is impossible."""
    if not isinstance(token, str) or len(token) > _LONGEST_TOKEN:
        raise _impossible(f"a token that is none: {token!r:.40}")
    is_number = logprob == -math.inf or conforms(logprob, float)
    if not is_number or logprob > ROUNDING:
        raise _impossible(f"a log-probability that is none: {logprob!r:.40}")


def _impossible(what: str) -> RequestError:
    """Return the error, not retryable, for an answer with impossible tokens."""
    return RequestError(f"the server's answer has {what}", retryable=False)
