"""Family R: the two ends of a range, and what would land between them."""

from __future__ import annotations

from potpie_git.checks.rules.cases import Commands, Trees
from potpie_git.checks.rules.model import Example, Rule
from potpie_git.checks.rules.samples import decision, pot

_ORIGIN = (
    "git init -q -b main origin && cd origin && git config user.name Rae && git config user.email rae@example.com && "
    "echo 1 > a && git add -A && git commit -q -m one && echo 2 > a && git commit -q -a -m two && "
)
_CLONE = 'cd .. && git clone -q "file://$PWD/origin" clone'
_SHALLOW = _CLONE.replace("clone -q", "clone -q --depth 1")


def _both_patch(before: str | None, after: str) -> Trees:
    """BASE and HEAD both come from a pot with one decision, and each may have patched its summary."""
    sides = [pot(decision(summary=summary)) for summary in (before, after)]
    return Trees(sides[0], sides[1], as_range=True, parted=pot(decision()))


RULES = (
    Rule(
        "PG-R01",
        "history that is not complete",
        "A shallow or partial clone does not hold what the verdict depends on. It is never a pass: fetch the "
        "rest with the command that is named, and run the check again.",
        bad=Example("git clone --depth 1 …", lambda: Commands(_ORIGIN + _SHALLOW, "clone", "HEAD..HEAD")),
        good=Example("git clone …", lambda: Commands(_ORIGIN + _CLONE, "clone", "origin/main..HEAD")),
    ),
    Rule(
        "PG-R02",
        "revision or target that is not known",
        "BASE or HEAD names no commit of this repository, or the target is not the full name of a ref. Write "
        "BASE..HEAD with names that `git rev-parse --verify` knows, fetch them first, and name the target in full: "
        "refs/heads/main.",
        bad=Example(
            "git potpie check --range origin/mian..HEAD",
            lambda: Commands(_ORIGIN + _CLONE, "clone", "origin/mian..HEAD"),
        ),
        good=Example(
            "git potpie check --range origin/main..HEAD",
            lambda: Commands(_ORIGIN + _CLONE, "clone", "origin/main..HEAD"),
        ),
    ),
    Rule(
        "PG-R03",
        "governed file that both sides changed",
        "Base and head each changed this file since they parted. Governed files are never blended, not even "
        "where git could: merge the base into the head, decide which side holds, and check again.",
        bad=Example(
            "# BASE\nsummary: Refunds are split.\n# HEAD\nsummary: Refunds are retried.",
            lambda: _both_patch("Refunds are split.", "Refunds are retried."),
        ),
        good=Example(
            "# BASE and HEAD\nsummary: Refunds are split.",
            lambda: _both_patch("Refunds are split.", "Refunds are split."),
        ),
    ),
)
