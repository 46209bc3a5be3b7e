"""Options that every read shares, and how they become one request."""

from __future__ import annotations

from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What every read takes: its scope, its window of time, and the state of the pot that is read."""

    scope: ScopeOption = None
    repo: RepoOption = None
    service: ServiceOption = None
    path: PathOption = None
    environment: EnvironmentOption = None
    since: SinceOption = None
    until: UntilOption = None
    time_window: WindowOption = None
    as_of: AsOfOption = None
    rev: RevOption = None
    staged: StagedOption = False
    include_invalidated: InvalidatedOption = False
    limit: LimitOption = 12

    @property
    def snapshot(self) -> SnapshotChoice:
        return snapshot_choice(self.rev, self.staged)

    def request(self, **more: Any) -> ReadRequest:
        """One request from the texts of the command line. Raises `InvalidInputError` naming the option."""
        now = utc_now()
        dimensions = {name: list(held) for name, held in parse_scope(self.scope or ()).items()}
        for name, value in (("repo", self.repo), ("service", self.service), ("path", self.path)):
            if value is not None:
                dimensions.setdefault(name, []).append(value)
        try:
            window = parse_window(self.time_window) if self.time_window else None
        except TimeFormatError as error:
            raise InvalidInputError(
                f"--time-window: {error}", hint="Write 24h, 30d or 2w.", code="usage"
            ) from error
        return ReadRequest(
            scope={name: tuple(held) for name, held in dimensions.items()},
            environment=self.environment,
            since=moment(self.since, "--since", now),
            until=moment(self.until, "--until", now),
            as_of=moment(self.as_of, "--as-of", now),
            time_window=window,
            include_invalidated=self.include_invalidated,
            limit=self.limit,
            **{name: held for name, held in more.items() if held is not None},
        ).checked()


def moment(text: str | None, option: str, now: datetime) -> datetime | None:
    if text is None:
        return None
    try:
        return parse_moment(text, now)
    except TimeFormatError as error:
        raise InvalidInputError(
            f"{option}: {error}", hint="Or give a date, or an age such as 30d.", code="usage"
        ) from error
