"""A profile stands for the budgets that a host enforces."""

import json

import pytest

from streamclip import clip
from streamclip.options.profiles import PROFILES

ROWS = [{"id": n, "名": "值" * 9, "text": 'say "hi"'} for n in range(30_000)]


@pytest.mark.parametrize("profile", PROFILES)
def test_a_profile_is_its_budgets(profile: str) -> None:
    """And nothing else."""
    result = clip(ROWS, profile=profile)  # type: ignore[arg-type]
    assert result.data == clip(ROWS, **PROFILES[profile]).data  # type: ignore[misc]
    assert not result.complete


def test_an_event_of_streamable_http_stays_below_a_mebibyte() -> None:
    """With the clip escaped into a text block."""
    text = clip(ROWS, profile="mcp-http").text
    result = {"content": [{"type": "text", "text": text}]}
    event = {"jsonrpc": "2.0", "id": 1, "result": result}
    assert len(json.dumps(event, ensure_ascii=False).encode()) < 1 << 20


def test_a_budget_that_is_given_goes_before_the_profile_s() -> None:
    """The other budgets of the profile stay."""
    assert len(clip(ROWS, profile="codex", max_bytes=600).data) <= 600
    both = clip(ROWS, profile="gemini-cli", max_bytes=50_000)
    assert len(both.data) <= 50_000
    assert len(both.text) <= 40_000


def test_an_unknown_profile_is_refused() -> None:
    """With the names there are."""
    with pytest.raises(ValueError, match="claude-code, codex"):
        clip(ROWS, profile="emacs")  # type: ignore[arg-type]
