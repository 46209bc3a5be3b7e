"""The index: a disposable cache under the git directory that finds claims by meaning, by words and by their fields."""

from potpie_git.index.build import Progress, SyncReport
from potpie_git.index.claims import IndexedClaims
from potpie_git.index.embedder import Embedder, EmbedderUnavailableError, MiniLM
from potpie_git.index.embedding import EmbedReport
from potpie_git.index.errors import IndexDamagedError, IndexMissingError
from potpie_git.index.index import Index, IndexStatus
from potpie_git.index.search import Hit, SearchResult
from potpie_git.index.verify import VerifyReport

__all__ = [
    "EmbedReport",
    "Embedder",
    "EmbedderUnavailableError",
    "Hit",
    "Index",
    "IndexDamagedError",
    "IndexMissingError",
    "IndexStatus",
    "IndexedClaims",
    "MiniLM",
    "Progress",
    "SearchResult",
    "SyncReport",
    "VerifyReport",
]
