"""The providers of judges. To add one: a module that declares a `Provider`, and its line in `PROVIDERS`."""

from __future__ import annotations

from spiqa_tasks.judge.providers import anthropic, hf, openai
from spiqa_tasks.judge.providers.declaration import JudgeClient, Provider, RequestFiles

__all__ = ["PROVIDERS", "JudgeClient", "Provider", "RequestFiles"]

PROVIDERS: dict[str, Provider] = {
    provider.name: provider
    for provider in (
        openai.PROVIDER,
        anthropic.PROVIDER,
        hf.PROVIDER,
    )
}
"""Name -> declaration, in the order in which messages list them."""
