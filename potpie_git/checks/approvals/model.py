"""What the verifier is given and what it answers: a change, approval records, where they land; a verdict for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from potpie_git.domain.approval import ABSENT, Approval, Row
from potpie_git.domain.ssh_keys import PublicKey
from potpie_git.domain.vocabulary import Risk

SignatureTest: TypeAlias = Callable[[bytes, str, PublicKey], bool]
"""Whether a signature over some bytes is by this key, in the namespace of approvals."""


@dataclass(frozen=True, slots=True)
class Person:
    """An author or co-author as a raw commit names them."""

    name: str
    email: str


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """One changed file: digests of its bytes before and after, how much it takes away, and who wrote the change.

    `authors` come from commits, `actors` from the stamps that the change adds to records.
    """

    path: str
    before: str
    after: str
    risk: Risk
    subgraph: str | None = None
    predicate: str | None = None
    authors: frozenset[Person] = frozenset()
    actors: frozenset[str] = frozenset()

    @property
    def row(self) -> Row:
        return (self.path, self.before, self.after)


@dataclass(frozen=True, slots=True)
class Change:
    """Everything that lands but the approvals themselves, by path.

    `standing` holds digests of files that some record lists and that do not change: they landed before.
    """

    files: Mapping[str, ChangedFile]
    standing: Mapping[str, str] = field(default_factory=dict)

    def digest_after(self, path: str) -> str:
        changed = self.files.get(path)
        return changed.after if changed else self.standing.get(path, ABSENT)


@dataclass(frozen=True, slots=True)
class AddingCommit:
    """A commit that adds an approval's file; `alone` if it changes nothing else in the whole tree."""

    id: str
    author: Person
    sign_offs: tuple[str, ...]
    alone: bool


@dataclass(frozen=True, slots=True)
class Record:
    """An approval file that the range adds; `approval` is None if it cannot be read, and `fault` says why.

    `withdrawn_once` is set if any commit of the range held it withdrawn, whatever became of that later.
    """

    path: str
    approval: Approval | None
    fault: str = ""
    added_by: tuple[AddingCommit, ...] = ()
    withdrawn_once: bool = False


@dataclass(frozen=True, slots=True)
class Target:
    """Where the change lands: the pot's id, and the full names of the branch; several if it may be any of them."""

    store: str
    refs: frozenset[str]


class Proof(StrEnum):
    """What stands behind an approval that counts."""

    SIGNATURE = "signature"
    ATTRIBUTED = "attributed"
    ATTESTED = "attested"


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a record does not count: the code of its rule, what is wrong, and what to do."""

    code: str
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class JudgedRecord:
    """A record with why it does not count, or with what stands behind it."""

    record: Record
    faults: tuple[Fault, ...] = ()
    proof: Proof | None = None
    self_approved: bool = False

    @property
    def counts(self) -> bool:
        return not self.faults

    @property
    def principal(self) -> str:
        """Who is said to approve, by the record or else by its file's name."""
        if self.record.approval is not None:
            return self.record.approval.statement.principal
        return self.record.path.removesuffix(".yaml").rpartition(".")[2]

    @property
    def label(self) -> str:
        """What a reader is told beside the name: the proof, and whether it is the author's own approval."""
        if self.proof is None:
            return "does not count"
        return f"{self.proof.value}, self-approved" if self.self_approved else self.proof.value


@dataclass(frozen=True, slots=True)
class JudgedChange:
    """One file of the change: how many distinct people have to approve it, and the principals of those who did."""

    file: ChangedFile
    needed: int
    approved_by: tuple[str, ...] = ()

    @property
    def missing(self) -> int:
        return max(0, self.needed - len(self.approved_by))


@dataclass(frozen=True, slots=True)
class Verdict:
    """Every record and every file that needs approval, judged. `eligible` names who could still approve."""

    records: tuple[JudgedRecord, ...]
    files: tuple[JudgedChange, ...]
    eligible: tuple[str, ...] = ()

    @property
    def short(self) -> tuple[JudgedChange, ...]:
        """Files that too few people approved."""
        return tuple(judged for judged in self.files if judged.missing)

    @property
    def approved(self) -> bool:
        return not self.short
