"""Pots to measure on: claims from `git fast-import`, indexed by the product, with vectors that are made quickly."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from potpie_git.domain.claim import Claim, Evidence, Provenance, new_claim
from potpie_git.domain.layout import POT_DIRECTORY, claim_path
from potpie_git.domain.lexical import tokens
from potpie_git.index import Index
from potpie_git.index.embedder import DIMENSION, MODEL_ID
from potpie_git.store.codec import encode
from potpie_git.store.repository import Repository
from potpie_git.store.snapshot import WorktreeSnapshot
from tests.bench.pots import fresh, import_into
from tests.bench.processes import git

_WHERE = "refunds invoices carts ledgers payouts exports webhooks sessions quotas coupons shipments reports".split()
_WHAT = "times out|is rounded twice|loses its currency|is sent again|is locked|shows an old amount|is empty".split(
    "|"
)
_WHEN = "after a partial capture|behind the proxy|under load|at midnight|for large shops|on retry".split("|")


def claim(number: int) -> Claim:
    """One of a line of claims: a bug's symptom, a fix, a decision's reason; texts differ as those of people do."""
    service = f"{_WHERE[number % 12]}-{number % 97}"
    what, when = _WHAT[number % 7], _WHEN[number // 7 % 6]
    given = {
        "truth": "agent_claim",
        "evidence": [Evidence(source_ref=f"github:pr:acme/payments:{number}", authority="external_system")],
        "code_scope": {"service": service},
        "valid_from": "2026-06-01T10:00:00+05:30",
        "provenance": Provenance(mutation="m-00000000000000000000000000", recorded_at="2026-06-02T08:15:00Z"),
    }
    if number % 3:
        return new_claim(
            subject=f"fix:{number // 3:012x}", predicate="RESOLVED", object=f"bug_pattern:{service}:symptom-{number}",
            fact=f"Take the remaining amount of order {number * 7} when {service} {what}.",
            description=f"{service} {what} {when}; case {number}; retry the rest", **given,
        )  # fmt: skip
    return new_claim(
        subject=f"bug_pattern:{service}:symptom-{number}", predicate="REPRODUCES", object=f"service:{service}",
        fact=f"Order {number * 7} {what} {when}.",
        description=f"{service} {what} {when}; seen in case {number}", **given,
    )  # fmt: skip


@lru_cache(maxsize=65_536)
def _word(word: str) -> np.ndarray:
    seed = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest())
    return np.random.default_rng(seed).normal(size=DIMENSION).astype(np.float32)


class WordVectors:
    """An embedder that needs no model: 100,000 cards in half a minute. What a vector means does not change its cost."""

    model_id = MODEL_ID
    dimension = DIMENSION

    def embed_question(self, text: str) -> np.ndarray:
        return self.embed_cards([text])[0]

    def embed_cards(self, texts: Sequence[str]) -> np.ndarray:
        sums = np.array([np.sum([_word(word) for word in tokens(text)], axis=0) for text in texts])
        return (sums / np.linalg.norm(sums, axis=1, keepdims=True)).astype(np.float32)

    def commonness(self, word: str) -> int | None:
        return None


@dataclass(frozen=True)
class Pot:
    """A repository with a pot of so many claims on the branch `work`, and its index."""

    root: Path
    size: int
    env: dict[str, str]

    @property
    def index(self) -> Index:
        """Its index, without an embedder."""
        return Index(Repository.discover(self.root).shared_state_dir / "index")

    @property
    def worktree(self) -> WorktreeSnapshot:
        """What the working tree holds now."""
        return WorktreeSnapshot(Repository.discover(self.root))

    def unused(self) -> int:
        """A number from which on no claim was written, in this run or in one before."""
        return 10_000_000 + 1_000 * int(git(self.root, self.env, "rev-list", "--count", "HEAD"))

    def add(self, number: int) -> None:
        """Write one more claim into the working tree and commit it."""
        one = claim(number)
        place = self.root / POT_DIRECTORY / claim_path(one)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(encode(one))
        git(self.root, self.env, "add", "--", f"{POT_DIRECTORY}/{claim_path(one)}")
        git(self.root, self.env, "commit", "-q", "-m", f"Claim {number}")


def files(size: int) -> Iterator[tuple[str, bytes]]:
    """Path and content of the first `size` claims."""
    for number in range(size):
        one = claim(number)
        yield claim_path(one), encode(one)


def build(root: Path, env: dict[str, str], size: int) -> Pot:
    """A packed repository with `size` claims, indexed and with a vector for every card; one that is there is taken."""
    pot = Pot(root, size, env)
    if (root / ".git" / "ready").exists():
        return pot
    print(f"a pot of {size:,} claims", file=sys.stderr)
    fresh(root, env)
    import_into(root, env, "work", files(size))
    git(root, env, "reset", "-q", "--hard")
    git(root, env, "gc", "-q")
    index = Index(pot.index.directory, WordVectors())
    index.sync(pot.worktree)
    index.embed_pending()
    (root / ".git" / "ready").touch()
    return pot
