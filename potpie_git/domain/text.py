"""Text and digests: normal forms, canonical JSON, slugs, and near-name suggestions. Pure functions over `str`."""

from __future__ import annotations

import difflib
import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

SLUG_LENGTH = 40
_NOT_SLUG = re.compile(r"[^a-z0-9]+")
_SPACES = re.compile(r"\s+")
_APOSTROPHES = "'\u2018\u2019\u02bc`"
# Joiners, Hangul fillers and variation selectors: letters and marks by category, nothing to the eye.
_FILLERS = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\ufe00-\ufe0f\U000e0100-\U000e01ef]")


# Controls that are no white space, and apostrophes; then punctuation that splits words, unless a number needs it.
_ASCII_DROPPED = re.compile("[\x00-\x08\x0e-\x1b\x7f'`]")
_ASCII_SPLITTING = re.compile(
    r"((?<=[0-9])[.,:\-/](?=[0-9])|(?<![^\s\x1c-\x1f])-(?=[0-9]))|[!\"#%&()*,\-./:;?@\[\\\]_{}]"
)
_REMEMBERED = 8192


def nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def is_encodable(text: str) -> bool:
    """False for a text with a lone surrogate, which stands for no character and which UTF-8 cannot hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def sha256_hex(text: str | bytes) -> str:
    raw = text.encode() if isinstance(text, str) else text
    return hashlib.sha256(raw).hexdigest()


def canonical_json(value: Any) -> str:
    """JSON with sorted keys, no spaces, every text in NFC: equal values give equal bytes.

    Raises `ValueError` for a number that JSON cannot hold (NaN, infinity).
    """
    plain = _dumped(value)
    # ASCII is composed already, and most values are ASCII.
    return plain if plain.isascii() else _dumped(_nfc_tree(value))


def _dumped(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _nfc_tree(value: Any) -> Any:
    if isinstance(value, str):
        return value if value.isascii() else nfc(value)
    if isinstance(value, dict):
        return {nfc(str(key)): _nfc_tree(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_nfc_tree(item) for item in value]
    return value


@lru_cache(maxsize=_REMEMBERED)
def slug(text: str, length: int = SLUG_LENGTH) -> str:
    """Lower-case ASCII letters, digits and hyphens, at most `length` of them; never empty."""
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return _NOT_SLUG.sub("-", text.lower()).strip("-")[:length].strip("-") or "x"


def humanise(key: str) -> str:
    """An entity key as words: `bug_pattern:refunds-api:partial-capture` → `refunds api partial capture`."""
    _, _, rest = key.partition(":")
    return _SPACES.sub(" ", re.sub(r"[:_\-./]+", " ", rest or key)).strip()


def fold(text: str) -> str:
    """A form in which look-alike spellings are equal: NFKC and case folded, twice (folding can undo NFKC)."""
    once = unicodedata.normalize("NFKC", text).casefold()
    return unicodedata.normalize("NFKC", once).casefold()


@lru_cache(maxsize=_REMEMBERED)
def normalise_value(text: str) -> str:
    """A value without what a rewriter may vary: case, width, format characters, space and punctuation.

    Apostrophes vanish and other punctuation becomes a space, so that `a-b` and `a b` are one value while `ab` is
    another. Punctuation that carries meaning beside digits (`1.5`, `-3`) and symbols (`<`, `+`) are kept.
    """
    return _normalised_ascii(text) if text.isascii() else _normalised(text)


def _normalised_ascii(text: str) -> str:
    """What `_normalised` gives for ASCII, in two passes of regular expressions."""
    folded = _ASCII_DROPPED.sub("", text.lower())
    return " ".join(_ASCII_SPLITTING.sub(lambda match: match[1] or " ", folded).split())


def _normalised(text: str) -> str:
    folded = "".join(char for char in fold(text) if not _is_invisible(char) and char not in _APOSTROPHES)
    out = []
    for index, char in enumerate(folded):
        kind = unicodedata.category(char)
        if kind[0] == "P":
            before = folded[index - 1] if index else " "
            after = folded[index + 1] if index + 1 < len(folded) else " "
            numeric = after.isdigit() and (before.isdigit() or (char == "-" and before.isspace()))
            out.append(char if numeric and char in ".,:-/" else " ")
        else:
            out.append(" " if kind[0] == "Z" or char.isspace() else char)
    return _SPACES.sub(" ", "".join(out)).strip()


def _is_invisible(char: str) -> bool:
    """True for characters that a text can hold without looking any different, white space apart."""
    if char.isspace():
        return False
    return unicodedata.category(char) in {"Cf", "Cc", "Cn", "Co"} or bool(_FILLERS.match(char))


def suggest(name: str, known: Iterable[str]) -> str | None:
    """The known name that is nearest to `name`, or None if nothing is near."""
    candidates = list(known)
    folded = {candidate.lower(): candidate for candidate in candidates}
    exact = folded.get(name.lower().replace("-", "_").replace(" ", "_"))
    if exact:
        return exact
    near = difflib.get_close_matches(name.lower(), folded, n=1, cutoff=0.66)
    return folded[near[0]] if near else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """` Did you mean 'x'?` with a leading space, or an empty text."""
    near = suggest(name, known)
    return f" Did you mean {near!r}?" if near else ""
