"""Records beside the changed ones, looked up in the tree after the change at the cost of what is asked for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from potpie_git.checks.facts import ClaimFacts, claim_facts
from potpie_git.domain.claim import Claim
from potpie_git.domain.errors import InvalidFileError
from potpie_git.domain.files import Entity, Tombstone
from potpie_git.domain.findings import Finding
from potpie_git.domain.keys import entity_type_of, folded_key
from potpie_git.domain.layout import (
    CLAIM_NAME,
    CLAIMS,
    bucket,
    claim_directory,
    entity_path,
    tombstone_directory,
)
from potpie_git.domain.text import slug
from potpie_git.domain.vocabulary import SUBGRAPHS, subgraph_of
from potpie_git.store.codec import Decoded, decode
from potpie_git.store.snapshot import Snapshot


class Neighbours:
    """Lookups over one snapshot, which holds the change.

    `complete` says that every claim of the snapshot is in the change, so that nothing else need be read. A neighbour
    that does not decode is refused as well: its findings are in `broken`.
    """

    def __init__(self, after: Snapshot, *, complete: bool) -> None:
        self.after = after
        self.complete = complete
        self.broken: list[Finding] = []
        self._changed: dict[str, ClaimFacts] = {}
        self._by_id: dict[str, ClaimFacts] = {}
        self._by_subject: dict[tuple[str, str], list[ClaimFacts]] = defaultdict(list)
        self._names: dict[str, list[str]] = {}
        self._read: dict[str, Decoded[Any] | None] = {}
        self._places: dict[str, str] | None = None

    def add(self, facts: ClaimFacts) -> None:
        """A claim of the change."""
        self._changed[facts.path] = facts
        self._by_id[facts.id] = facts
        self._by_subject[facts.subject, facts.predicate].append(facts)

    def changed(self) -> Iterable[ClaimFacts]:
        """The claims of the change, in the order of their addition."""
        return self._changed.values()

    def claims(self, subject: str, predicate: str) -> list[ClaimFacts]:
        """Claims, live and withdrawn, of one subject and predicate."""
        if self.complete:
            return self._by_subject.get((subject, predicate), [])
        folder = claim_directory(subgraph_of(predicate), subject)
        head = f"{slug(subject)}.{predicate}."
        held = (self._facts(f"{folder}/{name}") for name in self.names(folder) if name.startswith(head))
        return [facts for facts in held if facts is not None and facts.subject == subject]

    def find(self, claim_id: str, subject: str | None = None, predicate: str = "") -> ClaimFacts | None:
        """The claim with this id; looked for among the subject's claims first, by file names alone."""
        known = self._by_id.get(claim_id)
        if known is not None or self.complete:
            return known
        if subject is not None:
            folder = claim_directory(subgraph_of(predicate), subject)
            for name in self.names(folder):
                if name.endswith(f".{claim_id}.yaml"):
                    return self._facts(f"{folder}/{name}")
        place = self._all_places().get(claim_id)
        return self._facts(place) if place else None

    def has_claim(self, subject: str, predicate: str, object_: str) -> bool:
        """True if some file's name says that a claim of this triple is there."""
        if self.complete:
            return any(facts.object == object_ for facts in self._by_subject.get((subject, predicate), ()))
        head = f"{slug(subject)}.{predicate}.{slug(object_)}."
        folder = claim_directory(subgraph_of(predicate), subject)
        return any(name.startswith(head) for name in self.names(folder))

    def tombstones(self, digest: str) -> list[Tombstone]:
        """The tombstones of one value digest (one folder is listed)."""
        folder = tombstone_directory(digest)
        names = (name for name in self.names(folder) if name.startswith(f"{digest}."))
        return [stone for name in names if (stone := self._stone(f"{folder}/{name}")) is not None]

    def keys_like(self, key: str) -> Iterator[str]:
        """Keys of unchanged records that are equal to `key` or look like it; at most one for each folder of theirs."""
        declared = entity_type_of(key)
        if declared is not None:
            folder = entity_path(key, declared.key_prefix).rpartition("/")[0]
            head = f"{slug(key)}."
            for name in self.names(folder):
                decoded = self._decoded(f"{folder}/{name}") if name.startswith(head) else None
                if decoded is not None and isinstance(decoded.record, Entity):
                    yield decoded.record.key
        folded = folded_key(key)
        for subgraph in SUBGRAPHS:
            found = self._subject_like(f"{CLAIMS}/{subgraph}/{bucket(key)}", f"{slug(key)}.", folded)
            if found is not None:
                yield found

    def _subject_like(self, folder: str, head: str, folded: str) -> str | None:
        """The subject of one unchanged claim in `folder` whose subject looks like `folded`.

        One is enough: they were compared with each other when they were added.
        """
        for name in self.names(folder):
            path = f"{folder}/{name}"
            if name.startswith(head) and path not in self._changed:
                facts = self._facts(path)
                if facts is not None and facts.folded_subject == folded:
                    return facts.subject
        return None

    def names(self, folder: str) -> list[str]:
        """Names in one folder of the snapshot."""
        if folder not in self._names:
            self._names[folder] = self.after.names(folder)
        return self._names[folder]

    def claim_at(self, path: str) -> Claim | None:
        """The whole claim in one file of the snapshot."""
        decoded = self._decoded(path)
        return decoded.record if decoded is not None and isinstance(decoded.record, Claim) else None

    def _facts(self, path: str) -> ClaimFacts | None:
        known = self._changed.get(path)
        if known is not None:
            return known
        decoded = self._decoded(path)
        return claim_facts(decoded) if decoded is not None and CLAIM_NAME.match(path) else None

    def _stone(self, path: str) -> Tombstone | None:
        decoded = self._decoded(path)
        return decoded.record if decoded is not None and isinstance(decoded.record, Tombstone) else None

    def _decoded(self, path: str) -> Decoded[Any] | None:
        if path not in self._read:
            self._read[path] = self._decode(path)
        return self._read[path]

    def _decode(self, path: str) -> Decoded[Any] | None:
        entry = self.after.entry(path)
        if entry is None or not entry.mode.startswith("100"):
            return None
        try:
            return decode(path, self.after.read(path))
        except InvalidFileError as error:
            self.broken += [Finding.model_validate(issue) for issue in error.issues]
            return None

    def _all_places(self) -> dict[str, str]:
        """Paths of every claim by its id, from file names alone; made only where a reference leads far away."""
        if self._places is None:
            matches = (CLAIM_NAME.match(entry.path) for entry in self.after.entries(CLAIMS))
            self._places = {match["id"]: match.string for match in matches if match}
        return self._places
