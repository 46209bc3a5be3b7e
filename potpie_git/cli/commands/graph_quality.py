"""`graph quality`: seven reports that read and never write."""

from __future__ import annotations

from typing import Annotated

import typer

from potpie_git.cli.context import current
from potpie_git.cli.output import shown
from potpie_git.cli.reading import RevOption, StagedOption, snapshot_choice
from potpie_git.cli.render.quality import quality_text
from potpie_git.cli.reply import Reply

LimitOption = Annotated[
    int, typer.Option("--limit", "-n", min=1, help="At most so many findings, the worst.")
]


def _reply(report: str, limit: int, rev: str | None, staged: bool, threshold: float | None = None) -> Reply:
    found = current().pot.quality(report, threshold=threshold, snapshot=snapshot_choice(rev, staged))
    shown_findings = found.findings[:limit]
    return Reply(
        result={
            **found.model_dump(mode="json", exclude={"findings"}),
            "total": len(found.findings),
            "findings": [finding.model_dump(mode="json") for finding in shown_findings],
        },
        text=shown(quality_text(found, limit)),
        next_action=shown_findings[0].next_command if shown_findings else None,
    )


def summary(rev: RevOption = None, staged: StagedOption = False) -> Reply:
    """Count the findings of every report, and say what the pot holds."""
    return _reply("summary", 10, rev, staged)


def duplicate_candidates(
    limit: LimitOption = 20, rev: RevOption = None, staged: StagedOption = False
) -> Reply:
    """Entities under two names, and claims that say the same of one thing."""
    return _reply("duplicate-candidates", limit, rev, staged)


def stale_facts(limit: LimitOption = 20, rev: RevOption = None, staged: StagedOption = False) -> Reply:
    """Claims past their time to live, and claims whose cited place has changed or gone."""
    return _reply("stale-facts", limit, rev, staged)


def conflicting_claims(limit: LimitOption = 20, rev: RevOption = None, staged: StagedOption = False) -> Reply:
    """Claims that stand and cannot all be true."""
    return _reply("conflicting-claims", limit, rev, staged)


def orphan_entities(limit: LimitOption = 20, rev: RevOption = None, staged: StagedOption = False) -> Reply:
    """Described entities of which nothing that stands is said."""
    return _reply("orphan-entities", limit, rev, staged)


def low_confidence(
    limit: LimitOption = 20,
    threshold: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Show claims whose confidence is lower.")
    ] = 0.5,
    rev: RevOption = None,
    staged: StagedOption = False,
) -> Reply:
    """Claims whose writer was not sure, and claims that rest on nothing."""
    return _reply("low-confidence", limit, rev, staged, threshold)


def projection_drift(limit: LimitOption = 20) -> Reply:
    """Where the index says something else than the working tree."""
    return _reply("projection-drift", limit, None, False)
