"""What can go wrong with the index. None of it loses anything: the index is a cache."""

from __future__ import annotations

from potpie_git.domain.errors import UnavailableError


class IndexDamagedError(UnavailableError):
    """The index does not hold what it was written with; it is not read, and the next sync makes it anew."""

    code = "index_damaged"
    default_hint = "Answers come from the files until `git potpie index sync` has made the index anew."


class IndexMissingError(UnavailableError):
    """There is no index yet, or one that another version of this program made."""

    code = "index_missing"
    default_hint = "Build it with `git potpie index sync`; until then answers come from the files."
