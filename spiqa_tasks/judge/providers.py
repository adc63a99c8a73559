"""The judges that can be asked."""

from __future__ import annotations

from typing import Protocol

from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.types import JudgeRequest, Verdict


class Provider(Protocol):
    """Asks one judge. Created and used on the engine's loop."""

    @property
    def fingerprint(self) -> str:
        """What tells this judge apart beyond its name and URL; empty where nothing does."""

    async def ask(self, request: JudgeRequest) -> Verdict:
        """One try at one request; raises `retry.AskError`."""

    async def aclose(self) -> None:
        """Let go of connections and threads."""


def make_provider(config: JudgeConfig) -> Provider:
    """The provider that `config` names; heavy libraries are imported only for the one that needs them."""
    if config.provider == "hf":
        from spiqa_tasks.judge.hf_local import HfLocal

        return HfLocal(config)
    if config.provider == "anthropic":
        from spiqa_tasks.judge.anthropic_api import AnthropicApi

        return AnthropicApi(config)
    from spiqa_tasks.judge.openai_api import OpenAIApi

    return OpenAIApi(config)
