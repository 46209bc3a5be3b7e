"""Which paths a governed file can have at all, before anybody looks into it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from potpie_git.domain.findings import Finding
from potpie_git.domain.layout import CLAIM_NAME, DIGEST_LENGTH, FileKind, kind_of
from potpie_git.store.codec import repository_path
from potpie_git.store.git import encode

_SLUG: Final = "[a-z0-9-]{1,40}"
_FORMS: Final[Mapping[FileKind, re.Pattern[str]]] = MappingProxyType(
    {
        FileKind.CLAIM: CLAIM_NAME,
        FileKind.ENTITY: re.compile(
            rf"entities/[a-z_]+/[0-9a-f]{{2}}/{_SLUG}\.[0-9a-f]{{{DIGEST_LENGTH}}}\.yaml$"
        ),
        FileKind.TOMBSTONE: re.compile(r"tombstones/[0-9a-f]{2}/[0-9a-f]{32}\.c-[0-9a-f]{32}\.yaml$"),
        FileKind.APPROVAL: re.compile(rf"approvals/[0-9a-f]{{16,64}}\.{_SLUG}\.yaml$"),
        FileKind.INBOX: re.compile(r"inbox/i-[0-9a-z]{6,40}\.yaml$"),
    }
)


def is_place(path: str) -> bool:
    """True if some governed file can stand at `path` (relative to the pot)."""
    kind = kind_of(path)
    if kind is None:
        return False
    form = _FORMS.get(kind)
    return form is None or form.match(path) is not None


def shown_path(path: str) -> str:
    """A pot path as it stands in the repository; bytes that are no UTF-8 are written as \\xNN."""
    return encode(repository_path(path)).decode("utf-8", "backslashreplace")


def finding(code: str, path: str, message: str, hint: str, line: int = 1) -> Finding:
    """A finding on a pot path."""
    return Finding(code=code, path=shown_path(path), line=line, message=message, hint=hint)
