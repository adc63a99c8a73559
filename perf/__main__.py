"""Run the measurements and write their sections into perf/results.md: `python perf [NAME...]`, or
`make bench`.

Each script runs in a process of its own and works alone: `python perf/judge.py`. A section that
is not measured now, or whose script fails, stays as it was.
"""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGE = HERE / "results.md"
SCRIPTS = ("judge", "images", "matcher", "intervals", "sampled")
INTRODUCTION = """# Performance

`make bench` measures everything below and writes this page; `python perf NAME` measures one section
again. Numbers are medians of runs taken in turns, with the smallest and the largest in brackets; a
ratio is one of medians, with the smallest and the largest of a pair of runs. Compare ratios, not
seconds: the last line of a section says on what machine it was made, and how evenly that machine
worked.
"""


def main() -> int:
    """Run the scripts named, or all; return 1 if one of them failed."""
    names = sys.argv[1:] or SCRIPTS
    unknown = set(names) - set(SCRIPTS)
    if unknown:
        sys.exit(f"Expected names among {', '.join(SCRIPTS)}; found {', '.join(sorted(unknown))}.")
    failed = False
    for name in names:
        print(f"perf/{name}.py", file=sys.stderr, flush=True)
        done = subprocess.run(
            [sys.executable, str(HERE / f"{name}.py")],
            stdout=subprocess.PIPE,
            text=True,
            check=False,
        )
        if done.returncode == 0:
            write(name, done.stdout)
        else:
            print(f"perf/{name}.py failed; its section stays as it was.", file=sys.stderr)
            failed = True
    return int(failed)


def write(name: str, section: str) -> None:
    """Replace a script's section of the page."""
    sections = read()
    sections[name] = section.strip()
    parts = [f"{sections[key]}\n\n`perf/{key}.py`\n" for key in SCRIPTS if key in sections]
    PAGE.write_text("\n".join([INTRODUCTION, *parts]), encoding="utf-8")


def read() -> dict[str, str]:
    """Return script -> its section of the page."""
    if not PAGE.exists():
        return {}
    sections = {}
    for text in PAGE.read_text(encoding="utf-8").split("\n## ")[1:]:
        body, _, name = text.strip().removesuffix(".py`").rpartition("\n\n`perf/")
        sections[name] = f"## {body}"
    return sections


if __name__ == "__main__":
    sys.exit(main())
