"""How the tests are shared out among the workers of pytest-xdist."""

import pytest


@pytest.mark.usefixtures("host")
def test_tests_of_the_host_are_one_group(request: pytest.FixtureRequest) -> None:
    """Else each worker imports the host, which nothing but the time of all tests would tell."""
    if not getattr(request.config.option, "loadgroup", False):
        pytest.skip("this is no worker of `--dist loadgroup`")
    assert request.node.nodeid.endswith("@lmms-eval")
