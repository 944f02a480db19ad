"""The package is what its metadata says, and only one module touches C."""

import ast
import importlib.metadata
import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import streamclip

PACKAGE = Path(streamclip.__file__).parent


def imports_core(source: str) -> bool:
    """Tell whether a module's source imports `streamclip._core` in any form."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module or ''}.{alias.name}" for alias in node.names]
        else:
            continue
        if any("_core" in name.split(".") for name in names):
            return True
    return False


def test_the_version_is_the_metadata_s() -> None:
    """The version is written in two places, which agree."""
    assert streamclip.__version__ == importlib.metadata.version("streamclip")


def test_all_is_sorted_and_importable() -> None:
    """Every name of `__all__` is there, once, in order."""
    names = list(streamclip.__all__)
    assert names == sorted(set(names))
    assert [name for name in names if not hasattr(streamclip, name)] == []


def test_type_hints_are_shipped() -> None:
    """Type checkers read a package's hints only beside a py.typed."""
    assert (PACKAGE / "py.typed").is_file()


def test_one_module_imports_the_core() -> None:
    """The compiled module is reached through the binding only."""
    users = [
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if imports_core(path.read_text(encoding="utf-8"))
    ]
    assert users == ["_binding.py"]


def test_import_needs_no_extra() -> None:
    """What only the command line or tokens need is not loaded by the library."""
    code = "import sys, streamclip; print({'click', 'rich', 'tiktoken'} & set(sys.modules))"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("nm") is None,
    reason="reads the dynamic symbols of an ELF file with nm",
)
def test_the_core_exports_its_init_function_only() -> None:
    """The C functions are hidden: they cannot clash with another library's."""
    spec = importlib.util.find_spec("streamclip._core")
    assert spec is not None
    assert spec.origin is not None
    done = subprocess.run(
        ["nm", "--dynamic", "--defined-only", spec.origin],
        check=True,
        capture_output=True,
        text=True,
    )
    symbols = [line.split()[-1] for line in done.stdout.splitlines()]
    assert symbols == ["PyInit__core"]
