"""The words that a review uses of its own: tags, labels, counts."""

from __future__ import annotations

from typing import Final

from potpie_git.checks.review.model import ChangeKind, NoteKind, Review, Who

TAGS: Final = {
    ChangeKind.REMOVED: "Removed",
    ChangeKind.EDITED: "Edited by hand",
    ChangeKind.UNREADABLE: "Cannot be read",
    ChangeKind.SUPERSEDED: "Superseded",
    ChangeKind.STOPS: "Stops being true",
    ChangeKind.BECOMES: "Becomes true",
    ChangeKind.ENTITY_MERGED: "Entity merged",
    ChangeKind.ENTITY_TRANSITIONED: "Entity changes state",
    ChangeKind.ENTITY_PATCHED: "Entity patched",
    ChangeKind.ENTITY_CREATED: "Entity described",
    ChangeKind.POLICY: "Policy changed",
    ChangeKind.POT: "Pot changed",
    ChangeKind.TOMBSTONE: "Tombstone",
    ChangeKind.APPROVAL: "Approval",
    ChangeKind.INBOX: "Inbox",
}
NOTE_TAGS: Final = {
    NoteKind.CONTRADICTS: "Contradicts",
    NoteKind.DENIES: "Says the opposite",
    NoteKind.DIFFERS: "Other numbers",
    NoteKind.REFUTES: "Refutes",
    NoteKind.REPEATS_WITHDRAWN: "Withdrawn before",
    NoteKind.REINSTATES: "Reinstates",
    NoteKind.NEAR_WITHDRAWN: "Close to a withdrawn value",
    NoteKind.WEAKENS: "Weakens the policy",
    NoteKind.CORROBORATES: "Corroborates",
    NoteKind.STILL_STANDS: "Still stands",
    NoteKind.NO_EVIDENCE: "No evidence",
}
_COUNTED: Final = {
    ChangeKind.REMOVED: ("record removed", "records removed"),
    ChangeKind.EDITED: ("record edited by hand", "records edited by hand"),
    ChangeKind.UNREADABLE: ("file cannot be read", "files cannot be read"),
    ChangeKind.SUPERSEDED: ("superseded", "superseded"),
    ChangeKind.STOPS: ("stops being true", "stop being true"),
    ChangeKind.BECOMES: ("becomes true", "become true"),
    ChangeKind.ENTITY_MERGED: ("entity merged", "entities merged"),
    ChangeKind.ENTITY_TRANSITIONED: ("entity changes state", "entities change state"),
    ChangeKind.ENTITY_PATCHED: ("entity patched", "entities patched"),
    ChangeKind.ENTITY_CREATED: ("entity described", "entities described"),
    ChangeKind.POLICY: ("change of the policy", "changes of the policy"),
    ChangeKind.POT: ("change of the pot's own files", "changes of the pot's own files"),
    ChangeKind.TOMBSTONE: ("tombstone", "tombstones"),
    ChangeKind.APPROVAL: ("approval", "approvals"),
    ChangeKind.INBOX: ("inbox item", "inbox items"),
}
NEEDS: Final = {
    "none": "",
    "needed": "needs {}",
    "missing": "lacks approval ({} needed)",
    "given": "approved ({} needed)",
}
OPERATIONS: Final = {
    "retract_claim": "it was wrong",
    "end_relation_validity": "it was true until then",
    "supersede_claim": "something else stands instead",
}
GROUP_TITLES: Final = {"policy": "Policy and the pot's own files", "other_files": "Other files"}


def counts_words(review: Review) -> str:
    """How many of what, in one sentence."""
    parts = [f"{count} {_COUNTED[kind][count != 1]}" for kind, count in review.counts.items()]
    if not parts:
        return "Nothing in the pot changes."
    return f"{', '.join(parts)}."


def counted(number: int, noun: str) -> str:
    """`1 file`, `2 files`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def group_title(name: str) -> str:
    return GROUP_TITLES.get(name, name.replace("_", " ").capitalize())


def who_words(by: Who) -> str:
    """Who, through what and when; quoted, since the record alone says so."""
    name = by.user or by.harness or "unattributed"
    through = ", ".join(held for held in (by.harness, by.surface) if held and held != name)
    return f"{name}{f' ({through})' if through else ''}{f', {by.at}' if by.at else ''}"
