"""Options that every read shares, and how they become one request."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

import typer

from potpie_git.domain.errors import InvalidInputError
from potpie_git.domain.times import TimeFormatError, parse_moment, parse_window, utc_now
from potpie_git.pot import ReadRequest, SnapshotChoice
from potpie_git.readers.request import parse_scope

ScopeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--scope", metavar="DIM:VALUE", help="What it is about: service:pay, path:src/x.py, feature:refunds."
    ),
]
RepoOption = Annotated[str | None, typer.Option("--repo", help="The repository's key or name.")]
ServiceOption = Annotated[str | None, typer.Option("--service", help="The service's key or name.")]
PathOption = Annotated[str | None, typer.Option("--path", help="A file or folder of the repository.")]
SinceOption = Annotated[
    str | None, typer.Option(help="From this time on: a time, a date or an age such as 30d.")
]
UntilOption = Annotated[str | None, typer.Option(help="Before this time.")]
WindowOption = Annotated[str | None, typer.Option("--time-window", help="The last 24h, 30d, 2w ...")]
EnvironmentOption = Annotated[str | None, typer.Option(help="Only this environment.")]
LimitOption = Annotated[int, typer.Option("--limit", "-n", help="At most so many items of each kind.")]
AsOfOption = Annotated[
    str | None, typer.Option("--as-of", help="What was valid at this time.", metavar="TIME")
]
RevOption = Annotated[
    str | None,
    typer.Option("--rev", help="What the repository said at a commit, tag or branch.", metavar="REV"),
]
StagedOption = Annotated[bool, typer.Option("--staged", help="Read what the next commit holds.")]
InvalidatedOption = Annotated[
    bool,
    typer.Option("--include-invalidated", help="Show what was withdrawn too, with reason, who and when."),
]


def snapshot_choice(rev: str | None, staged: bool) -> SnapshotChoice:
    """Which state of the pot to read. Raises `InvalidInputError` if two are asked for."""
    if rev and staged:
        raise InvalidInputError("--rev and --staged exclude each other", hint="Give one.", code="usage")
    return SnapshotChoice(rev=rev, staged=staged)


def moment(text: str | None, option: str, now: datetime) -> datetime | None:
    if text is None:
        return None
    try:
        return parse_moment(text, now)
    except TimeFormatError as error:
        raise InvalidInputError(
            f"{option}: {error}", hint="Or give a date, or an age such as 30d.", code="usage"
        ) from error


def read_request(
    *,
    scope: Sequence[str] | None = None,
    repo: str | None = None,
    service: str | None = None,
    path: str | None = None,
    since: str | None = None,
    until: str | None = None,
    time_window: str | None = None,
    as_of: str | None = None,
    **options: Any,
) -> ReadRequest:
    """One request from the texts of the command line. Raises `InvalidInputError` naming the option."""
    now = utc_now()
    dimensions = {name: list(held) for name, held in parse_scope(scope or ()).items()}
    for name, value in (("repo", repo), ("service", service), ("path", path)):
        if value is not None:
            dimensions.setdefault(name, []).append(value)
    try:
        window = parse_window(time_window) if time_window else None
    except TimeFormatError as error:
        raise InvalidInputError(
            f"--time-window: {error}", hint="Write 24h, 30d or 2w.", code="usage"
        ) from error
    return ReadRequest(
        scope={name: tuple(held) for name, held in dimensions.items()},
        since=moment(since, "--since", now),
        until=moment(until, "--until", now),
        as_of=moment(as_of, "--as-of", now),
        time_window=window,
        **{name: held for name, held in options.items() if held is not None},
    ).checked()
