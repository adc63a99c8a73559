"""Adds to the wheel, editable or not, the `.pth` line that lets `lmms-eval tasks list` and `serve` find our tasks."""

from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

NAME = "spiqa_tasks_lmms_eval.pth"
LINE = (
    "import sys; (lambda a: a[1:] and (a[1].replace(chr(92), '/').rpartition('/')[2].startswith('lmms-eval') or "
    "'-m' in a[1:4] and (lambda m: m[:1] and (m[0].partition('.')[0] == 'lmms_eval' or "
    "m[0] == 'uvicorn' and any(n.startswith('lmms_eval.') for n in m)))(a[a.index('-m') + 1:])))(sys.orig_argv) "
    "and __import__('spiqa_tasks.hosts.lmms_eval.here')\n"
)
"""Runs in processes whose program is lmms-eval or whose module is the host's (uvicorn serves its user interface)."""


class BuildPyWithPth(build_py):
    """The ordinary command, which then writes the `.pth` file to the root of what is installed."""

    def run(self) -> None:
        super().run()
        root = self.get_finalized_command("install").install_lib if self.editable_mode else self.build_lib
        Path(root).mkdir(parents=True, exist_ok=True)
        Path(root, NAME).write_text(LINE)

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        return [*super().get_outputs(include_bytecode), str(Path(self.build_lib, NAME))]


setup(cmdclass={"build_py": BuildPyWithPth})
