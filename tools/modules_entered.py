"""Count the modules of the package whose functions a command enters.

    python tools/modules_entered.py spiqa_tasks score mmstar_demo predictions.jsonl
    python tools/modules_entered.py lmms_eval --model random_choice --tasks mmstar_demo

Run `python -m MODULE ARGUMENTS` in this process, then print the modules and their number. Functions
that run while a module is imported (for tables or patterns) are not counted.
"""

import contextlib
import inspect
import runpy
import sys
import threading
from types import FrameType
from typing import Any

PACKAGE = "spiqa_tasks"


def modules_entered(argv: list[str]) -> set[str]:
    """Run a command as `python -m` does; return the names of the modules whose functions it
    entered.
    """
    entered: set[str] = set()

    def note(frame: FrameType, event: str, _argument: Any) -> None:
        name = str(frame.f_globals.get("__name__", ""))
        if event != "call" or name in entered or name.partition(".")[0] != PACKAGE:
            return
        # Functions have the flag CO_OPTIMIZED, bodies of modules and classes do not.
        if frame.f_code.co_flags & inspect.CO_OPTIMIZED and not _is_importing(frame):
            entered.add(name)

    sys.argv = argv
    threading.setprofile(note)  # lmms-eval scores answers in threads
    sys.setprofile(note)
    try:
        with contextlib.suppress(SystemExit):
            runpy.run_module(argv[0], run_name="__main__", alter_sys=True)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return entered


def _is_importing(frame: FrameType | None) -> bool:
    """Return whether the body of one of the package's modules or classes is among the callers."""
    while frame is not None:
        is_ours = str(frame.f_globals.get("__name__", "")).partition(".")[0] == PACKAGE
        if is_ours and not frame.f_code.co_flags & inspect.CO_OPTIMIZED:
            return True
        frame = frame.f_back
    return False


if __name__ == "__main__":
    found = sorted(modules_entered(sys.argv[1:]))
    print(*found, f"{len(found)} modules", sep="\n")
