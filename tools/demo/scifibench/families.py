"""Families of figures: each function draws one member from random numbers and writes the caption from the same."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from itertools import pairwise

from drawing.charts import bar_chart, heatmap, line_chart, pie_chart, scatter_chart, table
from drawing.sketches import map_grid, schematic, shapes
from PIL import Image

Variant = tuple[str, Image.Image]


def loss_curves(rng: random.Random) -> Variant:
    """Loss curves for three learning rates."""
    rates = sorted(rng.sample((0.001, 0.003, 0.01, 0.03, 0.1, 0.3), 3))
    epochs = (0, 5, 10, 15, 20)
    curves = {f"lr = {rate:g}": [3 * math.exp(-epoch * math.sqrt(rate) * 0.4) for epoch in epochs] for rate in rates}
    caption = f"training loss for learning rates {rates[0]:g} , {rates[1]:g} and {rates[2]:g} ."
    return caption, line_chart("epoch", "loss", epochs, curves, (0, 3))


def language_scores(rng: random.Random) -> Variant:
    """Scores on four languages, one of them clearly the best."""
    languages = ("german", "french", "czech", "finnish")
    scores = rng.sample(range(14, 30), 4)
    top = rng.randrange(4)
    scores[top] = rng.randrange(32, 40)
    caption = f"bleu scores for four languages ; the best score , {scores[top]} , is that for {languages[top]} ."
    return caption, bar_chart("target language", "BLEU", languages, {"BLEU": scores}, (0, 45))


def clusters(rng: random.Random) -> Variant:
    """Two clusters of points around whole-numbered centres."""
    first, second = (rng.randint(1, 4), rng.randint(1, 9)), (rng.randint(6, 9), rng.randint(1, 9))
    points = {
        name: [(rng.gauss(x, 0.35), rng.gauss(y, 0.35)) for _ in range(25)]
        for name, (x, y) in (("class 1", first), ("class 2", second))
    }
    caption = (
        f"two classes of points around ( {first[0]} , {first[1]} ) and ( {second[0]} , {second[1]} ) in feature space ."
    )
    return caption, scatter_chart("feature 1", "feature 2", points, (0, 10), (0, 10))


def confusion(rng: random.Random) -> Variant:
    """A confusion matrix with its diagonal in the caption."""
    names = ("cat", "dog", "car")
    right = [rng.randint(60, 97) for _ in names]
    matrix = []
    for place, value in enumerate(right):
        wrong = rng.randint(0, 100 - value)
        others = [wrong, 100 - value - wrong]
        matrix.append([*others[:place], value, *others[place:]])
    caption = f"confusion matrix for cat , dog and car with {right[0]} , {right[1]} and {right[2]} on the diagonal ."
    return caption, heatmap("predicted", "true", names, matrix)


def build_stages(rng: random.Random) -> Variant:
    """A pipeline of three to five stages."""
    stages = rng.sample(("lint", "compile", "test", "package", "sign", "deploy"), rng.randint(3, 5))
    boxes = {name: (float(place), 0.0) for place, name in enumerate(stages)}
    arrows = [(first, second, "") for first, second in pairwise(stages)]
    caption = f"build pipeline with {len(stages)} stages that starts with {stages[0]} and ends with {stages[-1]} ."
    return caption, schematic(boxes, arrows, (520, 110))


def results_table(rng: random.Random) -> Variant:
    """Precision and recall of three systems."""
    systems = ("baseline", "rules", "neural")
    precisions = rng.sample(range(40, 96), 3)
    scores = {name: (precision, rng.randint(40, 95)) for name, precision in zip(systems, precisions, strict=True)}
    highest = max(systems, key=lambda name: scores[name][0])
    caption = (
        f"precision and recall of three systems ; {highest} has the highest precision , {scores[highest][0]} , "
        f"with a recall of {scores[highest][1]} ."
    )
    return caption, table(("system", "precision", "recall"), [(name, *pair) for name, pair in scores.items()])


def traffic_shares(rng: random.Random) -> Variant:
    """Shares of four kinds of traffic."""
    video, web, mail = rng.randint(30, 50), rng.randint(15, 25), rng.randint(8, 14)
    shares: dict[str, float] = {"video": video, "web": web, "mail": mail, "other": 100 - video - web - mail}
    return f"shares of traffic by kind : {video} % video , {web} % web and {mail} % mail .", pie_chart(shares)


def robot_map(rng: random.Random) -> Variant:
    """A robot and its charger on a grid."""
    robot = (rng.randrange(6), rng.randrange(4))
    charger = rng.choice([(x, y) for x in range(6) for y in range(4) if abs(x - robot[0]) + abs(y - robot[1]) > 1])
    east, north = charger[0] - robot[0], robot[1] - charger[1]
    caption = f"test arena ; seen from the robot , the charger lies at ( {east} , {north} ) squares east and north ."
    return caption, map_grid({"robot": robot, "charger": charger})


def throughput(rng: random.Random) -> Variant:
    """Throughput that saturates at a round value."""
    peak, losses = rng.randrange(20, 100, 10), rng.sample((0, 1, 2, 5, 10), 2)
    senders = (1, 2, 4, 8, 16)
    curves = {
        f"{loss} % loss": [peak * (1 - loss / 25) * (1 - math.exp(-count / 3)) for count in senders]
        for loss in sorted(losses)
    }
    caption = (
        f"throughput of up to 16 senders on a {peak} mbit/s link at {min(losses)} % and {max(losses)} % packet loss ."
    )
    return caption, line_chart("senders", "throughput (Mbit/s)", senders, curves, (0, 100))


def toy_scene(rng: random.Random) -> Variant:
    """A synthetic scene with circles of one colour and squares of another."""
    circles, squares = rng.randint(1, 4), rng.randint(1, 4)
    colours = rng.sample(("red", "blue", "green", "orange"), 2)
    places = [(60.0 + 93 * column, 60.0 + 90 * row) for row in range(3) for column in range(4)]
    spots = rng.sample(places, circles + squares)
    items = [("circle", colours[0], x, y, 24.0) for x, y in spots[:circles]]
    items += [("square", colours[1], x, y, 30.0) for x, y in spots[circles:]]
    caption = f"synthetic scene : number of {colours[0]} circles = {circles} , of {colours[1]} squares = {squares} ."
    return caption, shapes(items)


def speed_up(rng: random.Random) -> Variant:
    """Speed-up on more and more nodes, by the serial share."""
    serial = rng.randrange(2, 30, 3)
    nodes = (2, 4, 8, 16)
    values = [round(1 / (serial / 100 + (1 - serial / 100) / count), 1) for count in nodes]
    caption = f"measured speed-up on 2 to 16 nodes , reaching {values[-1]:g} on 16 nodes ."
    return caption, bar_chart("nodes", "speed-up", [str(count) for count in nodes], {"speed-up": values}, (0, 16))


def message_flow(rng: random.Random) -> Variant:
    """A handshake of three parties with labelled messages."""
    parties = rng.sample(("client", "proxy", "server", "auditor"), 3)
    messages = rng.sample(("nonce", "token", "key", "receipt"), 2)
    boxes = {name: (float(place), 0.0) for place, name in enumerate(parties)}
    arrows = [(parties[0], parties[1], messages[0]), (parties[1], parties[2], messages[1])]
    caption = (
        f"message flow : the {parties[0]} sends a {messages[0]} to the {parties[1]} , which sends a {messages[1]} "
        f"to the {parties[2]} ."
    )
    return caption, schematic(boxes, arrows, (520, 110))


FAMILIES: tuple[tuple[str, Callable[[random.Random], Variant]], ...] = (
    ("cs.LG", loss_curves),
    ("cs.CL", language_scores),
    ("cross-list", clusters),
    ("cs.CV", confusion),
    ("cs.SE", build_stages),
    ("other cs", results_table),
    ("cross-list", traffic_shares),
    ("cs.RO", robot_map),
    ("cs.NI", throughput),
    ("cs.CV", toy_scene),
    ("cs.DC", speed_up),
    ("cs.CR", message_flow),
)
