"""Reviews of changes that are made of samples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from potpie_git.checks.review import Change, ChangeKind, NoteKind, Review, review_range
from potpie_git.checks.rules.cases import Content, Trees
from tests.checks.conftest import Judge

MAIN = "refs/heads/main"
Files = Mapping[str, Content]


def reviewed(judge: Judge, trees: Trees, ref: str = MAIN) -> Review:
    """The review of a commit that turns one tree into the other, as it lands on `ref`."""
    base = judge.writer.commit(judge.writer.tree(trees.before or {}))
    head = judge.writer.commit(judge.writer.tree(trees.after), base)
    return review_range(judge.repo, f"{base}..{head}", ref)


def kinds(review: Review) -> list[ChangeKind]:
    return [change.kind for change in review.changes]


def only(review: Review, kind: ChangeKind | None = None) -> Change:
    """The one change of a review, or the one of a kind."""
    found = [change for change in review.changes if kind is None or change.kind is kind]
    assert len(found) == 1, [(change.kind, change.name) for change in review.changes]
    return found[0]


def notes(change: Change) -> list[NoteKind]:
    return [note.kind for note in change.notes]


def listed(review: Review) -> list[str]:
    """Every file that the review names, in order."""
    return sorted(path for change in review.changes for path in change.paths)


def differing(trees: Trees) -> list[str]:
    """Paths of the pot that differ between two trees."""
    before: Files = trees.before or {}
    paths: Iterable[str] = {*before, *trees.after}
    return sorted(
        path for path in paths if path.startswith(".potpie/") and before.get(path) != trees.after.get(path)
    )
