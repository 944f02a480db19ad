"""Hypothesis profiles, and what several test files need."""

import importlib.util
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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
    "quick", parent=settings.get_profile("default"), max_examples=5
)
settings.register_profile(
    "long", parent=settings.get_profile("default"), max_examples=5000
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of `make sanitize` and `make test-quick`."""
    parser.addoption("--require-core", type=Path, help="directory of streamclip")
    parser.addoption(
        "--quick", action="store_true", help="few examples, no child processes"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Refuse to test another copy of streamclip than the one asked for."""
    if config.getoption("--quick"):
        settings.load_profile("quick")
    required = config.getoption("--require-core")
    if required is None:
        return
    # The core by itself too: a copy without one finds that of an editable install.
    for name in ("streamclip", "streamclip._core"):
        try:
            spec = importlib.util.find_spec(name)
        except ImportError as error:
            raise pytest.UsageError(f"no {name} in {required}: {error}") from error
        found = Path(spec.origin) if spec and spec.origin else Path()
        if not found.is_relative_to(required.resolve()):
            raise pytest.UsageError(f"{name} is not the copy in {required}: {found}")


@pytest.fixture(scope="session", autouse=True)
def _no_child_processes(request: pytest.FixtureRequest) -> None:
    """Skip what starts a process, if --quick asks for that."""
    if not request.config.getoption("--quick"):
        return

    def skip(*_: Any, **__: Any) -> None:
        pytest.skip("starts a child process")

    subprocess.Popen.__init__ = skip  # type: ignore[method-assign]


@pytest.fixture
def _sigint_is_heard() -> Iterator[None]:
    """Let children hear SIGINT, which a job in the background hands on ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


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
