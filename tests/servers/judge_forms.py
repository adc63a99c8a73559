"""Refusals by judges' servers in use, in their words, each as a function of a request's body."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from aiohttp import web
from openai_server import Behaviour, OpenAIServer

Refusal = tuple[int, dict[str, Any]]
"""HTTP status and body."""
Form = Callable[[Mapping[str, Any]], Refusal | None]
"""Body of a request -> the refusal, or None for a request that is answered."""


class FormServer(OpenAIServer):
    """A server that refuses the requests that `form` does, and answers the others."""

    def __init__(self, form: Form, behaviour: Behaviour | None = None) -> None:
        super().__init__(behaviour)
        self._form = form

    async def _post(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        refusal = self._form(body)
        if refusal is None:
            return await super()._post(request)
        self.requests.append({"path": request.path_qs, "headers": {}, "body": body})
        return web.json_response(refusal[1], status=refusal[0])


def openai_error(message: str, status: int = 400) -> Refusal:
    """Return a refusal in OpenAI's format."""
    return status, {"error": {"message": message, "type": "invalid_request_error", "code": None}}


def wants_max_completion_tokens(body: Mapping[str, Any]) -> Refusal | None:
    """Refuse `max_tokens`, as OpenAI's reasoning models do."""
    if "max_tokens" not in body:
        return None
    return openai_error(
        "Unsupported parameter: 'max_tokens' is not supported with this model. "
        "Use 'max_completion_tokens' instead."
    )


def through_openrouter(body: Mapping[str, Any]) -> Refusal | None:
    """Refuse `max_tokens` as OpenRouter does, with the reason of OpenAI's server in `raw`."""
    inner = wants_max_completion_tokens(body)
    if inner is None:
        return None
    metadata = {"raw": json.dumps(inner[1]), "provider_name": "OpenAI"}
    error = {"message": "Provider returned error", "code": 400, "metadata": metadata}
    return 400, {"error": error}


def wants_sixteen_tokens(body: Mapping[str, Any]) -> Refusal | None:
    """Refuse fewer than 16 tokens, as Azure and routers to OpenAI's responses API do."""
    sent = body.get("max_tokens", body.get("max_completion_tokens", 0))
    if sent >= 16:
        return None
    return openai_error(
        "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, "
        f"but got {sent} instead."
    )


def takes_no_temperature(body: Mapping[str, Any]) -> Refusal | None:
    """Refuse a temperature as OpenAI's reasoning models do, with the 422 of FastAPI's servers."""
    if "temperature" not in body:
        return None
    message = (
        f"Unsupported value: 'temperature' does not support {body['temperature']} with this model. "
        "Only the default (1) value is supported."
    )
    return openai_error(message, 422)


def anthropic_of_today(body: Mapping[str, Any]) -> Refusal | None:
    """Refuse a temperature, as Anthropic's newer models do."""
    if "temperature" not in body:
        return None
    message = "`temperature` is deprecated for this model."
    return 400, {
        "type": "error",
        "error": {"type": "invalid_request_error", "message": message},
    }


def gives_three_logprobs(body: Mapping[str, Any]) -> Refusal | None:
    """Refuse more than three log-probabilities, as vLLM with `--max-logprobs 3` does."""
    sent = body.get("top_logprobs", 0)
    if sent <= 3:
        return None
    message = f"Requested sample logprobs of {sent}, which is greater than max allowed: 3"
    return 400, {"object": "error", "message": message, "type": "BadRequestError", "code": 400}


def reasons_and_is_wrapped(body: Mapping[str, Any]) -> Refusal | None:
    """Refuse a request for each of four reasons, one after another."""
    forms = (
        through_openrouter,
        wants_sixteen_tokens,
        takes_no_temperature,
        gives_three_logprobs,
    )
    refusals = (form(body) for form in forms)
    return next((refusal for refusal in refusals if refusal), None)


def refuses(refusal: Refusal) -> Form:
    """Return the form that refuses every request."""
    return lambda _body: refusal


WITHOUT_LOGPROBS: dict[str, Refusal] = {
    "gemini": openai_error("Logprobs is not enabled for models/gemini-2.5-pro"),
    "mistral": (
        422,
        {
            "detail": [
                {
                    "type": "extra_forbidden",
                    "loc": ["body", "logprobs"],
                    "msg": "Extra inputs are not permitted",
                }
            ]
        },
    ),
    "deepseek": openai_error("deepseek-reasoner does not support the parameter `logprobs`"),
    "groq": openai_error("`logprobs` is not supported with this model"),
    "litellm": openai_error(
        "litellm.UnsupportedParamsError: groq does not support parameters: ['logprobs',"
        " 'top_logprobs']"
    ),
    "openai": openai_error("You are not allowed to request logprobs from this model", 403),
    "o3": openai_error("Unsupported parameter: 'logprobs' is not supported with this model."),
}
"""Owner of a server -> its refusal of log-probabilities."""
