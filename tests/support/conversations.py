"""Generated conversations of every shape, with chunks, tools and windows."""

from __future__ import annotations

import functools
import importlib.resources
import json
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from streamclip.context import Chunk

SHAPES = ("chat", "responses", "anthropic")
ENCODINGS = ("o200k_base", "cl100k_base")
Message = dict[str, Any]

TEXTS = st.one_of(
    st.sampled_from(
        [
            "",
            "ok",
            "请根据资料作答。",
            "<|endoftext|> in text",
            "👩‍👩‍👧 family, e\u0301clair",
            "a longer answer\n\nwith two paragraphs and a few more words in it",
        ]
    ),
    st.text(max_size=30),
)
JSON_TEXTS = st.integers(1, 30).map(
    lambda n: json.dumps({"rows": [{"id": i, "名": "值" * (i % 5)} for i in range(n)]})
)
# Ids repeat, as they do in real logs.
IDS = st.sampled_from(["call_1", "call_2", "call_3"])
ARGUMENTS = st.sampled_from(["{}", '{"q":"上下文"}', '{"path":"/a/b","deep":[1,2]}'])


@functools.cache
def sentence_piece() -> Callable[[str], int]:
    """Return the counter of a SentencePiece model that a package ships."""
    import sentencepiece

    data = importlib.resources.files("mistral_common") / "data" / "tokenizer.model.v1"
    processor = sentencepiece.SentencePieceProcessor(model_file=str(data))
    return lambda text: len(processor.encode(text))


def tokenizer(name: str) -> Any:
    """Return what `tokenizer=` takes."""
    return sentence_piece() if name == "sentencepiece" else name


# One step of an agent: calls, all results, in each shape


def chat_step(calls: list[tuple[str, str, str]], text: str) -> list[Message]:
    """Write calls with their results as Chat Completions has them."""
    tool_calls = [
        {"id": key, "type": "function", "function": {"name": "f", "arguments": sent}}
        for key, sent, _ in calls
    ]
    head = {"role": "assistant", "content": text or None, "tool_calls": tool_calls}
    results = [
        {"role": "tool", "tool_call_id": key, "content": got} for key, _, got in calls
    ]
    return [head, *results]


def responses_step(calls: list[tuple[str, str, str]], text: str) -> list[Message]:
    """Write them as items; with a text there is reasoning before them."""
    reasoning = {
        "type": "reasoning",
        "id": "rs_1",
        "summary": [{"type": "summary_text", "text": text}],
    }
    sent = [
        {"type": "function_call", "call_id": key, "name": "f", "arguments": arguments}
        for key, arguments, _ in calls
    ]
    got = [
        {"type": "function_call_output", "call_id": key, "output": output}
        for key, _, output in calls
    ]
    return [*([reasoning] if text else []), *sent, *got]


def anthropic_step(calls: list[tuple[str, str, str]], text: str) -> list[Message]:
    """Write them as blocks; a text stands beside the calls and the results."""
    words: list[Message] = [{"type": "text", "text": text}] if text else []
    sent = [
        {"type": "tool_use", "id": key, "name": "f", "input": json.loads(arguments)}
        for key, arguments, _ in calls
    ]
    got = [
        {"type": "tool_result", "tool_use_id": key, "content": output}
        for key, _, output in calls
    ]
    return [
        {"role": "assistant", "content": [*words, *sent]},
        {"role": "user", "content": [*got, *words]},
    ]


STEPS = {
    "chat": chat_step,
    "responses": responses_step,
    "anthropic": anthropic_step,
}
CALLS = st.lists(
    st.tuples(IDS, ARGUMENTS, TEXTS | JSON_TEXTS),
    min_size=1,
    max_size=3,
    unique_by=lambda call: call[0],
)


def turns(shape: str) -> st.SearchStrategy[list[Message]]:
    """Generate a user turn: a question, steps of an agent, mostly an answer."""
    steps = st.builds(STEPS[shape], CALLS, TEXTS)
    return st.builds(
        lambda question, steps, answer: [
            {"role": "user", "content": question},
            *(message for step in steps for message in step),
            *([{"role": "assistant", "content": answer}] if answer else []),
        ],
        TEXTS,
        st.lists(steps, max_size=4),
        TEXTS,
    )


def histories(shape: str) -> st.SearchStrategy[list[Message]]:
    """Generate a conversation, which may end anywhere but between call and result."""
    whole = st.lists(turns(shape), min_size=1, max_size=5).map(
        lambda turns: [message for turn in turns for message in turn]
    )
    return st.builds(
        lambda messages, question: [*messages, *question],
        whole,
        st.sampled_from([[], [{"role": "user", "content": "现在呢？"}]]),
    )


PLAIN = st.lists(TEXTS, min_size=1, max_size=12).map("\n".join)
MARKDOWN = st.lists(
    st.sampled_from(["text", "", "# title", "```python", "```", "x = 1", "<p>hi</p>"]),
    min_size=1,
    max_size=12,
).map("\n".join)
CHUNK_TEXTS = st.one_of(PLAIN, MARKDOWN, JSON_TEXTS)


def chunks(
    texts: st.SearchStrategy[str] = CHUNK_TEXTS,
) -> st.SearchStrategy[list[Chunk]]:
    """Generate retrieved texts, whose ids may repeat too."""
    return st.lists(
        st.builds(
            Chunk,
            id=st.sampled_from(["faq", "手册", "a/b#2"]),
            text=texts,
            priority=st.integers(0, 2),
        ),
        max_size=4,
    )


def requests(shape: str) -> st.SearchStrategy[dict[str, Any]]:
    """Generate arguments of `assemble`, all but the window and the tokenizer."""
    schema = {"type": "object", "properties": {"q": {"type": "string"}}}
    tool = {
        "chat": {"type": "function", "function": {"name": "f", "parameters": schema}},
        "responses": {
            "type": "function",
            "name": "f",
            "parameters": schema,
            "strict": False,
        },
        "anthropic": {"name": "f", "input_schema": schema},
    }[shape]
    return st.fixed_dictionaries(
        {
            "shape": st.just(shape),
            "system": st.sampled_from([None, "Be brief.", "你是问答助手。"]),
            "tools": st.sampled_from([None, [tool]]),
            "chunks": chunks(),
            "history": histories(shape),
            "order": st.sampled_from(["chunks-first", "history-first"]),
            "clip_tool_results": st.sampled_from([None, 20]),
        }
    )
