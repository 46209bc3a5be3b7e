"""The error that carries one fault of a file's form, with its code, line and remedy."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from potpie_git.domain.errors import PotpieError
from potpie_git.store.yaml import codes

# The remedy that fits every fault of a code; a message with a better one brings its own.
_HINTS: Mapping[str, str] = MappingProxyType(
    {
        codes.NOT_UTF8: "Save the file as UTF-8.",
        codes.BYTE_ORDER_MARK: "Save the file as UTF-8 without a byte order mark.",
        codes.LINE_ENDING: "Save the file with LF line endings and a final newline (`git potpie fmt` writes it so).",
        codes.HIDDEN_CHARACTER: "Delete the character; write what it meant in visible text.",
        codes.TOO_LARGE: "Keep the file to 64 KiB: reference long evidence instead of quoting it.",
        codes.TOO_DEEP: "Flatten the structure to at most 8 levels.",
        codes.SYNTAX: "Mend the YAML at this line; `git potpie fmt` shows the form to write.",
        codes.FORBIDDEN_CONSTRUCT: "Write the value out in plain block style.",
        codes.DUPLICATE_KEY: "Keep one of the two; after a merge, decide which side holds.",
        codes.CONFLICT_MARKER: "Finish the merge: keep what holds and delete the marker lines.",
        codes.EMPTY_VALUE: 'Give the key a value, remove the key, or write "" for an empty text.',
        codes.ROOT_NOT_MAPPING: "Write `key: value` lines at the top level.",
        codes.KEY_NOT_TEXT: "Put the key in double quotes.",
    }
)


class YamlError(PotpieError):
    """One fault of a file that is to be strict YAML: `code` (`PG-F..`), `line` (1-based), `message` and `hint`."""

    def __init__(self, code: str, message: str, *, line: int = 1, hint: str | None = None) -> None:
        super().__init__(
            message, code=code, hint=_HINTS.get(code, "") if hint is None else hint, detail={"line": line}
        )
        self.line = line
