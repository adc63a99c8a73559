"""A baseline that answers with what it is given."""

from collections.abc import Sequence

from spiqa_tasks.benchmarks.benchmark import Row
from spiqa_tasks.models.baselines import Baseline


class Echo(Baseline):
    """Answers with what it is given."""

    def answer(self, doc: Row, docs: Sequence[Row], key: str) -> str:
        """The document's text, how many there are, and the key."""
        return f"{doc['text']} of {len(docs)} in {key}"
