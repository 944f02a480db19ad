"""What the benchmarks share: sizes, how one is named, and the machine."""

from __future__ import annotations

import os
import shutil
import subprocess
from importlib import metadata
from typing import Any

import pytest

import streamclip
from inputs import MB

LIBRARIES = ("streamclip", "pysimdjson", "msgspec", "orjson", "jiter", "ijson")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run what takes a `size` with each of STREAMCLIP_BENCH_MB, in MB."""
    if "size" in metafunc.fixturenames:
        sizes = os.environ.get("STREAMCLIP_BENCH_MB", "1 50").split()
        metafunc.parametrize(
            "size", [int(mb) * MB for mb in sizes], ids=[f"{mb}MB" for mb in sizes]
        )


def pytest_benchmark_update_machine_info(
    config: pytest.Config, machine_info: dict[str, Any]
) -> None:
    """Note what else the figures depend on."""
    machine_info["kernel"] = streamclip.kernel()
    machine_info["c_compiler"] = compiler()
    machine_info["versions"] = {name: metadata.version(name) for name in LIBRARIES}


def compiler() -> str:
    """Return the name and version of the compiler that builds the core."""
    name = os.environ.get("CC", "cc")
    if shutil.which(name) is None:
        return "unknown"
    shown = subprocess.run([name, "--version"], capture_output=True, text=True)
    return (shown.stdout.splitlines() or ["unknown"])[0]
