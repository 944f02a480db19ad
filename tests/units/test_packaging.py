"""The package is what its metadata says, and only one module touches C."""

import ast
import importlib.metadata
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import streamclip

PACKAGE = Path(streamclip.__file__).parent


ROOT = Path(__file__).parents[2]
CONTRIBUTING = ROOT / "CONTRIBUTING.md"


def layers(language: str) -> list[str]:
    """Return the folders and modules of a language, in the order of its rule."""
    text = CONTRIBUTING.read_text(encoding="utf-8")
    (rule,) = re.findall(rf"^\* {language}: `([^`]+)`", text, re.MULTILINE)
    return str(rule).split()


def modules() -> dict[str, ast.Module]:
    """Return the package's modules, parsed, by their names below it."""
    return {
        ".".join(path.relative_to(PACKAGE).with_suffix("").parts): ast.parse(
            path.read_text(encoding="utf-8")
        )
        for path in PACKAGE.rglob("*.py")
    }


def imports_of(module: ast.Module) -> Iterator[str]:
    """Yield the full name of all that is imported, wherever that is done."""
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "a relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


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


def test_one_package_imports_the_compiled_module() -> None:
    """The compiled module is reached through the binding only."""
    users = {
        name.split(".")[0]
        for name, module in modules().items()
        if any("_core" in found.split(".") for found in imports_of(module))
    }
    assert users == {"core"}


def test_python_imports_what_is_before_it() -> None:
    """Also in functions, and for type hints only; so there are no cycles of folders."""
    order = {part: at for at, part in enumerate(layers("Python"))}
    ends = {"__init__": len(order), "cli": len(order) + 1, "__main__": len(order) + 2}
    order |= ends  # the package's own __init__ offers all but the command line
    upward = []
    for name, module in modules().items():
        part = name.split(".")[0]
        for found in imports_of(module):
            package, _, rest = found.partition(".")
            used = rest.split(".")[0]
            if package != "streamclip" or used == "_core":
                continue
            used = used if used in order else "__init__"
            if part != used and order[part] <= order[used]:
                upward.append(f"{name} imports {found}")
    assert upward == []
    assert {name.split(".")[0] for name in modules()} == set(order)


def test_c_includes_what_is_before_it() -> None:
    """A folder of csrc/ includes from itself and those before it; all may have the public header."""
    csrc = ROOT / "csrc"
    order = {part: at for at, part in enumerate(layers("C"))}
    upward, folders = [], set()
    for path in csrc.rglob("*.[chi]*"):
        if path.parent == csrc:
            continue
        part = path.relative_to(csrc).parts[0]
        folders.add(part)
        for found in re.findall(r'#include "([^"]+)"', path.read_text("ascii")):
            used = found.split("/")[0]
            if found != "streamclip.h" and order[part] < order.get(used, len(order)):
                upward.append(f"{path.name} includes {found}")
    assert upward == []
    assert folders == set(order)


def test_import_needs_no_extra() -> None:
    """What only the command line or tokens need is not loaded by the library."""
    code = "import sys, streamclip; print({'click', 'rich', 'tiktoken'} & set(sys.modules))"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "set()"


# Of what takes long to import, all that something here uses, or is likely to.
HEAVY = """
    anyio asyncio base64 concurrent difflib email fsspec gzip hashlib http logging
    numpy pathlib secrets shutil socket ssl subprocess tempfile unittest urllib
    streamclip.context streamclip.store
"""


def test_import_loads_nothing_heavy() -> None:
    """Beyond what the interpreter itself has loaded: a short job is soon begun."""
    code = "import sys; before = {*sys.modules}; import streamclip; "
    code += "streamclip.clip; print(*({*sys.modules} - before))"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    loaded = done.stdout.split()
    assert "streamclip.api" in loaded
    assert sorted({*loaded}.intersection(HEAVY.split())) == []


def test_a_name_is_imported_when_it_is_asked_for() -> None:
    """The bare package loads nothing at all, so that Ctrl-C is heard from then on."""
    code = "import sys; before = {*sys.modules}; import streamclip.__main__; "
    code += "print(*({*sys.modules} - before))"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert sorted(done.stdout.split()) == ["streamclip", "streamclip.__main__"]


def test_every_public_name_is_listed() -> None:
    """Also before it is imported."""
    code = "import streamclip; print(*({*streamclip.__all__} - {*dir(streamclip)}))"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout.split() == []
    with pytest.raises(AttributeError, match="no attribute 'clop'"):
        streamclip.clop  # noqa: B018


def test_what_is_loaded_when_asked_stays_what_it_is() -> None:
    """Importing the module of a function must not put it in its place."""
    code = """
import streamclip
assert callable(streamclip.outline) and isinstance(streamclip.Store, type)
import streamclip.store.outlines, streamclip.store
assert streamclip.outline is streamclip.store.outlines.outline
assert streamclip.Store is streamclip.store.Store
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_copy_without_a_core_is_not_tested(tmp_path: Path) -> None:
    """Else it is tested with the core of an editable install."""
    copy, tests = tmp_path / "copy", tmp_path / "tests"
    coreless = shutil.ignore_patterns("_core*")
    shutil.copytree(PACKAGE, copy / "streamclip", ignore=coreless)
    tests.mkdir()
    (tests / "test_it.py").write_text("def test_it(): pass")
    shutil.copy(Path(__file__).parents[1] / "conftest.py", tests)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"]
    for required, status in ((PACKAGE.parent, 0), (copy, 4)):
        path = str(required)
        done = subprocess.run(
            [*command, f"--require-core={path}"],
            env={**os.environ, "PYTHONPATH": path},
            cwd=tests,
            capture_output=True,
            check=False,
        )
        assert done.returncode == status, done.stdout + done.stderr
    assert b"streamclip._core" in done.stderr


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
