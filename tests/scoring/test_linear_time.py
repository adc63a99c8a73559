"""Every parser that meets a model's text, at a megabyte of what is worst for it."""

from collections.abc import Callable

import pytest
from growth import is_linear

from spiqa_tasks.benchmarks.spiqa.perfigure import is_helpful_released, parse_helpful
from spiqa_tasks.hosts.failed_requests import is_request_failure
from spiqa_tasks.printable import printable
from spiqa_tasks.scoring.cot_released import parse_cot_released
from spiqa_tasks.scoring.mcq.other_matchers import released_match
from spiqa_tasks.scoring.ranking import parse_ranking
from spiqa_tasks.scoring.refusals import is_refusal

pytestmark = pytest.mark.slow
PARTS = (
    "\n",
    " ",
    "a",
    "[",
    "(",
    "A, ",
    "no-",
    "ranked captions ",
    "'Image': ",
    "The answer is:",
    "\\",
    "\x1b[",
    "1. ",
    "I cannot see ",
)
PARSERS: dict[str, Callable[[str], object]] = {
    "cot_released": parse_cot_released,
    "helpful": parse_helpful,
    "helpful_released": is_helpful_released,
    "mcq_released": lambda text: released_match(text, "A"),
    "refusals": is_refusal,
    "ranking": lambda text: parse_ranking(text, "ABCDE"),
    "request_failure": is_request_failure,
    "printable": printable,
}


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("parser", PARSERS)
def test_the_time_grows_with_the_text_alone(parser: str, part: str) -> None:
    """No parser goes over a text again and again."""
    assert is_linear(PARSERS[parser], part)
