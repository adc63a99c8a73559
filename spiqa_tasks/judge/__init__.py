"""One engine for every use of an LLM in scoring: typed requests in, verdicts out."""

from spiqa_tasks.judge.config import JudgeConfig
from spiqa_tasks.judge.cost import JudgingEstimate, Summary
from spiqa_tasks.judge.judge import Judge, JudgeClient, make_judge
from spiqa_tasks.judge.resolve import judge_from_environ, parse_judge
from spiqa_tasks.judge.rules import Candidate, Rule, make_rule
from spiqa_tasks.judge.types import JudgeRequest, Verdict

__all__ = [
    "Candidate",
    "Judge",
    "JudgeClient",
    "JudgeConfig",
    "JudgeRequest",
    "JudgingEstimate",
    "Rule",
    "Summary",
    "Verdict",
    "judge_from_environ",
    "make_judge",
    "make_rule",
    "parse_judge",
]
