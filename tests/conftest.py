"""What all tests share: the benchmark data where it is present, and how hard Hypothesis tries."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "timebound", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("timebound")


def data_directory() -> Path:
    """The folder of benchmark maps and scenarios: $TIMEBOUND_DATA, or `shared/data` beside the checkout."""
    return Path(os.environ.get("TIMEBOUND_DATA", Path(__file__).parents[2] / "shared" / "data"))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The benchmark data, or a skip where it is absent."""
    directory = data_directory()
    if not directory.is_dir():
        pytest.skip("the benchmark maps are not here: point TIMEBOUND_DATA to a folder with maps/ and scens/")
    return directory
