"""The codes of everything that can be wrong with the form of a governed file, each with a short title."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

NOT_UTF8 = "PG-F01"
BYTE_ORDER_MARK = "PG-F02"
LINE_ENDING = "PG-F03"
HIDDEN_CHARACTER = "PG-F04"
TOO_LARGE = "PG-F05"
TOO_DEEP = "PG-F06"
SYNTAX = "PG-F07"
FORBIDDEN_CONSTRUCT = "PG-F08"
DUPLICATE_KEY = "PG-F09"
CONFLICT_MARKER = "PG-F10"
EMPTY_VALUE = "PG-F11"
NOT_CANONICAL = "PG-F12"
NAME_MISMATCH = "PG-F13"
FILE_MODE = "PG-F14"
ROOT_NOT_MAPPING = "PG-F15"
KEY_NOT_TEXT = "PG-F16"

# F12 to F14 need more than the bytes (a record, a path, a tree entry): whoever has that raises them.
TITLES: Mapping[str, str] = MappingProxyType(
    {
        NOT_UTF8: "not UTF-8",
        BYTE_ORDER_MARK: "byte order mark",
        LINE_ENDING: "line ending other than LF, or no final one",
        HIDDEN_CHARACTER: "control or hidden character",
        TOO_LARGE: "file too large",
        TOO_DEEP: "nested too deep",
        SYNTAX: "YAML syntax",
        FORBIDDEN_CONSTRUCT: "YAML construct that strict YAML leaves out",
        DUPLICATE_KEY: "duplicate key",
        CONFLICT_MARKER: "conflict marker of an unfinished merge",
        EMPTY_VALUE: "empty or null value",
        NOT_CANONICAL: "not in canonical form",
        NAME_MISMATCH: "file name does not match the content",
        FILE_MODE: "not a regular file of mode 100644",
        ROOT_NOT_MAPPING: "not one mapping",
        KEY_NOT_TEXT: "key that is not plain text",
    }
)
