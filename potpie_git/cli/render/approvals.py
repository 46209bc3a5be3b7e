"""Approvals in words: what is about to be approved, what was, and what is still missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from potpie_git.approving import Approving
from potpie_git.checks.approvals.model import JudgedChange, JudgedRecord, Verdict
from potpie_git.checks.approvals.offers import Offer
from potpie_git.checks.places import shown_path
from potpie_git.domain.approval import Approval
from potpie_git.domain.layout import approval_path
from potpie_git.store.codec import repository_path

_SHOWN = 10


def offer_text(offer: Offer, name: str) -> str:
    """What saying yes means."""
    count = len(offer.files)
    files = "1 file" if count == 1 else f"{count} files"
    how = "a signature" if offer.policy.mode == "signature" else "a sign-off"
    lines = [
        "",
        f"You approve as {name}, with {how}: these {files} with exactly these bytes, for {offer.ref}.",
        "Whoever changes one of them afterwards needs a new approval.",
    ]
    others = sorted(
        {changed.path for changed in offer.files} & {row for record in _records(offer) for row in record}
    )
    if others:
        lines.append(f"{len(others)} of them are in an approval that is there already.")
    return "\n".join(lines)


def _records(offer: Offer) -> Iterator[list[str]]:
    for judged in offer.verdict.records:
        if judged.counts and judged.record.approval is not None:
            yield [row[0] for row in judged.record.approval.statement.changes]


def approving_text(done: Approving) -> str:
    """What was approved, by which commit, and what is missing now."""
    count = len(done.offer.files)
    files = "1 file" if count == 1 else f"{count} files"
    proof = "signed" if done.records[0].signature else "signed off"
    by_forge = done.records[0].statement.attested_by
    if by_forge is not None:
        proof = f"attested by {by_forge.forge}"
    label = ", self-approved" if done.self_approved else ""
    lines = [f"{done.approver.name} approved {files} for {done.offer.ref} ({proof}{label})."]
    for record, commit in zip(done.records, done.commits, strict=True):
        lines.append(f"  {repository_path(approval_path(record))}")
        lines.append(f"  commit {(commit.commit or '')[:10]}, until {record.statement.expires}")
    if done.plan is not None:
        lines.append(f"Committed plan {done.plan.plan.plan_id} as {(done.plan.commit or '')[:10]}.")
    if done.pushed is not None:
        lines.append(f"Pushed to {done.pushed}.")
    lines += missing_lines(done.verdict)
    return "\n".join(lines)


def missing_lines(verdict: Verdict) -> list[str]:
    """What a change still lacks, or that it lacks nothing."""
    short = verdict.short
    if not short:
        return ["Nothing is missing: it may land."]
    lines = [f"Still missing for {len(short)} of {len(verdict.files)} changes:"]
    lines += [f"  {_short_line(judged)}" for judged in short[:_SHOWN]]
    if len(short) > _SHOWN:
        lines.append(f"  and {len(short) - _SHOWN} more")
    if verdict.eligible:
        lines.append(f"Who can approve it: {', '.join(verdict.eligible)}.")
    return lines


def _short_line(judged: JudgedChange) -> str:
    have = len(judged.approved_by)
    return f"{shown_path(judged.file.path)} ({judged.file.risk.label} risk, {have} of {judged.needed})"


def approving_result(done: Approving) -> Mapping[str, Any]:
    return {
        "approver": done.approver.name,
        "ref": done.offer.ref,
        "risk": done.offer.risk.label,
        "self_approved": done.self_approved,
        "approvals": [
            {"path": repository_path(approval_path(record)), "commit": commit.commit}
            for record, commit in zip(done.records, done.commits, strict=True)
        ],
        "plan": done.plan.plan.plan_id if done.plan else done.offer.plan,
        "plan_commit": done.plan.commit if done.plan else None,
        "pushed": done.pushed,
        "verdict": verdict_result(done.verdict),
    }


def verdict_result(verdict: Verdict) -> Mapping[str, Any]:
    return {
        "approved": verdict.approved,
        "eligible": list(verdict.eligible),
        "files": [
            {
                "path": shown_path(judged.file.path),
                "risk": judged.file.risk.label,
                "needed": judged.needed,
                "approved_by": list(judged.approved_by),
                "missing": judged.missing,
            }
            for judged in verdict.files
        ],
        "approvals": [_record_result(judged) for judged in verdict.records],
    }


def _record_result(judged: JudgedRecord) -> Mapping[str, Any]:
    return {
        "path": shown_path(judged.record.path),
        "principal": judged.principal,
        "counts": judged.counts,
        "proof": judged.proof.value if judged.proof else None,
        "self_approved": judged.self_approved,
        "faults": [
            {"code": fault.code, "message": fault.message, "hint": fault.hint} for fault in judged.faults
        ],
    }


def verdict_text(verdict: Verdict) -> str:
    """Every approval of a change with why it does not count, or what stands behind it; then what is missing."""
    lines = ["Approvals:" if verdict.records else "There are no approvals in this change."]
    for judged in verdict.records:
        lines.append(f"  {judged.principal:24} {judged.label}")
        lines.append(f"    {shown_path(judged.record.path)}")
        lines += [f"    {fault.code} {fault.message}" for fault in judged.faults]
    return "\n".join([*lines, *missing_lines(verdict)])


def list_text(approvals: Iterable[tuple[str, Approval]]) -> str:
    """One line for each approval: who, for which branch, what risk, how much, until when."""
    lines = []
    for path, held in approvals:
        said = held.statement
        state = "withdrawn" if held.withdrawn else f"until {said.expires}"
        branch = said.ref.removeprefix("refs/heads/")
        name = path.removeprefix("approvals/")[:12]
        lines.append(
            f"{name}  {said.principal:20} {said.risk:6} {len(said.changes):4} files  for {branch}, {state}"
        )
    return "\n".join(lines) or "There are no approvals here."


def approval_text(path: str, held: Approval) -> str:
    """One approval, in full."""
    said = held.statement
    lines = [
        repository_path(path),
        f"  by          {said.principal}, signed off by {said.signed_off_by}",
        f"  for         {said.ref} of pot {said.store}",
        f"  of          {f'plan {said.plan}' if said.plan else said.range}",
        f"  risk        {said.risk}",
        f"  issued      {said.issued}, expires {said.expires}",
        f"  authors     {', '.join(said.authors) or 'not known'}",
        f"  signature   {'yes' if held.signature else 'no: attributed only'}",
    ]
    if said.attested_by is not None:
        review = said.attested_by
        lines.append(f"  attested    by {review.forge}: review {review.review} of {review.account}")
    if held.withdrawn is not None:
        taken = held.withdrawn
        lines.append(f"  withdrawn   at {taken.at} by {taken.by}: {taken.reason}")
    lines.append("  covers")
    for row in said.changes:
        lines.append(f"    {repository_path(row[0])}")
        lines.append(f"      {row[1][:16]} -> {row[2][:16]}")
    return "\n".join(lines)
