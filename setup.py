"""Adds to the wheel, editable or not, the `.pth` line that lets `lmms-eval tasks list` and `serve` find our tasks."""

from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

NAME = "spiqa_tasks_lmms_eval.pth"
LINE = (
    "import sys; sys.argv[:1] and (lambda name: name in ('lmms_eval', 'lmms-eval', 'lmms-eval-mcp') or "
    "name == 'uvicorn' and any(served.startswith('lmms_eval.') for served in sys.argv))("
    "(sys.orig_argv[-len(sys.argv)].removeprefix('-m') if sys.argv[0] == '-m' else "
    "sys.argv[0].replace(chr(92), '/').rpartition('/')[2]).partition('.')[0]) "
    "and __import__('spiqa_tasks.hosts.lmms_eval.registration', fromlist=('',)).register_tasks()\n"
)
"""Runs in processes whose program or module (`python -m`) is the host's, or uvicorn that serves an app of the host."""


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
