"""Hypothesis profiles, and what several test files need."""

import importlib.util
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

collect_ignore = ["scripts"]  # scripts

# Sanitizers and slow machines make generation slow without making it wrong.
settings.register_profile(
    "default",
    deadline=None,
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow],
)
# The same examples in every run: a change fails for its own faults only.
settings.register_profile(
    "ci",
    parent=settings.get_profile("default"),
    max_examples=100,
    derandomize=True,
    print_blob=True,
)
# Under sanitizers Python itself takes twenty times as long.
settings.register_profile(
    "sanitize", parent=settings.get_profile("default"), max_examples=15
)
settings.register_profile(
    "long", parent=settings.get_profile("default"), max_examples=5000
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let `make sanitize` name the only directory streamclip may come from."""
    parser.addoption("--require-core", type=Path, help="directory of streamclip")


def pytest_configure(config: pytest.Config) -> None:
    """Refuse to test another copy of streamclip than the one asked for."""
    required = config.getoption("--require-core")
    if required is None:
        return
    spec = importlib.util.find_spec("streamclip")
    found = Path(spec.origin) if spec and spec.origin else Path()
    if not found.is_relative_to(required.resolve()):
        raise pytest.UsageError(f"not the copy in {required}: {found}")


@pytest.fixture(scope="session")
def corpus() -> Path:
    """Return the directory of real inputs that STREAMCLIP_CORPUS names."""
    name = os.environ.get("STREAMCLIP_CORPUS")
    if not name:
        pytest.skip("STREAMCLIP_CORPUS does not name a directory of real inputs")
    path = Path(name)
    if not path.is_dir():
        pytest.fail(f"STREAMCLIP_CORPUS is not a directory: {name}")
    return path
