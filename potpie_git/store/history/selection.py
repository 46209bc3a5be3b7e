"""What a history is asked about: which files can bear on it, by name, and which of their steps do, by content."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from potpie_git.domain.claim import Claim
from potpie_git.domain.errors import InvalidInputError
from potpie_git.domain.files import Entity, Tombstone
from potpie_git.domain.keys import (
    CLAIM_PREFIX,
    claim_key,
    entity_type_of,
    folded_key,
    is_claim_id,
    key_problem,
)
from potpie_git.domain.layout import APPROVALS, CLAIMS, ENTITIES, TOMBSTONES, bucket, entity_path
from potpie_git.domain.text import did_you_mean, slug
from potpie_git.domain.vocabulary import SUBGRAPHS
from potpie_git.store.history.approvals import approved_paths
from potpie_git.store.history.log import MUTATION_TRAILER, PLAN_TRAILER, CommitFacts
from potpie_git.store.history.steps import Step

_MESSAGE_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*$")
_APPROVAL_GLOB: Final = f"{APPROVALS}/*"


class Selection(ABC):
    """One question to the history."""

    @property
    @abstractmethod
    def what(self) -> str:
        """What is asked about, for messages."""

    @property
    @abstractmethod
    def globs(self) -> tuple[str, ...]:
        """Git's patterns over pot paths: files that can bear on the question."""

    @property
    def options(self) -> tuple[str, ...]:
        """Further limits of `git log`."""
        return ()

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        parts = (re.escape(glob).replace(r"\*\*/", "(?:.*/)?").replace(r"\*", "[^/]*") for glob in self.globs)
        return re.compile("|".join(f"(?:{part})" for part in parts))

    def may_hold(self, path: str) -> bool:
        """True if a file of this name can bear on the question."""
        return self._pattern.fullmatch(path) is not None

    @abstractmethod
    def admits(self, path: str, step: Step, commit: CommitFacts | None) -> bool:
        """True if the step answers the question; `commit` is None for what is not committed."""


@dataclass(frozen=True)
class AboutEntity(Selection):
    """Everything that names an entity: its claims on either side, their tombstones, its own file, approvals of them."""

    key: str

    def __post_init__(self) -> None:
        problem = key_problem(self.key)
        if problem:
            raise InvalidInputError(problem[0], hint=problem[1], code="malformed_key")

    @property
    def what(self) -> str:
        return f"entity {self.key}"

    @cached_property
    def globs(self) -> tuple[str, ...]:
        return (*self._own, f"{TOMBSTONES}/*/*.yaml", _APPROVAL_GLOB)

    @cached_property
    def _own(self) -> tuple[str, ...]:
        name, declared = slug(self.key), entity_type_of(self.key)
        files = (entity_path(self.key, declared.key_prefix),) if declared else ()
        return (f"{CLAIMS}/*/{bucket(self.key)}/{name}.*.yaml", f"{CLAIMS}/*/*/*.{name}.c-*.yaml", *files)

    def admits(self, path: str, step: Step, commit: CommitFacts | None) -> bool:
        record = step.record
        if isinstance(record, Claim | Tombstone):
            return folded_key(self.key) in {folded_key(record.subject), folded_key(record.object or "")}
        if isinstance(record, Entity):
            return folded_key(record.key) == folded_key(self.key)
        if path.startswith(f"{APPROVALS}/"):
            return any(self._may_own(changed) for changed in approved_paths(record))
        # An unreadable file can only be told by its name.
        return record is None and self._may_own(path)

    def _may_own(self, path: str) -> bool:
        return self.may_hold(path) and path.startswith((f"{CLAIMS}/", f"{ENTITIES}/"))


