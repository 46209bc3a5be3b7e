"""Where each governed file lives: names derived from content, the same on every machine and file system."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache
from typing import Final

from potpie_git.domain.approval import Approval
from potpie_git.domain.claim import Claim
from potpie_git.domain.directory import POT_DIRECTORY as POT_DIRECTORY
from potpie_git.domain.files import Entity, InboxItem, Tombstone
from potpie_git.domain.keys import folded_key
from potpie_git.domain.text import sha256_hex, slug
from potpie_git.domain.vocabulary import ENTITY_TYPES

POT_FILE: Final = "pot.yaml"
POLICY_FILE: Final = "policy.yaml"
ATTRIBUTES_FILE: Final = ".gitattributes"
ATTRIBUTES_TEXT: Final = "* -text -merge\n"
CLAIMS, ENTITIES, TOMBSTONES, APPROVALS, INBOX = "claims", "entities", "tombstones", "approvals", "inbox"
MAX_NAME_BYTES: Final = 200
DIGEST_LENGTH: Final = 16
CLAIM_NAME = re.compile(
    r"claims/(?P<subgraph>[a-z_]+)/(?P<hh>[0-9a-f]{2})/"
    r"(?P<subject>[a-z0-9-]+)\.(?P<predicate>[A-Z_]+)\.(?P<object>[a-z0-9-]+)\.(?P<id>c-[0-9a-f]{32})\.yaml$"
)


class FileKind(StrEnum):
    """What a path under `.potpie/` holds."""

    CLAIM = "claim"
    ENTITY = "entity"
    TOMBSTONE = "tombstone"
    APPROVAL = "approval"
    INBOX = "inbox"
    POT = "pot"
    POLICY = "policy"
    ATTRIBUTES = "attributes"


_KIND_BY_FOLDER = {
    CLAIMS: FileKind.CLAIM,
    ENTITIES: FileKind.ENTITY,
    TOMBSTONES: FileKind.TOMBSTONE,
    APPROVALS: FileKind.APPROVAL,
    INBOX: FileKind.INBOX,
}
_KIND_BY_NAME = {
    POT_FILE: FileKind.POT,
    POLICY_FILE: FileKind.POLICY,
    ATTRIBUTES_FILE: FileKind.ATTRIBUTES,
}


def kind_of(path: str) -> FileKind | None:
    """The kind of file that belongs at `path` (relative to the pot), or None if nothing does."""
    folder, _, rest = path.partition("/")
    return _KIND_BY_FOLDER.get(folder) if rest else _KIND_BY_NAME.get(path)


@lru_cache(maxsize=8192)
def bucket(key: str) -> str:
    """The two hex digits that spread one folder's files; equal for keys that only differ in case or width."""
    return sha256_hex(folded_key(key))[:2]


def claim_directory(subgraph: str, subject: str) -> str:
    """The folder in which every claim about `subject` in `subgraph` stands."""
    return f"{CLAIMS}/{subgraph}/{bucket(subject)}"


def claim_path(claim: Claim) -> str:
    name = (
        f"{slug(claim.subject)}.{claim.predicate}.{slug(claim.object or claim.value or '')}.{claim.id}.yaml"
    )
    return f"{claim_directory(claim.subgraph, claim.subject)}/{name}"


def entity_path(key: str, prefix: str) -> str:
    """The path of an entity's file; `prefix` is the key prefix of its type."""
    return f"{ENTITIES}/{prefix}/{bucket(key)}/{slug(key)}.{sha256_hex(key)[:DIGEST_LENGTH]}.yaml"


def tombstone_directory(digest: str) -> str:
    return f"{TOMBSTONES}/{digest[:2]}"


def tombstone_path(tombstone: Tombstone) -> str:
    digest = tombstone.value_digest
    return f"{tombstone_directory(digest)}/{digest}.{tombstone.claim}.yaml"


def inbox_path(item: InboxItem) -> str:
    return f"{INBOX}/{item.id}.yaml"


def approval_path(approval: Approval) -> str:
    return f"{APPROVALS}/{approval.digest}.{approval.statement.principal}.yaml"


def expected_path(record: Claim | Entity | Tombstone | InboxItem | Approval) -> str:
    """The only path at which `record` may stand."""
    if isinstance(record, Approval):
        return approval_path(record)
    if isinstance(record, Claim):
        return claim_path(record)
    if isinstance(record, Entity):
        declared = ENTITY_TYPES.get(record.type)
        return entity_path(record.key, declared.key_prefix if declared else record.key.partition(":")[0])
    if isinstance(record, Tombstone):
        return tombstone_path(record)
    return inbox_path(record)
