"""The pages of the docs, their blocks of code and commands."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
DOCS = ROOT / "docs"


def page(name: str) -> Path:
    """A page of docs/ by its name."""
    return DOCS / f"{name}.md"


def text_of(name: str) -> str:
    """Its text."""
    return page(name).read_text(encoding="utf-8")


def blocks(path: Path, language: str) -> list[str]:
    """The blocks of a page in a language."""
    return re.findall(rf"```{language}\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)


def program(name: str, word: str) -> str:
    """The one Python program of a page of docs/ in which a word occurs."""
    (found,) = (block for block in blocks(page(name), "python") if word in block)
    return found


def words(path: Path) -> int:
    """Number of words of a page, without the borders of tables."""
    return sum(bool(word.strip("|-")) for word in path.read_text(encoding="utf-8").split())


def commands(path: Path) -> list[str]:
    """Every line of the page's blocks of commands, continued ones as one, without comments."""
    lines = "\n".join(blocks(path, "sh")).replace("\\\n", " ").splitlines()
    return [line for line in (re.sub(r"(^|\s+)# .*", "", line) for line in lines) if line.strip()]
