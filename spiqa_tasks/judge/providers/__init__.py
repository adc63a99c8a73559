"""The providers of judges. To add one: a module with a `Provider`, and its class in `PROVIDERS`."""

from spiqa_tasks.judge.providers.anthropic import AnthropicJudge
from spiqa_tasks.judge.providers.hf import HfLocal
from spiqa_tasks.judge.providers.openai import OpenAIJudge
from spiqa_tasks.judge.providers.provider import Provider

# Name -> class, in the order in which messages list them.
PROVIDERS: dict[str, type[Provider]] = {
    provider.name: provider for provider in (OpenAIJudge, AnthropicJudge, HfLocal)
}
