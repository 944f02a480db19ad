"""Try an installed streamclip: `python -I tests/scripts/smoke.py`, from anywhere."""

import json
import subprocess
import sys
from pathlib import Path

import streamclip

ROWS = 1_000
BUDGET = 2_000


def main() -> None:
    """Clip a list that is too large, and ask the command for its version."""
    rows = [{"id": i, "name": f"row {i}", "ok": i % 2 == 0} for i in range(ROWS)]
    result = streamclip.clip(json.dumps(rows).encode(), max_bytes=BUDGET)

    assert len(result.data) <= BUDGET, len(result.data)
    data = json.loads(result.data)["data"]
    assert data == rows[: len(data)], "the rows are not the first ones"
    assert not result.complete
    (cut,) = result.report.cuts
    assert (cut.path, cut.total) == ("", ROWS), cut
    assert cut.omitted == ROWS - len(data) == ROWS - cut.kept, cut

    home = Path(streamclip.__file__).parent
    assert (home / "py.typed").is_file(), "py.typed was not installed"

    command = [sys.executable, "-I", "-m", "streamclip", "--version"]
    version = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert streamclip.__version__ in version, version
    print(f"streamclip {streamclip.__version__} in {home}: {len(data)} rows kept, ok")


if __name__ == "__main__":
    main()
