"""Compare the kernels of another kind of processor, under an emulator.

    make cross

Compiles the core and cross.c, and runs them over documents of the other tests.
The default is 64-bit ARM: aarch64-linux-gnu-gcc and qemu-aarch64.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random

from documents import sample
from test_kernels import NASTY

HERE = Path(__file__)
ROOT = HERE.parents[2]


def main(
    cases: str, compiler: str = "aarch64-linux-gnu-gcc", emulator: str = "qemu-aarch64"
) -> int:
    """Build, write documents, run; return what the run returned."""
    random = Random(8259)
    texts = [
        b",".join(sample(random).data.strip() for _ in range(4)) for _ in range(60)
    ]
    with tempfile.TemporaryDirectory() as name:
        program = Path(name) / "cross"
        sources = [HERE.with_suffix(".c"), *sorted((ROOT / "csrc").rglob("*.c"))]
        options = ["-std=c11", "-O2", "-static", f"-I{ROOT / 'csrc'}", "-o", program]
        subprocess.run([compiler, *options, *sources], check=True)
        paths = [Path(name) / f"{at}.json" for at in range(len(NASTY) + len(texts))]
        for path, text in zip(paths, [*NASTY, *texts], strict=True):
            path.write_bytes(text)
        return subprocess.run([emulator, program, cases, *paths]).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
