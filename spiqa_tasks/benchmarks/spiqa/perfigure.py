"""SPIQA for single-image models: each figure is shown alone, twice, and the answers are joined per
question.

The paper (section 5.1) shows such models every figure one by one; the released scripts ask whether
a figure is helpful, and for an answer. Each of the two prompts is a document.

- corrected: the distinct answers of helpful figures in the order shown, joined by a space; without
  a helpful figure the score is 0 and the prediction empty.
- released: every helpful referred figure gives an answer of its own; a question without one
  fails.
"""

import dataclasses
import re
from collections import defaultdict

from spiqa_tasks.benchmarks.benchmark import Row
from spiqa_tasks.benchmarks.metric import RELEASED
from spiqa_tasks.benchmarks.record import MetricRequest, Record, Records, Response, metric_requests
from spiqa_tasks.benchmarks.spiqa.formats import groups_of
from spiqa_tasks.benchmarks.spiqa.release import STEPS, SpiqaSettings
from spiqa_tasks.judge.rules import Candidate, Rule
from spiqa_tasks.scoring.responses import without_control_tokens

# Models begin with the word that is asked for, and may go on.
_VERDICT = re.compile(r"\b(?:(yes|yeah)|(no|not))\b", re.IGNORECASE)


def parse_helpful(reply: str) -> bool | None:
    """Return whether the first of the words yes, yeah, no and not says yes, or None if there is
    none.
    """
    word = _VERDICT.search(reply)
    return None if word is None else word[1] is not None


def is_helpful_released(reply: str) -> bool:
    """Return the released rule's verdict: helpful unless "no" occurs anywhere, even in "know" or
    "another".
    """
    return "no" not in reply.lower()


def document_record(row: Row, response: Response) -> Record:
    """Return the record of one document: the reply as prediction, and the fields that `join`
    needs.
    """
    if row["step"] == "helpful":
        is_unclear = parse_helpful(response.text) is None
    else:
        is_unclear = not response.text.strip()
    details = {key: row[key] for key in ("question_id", "question", "step", "documents")}
    # `join` must tell whether a document is missing, and whether a figure is a referred one.
    details |= {"figures": [row["figures"][0]["file"]], "referred": bool(row["referred"])}
    return Record(
        row["id"],
        response.text,
        row["answer"],
        row["paper_id"],
        rule="unformatted" if is_unclear else "ok",
        # A question has a document per figure and step.
        groups=groups_of(row, row["documents"] // len(STEPS)),
        details=details,
    )


def join(settings: SpiqaSettings, documents: Records, rule: Rule | None) -> list[Record]:
    """Return one record per question.

    It has the scores and verdicts of its document that carries them, if it was scored before, and
    the answers that the released scripts score in `details`. A question with missing documents
    (`--limit` may cut one) has the status `incomplete` and no scores.
    """
    by_question: defaultdict[str, dict[str, Record]] = defaultdict(dict)
    for record in documents:
        # A record that failed scoring has only its id, `<question>/<figure>/<step>`. A document
        # that is there twice counts once.
        by_question[record.id.rsplit("/", 2)[0]][record.id] = record

    questions = []
    for question_id, by_id in by_question.items():
        # by the figure's number: as text, figure 10 would come before 2
        parts = sorted(by_id.values(), key=lambda part: int(part.id.split("/")[-2]))
        question = _joined(question_id, parts, settings, rule)
        scored = next((part for part in parts if part.scores or part.verdicts), None)
        if scored is not None and question.status != "incomplete":
            scores = dict(scored.scores)
            # of the only figure that was judged: the released value is no mean over questions
            scores.pop(settings.judged + RELEASED, None)
            joined = dataclasses.replace(question, scores=scores, requests=())
            question = joined.with_verdicts(scored.verdicts)
        questions.append(question)
    return questions


def _joined(
    question_id: str, ordered: Records, settings: SpiqaSettings, rule: Rule | None
) -> Record:
    """Return the record of a question from those of its documents; `anchor` is the first one's
    id.
    """
    first = ordered[0]
    is_scored = all(part.status != "scoring_failed" for part in ordered)
    if not is_scored or len(ordered) < first.details["documents"]:
        return Record(question_id, status="incomplete", cluster=first.cluster)

    question = dataclasses.replace(first, id=question_id, rule=None, details={"anchor": first.id})
    # Without one of its replies, nobody knows what the answer would have been.
    for part in ordered:
        if part.status == "request_failed":
            return question.failed(str(part.reason))
    return _answered_question(question, ordered, settings, rule)


def _answered_question(
    question: Record, ordered: Records, settings: SpiqaSettings, rule: Rule | None
) -> Record:
    """Return the record of a question all of whose documents were answered, not yet judged."""
    answers, released = _answers(ordered)
    prediction = " ".join(dict.fromkeys(filter(None, map(without_control_tokens, answers))))
    candidate = Candidate(prediction, ordered[0].details["question"], question.reference)

    details = dict(question.details)
    scores: dict[str, float] = {}
    requests: list[MetricRequest] = []
    if answers:
        requests += metric_requests(rule, settings.judged, candidate)
    else:
        # Without an answer there is nothing to judge.
        scores[settings.judged] = 0.0
    if settings.protocol == "both":
        details["released_answers"] = released
        for answer in released:
            written = dataclasses.replace(candidate, prediction=answer, as_written=True)
            requests += metric_requests(rule, settings.judged + RELEASED, written)

    return dataclasses.replace(
        question,
        prediction=prediction,
        status="ok" if answers else "no_helpful_figure",
        scores=scores,
        details=details,
        requests=tuple(requests),
    )


def _answers(ordered: Records) -> tuple[list[str], list[str]]:
    """Return the answers of helpful figures, and those that the released scripts score."""
    replies = {part.id: part.prediction or "" for part in ordered}
    answers: list[str] = []
    released: list[str] = []
    for part in ordered:
        if part.details["step"] != "helpful":
            continue
        verdict = replies[part.id]
        answer = replies[part.id.removesuffix("helpful") + "answer"]
        if part.details["referred"] and is_helpful_released(verdict):
            released.append(answer)
        # An unclear verdict counts as helpful, as in the released scripts.
        if parse_helpful(verdict) is not False:
            answers.append(answer)
    return answers, released
