"""Describe the extension `streamclip._core` to cffi.

The declarations are the marked region of csrc/streamclip.h: nothing is written
twice. STREAMCLIP_CFLAGS, if set, takes the place of the optimisation flags and
goes to the linker too, which is what a sanitizer needs.
"""

import os
import sys
from pathlib import Path

from cffi import FFI

HERE = Path(__file__).parent  # relative: setuptools refuses absolute sources
CSRC = HERE / "csrc"
BEGIN, END = "/* cdef begin */", "/* cdef end */"


def declarations() -> str:
    """Return the part of the public header that cffi reads."""
    header = (CSRC / "streamclip.h").read_text(encoding="utf-8")
    return header[header.index(BEGIN) + len(BEGIN) : header.index(END)]


def files(*patterns: str) -> list[str]:
    """Return the files below csrc/ that match, in an order that never changes."""
    return sorted(path.as_posix() for p in patterns for path in CSRC.rglob(p))


override = os.environ.get("STREAMCLIP_CFLAGS")
if sys.platform == "win32":
    optimise = ["/O2"]
    compile_args = ["/std:c11", "/W3", "/utf-8"]
else:
    optimise = ["-O3"]
    compile_args = ["-std=c11", "-Wall", "-Wextra", "-fvisibility=hidden"]
link_args: list[str] = []
if override is not None:
    optimise = link_args = override.split()

ffibuilder = FFI()
ffibuilder.cdef(declarations())
ffibuilder.set_source(
    "streamclip._core",
    '#include "streamclip.h"',
    sources=files("*.c"),
    depends=files("*.h", "*.inc"),
    include_dirs=[CSRC.as_posix()],
    extra_compile_args=[*compile_args, *optimise],
    extra_link_args=link_args,
)
