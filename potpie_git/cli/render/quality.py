"""Quality reports as text for people."""

from __future__ import annotations

from potpie_git.checks.quality import QualityReport


def quality_text(report: QualityReport, limit: int) -> str:
    """The worst findings first, each with the command to go on with."""
    lines = [
        f"{report.report}: {_count(len(report.findings), 'finding')} in {_count(report.checked, 'record')}"
    ]
    for finding in report.findings[:limit]:
        lines += [f"  {finding.score:.2f}  {finding.code}: {finding.message}"]
        lines += [f"        {path}" for path in finding.paths]
        lines += [f"        → {finding.next_command}"]
    left = len(report.findings) - limit
    lines += [f"  and {left} more; --limit shows more of them"] if left > 0 else []
    lines += [f"  {name.replace('_', ' '):22} {count}" for name, count in report.counts.items()]
    lines += [f"  note: {note}" for note in report.notes]
    return "\n".join(lines)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
