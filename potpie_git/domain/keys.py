"""Entity keys: parsing, checking and minting. A key's prefix gives the entity's type.

Identity classes: `slug_alias` keys are made of readable slugs, `external_id` keys carry the identifier of another
system, `content_hash` keys end in a digest of what the entity says.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from potpie_git.domain.text import canonical_json, did_you_mean, fold, nfc, sha256_hex, slug
from potpie_git.domain.text_safety import scan_text
from potpie_git.domain.vocabulary import ENTITY_TYPE_BY_PREFIX, ENTITY_TYPES, EntityType

MAX_KEY_BYTES = 512
# One key comes up many times in a write or a read.
_REMEMBERED = 8192
HASH_LENGTH = 12
CLAIM_PREFIX = "claim"
_CLAIM_ID = re.compile(r"c-[0-9a-f]{32}$")
# The head of a period's key is `timeline:period`, so the first part alone does not name the type.
_PERIOD_HEAD = "timeline:period:"


class KeyFormatError(ValueError):
    """A key cannot be used; the message says why and what to write."""


def is_claim_id(text: str) -> bool:
    return bool(_CLAIM_ID.match(text))


def claim_key(claim_id: str) -> str:
    """The key by which a system predicate refers to a claim."""
    return f"{CLAIM_PREFIX}:{claim_id}"


@lru_cache(maxsize=_REMEMBERED)
def entity_type_of(key: str) -> EntityType | None:
    """The entity type that a key's prefix names, or None."""
    if key.startswith(_PERIOD_HEAD):
        return ENTITY_TYPES["Period"]
    prefix, _, rest = key.partition(":")
    return ENTITY_TYPE_BY_PREFIX.get(prefix) if rest else None


def type_name_of(key: str) -> str:
    """The name of a key's entity type; an empty text if it has none."""
    found = entity_type_of(key)
    return found.name if found else ""


@lru_cache(maxsize=_REMEMBERED)
def key_problem(key: str) -> tuple[str, str] | None:
    """Why `key` cannot be an entity key, with the remedy; None if it can."""
    if not key.strip():
        return "an entity key is empty", "Write a key such as service:payments."
    hidden = scan_text(key)
    if hidden or any(char in "\n\t" for char in key):
        what = hidden[0][1] if hidden else "a line break or a tab"
        return f"key {key!r} holds {what}", "Remove the character; a key is one line of visible text."
    if key != nfc(key):
        return f"key {key!r} is not in Unicode's composed form (NFC)", f"Write {nfc(key)!r} in composed form."
    if key != key.strip() or "  " in key:
        return f"key {key!r} has surplus white space", f"Write {' '.join(key.split())!r}."
    if len(key.encode()) > MAX_KEY_BYTES:
        return f"a key of {len(key.encode())} bytes is longer than {MAX_KEY_BYTES}", "Shorten it."
    if entity_type_of(key) is None:
        prefix = key.partition(":")[0]
        known = ", ".join(sorted(ENTITY_TYPE_BY_PREFIX))
        near = did_you_mean(prefix, ENTITY_TYPE_BY_PREFIX)
        return f"key {key!r} has no known type prefix.{near}", f"Start it with one of: {known}; then a colon."
    if any(not part.strip() for part in key.split(":")):
        return f"key {key!r} has an empty part", "Fill every part between colons, or leave the colon out."
    return None


def parse_key(key: str) -> EntityType:
    """The entity type of a valid key. Raises `KeyFormatError` with cause and remedy."""
    problem = key_problem(key)
    if problem:
        raise KeyFormatError(f"{problem[0]}. {problem[1]}")
    found = entity_type_of(key)
    assert found is not None  # key_problem has seen to it
    return found


def mint_key(type_name: str, *parts: str, content: Mapping[str, Any] | None = None) -> str:
    """A new key for an entity of `type_name`.

    `parts` fill the placeholders of the type's key pattern, made into slugs for `slug_alias` and kept as they are
    for `external_id`; a `content_hash` type takes `content` instead, whose canonical JSON is digested.
    Raises `KeyFormatError` for an unknown type or missing parts.
    """
    entity = ENTITY_TYPES.get(type_name)
    if entity is None:
        raise KeyFormatError(f"{type_name!r} is not an entity type.{did_you_mean(type_name, ENTITY_TYPES)}")
    head = entity.key_pattern.partition("<")[0].rstrip(":")
    if entity.identity == "content_hash":
        if content is None:
            raise KeyFormatError(f"a {type_name} key is a digest of its content: give the content")
        return f"{head}:{sha256_hex(canonical_json(dict(content)))[:HASH_LENGTH]}"
    named = [part for part in parts if part.strip()]
    if not named:
        raise KeyFormatError(f"a {type_name} key needs the parts of {entity.key_pattern}")
    made = [slug(part, 80) if entity.identity == "slug_alias" else part.strip() for part in named]
    return ":".join((head, *made))


def folded_key(key: str) -> str:
    """A form in which keys that only look different (case, width, composition) are equal."""
    return key if key.isascii() and key.islower() else fold(key)


def qualified(key: str, environment: str | None) -> str:
    """A key with its environment qualifier, as it joins an edge's identity: `service:a@environment:prod`."""
    return f"{key}@{environment}" if environment else key
