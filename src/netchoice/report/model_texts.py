"""What a model is, in one sentence, with its reference."""

from __future__ import annotations

from typing import NamedTuple

from netchoice.errors import NetchoiceError
from netchoice.models import get_model


class ModelText(NamedTuple):
    """One sentence about a model, and its reference; both are "" if they are not known."""

    sentence: str
    reference: str


def model_text(name: str) -> ModelText:
    """Return the description and the reference of a built-in model, also of a mixture or a thinned one.

    A result folder keeps the names of models only, so nothing is known about a model of the user.

    >>> model_text("dmr").sentence
    'Duplication with random mutation.'
    >>> model_text("dmr+lpa").sentence
    'Each new node uses dmr with probability q, else lpa.'
    >>> model_text("my own model")
    ModelText(sentence='', reference='')
    """
    if ":" in name:  # the name of a file and an attribute, which must not be imported
        return ModelText("", "")
    try:
        model = get_model(name)
    except NetchoiceError:
        return ModelText("", "")
    text = f"each new node uses {model.description}" if "+" in name else model.description
    return ModelText(f"{text[:1].upper()}{text[1:].rstrip('.')}." if text else "", model.reference)
