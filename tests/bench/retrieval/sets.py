"""The retrieval sets, and pots that are made of them."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from potpie_git import Pot
from potpie_git.domain.claim import Claim, new_claim
from potpie_git.domain.layout import POT_DIRECTORY, claim_path
from potpie_git.index import Index
from potpie_git.store.codec import encode
from potpie_git.store.repository import Repository
from potpie_git.store.snapshot import WorktreeSnapshot

SETS = Path(__file__).parent / "data"


@dataclass(frozen=True)
class RetrievalSet:
    """Claims by the set's own ids, and questions with the ids that answer them (none for some)."""

    name: str
    claims: Mapping[str, Claim]
    questions: Sequence[Mapping[str, Any]]

    @classmethod
    def load(cls, path: Path) -> RetrievalSet:
        data = json.loads(path.read_text(encoding="utf-8"))
        claims = {held["id"]: _claim(held) for held in data["claims"]}
        return cls(data["name"], claims, data["questions"])

    @property
    def paths(self) -> dict[str, str]:
        return {name: claim_path(claim) for name, claim in self.claims.items()}

    def one_hop(self, paths: Sequence[str]) -> set[str]:
        """`paths` and the claims that an edge joins to them: what a fix resolves, what verifies it."""
        by_path = {claim_path(claim): claim for claim in self.claims.values()}
        found = [by_path[path] for path in paths]
        subjects, objects = {claim.subject for claim in found}, {claim.object for claim in found}
        joined = {
            path for path, claim in by_path.items() if claim.object in subjects or claim.subject in objects
        }
        return {*paths, *joined}


def _claim(held: Mapping[str, Any]) -> Claim:
    fields = {name: value for name, value in held.items() if name not in {"id", "code_scope"}}
    if held.get("code_scope"):
        fields["code_scope"] = {"path": held["code_scope"]}
    return new_claim(provenance={"recorded_at": "2026-01-01T00:00:00Z"}, **fields)


@contextmanager
def pot_of(held: RetrievalSet) -> Iterator[Repository]:
    """The set as a pot in a temporary repository without a commit, synced and embedded."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        subprocess.run(["git", "init", "--quiet", folder], check=True, env=clean)
        Pot.init(root)
        for claim in held.claims.values():
            file = root / POT_DIRECTORY / claim_path(claim)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(encode(claim))
        repo = Repository.discover(root)
        index = Index.of(repo)
        index.sync(WorktreeSnapshot(repo))
        index.embed_pending()
        yield repo
