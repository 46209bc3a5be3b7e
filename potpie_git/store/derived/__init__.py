"""Claims that no file holds, because the repository says them by itself: its history and its CODEOWNERS."""

from __future__ import annotations

from potpie_git.store.derived.names import RepositoryName, repository_key, repository_name
from potpie_git.store.derived.search import DerivedClaims

__all__ = ["DerivedClaims", "RepositoryName", "repository_key", "repository_name"]
