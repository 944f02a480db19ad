"""Budgets that hosts of tools enforce, by the host's name.

A host cuts what is larger, or refuses it. Where it counts tokens of a tokenizer
that is not to be had, the budget here is in characters, with a margin.

| profile | the host's limit | budget | source |
|---|---|---|---|
| `claude-code` | 25,000 tokens and 50,000 characters a result | 25,000 characters: \
a token a character, which text in any script rarely reaches | its documentation \
and source, 2026-11 |
| `codex` | 10 KiB or 256 lines; about 10,000 tokens in newer versions | 10,240 \
bytes: a token has a byte at least | openai/codex issue 5913, 2025-10; \
cobuildwithus/murph pull request 785, 2026-07 |
| `gemini-cli` | 40,000 characters a result | 40,000 characters | its source, \
2026-11 |
| `mcp-http` | 1 MiB an event of Streamable HTTP | 500,000 bytes: inside a text \
block every quote is escaped, which doubles it at most | clients' default, 2026-11 |
"""

from __future__ import annotations

from typing import Literal, TypeAlias

__all__ = ["PROFILES", "Profile"]

Profile: TypeAlias = Literal["claude-code", "codex", "gemini-cli", "mcp-http"]

PROFILES: dict[str, dict[str, int]] = {
    "claude-code": {"max_chars": 25_000},
    "codex": {"max_bytes": 10_240},
    "gemini-cli": {"max_chars": 40_000},
    "mcp-http": {"max_bytes": 500_000},
}
