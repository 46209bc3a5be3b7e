"""A second opinion on YAML: a reader that shares no code with ours, asked before a file of the user's is rewritten."""

from __future__ import annotations

from typing import Any


def read_as_text(raw: bytes) -> Any:
    """The document as ruamel.yaml reads it, every scalar as its text. Raises `ValueError` if it does not parse."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        return YAML(typ="base", pure=True).load(raw.decode("utf-8"))
    except YAMLError as error:
        raise ValueError(str(error)) from error


def reads_alike(before: bytes, after: bytes) -> bool:
    """True if both texts say the same to a reader that is not ours."""
    try:
        return bool(read_as_text(before) == read_as_text(after))
    except ValueError:
        return False
