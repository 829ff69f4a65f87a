"""Random damage of the content of files: the same seed gives the same damage."""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
from collections.abc import Callable
from functools import partial

import numpy as np
import pyarrow as pa

_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")
_WILD = (
    b"-1", b"0", b"1e308", b"-1e400", b"nan", b"inf", b"1e-320", b"0x10", b"1_000", b"2147483648",
    b"4294967296", b"9223372036854775808", b"300000000", b"99999999999", b"9" * 400, b"9" * 5000, b"",
    "٣".encode(), b"+5", b"1.5", b"--3", b".", b"$\\frac$", b"None", b"true",
)  # fmt: skip
_REPEATED = (
    b"\n", b" ", b"\t", b"\r", b",", b";", b'"', b"'", b"[", b"]", b"{", b"}", b"(", b"<a>", b"<", b">",
    b"0", b"9", b".", b"-", b"e", b"/*", b"//", b"#", b"%", b"\\", b"&amp;", b"a[", b'{"a":', b"[1,",
    b"1 2\n", b"a,b\n", b"\x00", b"\xff", b"\xef\xbb\xbf", b"*Edges\n", b"~", b":", b"?", b"graph [",
)  # fmt: skip
_ENCODINGS = ("utf-16", "utf-16-le", "utf-32", "cp1252", "utf-8-sig", "utf-7", "cp037")


def _place(rng: np.random.Generator, content: bytes) -> tuple[int, int]:
    start = int(rng.integers(len(content) + 1))
    length = int(rng.integers(1, max(2, min(len(content), 64))))
    return start, min(len(content), start + length)


def flip_bits(rng: np.random.Generator, content: bytes) -> bytes:
    """Flip one to eight bits."""
    changed = bytearray(content)
    for _ in range(int(rng.integers(1, 9)) if changed else 0):
        changed[rng.integers(len(changed))] ^= 1 << int(rng.integers(8))
    return bytes(changed)


def replace_bytes(rng: np.random.Generator, content: bytes) -> bytes:
    """Replace a few bytes by random ones."""
    start, end = _place(rng, content)
    return content[:start] + rng.bytes(end - start) + content[end:]


def cut(rng: np.random.Generator, content: bytes) -> bytes:
    """Cut the end, or the start."""
    at = int(rng.integers(len(content) + 1))
    return content[at:] if rng.random() < 0.2 else content[:at]


def delete(rng: np.random.Generator, content: bytes) -> bytes:
    """Delete a chunk."""
    start, end = _place(rng, content)
    return content[:start] + content[end:]


def duplicate(rng: np.random.Generator, content: bytes) -> bytes:
    """Repeat a chunk once, or many times."""
    start, end = _place(rng, content)
    times = int(rng.choice([1, 1, 2, 10, 1000]))
    return content[:end] + content[start:end] * times + content[end:]


def swap(rng: np.random.Generator, content: bytes) -> bytes:
    """Exchange two chunks."""
    a, b = sorted((_place(rng, content), _place(rng, content)))
    if a[1] > b[0]:
        return content
    first, middle = content[: a[0]], content[a[1] : b[0]]
    return first + content[b[0] : b[1]] + middle + content[a[0] : a[1]] + content[b[1] :]


def change_number(rng: np.random.Generator, content: bytes) -> bytes:
    """Replace a number by a huge, negative or malformed one."""
    numbers = list(_NUMBER.finditer(content))
    if not numbers:
        return content + b"9" * 30
    number = numbers[rng.integers(len(numbers))]
    wild = _WILD[rng.integers(len(_WILD))]
    return content[: number.start()] + wild + content[number.end() :]


def insert_repeated(rng: np.random.Generator, content: bytes) -> bytes:
    """Insert a text many times: blank lines, open brackets, digits, …"""
    start, _ = _place(rng, content)
    times = int(rng.choice([1, 2, 30, 1000, 20_000, 100_000]))
    piece = _REPEATED[rng.integers(len(_REPEATED))]
    return content[:start] + piece * times + content[start:]


def insert_word(rng: np.random.Generator, content: bytes) -> bytes:
    """Insert a wild word."""
    start, _ = _place(rng, content)
    return content[:start] + _WILD[rng.integers(len(_WILD))] + content[start:]


def mix_lines(rng: np.random.Generator, content: bytes) -> bytes:
    """Repeat, drop or shuffle lines."""
    lines = content.split(b"\n")
    chosen = rng.integers(len(lines), size=int(rng.integers(1, 2 * len(lines) + 1)))
    return b"\n".join(lines[i] for i in (chosen if rng.random() < 0.5 else np.sort(chosen)))


def change_encoding(rng: np.random.Generator, content: bytes) -> bytes:
    """Write the text in another encoding."""
    encoding = _ENCODINGS[rng.integers(len(_ENCODINGS))]
    return content.decode("latin-1").encode(encoding, "replace")


def change_line_ends(rng: np.random.Generator, content: bytes) -> bytes:
    """Write other line ends."""
    return content.replace(b"\n", [b"\r\n", b"\r", b"\n\n", b"\x0b", b"\x85"][rng.integers(5)])


PACKERS: tuple[Callable[[bytes], bytes], ...] = (
    partial(gzip.compress, compresslevel=6, mtime=0), bz2.compress,
    partial(lzma.compress, preset=1), partial(pa.compress, codec="zstd", asbytes=True),
)  # fmt: skip


def compress(rng: np.random.Generator, content: bytes) -> bytes:
    """Compress the content, possibly many copies of it, and damage the result in some cases."""
    times = int(rng.choice([1, 1, 1, 100, 20_000]))
    pack = PACKERS[rng.integers(len(PACKERS))]
    packed = pack(content[: 2_000_000 // times] * times)
    return flip_bits(rng, packed) if rng.random() < 0.3 else packed


def random_bytes(rng: np.random.Generator, content: bytes) -> bytes:
    """Return random bytes, after the first bytes of the content."""
    return content[: int(rng.integers(0, 16))] + rng.bytes(int(rng.integers(1, 400)))


MUTATIONS: tuple[Callable[[np.random.Generator, bytes], bytes], ...] = (
    flip_bits, flip_bits, replace_bytes, cut, delete, duplicate, swap, change_number, change_number,
    insert_repeated, insert_repeated, insert_word, mix_lines, change_encoding, change_line_ends, compress,
    random_bytes,
)  # fmt: skip
_MAX_BYTES = 1_000_000


def mutate(rng: np.random.Generator, content: bytes) -> bytes:
    """Return the content after one to three random kinds of damage, below 1 MB."""
    for _ in range(int(rng.choice([1, 1, 1, 2, 3]))):
        content = MUTATIONS[rng.integers(len(MUTATIONS))](rng, content)[: _MAX_BYTES - 1]
    return content
