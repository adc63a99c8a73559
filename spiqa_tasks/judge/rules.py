"""The rules by which judges are asked: the request for an answer, and the score of a verdict.

L3Score (SPIQA section 4, Fig. F.1) asks whether a candidate answer means what the reference means:
by log-probabilities, or for judges without them by the share of yes among several answers. The
rules `letters` ask for the letter of a choice that the matcher leaves open (SciFIBench G.2).

To add a rule: a `Rule`, and its class in `RULES`.
"""

import hashlib
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from spiqa_tasks.errors import InputError
from spiqa_tasks.judge.sanitize import sanitize, shortened
from spiqa_tasks.judge.types import EXTRA_VARIABLE, NO_THINKING, JudgeRequest, Verdict
from spiqa_tasks.scoring.l3score import NO_FORMS, TOP, YES_FORMS, l3score
from spiqa_tasks.scoring.mcq import extract_choice
from spiqa_tasks.scoring.responses import without_reasoning

DEFAULT_PROMPT = "released"
PROMPTS: dict[str, str] = {
    # The wording of the authors' released script.
    "released": (
        "You are given a question, ground-truth answer, and a candidate answer. Question:"
        " {question} \nGround-truth answer: {reference} \nCandidate answer: {prediction} \nIs the"
        " semantic meaning of the ground-truth and candidate answers similar? Answer in one word -"
        " Yes or No."
    ),
    # SPIQA, Fig. F.1, line for line.
    "paper": (
        "You are given a question, ground-truth answer, and a candidate\n"
        "answer.\n"
        "\n"
        "Question: {question}\n"
        "Ground-truth answer: {reference}\n"
        "Candidate answer: {prediction}\n"
        "\n"
        "Is the semantic meaning of the ground-truth and candidate answers\n"
        "similar? Answer in one word - Yes or No."
    ),
}

# Probability of yes and no together below which a judge most likely writes something else, and the
# share of yes between them is noise.
LEAST_MASS = 0.5

# With five draws the mean over test-A has a standard deviation below one point.
DRAWS = 5

# Tokens in which a model may think before a draw's answer.
THOUGHTS = 2048

# Tokens for a word in Markdown, or behind a label.
_ANSWER_TOKENS = 16

# Yes or no at the beginning of a draw, alone or before a mark: "no doubt" says neither.
_SAID = re.compile(
    r"\W*(?:(?:final )?answer\W+)?(?:(yes|yeah)|no)(?:\s*$|\s*[^\w\s])", re.IGNORECASE
)

# The verdict that an answer has no letter, as the prompt asks for it.
_NO_LETTER = re.compile(r"\W*(?:none|no answer)\b", re.IGNORECASE)

