"""Retired words stay out of everything that a person reads."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

#: What to say instead, by retired word or phrase (a regular expression).
RETIRED = {
    r"prices?|priced|pricing": "cost",
    r"dear|dearer|dearest": "expensive",
    r"ingredients?": "shared step",
    r"told|telling": "predicted, distinguished, reported",
    r"rightly": "correctly; accuracy",
    r"asked": "queries, or X",
    r"is_of": "one_hot",
    r"share that was so": "observed frequency",
    r"whole numbers?": "integer",
    r"(?:taken|takes?|taking) up(?! to)|goes on where": "resume",
    r"anew": "again, recompute, start over",
    r"for want of": "to stay within the time limit",
    r"n_bootstrap": "n_resamples",
    r"twins?": "reference implementation",
    r"as dense as": "density-matched",
    r"leans?|leaning": "at the prior's boundary",
    r"called out|does not explain": "none of these models fits",
    r"off the cloud": "outside the simulated range",
    r"by a hair|behind one face|made honest|lonel(?:y|ier|iest)|foretold|hitherto|to be kept in mind": (
        "plain words"
    ),
}
#: Identifiers that are retired as a whole, and words that are retired also as part of an identifier.
IDENTIFIERS = re.compile(r"\b(?:is_of|n_bootstrap)\b")
WORDS = re.compile(rf"(?<![\w-])(?:{'|'.join(RETIRED)})(?![\w-])", re.IGNORECASE)

#: Where a retired word is needed, and why. Everything else must do without.
EXCEPTIONS = {
    "tests/test_words.py": "lists the words",
}

FOLDERS = (
    "src",
    "reproduction",
    "tests",
    "tools",
    "docs",
    "examples",
    "benchmarks",
    ".ci",
    ".github",
)
ENDINGS = {".py", ".md", ".js", ".css", ".toml", ".cff", ".yml", ".yaml"}
TEXTS = sorted(
    path
    for path in [
        *ROOT.glob("*"),
        *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*")),
    ]
    if path.is_file() and (path.suffix in ENDINGS or path.name in ("Makefile", "run"))
)


def retired_words(text):
    """The retired words of a text, with their line numbers; parts of identifiers count too."""
    for number, line in enumerate(text.splitlines(), start=1):
        for match in IDENTIFIERS.finditer(line):
            yield number, match.group(0)
        for match in WORDS.finditer(line.replace("_", " ")):
            yield number, match.group(0)


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_text_has_no_retired_words(path):
    name = path.relative_to(ROOT).as_posix()
    words = [f"{name}:{line}: {word}" for line, word in retired_words(path.read_text("utf-8"))]
    if name in EXCEPTIONS:
        assert words, f"{name} needs no exception"
    else:
        assert not words


def test_file_names_have_no_retired_words():
    for path in TEXTS:
        assert not list(retired_words(path.relative_to(ROOT).as_posix().replace("/", " ")))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("the price of a feature", ["price"]),
        ("PRICES = {}", ["PRICES"]),
        ("def test_prices_span():", ["prices"]),
        ("a whole number of rows", ["whole number"]),
        ("stability(n_bootstrap=5)", ["n_bootstrap"]),
        ("it is told rightly", ["told", "rightly"]),
        ("enterprise and pricey", []),
        ("the posterior leans on a bound", ["leans"]),
    ],
)
def test_retired_words_are_noticed(text, found):
    assert [word for _, word in retired_words(text)] == found
