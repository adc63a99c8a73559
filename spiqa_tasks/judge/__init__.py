"""One engine for every use of an LLM in scoring: typed requests in, verdicts out."""

from __future__ import annotations

from spiqa_tasks.judge.config import JudgeConfig, judge_from_environ, parse_judge
from spiqa_tasks.judge.engine import Engine, shared_engine
from spiqa_tasks.judge.l3 import L3Judge, L3Rule
from spiqa_tasks.judge.letters import LetterJudge, LetterRule
from spiqa_tasks.judge.pending import Pending
from spiqa_tasks.judge.types import JudgeRequest, Verdict

__all__ = [
    "Engine",
    "JudgeConfig",
    "JudgeRequest",
    "L3Judge",
    "L3Rule",
    "LetterJudge",
    "LetterRule",
    "Pending",
    "Verdict",
    "judge_from_environ",
    "parse_judge",
    "shared_engine",
]
