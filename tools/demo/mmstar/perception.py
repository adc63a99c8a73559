"""What the demo's MMStar rows ask about what is in a picture: perception and instance reasoning."""

from __future__ import annotations

from drawing.scenes import blurred, scene
from drawing.sketches import sad_face, shapes
from mmstar.rows import Categories, Sample


def categories() -> Categories:
    """Return the samples of three core capabilities."""
    return {
        "coarse perception": ("AABC", _coarse_samples()),
        "fine-grained perception": ("BCBD", _fine_samples()),
        "instance reasoning": ("CDCA", _instance_samples()),
    }


def _coarse_samples() -> list[Sample]:
    return [
        Sample(
            "image scene and topic",
            scene(101, houses=5, trees=6),
            "What is the main theme of the picture?",
            "A village among green hills",
            ("A busy harbour at night", "A desert road", "A kitchen table"),
        ),
        Sample(
            "image style & quality",
            blurred(scene(102, houses=4, trees=5)),
            "Which quality problem does the picture have?",
            "It is out of focus",
            ("It is overexposed", "It is upside down", "It has no colours"),
        ),
        Sample(
            "image emotion",
            sad_face(),
            "Which feeling does the face express?",
            "sadness",
            ("joy", "boredom", "pride"),
        ),
        Sample(
            "image scene and topic",
            scene(103, boats=3, night=True),
            "Which scene does the picture show?",
            "Boats on a lake at night",
            ("Boats in a storm by day", "A village street at noon", "Balloons above a field"),
        ),
    ]


def _fine_samples() -> list[Sample]:
    figures = [
        ("circle", "blue", 80.0, 80.0, 36.0),
        ("star", "red", 310.0, 80.0, 42.0),
        ("square", "green", 90.0, 215.0, 42.0),
        ("triangle", "purple", 310.0, 220.0, 42.0),
    ]
    balloons = ("red", "green", "yellow", "blue", "purple")
    return [
        Sample("recognition", shapes(figures), "Which shape is red?", "star", ("circle", "square", "triangle")),
        Sample(
            "object counting",
            scene(104, balloons=balloons),
            "How many balloons are in the sky?",
            str(len(balloons)),
            ("3", "4", "7"),
        ),
        Sample(
            "localization",
            shapes([("diamond", "orange", 320, 230, 34), ("circle", "grey", 200, 150, 20)]),
            "Where in the picture is the orange diamond?",
            "lower right",
            ("upper left", "upper right", "lower left"),
        ),
        Sample(
            "object counting",
            scene(105, boats=4, trees=3),
            "How many sailing boats are on the water?",
            "4",
            ("2", "3", "6"),
        ),
    ]


def _instance_samples() -> list[Sample]:
    row = [("circle", "red", 70.0, 150.0, 34.0), ("square", "yellow", 200.0, 150.0, 44.0)]
    sizes = [("circle", "blue", 70.0, 150.0, 22.0), ("circle", "green", 180.0, 150.0, 56.0)]
    return [
        Sample(
            "single-instance reasoning",
            shapes([*sizes, ("circle", "orange", 320, 150, 36)]),
            "What colour is the largest circle?",
            "green",
            ("blue", "orange", "red"),
        ),
        Sample(
            "cross-instance attribute reasoning",
            shapes(
                [
                    ("circle", "purple", 80, 80, 34),
                    ("square", "green", 310, 80, 42),
                    ("star", "purple", 90, 220, 42),
                    ("triangle", "orange", 310, 220, 40),
                ]
            ),
            "Which two shapes have the same colour?",
            "the circle and the star",
            ("the circle and the square", "the square and the triangle", "the star and the triangle"),
        ),
        Sample(
            "cross-instance relation reasoning",
            shapes([*row, ("triangle", "blue", 330, 150, 40)]),
            "What is directly to the right of the yellow square?",
            "a blue triangle",
            ("a red circle", "a green star", "nothing"),
        ),
        Sample(
            "cross-instance relation reasoning",
            shapes(
                [("star", "yellow", 200, 65, 42), ("square", "blue", 200, 155, 36), ("circle", "red", 200, 240, 32)]
            ),
            "Which shape is between the other two?",
            "the square",
            ("the star", "the circle", "none of them"),
        ),
    ]