# Remedy for a judge whose first word is none of those asked for.
NEITHER_REMEDY = (
    "a judge that thinks or greets first has to be told not to, with "
    f"{EXTRA_VARIABLE} '{NO_THINKING}' (vLLM, SGLang, hf:); else choose another judge"
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """An answer to be judged.

    `reference` is the true answer, for a choice its letter; `letters` are those of a choice's
    options. `as_written` shows the answer unchanged, as released scripts do.
    """

    prediction: str
    question: str = ""
    reference: str = ""
    letters: tuple[str, ...] = ()
    as_written: bool = False

    @property
    def shown(self) -> str:
        """The answer as a judge is shown it: sanitized and shortened, unless as written."""
        return self.prediction if self.as_written else sanitize(shortened(self.prediction))


@dataclass(frozen=True)
class Rule(ABC):
    """A rule for judging answers; pure, a frozen dataclass whose fields are its options.

    Attributes:
        name: in `RULES`, and what a benchmark calls it.
        metric: the metric of free answers that it gives; '' for rules of other answers.
        tests: answers that a judge is asked about before a run.
        remedy: how to do without a judge, after "or".
        required_by: the setting whose tasks cannot do without a judge; empty where scores are
            left out instead.
    """

    name: ClassVar[str]
    metric: ClassVar[str] = ""
    tests: ClassVar[tuple[Candidate, ...]]
    remedy: ClassVar[str] = "switch judging off with SPIQA_JUDGE=none"
    required_by: ClassVar[str] = ""

    @abstractmethod
    def request(self, candidate: Candidate, /) -> JudgeRequest:
        """Return the judge request; a judge that cannot answer it is refused before the run."""

    @abstractmethod
    def score(self, candidate: Candidate, verdict: Verdict, /) -> float | None:
        """Return the score in [0, 1], or None for a verdict that failed or cannot be read."""

    @abstractmethod
    def signature(self) -> dict[str, Any]:
        """Return the rule's signature fields, without the `judge_` prefix."""

    def fault(self, _verdicts: Sequence[Verdict], /) -> str | None:
        """Return why a judge with these verdicts on `tests` is unfit, with the remedy, or None."""
        return None


@dataclass(frozen=True)
class YesNoRule(Rule):
    """Asks for one word, yes or no. InputError for unusable options.

    An empty candidate answer is judged like any other, as the released script does.

    Attributes:
        prompt: a name in `PROMPTS`.
    """

    tests = (
        Candidate("Blue", "What colour is the sky on a clear day?", "Blue"),
        Candidate("Green", "What colour is the sky on a clear day?", "Blue"),
    )

    prompt: str = DEFAULT_PROMPT

    def __post_init__(self) -> None:
        if self.prompt not in PROMPTS:
            raise InputError(
                f"Unknown L3Score prompt {self.prompt!r}; expected one of {', '.join(PROMPTS)}."
            )

    def text(self, candidate: Candidate) -> str:
        """Return the prompt about an answer."""
        return PROMPTS[self.prompt].format(
            question=candidate.question, reference=candidate.reference, prediction=candidate.shown
        )

    def fault(self, verdicts: Sequence[Verdict], /) -> str | None:
        """Return why the judge's verdicts on the two test questions are unusable, or None."""
        scores = []
        for test, verdict in zip(self.tests, verdicts, strict=True):
            score = self.score(test, verdict)
            pairs = verdict.top_logprobs
            is_noise = bool(pairs) and yes_no_mass(pairs) < LEAST_MASS
            if score is None or is_noise:
                return (
                    f"its answer begins with {verdict.text.strip()[:20]!r} and is no clear yes or "
                    f"no; {NEITHER_REMEDY}"
                )
            scores.append(score)

        right, wrong = scores
        if right > 0.5 > wrong:
            return None
        return (
            f"it scored a right answer {right:.2f} and a wrong one {wrong:.2f}, which must be "
            "above and below 0.5; choose another one"
        )


@dataclass(frozen=True)
class L3ScoreRule(YesNoRule):
    """The score is the share of yes in the log-probabilities of the first token."""

    name = metric = "l3score"

    def request(self, candidate: Candidate, /) -> JudgeRequest:
        return JudgeRequest(self.text(candidate), top_logprobs=TOP)

    def score(self, _candidate: Candidate, verdict: Verdict, /) -> float | None:
        """Return the score; 0, as published, if neither word is among all that were asked for."""
        pairs = verdict.top_logprobs
        is_complete = len(pairs) >= TOP or any(_is_yes_or_no(token) for token, _ in pairs)
        return l3score(pairs) if verdict.ok and is_complete else None

    def signature(self) -> dict[str, Any]:
        """Return the fields of the signature that say how the judge is asked."""
        return {
            "prompt": _prompt_id(self.prompt, PROMPTS[self.prompt]),
            "rule": f"top-{TOP}",
            "temperature": 0.0,
            "max_tokens": 1,
        }


@dataclass(frozen=True)
class SampledRule(YesNoRule):
    """The score is the share of yes among draws at temperature 1, an estimate of L3Score.

    Attributes:
        draws: their number.
        thoughts: tokens in which a model may think before its answer; a longer thinker is cut off.
    """

    name = "sampled"
    metric = "l3score_sampled"

    draws: int = DRAWS
    thoughts: int = THOUGHTS

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.draws <= 1000:
            raise InputError(
                f"Expected a number of draws from 1 to 1000, found {self.draws}. Correct it."
            )
        if not 0 <= self.thoughts <= 1_000_000:
            raise InputError(
                f"Expected a number of thinking tokens of at least 0, found {self.thoughts}."
            )

    def request(self, candidate: Candidate, /) -> JudgeRequest:
        """Return the request for a verdict on a candidate: several sampled answers."""
        return JudgeRequest(
            self.text(candidate),
            max_tokens=_ANSWER_TOKENS,
            top_logprobs=None,
            draws=self.draws,
            thoughts=self.thoughts,
        )

    def score(self, _candidate: Candidate, verdict: Verdict, /) -> float | None:
        """Return the share of yes; None if the judge failed or a draw says neither yes nor no."""
        said_yes = []
        for line in verdict.text.split("\n"):
            said = _SAID.match(line)
            if said is None:
                return None
            said_yes.append(said[1] is not None)
        return sum(said_yes) / len(said_yes)

    def signature(self) -> dict[str, Any]:
        """Return the fields of the signature that say how the judge is asked."""
        return {
            "prompt": _prompt_id(self.prompt, PROMPTS[self.prompt]),
            "rule": f"share of {self.draws} draws",
            "temperature": 1.0,
            "max_tokens": _ANSWER_TOKENS + self.thoughts,
        }


@dataclass(frozen=True)
class LettersRule(Rule):
    """Asks for the letter alone, in the paper's words; the score is 1 for the true one, else 0.

    A text that names neither a letter nor that there is none is no verdict.
    """

    name = "letters"
    tests = (Candidate("The answer is B.", reference="B", letters=tuple("ABCDE")),)
    remedy = "use a task without extractor=judge"
    required_by = "the setting extractor"

    template: ClassVar[str] = (
        "Here is the output from a generative model:\n{output}\nThe output contains the answer to a"
        " multiple choice question with options {first}) - {last}). Return only the letter of the"
        " answer. If no answer is found, return None."
    )
    max_tokens: ClassVar[int] = 16

    def request(self, candidate: Candidate, /) -> JudgeRequest:
        first, *_, last = candidate.letters
        prompt = self.template.format(output=candidate.shown, first=first, last=last)
        return JudgeRequest(prompt, max_tokens=self.max_tokens, top_logprobs=None)

    def score(self, candidate: Candidate, verdict: Verdict, /) -> float | None:
        letter = extract_choice(verdict.text, dict.fromkeys(candidate.letters, "")).letter
        is_read = letter is not None or _NO_LETTER.match(without_reasoning(verdict.text))
        return float(letter == candidate.reference) if verdict.ok and is_read else None

    def fault(self, verdicts: Sequence[Verdict], /) -> str | None:
        """Return why the judge's verdict on the test question is unusable, or None."""
        (verdict,) = verdicts
        if self.score(self.tests[0], verdict) is not None:
            return None
        return (
            f"asked for the letter of an answer it wrote {verdict.text[:40]!r}; choose another one"
        )

    def signature(self) -> dict[str, Any]:
        return {"prompt": _prompt_id("letters", self.template, 8)}


@dataclass(frozen=True)
class ReleasedLettersRule(LettersRule):
    """Asks in the words of the authors' README; a source line's indent is part of them."""

    name = "letters_released"

    template: ClassVar[str] = (
        'Here is the output from a generative model:\n"{output}"\nThe output contains the answer to'
        " a multiple choice question with options {first}) - {last}). "
        + " " * 16
        + 'Return only the letter of the answer. If no answer is found, return "None".'
    )
    max_tokens: ClassVar[int] = 3


RULES: dict[str, type[Rule]] = {
    rule.name: rule for rule in (L3ScoreRule, SampledRule, LettersRule, ReleasedLettersRule)
}

# Rule of free answers -> the metric that it gives.
METRIC_OF = {rule.name: rule.metric for rule in RULES.values() if rule.metric}


def make_rule(spec: str, options: dict[str, Any]) -> Rule:
    """Return the rule `NAME`, or `sampled:K` for K draws, with those options that it has.

    Raises InputError for an unknown name, or a value that the rule refuses.
    """
    name, _, draws = spec.partition(":")
    if name not in RULES:
        raise InputError(f"Expected a judge's rule among {', '.join(RULES)}; found {name!r}.")

    if draws:
        if name != SampledRule.name or not draws.isdecimal():
            raise InputError(
                f"Expected {name} alone, or sampled:K with a number of draws K; found {spec!r}."
                " Correct it."
            )
        options = {**options, "draws": int(draws)}
    known = {field.name for field in fields(RULES[name])}
    chosen = {option: value for option, value in options.items() if option in known}
    return RULES[name](**chosen)


def yes_no_mass(top_logprobs: Sequence[Sequence[Any]]) -> float:
    """Return the probability of yes and no together, in all their spellings."""
    probabilities = [
        math.exp(min(logprob, 0.0)) for token, logprob in top_logprobs if _is_yes_or_no(token)
    ]
    return min(math.fsum(probabilities), 1.0)


def _is_yes_or_no(token: str) -> bool:
    """Return whether a token is one of L3Score's forms, such as ` Yes`."""
    return token.strip().lower() in YES_FORMS | NO_FORMS


def _prompt_id(name: str, text: str, digits: int = 12) -> str:
    """Return a prompt's name in signatures, with the first digits of its text's sha256."""
    return f"{name}:{hashlib.sha256(text.encode()).hexdigest()[:digits]}"
