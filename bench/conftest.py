"""What the benchmarks share: sizes, how one is named, and the machine."""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import subprocess
import sysconfig
from importlib import metadata
from typing import Any

import pytest

import streamclip
from inputs import MB

LIBRARIES = ("streamclip", "pysimdjson", "msgspec", "orjson", "jiter", "ijson")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run what takes a `size` with each of STREAMCLIP_BENCH_MB, in MB."""
    if "size" in metafunc.fixturenames:
        sizes = os.environ.get("STREAMCLIP_BENCH_MB", "5").split()
        metafunc.parametrize(
            "size", [int(mb) * MB for mb in sizes], ids=[f"{mb}MB" for mb in sizes]
        )


def pytest_benchmark_update_machine_info(
    config: pytest.Config, machine_info: dict[str, Any]
) -> None:
    """Note what else the figures depend on."""
    machine_info["kernel"] = streamclip.kernel()
    machine_info["os"] = system()
    machine_info["c_compiler"] = version(compiler())
    machine_info["versions"] = {
        **{name: metadata.version(name) for name in LIBRARIES},
        "jq": version("jq").removeprefix("jq-"),
    }


def system() -> str:
    """Return the name and version of the system."""
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):  # not Linux
        return platform.platform(terse=True)


def compiler() -> str:
    """Return the name of what builds the core."""
    named = os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"
    return shlex.split(named)[0]


def version(program: str) -> str:
    """Return the first line of what a program says of its version."""
    if shutil.which(program) is None:
        return "none"
    shown = subprocess.run([program, "--version"], capture_output=True, text=True)
    return (shown.stdout.splitlines() or ["unknown"])[0]
