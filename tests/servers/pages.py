"""The pages of the docs, their blocks of code and commands."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
DOCS = ROOT / "docs"


def page(name: str) -> Path:
    """Return the path of a page of docs/ by its name."""
    return DOCS / f"{name}.md"


def text_of(name: str) -> str:
    """Return the text of a page of docs/ by its name."""
    return page(name).read_text(encoding="utf-8")


def blocks(path: Path, language: str) -> list[str]:
    """Return the code blocks of a page in a language, such as `sh`."""
    return re.findall(rf"```{language}\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)


def program(name: str, word: str) -> str:
    """Return the only Python program of a page of docs/ that has a word in it."""
    (only,) = (block for block in blocks(page(name), "python") if word in block)
    return only


def words(path: Path) -> int:
    """Return the number of words of a page, without the borders of tables."""
    return sum(bool(word.strip("|-")) for word in path.read_text(encoding="utf-8").split())


def commands(path: Path) -> list[str]:
    """Return the commands of a page, each on one line, without comments."""
    lines = "\n".join(blocks(path, "sh")).replace("\\\n", " ").splitlines()
    without_comments = [re.sub(r"(^|\s+)# .*", "", line) for line in lines]
    return [line for line in without_comments if line.strip()]
