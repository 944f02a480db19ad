"""What the README shows is what happens."""

import contextlib
import io
import re
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"


def test_the_first_example_prints_what_is_shown() -> None:
    """The Python block, run, gives the text block after it."""
    text = README.read_text(encoding="utf-8")
    code, shown = re.findall(r"```(?:python|text)\n(.*?)```", text, re.DOTALL)[:2]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "README.md", "exec"), {})
    assert printed.getvalue() == shown
