"""Numbers within a tolerance, in any unit of their kind."""

import pytest

from spiqa_tasks.metrics.quantities import quantity_match

pytest.importorskip("pint")


@pytest.mark.parametrize(
    ("prediction", "reference", "right"),
    [
        ("50 cm", "0.5 m", True),
        ("It is 50 cm long", "0.5 m", True),
        ("52 cm", "0.5 m", True),
        ("53 cm", "0.5 m", False),
        ("18 inches (1.5 feet)", "18 in", True),
        ("18", "18 inches", True),
        ("18 in", "18 inches", True),
        ("There are 5 in the box", "5 m", None),
        ("5 a day", "5 years", None),
        ("18 kg", "18 in", False),
        ("18 blorps", "18 in", None),
        ("between 3 and 5 m", "4 m", None),
        ("5 m^9^9^9", "5 m", None),
        ("20 °C", "293.15 K", True),
        ("1,500 g", "1.5 kg", True),
        ("$9.8\\,\\mathrm{m/s^2}$", "9.8 m/s²", True),
        ("18 inches", "18", True),
        ("50%", "0.5", True),
        ("3 apples", "3 apples", True),
        ("3 pears", "3 apples", False),
    ],
)
def test_units_are_converted_and_an_unknown_one_is_not_read(
    prediction: str, reference: str, right: bool | None
) -> None:
    """A unit missing in the answer is the true one's."""
    assert quantity_match(prediction, reference, 0.05, units=True) is right


@pytest.mark.parametrize(
    ("prediction", "reference", "right"),
    [
        ("95", "100", True),
        ("94.9", "100", False),
        ("0", "0", True),
        ("18 kg", "18 in", False),
        ("blue", "Blue", True),
    ],
)
def test_without_units_only_bare_numbers_have_a_tolerance(
    prediction: str, reference: str, right: bool
) -> None:
    """Other true answers have to be equal."""
    assert quantity_match(prediction, reference, 0.05) is right
