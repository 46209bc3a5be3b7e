"""What a key may be: a short text in normal form C that every YAML reader takes for text."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from potpie_git.domain.text_safety import escape_for_display
from potpie_git.store.yaml import codes
from potpie_git.store.yaml.limits import MAX_KEY_LENGTH
from potpie_git.store.yaml.scalars import NULLS, is_ambiguous

_SHOWN_LENGTH = 60


@dataclass(frozen=True, slots=True)
class KeyProblem:
    """Why a key is refused; `hint` is None where the code's own remedy fits."""

    code: str
    message: str
    hint: str | None = None


def key_problems(name: str, *, plain: bool) -> tuple[KeyProblem, ...]:
    """What is wrong with a key; `plain` says that it is written without quotes."""
    if len(name) > MAX_KEY_LENGTH:
        message = f"a key is longer than {MAX_KEY_LENGTH} characters"
        return (KeyProblem(codes.KEY_NOT_TEXT, message, "Shorten the key."),)
    return _problems(name, plain)


@lru_cache(maxsize=4096)
def _problems(name: str, plain: bool) -> tuple[KeyProblem, ...]:
    found = []
    if plain and name == "<<":
        found.append(KeyProblem(codes.FORBIDDEN_CONSTRUCT, "the merge key `<<` is not allowed"))
    elif plain and name in NULLS:
        found.append(KeyProblem(codes.KEY_NOT_TEXT, "an empty or null key"))
    elif plain and is_ambiguous(name):
        message = f"the key `{shown(name)}` is a number, date or boolean to some YAML readers"
        found.append(KeyProblem(codes.KEY_NOT_TEXT, message))
    if not name.isascii() and not unicodedata.is_normalized("NFC", name):
        message = f"the key `{shown(name)}` is not in Unicode normal form C"
        hint = "Write the key with composed characters (normal form C)."
        found.append(KeyProblem(codes.KEY_NOT_TEXT, message, hint))
    return tuple(found)


def shown(text: str) -> str:
    """A piece of a file inside a message: on one line, nothing hidden, not too long."""
    text = escape_for_display(text[: _SHOWN_LENGTH + 1], keep_whitespace=False)
    return text if len(text) <= _SHOWN_LENGTH else f"{text[: _SHOWN_LENGTH - 1]}…"
