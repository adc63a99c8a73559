"""Measure the client's processor time for sending a question's pictures to an API model.

    python perf/images.py [--questions 15] [--runs 3]

A task gives pictures in one of three forms: PIL images, as lmms-eval's own tasks do, paths, or
encoded files. A question has eight figures of 1,500 x 900 pixels, a paper five questions; they go
through lmms-eval's class `openai` to a server in another process.
"""

import random
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

from measure import arguments, paired, ratio, show, spread, table
from PIL import Image, ImageDraw
from served import server

from spiqa_tasks.benchmarks.prompting import Part, Picture, chat_content

FIGURES, PER_PAPER, SIZE = 8, 5, (1500, 900)
FORMS = {
    "pil": "PIL images (the host's path)",
    "path": "paths",
    "encoded": "files as they are (`encoded`)",
}


def main() -> None:
    """Measure each form and print the section."""
    options = arguments(__doc__, questions=15, runs=3)
    with tempfile.TemporaryDirectory() as folder, server() as url:
        papers = [
            draw(Path(folder), number) for number in range(-(-options.questions // PER_PAPER))
        ]
        ways = {
            form: lambda form=form: measure(form, url, papers, options.questions) for form in FORMS
        }
        ways["encoded"]()  # imports, uncounted
        found = paired(ways, options.runs)
    rows = [
        [FORMS[form], spread(each, "ms"), ratio(found["pil"], each)] for form, each in found.items()
    ]
    show(
        "Pictures",
        f"Processor time of the client for one question with {FIGURES} pictures of {SIZE[0]:,} x"
        f" {SIZE[1]} through the host's class `openai`, by the form in which a task gives them;"
        f" figures are used in {PER_PAPER} questions.",
        table(["form", "processor time a question", "times less than PIL images"], rows),
    )


def plot(generator: random.Random) -> Image.Image:
    """Return a line plot, which compresses as real plots do."""
    image = Image.new("RGB", SIZE, "white")
    pen = ImageDraw.Draw(image)
    for _ in range(40):
        points = [(x, generator.randint(0, SIZE[1])) for x in range(0, SIZE[0], 30)]
        pen.line(points, fill=tuple(generator.choices(range(256), k=3)), width=2)
    return image


def draw(folder: Path, number: int) -> list[str]:
    """Write the figures of a paper; return their paths."""
    generator = random.Random(number)
    paths = [str(folder / f"{number}-{index}.png") for index in range(FIGURES)]
    for path in paths:
        plot(generator).save(path)
    return paths


def measure(form: str, url: str, papers: list[list[str]], questions: int) -> float:
    """Return milliseconds of this process's CPU per question."""
    from lmms_eval.models.chat.openai import OpenAICompatible

    model = OpenAICompatible(model_version="tiny", base_url=url, api_key="EMPTY", timeout=60)
    prompts = []
    for question in range(questions):
        parts: list[Part] = [f"Question {question}? "]
        for path in papers[question // PER_PAPER]:
            parts += [Picture(path), "Caption. "]
        prompts.append(parts)

    def messages(prompt: list[Part]) -> list[dict[str, object]]:
        return [{"role": "user", "content": chat_content(prompt, form)}]

    model.task_dict = {"task": {"test": prompts}}
    options = {"max_new_tokens": 16, "temperature": 0}
    requests = [
        SimpleNamespace(args=("", messages, dict(options), index, "task", "test"))
        for index in range(questions)
    ]
    start = time.process_time()
    answers = model.generate_until(requests)
    milliseconds = (time.process_time() - start) * 1000
    assert all(answer.text == "A plain answer." for answer in answers), answers[0].text
    return milliseconds / questions


if __name__ == "__main__":
    main()
