"""Entity keys that nothing in the pot names: told when a read comes back empty, with the nearest known key."""

from __future__ import annotations

from collections.abc import Iterable

from potpie_git.domain.keys import type_name_of
from potpie_git.domain.text import did_you_mean
from potpie_git.readers.question import Question

# A path need not be named by a claim to be there.
_NOT_JUDGED = frozenset({"", "CodeAsset"})


def strangers(question: Question, keys: Iterable[str]) -> list[str]:
    """A note for each key that no claim of the snapshot names, whatever became of it.

    Every claim of the key's type is looked at for a near name, so that it is asked for empty answers alone.
    """
    notes = []
    for key in sorted(keys):
        kind = type_name_of(key)
        if kind in _NOT_JUDGED or question.context.entity(key) is not None:
            continue
        if key == question.context.repository:
            continue
        if not question.find(about=frozenset({key}), include_invalidated=True, derived=False, limit=1):
            notes.append(f"nothing here names {key}.{did_you_mean(key, _known(question, kind))}")
    return notes


def _known(question: Question, kind: str) -> list[str]:
    kinds = frozenset({kind})
    rows = question.find(subject_types=kinds, derived=False) + question.find(
        object_types=kinds, derived=False
    )
    ends = {end for row in rows for end in (row.claim.subject, row.claim.object) if end}
    return sorted(end for end in ends if type_name_of(end) == kind)