@dataclass(frozen=True)
class AboutClaim(Selection):
    """One claim: its file, its tombstone, what it superseded or was superseded by, and approvals of these."""

    claim: str

    def __post_init__(self) -> None:
        if not is_claim_id(self.claim_id):
            raise InvalidInputError(
                f"{self.claim!r} is not a claim id", hint="Write c- and 32 hex digits.", code="malformed_key"
            )

    @property
    def claim_id(self) -> str:
        return self.claim.removeprefix(f"{CLAIM_PREFIX}:")

    @property
    def what(self) -> str:
        return f"claim {self.claim_id}"

    @cached_property
    def globs(self) -> tuple[str, ...]:
        name = slug(claim_key(self.claim_id))
        return (
            f"{CLAIMS}/*/*/*.{self.claim_id}.yaml",
            f"{CLAIMS}/*/*/{name}.SUPERSEDES.*.yaml",
            f"{CLAIMS}/*/*/*.SUPERSEDES.{name}.*.yaml",
            f"{TOMBSTONES}/*/*.{self.claim_id}.yaml",
            _APPROVAL_GLOB,
        )

    def admits(self, path: str, step: Step, commit: CommitFacts | None) -> bool:
        if not path.startswith(f"{APPROVALS}/"):
            return True
        return any(self.claim_id in changed for changed in approved_paths(step.record))


@dataclass(frozen=True)
class InSubgraph(Selection):
    """Every claim of one subgraph."""

    subgraph: str

    def __post_init__(self) -> None:
        if self.subgraph not in SUBGRAPHS:
            raise InvalidInputError(
                f"there is no subgraph {self.subgraph!r}.{did_you_mean(self.subgraph, SUBGRAPHS)}",
                hint=f"Use one of: {', '.join(SUBGRAPHS)}.",
                code="unknown_subgraph",
            )

    @property
    def what(self) -> str:
        return f"subgraph {self.subgraph}"

    @property
    def globs(self) -> tuple[str, ...]:
        return (f"{CLAIMS}/{self.subgraph}/**/*",)

    def admits(self, path: str, step: Step, commit: CommitFacts | None) -> bool:
        return True


@dataclass(frozen=True)
class OfWrite(Selection):
    """What one plan or mutation wrote, in commits whose message names it (also inside a squashed message).

    A step belongs to it if the record's own stamp says so, or if the commit's trailers do and the record says nothing
    else. `paths` replaces the search by message: files that name the id, so that what has no stamp there belongs to it.
    """

    token: str
    identifier: str
    paths: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not _MESSAGE_ID.match(self.identifier):
            raise InvalidInputError(
                f"{self.identifier!r} is not the id of a {self.noun}",
                hint="`graph propose` and `graph commit` print it.",
                code="malformed_id",
            )

    @property
    def noun(self) -> str:
        return "plan" if self.token == PLAN_TRAILER else "mutation"

    @property
    def what(self) -> str:
        return f"{self.noun} {self.identifier}"

    @property
    def globs(self) -> tuple[str, ...]:
        return self.paths or ("**/*",)

    @property
    def options(self) -> tuple[str, ...]:
        return () if self.paths else ("--fixed-strings", f"--grep={self.identifier}")

    def admits(self, path: str, step: Step, commit: CommitFacts | None) -> bool:
        if self.identifier in step.mentioned or self.identifier == step.mutation:
            return True
        if commit is None:
            return False
        if self.paths and step.mutation is None:
            return True
        if step.mutation is None:
            return self.identifier in commit.trailers.get(self.token, ())
        return self.token == PLAN_TRAILER and self.identifier in plans_of(commit, step.mutation)


def plans_of(commit: CommitFacts, mutation: str | None) -> list[str]:
    """Plans that a commit's message pairs with a mutation: by its trailers, or by the lines of a squashed message."""
    plans, mutations = commit.trailers.get(PLAN_TRAILER, []), commit.trailers.get(MUTATION_TRAILER, [])
    if mutation in mutations or (mutation is None and plans):
        return plans
    pairs = re.findall(
        r"^\s*Potpie-Plan:[ \t]*(\S+)\s*\n(?:\s*\S[^\n]*\n)*?\s*Potpie-Mutation:[ \t]*(\S+)\s*$",
        commit.message + "\n",
        re.MULTILINE | re.IGNORECASE,
    )
    return [plan for plan, named in pairs if named == mutation]
