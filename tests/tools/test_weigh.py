"""What the package weighs is counted as the table of bounds says, on text whose weight is known
by hand.
"""

import importlib.util
import math
import sys
from pathlib import Path
from types import ModuleType

import pytest

pytest.importorskip("radon", reason="radon is not installed")


def load_tool(name: str) -> ModuleType:
    """Return a script of `tools/` as a module."""
    path = Path(__file__).resolve().parents[2] / "tools" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


weigh = load_tool("weigh")

TEXT = '''"""A docstring is no code."""

# a reason
LIMIT = 3  # noqa


def double(x):
    """Return it twice."""
    return 2 * x if x and x > LIMIT else x
'''


def test_tokens_are_those_of_code(tmp_path: Path) -> None:
    """Docstrings and comments do not count; directives are no reasons."""
    path = tmp_path / "module.py"
    path.write_text(TEXT)
    weight = weigh.weigh([path])

    # LIMIT = 3 | def double ( x ) : | return 2 * x if x and x > LIMIT else x
    assert weight.tokens == 3 + 6 + 12
    assert weight.comments == 1
    assert weight.complexities == {"module:7 double": 3}


def test_each_bound_that_is_not_kept_is_a_sentence() -> None:
    """A heavy package is told all that is too much, a light one nothing."""
    most = weigh.MOST_TOKENS, weigh.MOST_MODULES, weigh.MOST_COMPLEX, weigh.MOST_COMPLEXITY
    tokens, modules, functions, complexity = most
    lines = 1000
    comments = math.ceil(weigh.LEAST_COMMENTS * lines)
    too_complex = {f"f{n}": complexity + 1 for n in range(functions + 1)}

    heavy = weigh.Weight(modules + 1, lines, tokens + 1, comments - 1, too_complex)
    light = weigh.Weight(modules, lines, tokens, comments, {"f": complexity})

    assert len(weigh.faults(heavy)) == 5
    assert weigh.faults(light) == []
