"""`graph bulk apply`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from potpie_git.cli.context import current, progress
from potpie_git.cli.files import opened_lines
from potpie_git.cli.output import shown
from potpie_git.cli.reply import Reply
from potpie_git.domain.errors import ExitCode, InvalidInputError
from potpie_git.write.bulk import DEFAULT_CHUNK, BulkOptions, BulkReport, ChunkResult, Form, read_items

_CHUNK_BYTES = 1 << 20
_SHOWN_ISSUES = 20


def apply(
    file: Annotated[str, typer.Argument(metavar="FILE", help="NDJSON or JSON; - for standard input.")],
    chunk_size: Annotated[
        int, typer.Option(help="Operations or records a chunk; each chunk is one commit.")
    ] = DEFAULT_CHUNK,
    start_chunk: Annotated[int, typer.Option(help="The first chunk to apply, counted from 1.")] = 1,
    manifest: Annotated[
        Path | None,
        typer.Option(help="Remembers what was applied; the same command goes on from there.", metavar="FILE"),
    ] = None,
    continue_on_error: Annotated[
        bool, typer.Option("--continue-on-error", help="Go on with the next chunk when one fails.")
    ] = False,
    idempotency_key: Annotated[
        str | None, typer.Option(help="The same key and chunk are written once.", metavar="KEY")
    ] = None,
    stage: Annotated[
        bool, typer.Option("--stage", help="Stage every chunk, and leave one commit of all to you.")
    ] = False,
    message: Annotated[
        str | None, typer.Option("--message", "-m", help="The beginning of each commit's subject line.")
    ] = None,
    form: Annotated[str, typer.Option("--format", help="auto, ndjson or json.")] = "auto",
) -> Reply:
    """Apply a long list of operations and records, in chunks.

    A chunk is all or nothing: everything that is wrong with it is said at once, by line and operation. A run that was
    cut short goes on where it was with the same --manifest. Exit status 3 if some chunks were applied and some failed.
    """
    options = BulkOptions(
        chunk_size=chunk_size,
        start_chunk=start_chunk,
        manifest=manifest,
        continue_on_error=continue_on_error,
        idempotency_key=idempotency_key,
        stage=stage,
        message=message,
    )
    chosen = _form(form)
    pot = current().pot
    with opened_lines(file) as lines, progress("applying") as advance:
        total = _count(file)
        report = pot.bulk_apply(
            read_items(lines, chosen),
            options,
            (lambda done: advance(done, max(done, total))) if advance else None,
        )
    return Reply(
        result=report.as_dict(),
        text=shown(_text(report)),
        ok=not report.failed,
        exit_code=_exit_code(report),
        next_action=_next_action(report, file, options),
    )


def _form(form: str) -> Form:
    forms: dict[str, Form] = {"auto": "auto", "ndjson": "ndjson", "jsonl": "ndjson", "json": "json"}
    if form not in forms:
        raise InvalidInputError(f"--format {form} is not one of: {', '.join(forms)}", code="usage")
    return forms[form]


def _count(file: str) -> int:
    """Lines of a file, for the progress bar; 0 where that cannot be told."""
    if file == "-":
        return 0
    with Path(file).open("rb") as handle:
        return sum(part.count(b"\n") for part in iter(lambda: handle.read(_CHUNK_BYTES), b""))


def _text(report: BulkReport) -> str:
    lines = [_line(chunk) for chunk in report.chunks if chunk.state != "skipped"]
    skipped = len(report.chunks) - len(lines)
    lines += [f"{skipped} chunks skipped"] if skipped else []
    claims = sum(chunk.claims for chunk in report.applied)
    lines.append(f"{len(report.applied)} chunks applied, {claims} claims; {len(report.failed)} failed")
    lines += ["stopped at the failure; the chunks after it were not tried"] if report.stopped else []
    return "\n".join(lines)


def _line(chunk: ChunkResult) -> str:
    where = f"chunk {chunk.chunk} (lines {chunk.first_line}-{chunk.last_line})"
    if chunk.state != "failed":
        commit = f" {chunk.commit[:12]}" if chunk.commit else ""
        text = f"{where}: {chunk.state}{commit}, {chunk.claims} claims"
        return "\n".join([text, *(f"  pending: {item}" for item in chunk.pending)])
    lines = [f"{where}: failed, nothing of it was written"]
    for issue in chunk.issues[:_SHOWN_ISSUES]:
        place = f"line {issue['line']}"
        place += f", operation {issue['op_index']}" if issue.get("op_index") is not None else ""
        lines.append(f"  {place}: {issue['message']} [{issue['code']}]")
        lines += [f"      hint: {issue['hint']}"] if issue.get("hint") else []
    left = len(chunk.issues) - _SHOWN_ISSUES
    lines += [f"  and {left} more"] if left > 0 else []
    return "\n".join(lines)


def _exit_code(report: BulkReport) -> ExitCode:
    if not report.failed:
        return ExitCode.OK
    codes = {issue["code"] for chunk in report.failed for issue in chunk.issues}
    if codes == {"approval_required"}:
        return ExitCode.APPROVAL
    return ExitCode.PARTIAL if report.applied else ExitCode.FAILED


def _next_action(report: BulkReport, file: str, options: BulkOptions) -> str | None:
    if not report.failed:
        return "git commit" if options.stage and report.applied else None
    where = (
        f"--manifest {options.manifest}" if options.manifest else f"--start-chunk {report.failed[0].chunk}"
    )
    return f"mend {file}, then run it again with {where}"
