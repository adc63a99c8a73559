"""Client CPU per question for sending pictures to an API model, in the three forms that a task can give them.

    python perf/images.py [QUESTIONS]

Eight figures of 1,500 x 900 pixels a question, the figures of a paper used in five consecutive questions, through the
host's class `openai` to a server in another process. The plain way is PIL images.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

from PIL import Image, ImageDraw

FIGURES, PER_PAPER, SIZE = 8, 5, (1500, 900)
SERVER = Path(__file__).resolve().parents[1] / "tests" / "servers" / "openai_server.py"


def main() -> None:
    """Measure each form and print a table."""
    questions = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    with tempfile.TemporaryDirectory() as folder:
        papers = [draw(Path(folder), number) for number in range(-(-questions // PER_PAPER))]
        server = subprocess.Popen(
            [sys.executable, str(SERVER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        try:
            assert server.stdout is not None
            url = server.stdout.readline().strip()
            seconds = {form: measure(form, url, papers, questions) for form in ("pil", "path", "encoded")}
        finally:
            server.communicate("")
    for form, value in seconds.items():
        print(f"{form:8} {value * 1000:7.1f} ms of CPU per question, {seconds['pil'] / value:5.1f} times less than pil")


def draw(folder: Path, number: int) -> list[str]:
    """The figures of a paper: line plots, which compress as plots do."""
    generator = random.Random(number)
    paths = []
    for index in range(FIGURES):
        image = Image.new("RGB", SIZE, "white")
        pen = ImageDraw.Draw(image)
        for _ in range(40):
            points = [(x, generator.randint(0, SIZE[1])) for x in range(0, SIZE[0], 30)]
            pen.line(points, fill=tuple(generator.choices(range(256), k=3)), width=2)
        paths.append(str(folder / f"{number}-{index}.png"))
        image.save(paths[-1])
    return paths


def measure(form: str, url: str, papers: list[list[str]], questions: int) -> float:
    """Seconds of this process's CPU per question."""
    from lmms_eval.models.chat.openai import OpenAICompatible

    from spiqa_tasks.benchmarks.prompting import Picture, chat_content

    model = OpenAICompatible(model_version="tiny", base_url=url, api_key="EMPTY", timeout=60)
    prompts = []
    for question in range(questions):
        paths = papers[question // PER_PAPER]
        prompts.append([f"Question {question}? ", *(part for path in paths for part in (Picture(path), "Caption. "))])

    def messages(prompt: list[object]) -> list[dict[str, object]]:
        return [{"role": "user", "content": chat_content(prompt, form == "path", encoded=form == "encoded")}]

    model.task_dict = {"task": {"test": prompts}}
    options = {"max_new_tokens": 16, "temperature": 0}
    requests = [
        SimpleNamespace(args=("", messages, dict(options), index, "task", "test")) for index in range(questions)
    ]
    start = time.process_time()
    answers = model.generate_until(requests)
    seconds = time.process_time() - start
    assert all(answer.text == "A plain answer." for answer in answers), answers[0].text
    return seconds / questions


if __name__ == "__main__":
    main()
