"""Weigh the package: `python tools/weigh.py` prints its size and ends with 1 above a bound.

Tokens are those of the code: no comments, no docstrings. Complexity is radon's, which counts
comprehensions, conditional expressions and boolean operators, where density hides.
"""

import io
import sys
import token
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from radon.complexity import cc_visit
from radon.visitors import Function

PACKAGE = Path(__file__).resolve().parents[1] / "spiqa_tasks"

# The bounds are what the package weighs today, rounded up. They go down, to the aims; up only for
# what guards people: bad input, keys, kills, other people's files.
#
# Aim: 130,000, four times httpx; more has shown to be more than a newcomer reads.
MOST_TOKENS = 151_123

# Aim: 170.
MOST_MODULES = 165

# The aim was 35, one function in forty, as in the libraries of the field.
MOST_COMPLEX = 0

# Functions above it are complex: radon's rank C, from which its authors advise to split.
COMPLEX = 10

# The aim was 12: a function above that is two functions.
MOST_COMPLEXITY = 10

# Share of the lines with a comment, as in the libraries of the field, which have 4 to 10%. This
# bound only ever goes up.
LEAST_COMMENTS = 0.04

NO_CODE = frozenset(
    {
        tokenize.COMMENT,
        tokenize.NL,
        tokenize.ENCODING,
        token.NEWLINE,
        token.INDENT,
        token.DEDENT,
        token.ENDMARKER,
    }
)
DIRECTIVES = ("noqa", "type:", "pragma")
"""Comments for programs, which give no reason."""


@dataclass
class Weight:
    """The size of some modules; `complexities` is `module:line name` -> a function's complexity."""

    modules: int
    lines: int
    tokens: int
    comments: int
    complexities: dict[str, int]

    @property
    def complex_functions(self) -> dict[str, int]:
        """Functions above `COMPLEX`, the most complex first."""
        above = {name: value for name, value in self.complexities.items() if value > COMPLEX}
        return dict(sorted(above.items(), key=lambda entry: -entry[1]))


def weigh(paths: list[Path]) -> Weight:
    """Return the weight of Python files."""
    weight = Weight(len(paths), 0, 0, 0, {})
    for path in paths:
        text = path.read_text(encoding="utf-8")
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
        weight.lines += sum(bool(line.strip()) for line in text.splitlines())
        weight.tokens += sum(1 for _ in code_tokens(tokens))
        weight.comments += sum(map(is_reason, tokens))
        weight.complexities |= complexities(text, path.stem)

    return weight


def code_tokens(tokens: list[tokenize.TokenInfo]) -> Iterator[tokenize.TokenInfo]:
    """Yield the tokens of code, without strings that are a statement: docstrings."""
    previous_type = tokenize.ENCODING
    for one in tokens:
        is_docstring = one.type == token.STRING and previous_type in NO_CODE
        if one.type not in NO_CODE and not is_docstring:
            yield one
        previous_type = one.type


def is_reason(one: tokenize.TokenInfo) -> bool:
    """Return whether a token is a comment for people."""
    return one.type == tokenize.COMMENT and not any(word in one.string for word in DIRECTIVES)


def complexities(text: str, module: str) -> dict[str, int]:
    """Return `module:line name` -> complexity of the functions and methods in a module's text."""
    complexity_of = {}
    for block in cc_visit(text):
        functions = [block] if isinstance(block, Function) else block.methods
        for function in functions:
            complexity_of[f"{module}:{function.lineno} {function.name}"] = function.complexity

    return complexity_of


def faults(weight: Weight) -> list[str]:
    """Return a sentence for each bound that is not kept."""
    above = weight.complex_functions
    worst = max(above.values(), default=0)
    share = weight.comments / weight.lines
    bounds = [
        (weight.tokens > MOST_TOKENS, f"{weight.tokens} tokens, at most {MOST_TOKENS}"),
        (weight.modules > MOST_MODULES, f"{weight.modules} modules, at most {MOST_MODULES}"),
        (len(above) > MOST_COMPLEX, f"{len(above)} complex functions, at most {MOST_COMPLEX}"),
        (worst > MOST_COMPLEXITY, f"a complexity of {worst}, at most {MOST_COMPLEXITY}"),
        (share < LEAST_COMMENTS, f"{share:.1%} comments, at least {LEAST_COMMENTS:.0%}"),
    ]
    return [text for is_fault, text in bounds if is_fault]


def main() -> int:
    """Print the weight, the complex functions and what is above a bound."""
    weight = weigh(sorted(PACKAGE.rglob("*.py")))
    above = weight.complex_functions
    print(
        f"{weight.modules} modules, {weight.tokens} tokens, {weight.tokens / weight.lines:.1f} a"
        f" line, {len(above)} of {len(weight.complexities)} functions above a complexity of"
        f" {COMPLEX}, {weight.comments / weight.lines:.1%} comments"
    )
    for name, complexity in above.items():
        print(f"  {complexity:3} {name}")
    sentences = faults(weight)
    for sentence in sentences:
        print(f"too much: {sentence}", file=sys.stderr)
    return 1 if sentences else 0


if __name__ == "__main__":
    sys.exit(main())
