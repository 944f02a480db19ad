"""Tokens: which tokenizer counts, and how texts are measured with few counts."""

from __future__ import annotations

from streamclip.tokens.counting import Tokenizer, counter

__all__ = ["Tokenizer", "counter"]
