"""`graph export` and `graph import`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from potpie_git.cli.context import current
from potpie_git.cli.files import opened_lines
from potpie_git.cli.output import print_text, shown
from potpie_git.cli.reading import RevOption, StagedOption, snapshot_choice
from potpie_git.cli.render.plans import commit_text
from potpie_git.cli.reply import Reply
from potpie_git.domain.errors import InvalidInputError, StorageError
from potpie_git.domain.layout import FileKind
from potpie_git.domain.text import did_you_mean


def export(
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write to this file, whole or not at all.", metavar="FILE"),
    ] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option(
            help="Only claim, entity, tombstone, approval, inbox, pot, policy or attributes; repeatable."
        ),
    ] = None,
    rev: RevOption = None,
    staged: StagedOption = False,
) -> Reply:
    """Print every governed file as a line of JSON, with its text byte for byte.

    An import of it makes the same files. A file that does not parse stops the export: nothing is left out silently.
    """
    lines = current().pot.export(_kinds(kind or []), snapshot=snapshot_choice(rev, staged))
    if output is not None:
        count = _write_whole(output, lines)
        return Reply(result={"files": count, "output": str(output)}, text=shown(f"{count} files to {output}"))
    if current().options.json:
        held = list(lines)
        return Reply(result={"files": len(held), "lines": held})
    for line in lines:
        print_text(line)
    return Reply()


def _kinds(names: Iterable[str]) -> list[FileKind]:
    known = {kind.value: kind for kind in FileKind}
    for name in names:
        if name not in known:
            raise InvalidInputError(
                f"there is no kind of file {name!r}.{did_you_mean(name, known)}",
                hint=f"Use: {', '.join(known)}.",
                code="usage",
            )
    return [known[name] for name in names]


def _write_whole(output: Path, lines: Iterable[str]) -> int:
    aside = output.with_name(f".{output.name}.{os.getpid()}")
    count = 0
    try:
        try:
            with aside.open("w", encoding="utf-8", newline="\n") as handle:
                for line in lines:
                    handle.write(line)
                    count += 1
            aside.replace(output)
        finally:
            aside.unlink(missing_ok=True)
    except OSError as error:
        raise StorageError(f"cannot write {output}: {error.strerror}") from error
    return count


def import_lines(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="What `graph export` wrote; - for standard input.")
    ],
    without_settings: Annotated[
        bool, typer.Option("--without-settings", help="Leave out pot.yaml, policy.yaml and .gitattributes.")
    ] = False,
    stage: Annotated[
        bool, typer.Option("--stage", help="Write and stage the files, and leave committing to you.")
    ] = False,
    message: Annotated[str | None, typer.Option("--message", "-m", help="The commit's subject line.")] = None,
) -> Reply:
    """Bring exported files in, all or none, as one commit.

    Every file is judged as any write is, and none is written over another with other content. In a repository without
    a pot, the export's own settings make one.
    """
    pot = current().repository_pot
    with opened_lines(file) as lines:
        report = pot.import_files(lines, settings=not without_settings, stage=stage, message=message)
    text = f"{len(report.added)} files added, {report.unchanged} unchanged, {report.kept} kept as they were recorded"
    if report.skipped:
        text += f", {report.skipped} settings left out"
    if report.written is not None:
        text += f"\n{commit_text(report.written)}"
    return Reply(
        result=report.model_dump(mode="json"),
        text=shown(text),
        next_action="git commit" if report.written is not None and report.written.staged else None,
    )
