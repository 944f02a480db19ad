"""The package is what its metadata says, and only one module touches C."""

import ast
import importlib.metadata
import importlib.util
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

import streamclip

PACKAGE = Path(streamclip.__file__).parent


# A module imports from the rows above its own, and from no other. What context/ has
# is one part here.
LAYERS = (
    "console cursors errors files hints markers profiles report shapes tokens",
    "_binding measures merge sources",
    "budget index options records",
    "document words",
    "block",
    "embedded",
    "result",
    "clipper",
    "clip fetch",
    "context outlines store",
    "__init__",
    "cli_doubts cli_options cli_status",
    "cli_store",
    "cli",
    "__main__",
)
LAYER_OF = {part: row for row, parts in enumerate(LAYERS) for part in parts.split()}


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


def part_of(module: str) -> str:
    """Return the part of LAYERS that a module belongs to."""
    return module.split(".")[0]


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
        name
        for name, module in modules().items()
        if any("_core" in found.split(".") for found in imports_of(module))
    ]
    assert users == ["_binding"]


def test_modules_import_what_is_below_them() -> None:
    """Also in functions, and for type hints only; so there are no cycles."""
    known = modules()
    upward = []
    for name, module in known.items():
        for found in imports_of(module):
            package, _, rest = found.partition(".")
            used = part_of(rest)
            if package != "streamclip" or used == "_core":
                continue
            used = used if used in LAYER_OF else "__init__"
            if part_of(name) != used and LAYER_OF[part_of(name)] <= LAYER_OF[used]:
                upward.append(f"{name} imports {used}")
    assert upward == []
    assert {part_of(name) for name in known} == set(LAYER_OF)


def test_the_layer_rule_says_what_is_so() -> None:
    """Each arrow of its sentence points down."""
    text = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (rule,) = re.findall(r"In Python: (.*?)\.\s", text, re.DOTALL)
    for chain in rule.split(";"):
        parts = [re.findall(r"\w+", names) for names in chain.split("<-")]
        assert len(parts) > 1
        for below, above in pairwise(parts):
            assert max(LAYER_OF[p] for p in below) < min(LAYER_OF[p] for p in above)


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
    streamclip.context streamclip.document streamclip.fetch streamclip.outlines
    streamclip.shapes streamclip.store
"""


def test_import_loads_nothing_heavy() -> None:
    """Beyond what the interpreter itself has loaded: a short job is soon begun."""
    code = "import sys; before = {*sys.modules}; import streamclip; "
    code += "print(*({*sys.modules} - before))"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    loaded = done.stdout.split()
    assert "streamclip.clip" in loaded
    assert sorted({*loaded}.intersection(HEAVY.split())) == []


def test_what_is_loaded_when_asked_stays_what_it_is() -> None:
    """Importing the module of a function must not put it in its place."""
    code = """
import streamclip
assert callable(streamclip.outline) and isinstance(streamclip.Store, type)
import streamclip.outlines, streamclip.store
assert streamclip.outline is streamclip.outlines.outline
assert streamclip.Store is streamclip.store.Store
"""
    subprocess.run([sys.executable, "-c", code], check=True)


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
