"""CompassVerifier: whether the final answer is right, as one of three letters (Liu et al., 2025, arXiv 2508.03686)."""

from __future__ import annotations

from dataclasses import dataclass

from spiqa_tasks.judge.rules.grade import LetteredRule
from spiqa_tasks.judge.rules.rule import Candidate

PROMPT = (
    "\n"
    "Please as a grading expert, judge whether the final answers given by the candidates below are "
    "consistent with the standard answers, that is, whether the candidates answered correctly. \n"
    "Here are some evaluation criteria:\n"
    "1. Please refer to the given standard answer. You don't need to re-generate the answer to the "
    "question because the standard answer has been given. You only need to judge whether the "
    "candidate's answer is consistent with the standard answer according to the form of the "
    "question. THE STANDARD ANSWER IS ALWAYS CORRECT AND THE QUESTION IS PERFECTLY VALID. NEVER "
    "QUESTION THEM.\n"
    "2. ONLY compare the FINAL ANSWER - COMPLETELY IGNORE any potential errors in the REASONING "
    "PROCESSES.\n"
    "3. Some answers may be expressed in different ways, such as some answers may be a mathematical "
    "expression, some answers may be a textual description, as long as the meaning expressed is the "
    "same. Before making a judgment, please understand the question and the standard answer first, "
    "and then judge whether the candidate's answer is correct.\n"
    "4. Some answers may consist of multiple items, such as multiple-choice questions, "
    "multiple-select questions, fill-in-the-blank questions, etc. Regardless of the question type, "
    "the final answer will be considered correct as long as it matches the standard answer, "
    "regardless of whether the reasoning process is correct. For multiple-select questions and "
    "multi-blank fill-in-the-blank questions, all corresponding options or blanks must be answered "
    "correctly and match the standard answer exactly to be deemed correct.\n"
    "5. If the prediction is given with \\boxed{{}}, please ignore the \\boxed{{}} and only judge "
    "whether the candidate's answer is consistent with the standard answer.\n"
    "6. If the candidate's answer is invalid (e.g., incomplete (cut off mid-response), lots of "
    "unnormal repetitive content, or irrelevant to the question, saying it can't answer the question "
    "because some irresistible factors, like ethical issues, no enough information, etc.), select "
    "option C (INVALID).Please judge whether the following answers are consistent with the standard "
    "answer based on the above criteria. Grade the predicted answer of this new question as one of:\n"
    "A: CORRECT \n"
    "B: INCORRECT\n"
    "C: INVALID\n"
    'Just return the letters "A", "B", or "C", with no text around it.\n'
    "Here is your task. Simply reply with either CORRECT, INCORRECT, or INVALID. Don't apologize or "
    "correct yourself if there was a mistake; we are just trying to grade the answer.\n"
    "<Original Question Begin>:\n"
    "{question}\n"
    "<Original Question End>\n"
    "<Standard Answer Begin>:\n"
    "{gold_answer}\n"
    "<Standard Answer End>\n"
    "<Candidate's Answer Begin>: \n"
    "{llm_response}\n"
    "<Candidate's Answer End>\n"
    "Judging the correctness of the candidate's answer:\n"
)
"""As published, with its three fields."""


@dataclass(frozen=True)
class CompassRule(LetteredRule):
    """Asks for A (correct), B (incorrect) or C (invalid); the score is the share of A in their log-probabilities.

    The wording is that of the CompassVerifier models; any judge with log-probabilities may be asked.
    """

    name = metric = "compass"
    wording = ("compass", PROMPT)
    values = {"A": 1.0, "B": 0.0, "C": 0.0}  # noqa: RUF012 - of the protocol
    words = {"CORRECT": 1.0, "INCORRECT": 0.0, "INVALID": 0.0}  # noqa: RUF012 - of the protocol

    def prompt(self, candidate: Candidate) -> str:
        return PROMPT.format(question=candidate.question, gold_answer=candidate.reference, llm_response=candidate.shown)
