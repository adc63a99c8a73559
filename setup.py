"""Adds to the wheel, editable or not, the `.pth` lines that let the hosts find our tasks however
they are started.
"""

from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

LINES = {
    "spiqa_tasks_lmms_eval.pth": (
        "import sys; sys.argv[:1] and (lambda name: name in ('lmms_eval', 'lmms-eval',"
        " 'lmms-eval-mcp'))((sys.orig_argv[-len(sys.argv)].removeprefix('-m') if sys.argv[0] =="
        " '-m' else sys.argv[0].replace(chr(92), '/').rpartition('/')[2]).partition('.')[0]) and"
        " __import__('spiqa_tasks.hosts.lmms_eval.registration', fromlist=('',)).register_tasks()\n"
    ),
    "spiqa_tasks_vlmevalkit.pth": (
        "import sys; sys.meta_path.insert(0, type('SpiqaTasksOfVLMEvalKit', (), {'find_spec':"
        " staticmethod(lambda name, path=None, target=None: name == 'vlmeval' and"
        " __import__('spiqa_tasks.hosts.vlmevalkit.registration', fromlist=('',)).register_tasks()"
        " or None)}))\n"
    ),
}
"""The first runs in processes whose program or module (`python -m`) is the host's; the second
when `vlmeval` is imported, by whatever program.
"""


class BuildPyWithPth(build_py):
    """The ordinary command, which then writes the `.pth` files to the root of what is installed."""

    def run(self) -> None:
        super().run()
        root = Path(
            self.get_finalized_command("install").install_lib
            if self.editable_mode
            else self.build_lib
        )
        root.mkdir(parents=True, exist_ok=True)
        for name, line in LINES.items():
            (root / name).write_text(line)

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        return [
            *super().get_outputs(include_bytecode),
            *(str(Path(self.build_lib, name)) for name in LINES),
        ]


setup(
    # `utils` and `yaml_configs` lie beside the package: `package_dir` of setup.cfg says where.
    packages=[
        *find_packages(include=["spiqa_tasks", "spiqa_tasks.*"]),
        "spiqa_tasks.utils",
        "spiqa_tasks.yaml_configs",
    ],
    cmdclass={"build_py": BuildPyWithPth},
)
