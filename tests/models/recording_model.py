"""A simple model of the host that keeps what it is shown, reading documents and hooks as the
host's models do.
"""

from typing import Any

from lmms_eval.api.model import lmms


class Recorder(lmms):
    """Answers with the number of pictures; `seen` holds (text, visuals) of every request of
    every instance.
    """

    seen: list[tuple[str, Any]] = []  # noqa: RUF012 - shared on purpose: the host keeps the instance to itself

    def __init__(self, colour: str = "blue", **kwargs: Any) -> None:
        super().__init__()
        self.colour = colour
        self.given = kwargs

    def generate_until(self, requests: list[Any]) -> list[str]:
        texts, _, hooks, places, tasks, splits = zip(
            *(request.args for request in requests), strict=True
        )
        visuals = [hooks[0](self.task_dict[tasks[0]][splits[0]][place]) for place in places]
        Recorder.seen += zip(texts, visuals, strict=True)
        return [str(len(shown or [])) for shown in visuals]

    def generate_until_multi_round(self, requests: list[Any]) -> list[Any]:
        raise NotImplementedError

    def loglikelihood(self, requests: list[Any]) -> list[Any]:
        raise NotImplementedError
