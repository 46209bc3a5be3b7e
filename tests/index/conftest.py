"""A pot in a temporary repository, claims to put in it, and an embedder that needs no model."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from potpie_git.domain.claim import Claim, Invalidation, Provenance, new_claim
from potpie_git.domain.layout import POT_DIRECTORY, claim_path
from potpie_git.domain.lexical import tokens
from potpie_git.index import EmbedderUnavailableError, Index
from potpie_git.index.embedder import DIMENSION, MODEL_ID
from potpie_git.store.codec import encode
from potpie_git.store.repository import Repository
from potpie_git.store.snapshot import TreeSnapshot, WorktreeSnapshot
from tests.support.git_repo import GitRepo

RECORDED = "2026-06-02T08:15:00Z"


def bug(name: str, fact: str = "", **fields: Any) -> Claim:
    """A claim that says where a bug shows."""
    given = {
        "predicate": "REPRODUCES",
        "object": "service:refunds",
        "fact": fact or f"{name.replace('-', ' ')} goes wrong",
        "provenance": {"recorded_at": RECORDED},
    }
    return new_claim(subject=f"bug_pattern:{name}", **{**given, **fields})


def many(count: int, start: int = 0) -> list[Claim]:
    """Claims that differ in a number and share their words."""
    return [
        bug(f"case-{number}", f"Invoice {number} was rounded twice") for number in range(start, start + count)
    ]


def withdrawn(claim: Claim, reason: str = "It was wrong.") -> Claim:
    invalidation = Invalidation(
        op="retract_claim", reason=reason, provenance=Provenance(recorded_at="2026-07-01T00:00:00Z")
    )
    return claim.model_copy(update={"valid_to": "2026-07-01T00:00:00Z", "invalidation": invalidation})


@dataclass
class WordEmbedder:
    """A stand-in for the model: a text's vector is made of its words' digests, so shared words mean nearness."""

    model_id: str = MODEL_ID
    dimension: int = DIMENSION
    embedded: list[str] = field(default_factory=list)
    broken: bool = False

    def embed_question(self, text: str) -> np.ndarray:
        if self.broken:
            raise EmbedderUnavailableError("the model is not installed")
        return self._vector(text)

    def embed_cards(self, texts: Sequence[str]) -> np.ndarray:
        if self.broken:
            raise EmbedderUnavailableError("the model is not installed")
        self.embedded += texts
        return np.array([self._vector(text) for text in texts], dtype=np.float32).reshape(-1, DIMENSION)

    def commonness(self, word: str) -> int | None:
        return None

    def _vector(self, text: str) -> np.ndarray:
        total = np.zeros(DIMENSION)
        for word in tokens(text) or ["nothing"]:
            seed = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest())
            total += np.random.default_rng(seed).normal(size=DIMENSION)
        return (total / np.linalg.norm(total)).astype(np.float32)


@dataclass
class Pot:
    """A pot that a test fills, with the index over it."""

    git: GitRepo
    index: Index
    embedder: WordEmbedder

    @property
    def repo(self) -> Repository:
        return Repository.discover(self.git.root)

    @property
    def worktree(self) -> WorktreeSnapshot:
        return WorktreeSnapshot(self.repo)

    @property
    def head(self) -> TreeSnapshot:
        return TreeSnapshot.of_head(self.repo)

    def write(self, *claims: Claim) -> None:
        for claim in claims:
            self.git.write(f"{POT_DIRECTORY}/{claim_path(claim)}", encode(claim))

    def commit(self, *claims: Claim) -> str:
        self.write(*claims)
        return self.git.commit()

    def remove(self, claim: Claim) -> None:
        (self.git.root / POT_DIRECTORY / claim_path(claim)).unlink()

    def found(self, text: str, limit: int = 10) -> list[str]:
        """Paths that the index itself has for a question, best first, whatever snapshot they are of."""
        return [hit.row.path for hit in self.index.search(text, limit=limit).hits]


@pytest.fixture
def pot(git_repo: GitRepo) -> Pot:
    embedder = WordEmbedder()
    directory = git_repo.root / ".git" / "potpie" / "index"
    return Pot(git_repo, Index(directory, embedder), embedder)


@pytest.fixture
def synced(pot: Pot) -> Pot:
    """A pot of three committed claims, synced and embedded."""
    pot.commit(
        bug("refund-deadlock", "Two refunds lock the order row and the wallet row in opposite order."),
        bug("stale-price", "The product list displays an outdated amount."),
        bug("slow-export", "The CSV export of a large shop runs out of memory."),
    )
    pot.index.sync(pot.worktree)
    pot.index.embed_pending()
    return pot


def copy_of(directory: Path, target: Path) -> Path:
    """A copy of an index directory with the times of its files."""
    return Path(shutil.copytree(directory, target, copy_function=shutil.copy2))
