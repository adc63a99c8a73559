"""Base class of providers: who can be asked, by which requests, with which key."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from spiqa_tasks.judge.config import JUDGE_VARIABLE, KEY_VARIABLE, JudgeConfig
from spiqa_tasks.judge.types import JudgeRequest, Verdict


class Provider(ABC):
    """A provider of judges; an instance asks one judge, within one event loop. Heavy libraries are imported when used.

    Attributes:
        name: what stands before the colon in `provider:model`.
        url: its public base URL without a trailing slash; '' if models run in this process.
        key_variable: the environment variable of its own key, which is sent to `url` alone; '' without one.
        extra: the extra of setup.cfg that installs what asking needs, or ''.
        logprob_judges: the judges that return token log-probabilities, for people; '' without any.
        sees_pictures: whether requests may have pictures.
        searches_vocabulary: whether words can be looked up in the whole vocabulary (`JudgeRequest.lookup`).
        extras: the fields that a user may add to its requests; None: any.
    """

    name: ClassVar[str]
    url: ClassVar[str] = ""
    key_variable: ClassVar[str] = ""
    extra: ClassVar[str] = ""
    logprob_judges: ClassVar[str] = ""
    sees_pictures: ClassVar[bool] = False
    searches_vocabulary: ClassVar[bool] = False
    extras: ClassVar[frozenset[str] | None] = None

    def __init__(self, config: JudgeConfig) -> None:
        self._config = config

    @abstractmethod
    async def ask(self, request: JudgeRequest) -> Verdict:
        """Try once to answer one request; raises `retry.AskError`."""

    async def aclose(self) -> None:  # noqa: B027 - nothing to close is the rule for models in this process
        """Close connections."""

    @classmethod
    def why_no_logprobs(cls, _model: str) -> str | None:
        """Return why a model returns no token log-probabilities, or None."""
        return None

    @classmethod
    def fingerprint(cls, _model: str) -> str:
        """Return what distinguishes a model from others of the same name, such as its files' times."""
        return ""

    @classmethod
    def missing_key(cls, config: JudgeConfig) -> str | None:
        """Return what to set if a judge is asked at `url` without a key, or None."""
        if config.api_key or not config.url or config.url != cls.url:
            return None
        return (
            f"The judge {config.name} needs a key and none was found; set {KEY_VARIABLE} "
            f"(or {cls.key_variable}), choose another judge with {JUDGE_VARIABLE}=provider:model, "
            f"or switch judging off with {JUDGE_VARIABLE}=none."
        )

    @classmethod
    def cannot(cls, model: str, request: JudgeRequest) -> str | None:
        """Return why `model` cannot answer this request, or None."""
        if request.images and not cls.sees_pictures:
            return f"{cls.name}: judges see no pictures"
        if request.lookup and not cls.searches_vocabulary:
            return f"{cls.name}: judges cannot look words up in their whole vocabulary"
        return None if request.top_logprobs is None else cls.why_no_logprobs(model)
