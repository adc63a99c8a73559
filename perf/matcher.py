"""The choice matcher beside the extractors of the hosts: the time that an answer takes.

    python perf/matcher.py [--runs 5]

The answers are `mcq/answers.jsonl` and `mcq/free_form.jsonl` of SPIQA_TASKS_TEST_DATA. Speed is
processor time, over the answers of gpt-4o beside the hosts' extractors, and over all answers of
each source for ours. `perf/corpora.py` says how many of them are read.
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from measure import REAL_DATA, arguments, growth, paired, ratio, show, spread, table

from spiqa_tasks.scoring.mcq import extract_choice
from spiqa_tasks.scoring.mcq.other_matchers import vlmevalkit_match

CHOICES = {"A": "a bar chart", "B": "a line plot", "C": "a table", "D": "a photograph"}
TEXT = (
    "The figure shows accuracy over time, so a table is unlikely; option A would need bars. Two"
    " lines cross near epoch ten, and the legend names both of them. Therefore the correct answer"
    " is (B) a line plot.\n\n"
)
Extractor = Callable[[str, Mapping[str, str]], str | None]
Pairs = Sequence[tuple[str, Mapping[str, str]]]


def ours(response: str, choices: Mapping[str, str]) -> str | None:
    """Return the letter that this package finds."""
    return extract_choice(response, choices).letter


def lmms_eval(response: str, choices: Mapping[str, str]) -> str | None:
    """Return the letter that the host finds, in MMStar and other tasks."""
    from lmms_eval.tasks._task_utils.mcq_extract import extract_mcq_answer

    return extract_mcq_answer(response, list(choices)) or None


def mmmu(response: str, choices: Mapping[str, str]) -> str | None:
    """Return the letter of the host's parser for MMMU and others; it draws at random where it
    finds nothing.
    """
    from lmms_eval.tasks.mmmu.utils import parse_multi_choice_response

    return str(parse_multi_choice_response(response, list(choices), dict(choices)))


def extractors() -> dict[str, Extractor]:
    """Return name -> extractor, ours first."""
    return {
        "spiqa-tasks": ours,
        "lmms-eval, `mcq_extract`": lmms_eval,
        "lmms-eval, MMMU": mmmu,
        # `vlmevalkit_match` was compared with this version.
        "VLMEvalKit 0.0.20": vlmevalkit_match,
    }


def main() -> None:
    """Print the section: the speed of each extractor, ours on each source, and ours on longer
    answers.
    """
    options = arguments(__doc__, runs=5)
    sources = _sources()
    timed = sources.pop("gpt-4o")
    for extract in extractors().values():
        extract("(A)", CHOICES)  # the hosts' are imported
    found = paired(
        {name: partial(_seconds, extract, timed) for name, extract in extractors().items()},
        options.runs,
    )
    rows = [
        [
            name,
            spread([1e6 * seconds / len(timed) for seconds in found[name]], "us"),
            ratio(found["spiqa-tasks"], times),
        ]
        for name, times in found.items()
    ]
    ours_on = paired(
        {name: partial(_seconds, ours, pairs) for name, pairs in sources.items()}, options.runs
    )
    rates = [
        [name, f"{len(sources[name]):,}", _rate(len(sources[name]), times)]
        for name, times in ours_on.items()
    ]
    show(
        "Letters",
        f"The choice matcher beside the hosts' extractors: processor time on {len(timed):,} answers"
        " of gpt-4o. Then ours on all answers of each source, on one answer, and on the same text"
        " repeated.",
        table(["extractor", "time an answer", "speed as a ratio to ours"], rows),
        table(["source", "answers", "answers a second"], rates),
        growth("characters", len(TEXT), _long, options.runs),
    )


def answers_in(name: str) -> Iterator[dict[str, Any]]:
    """Return the real answers of a file, with the letters that they mean."""
    return map(json.loads, (REAL_DATA / "mcq" / name).read_text(encoding="utf-8").splitlines())


def _sources() -> dict[str, Pairs]:
    """Return name -> (answer, options) pairs of gpt-4o, of each file, and of each source of the
    free-form answers.
    """
    sources: dict[str, list[tuple[str, Mapping[str, str]]]] = {
        "gpt-4o": [],
        "answers.jsonl": [],
        "free_form.jsonl": [],
    }
    for answer in answers_in("answers.jsonl"):
        pair = (answer["response"], answer["choices"])
        sources["answers.jsonl"].append(pair)
        if answer["model"].startswith("gpt-4o"):
            sources["gpt-4o"].append(pair)

    for answer in answers_in("free_form.jsonl"):
        pair = (answer["response"], answer["choices"])
        sources["free_form.jsonl"].append(pair)
        sources.setdefault(answer["source"], []).append(pair)
    return dict(sources)


def _rate(answers: int, seconds: Sequence[float]) -> str:
    """Return the answers a second of the slowest and the fastest run."""
    low, *_, high = sorted(answers / each for each in seconds)
    return f"{low:,.0f} to {high:,.0f}"


def _long(characters: int) -> float:
    """Return the seconds of our matcher for an answer of so many characters."""
    return _seconds(ours, [(TEXT * (characters // len(TEXT)), CHOICES)] * 20) / 20


def _seconds(extract: Extractor, pairs: Pairs) -> float:
    """Return the seconds of processor time of an extractor for (answer, options) pairs."""
    start = time.process_time()
    for response, choices in pairs:
        extract(response, choices)
    return time.process_time() - start


if __name__ == "__main__":
    main()
