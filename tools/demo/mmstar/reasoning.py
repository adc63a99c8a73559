"""What the demo's MMStar rows ask beyond what is in a picture: logic, science and mathematics."""

from __future__ import annotations

from drawing.charts import bar_chart
from drawing.scenes import scene
from drawing.sketches import clock, code, coins, dot_steps, layers, map_grid, right_triangle, schematic, series_circuit
from mmstar.rows import Categories, Sample


def categories() -> Categories:
    """Return the samples of three core capabilities."""
    return {
        "logical reasoning": ("DADB", _logical_samples()),
        "science & technology": ("ABAD", _science_samples()),
        "math": ("CBCA", _math_samples()),
    }


def _logical_samples() -> list[Sample]:
    flow = {"Is it raining?": (0.0, 0.5), "Umbrella": (1.0, 0.0), "Is it sunny?": (1.0, 1.0), "Hat": (2.0, 1.0)}
    arrows = [("Is it raining?", "Umbrella", "yes"), ("Is it raining?", "Is it sunny?", "no")]
    return [
        Sample(
            "diagram reasoning",
            schematic(flow, [*arrows, ("Is it sunny?", "Hat", "yes")], (520, 240)),
            "According to the diagram, what is taken when it is not raining but sunny?",
            "Hat",
            ("Umbrella", "Both", "Nothing"),
        ),
        Sample(
            "common reasoning",
            scene(106, houses=4, night=True),
            "What are the people in the houses most likely doing at the time of the picture?",
            "spending the evening with the lights on",
            ("mowing the lawn", "having lunch in the garden", "sunbathing"),
        ),
        Sample(
            "code & sequence reasoning",
            code(("total = 0", "for n in [1, 2, 3]:", "    total = total + 2 * n", "print(total)")),
            "What does the program print?",
            str(sum(2 * n for n in (1, 2, 3))),
            ("6", "9", "24"),
        ),
        Sample(
            "code & sequence reasoning",
            dot_steps((1, 3, 5, 7)),
            "How many dots belong at the question mark?",
            "9",
            ("8", "10", "11"),
        ),
    ]


def _science_samples() -> list[Sample]:
    chain = {"grass": (0.0, 0.0), "hare": (1.0, 0.0), "fox": (2.0, 0.0)}
    ground = ("topsoil", "clay", "gravel", "bedrock")
    places = {"mill": (1.0, 0.0), "harbour": (4.0, 2.0), "school": (1.0, 3.0)}
    return [
        Sample(
            "biology & chemistry & physics",
            schematic(chain, [("grass", "hare", "eaten by"), ("hare", "fox", "eaten by")], (520, 130)),
            "Which member of this food chain is the producer?",
            "grass",
            ("hare", "fox", "none"),
        ),
        Sample(
            "electronics & energy & mechanical eng.",
            series_circuit((4, 6), 20),
            "What current flows in this circuit?",
            f"{20 / (4 + 6):g} A",
            ("5 A", "0.5 A", "10 A"),
        ),
        Sample(
            "geography & earth science & agriculture",
            layers(ground),
            "Which layer lies directly below the clay?",
            "gravel",
            ("topsoil", "bedrock", "sand"),
        ),
        Sample(
            "geography & earth science & agriculture",
            map_grid(places),
            "In which direction does one walk from the mill to the school?",
            "south",
            ("north", "east", "west"),
        ),
    ]


def _math_samples() -> list[Sample]:
    days, sold = ("Mon", "Tue", "Wed", "Thu"), (6.0, 9.0, 4.0, 13.0)
    cents = (20, 20, 10, 5)
    return [
        Sample(
            "geometry",
            right_triangle(8, 6),
            "How long is the side marked with a question mark?",
            "10 cm",
            ("7 cm", "12 cm", "14 cm"),
        ),
        Sample(
            "statistical reasoning",
            bar_chart("day", "loaves sold", days, {"loaves": sold}, (0, 15)),
            "What is the mean number of loaves sold per day?",
            f"{sum(sold) / len(sold):g}",
            ("7", "9", "10"),
        ),
        Sample(
            "numeric commonsense and calculation",
            coins(cents),
            "How much are the coins worth together?",
            f"{sum(cents)} cents",
            ("45 cents", "60 cents", "35 cents"),
        ),
        Sample(
            "numeric commonsense and calculation",
            clock(9, 15),
            "What time will it be in 30 minutes?",
            "9:45",
            ("9:15", "10:15", "3:45"),
        ),
    ]
