"""Derived claims behind the seam that all readers use."""

from __future__ import annotations

from datetime import datetime
from functools import cached_property

from potpie_git.domain.query import ClaimHits, ClaimQuery, ClaimRow, MatchMode
from potpie_git.domain.times import format_time, utc_now
from potpie_git.store.derived.commits import LogQuery, read_log
from potpie_git.store.derived.history import MAX_COMMITS, history_rows, wanted
from potpie_git.store.derived.names import RepositoryName, repository_name
from potpie_git.store.derived.ownership import may_answer, ownership_rows, read_codeowners
from potpie_git.store.repository import Repository


class DerivedClaims:
    """What a repository says by itself, at a revision; implements `ClaimSearch`.

    `revision` None means HEAD's history and the working tree's CODEOWNERS. Only queries that name a predicate which can
    be derived (AUTHORED, TOUCHED, OWNED_BY), or a commit's own key, are answered: history would drown any other.
    Raises `UnknownRevisionError`, `GitError`, and `MissingObjectError` where a partial clone lacks a commit.
    """

    def __init__(
        self, repo: Repository, *, revision: str | None = None, name: RepositoryName | None = None
    ) -> None:
        self.repo = repo
        self.revision = revision
        self._given_name = name

    @cached_property
    def name(self) -> RepositoryName:
        return self._given_name or repository_name(self.repo)

    def resolve_alias(self, key: str) -> str:
        """The repository's own key for every spelling of it; any other key is its own."""
        return self.name.key if key.startswith("repo:") and key in self.name.aliases else key

    def find_claims(self, query: ClaimQuery) -> ClaimHits:
        rows: list[ClaimRow] = []
        notes: list[str] = []
        want = wanted(query, self.name, self._tip) if self._tip else None
        if want is not None:
            found = history_rows(self.repo.git, query, want, self.name)
            rows += found
            if (
                query.text is None
                and query.limit is None
                and len({row.commit for row in found}) >= MAX_COMMITS
            ):
                notes.append(
                    f"only the newest {MAX_COMMITS} commits were read; ask for a window of time to see others"
                )
        if may_answer(query):
            owned = self._ownership(query)
            rows += owned or []
            if owned is None and query.text is None:
                notes.append("the repository has no CODEOWNERS file, so only stored claims say who owns what")
        if query.text is not None:
            rows.sort(key=lambda row: -(row.similarity or 0.0))
        return ClaimHits(
            tuple(rows), MatchMode.LEXICAL if query.text and rows else MatchMode.NONE, tuple(notes)
        )

    @cached_property
    def _tip(self) -> str | None:
        """The commit whose history is read; None on an unborn branch, and for a bare tree."""
        return self.repo.resolve(self.revision).commit if self.revision else self.repo.head()

    def _ownership(self, query: ClaimQuery) -> list[ClaimRow] | None:
        """Rows of CODEOWNERS; None if there is no such file."""
        commit = self._commit_at(query.as_of) if query.as_of is not None else self._tip
        if query.as_of is not None and commit is None:
            return []
        revision = commit if query.as_of is not None else self.revision
        file = read_codeowners(self.repo, revision)
        if file is None:
            return None
        return ownership_rows(file, query, self.name, self._time_of(commit))

    def _commit_at(self, moment: datetime) -> str | None:
        """The commit that stood at a moment, on the first-parent line of the history that is read."""
        if self._tip is None:
            return None
        args = ("rev-list", "--first-parent", "--max-count=1", f"--min-age={int(moment.timestamp())}")
        return self.repo.git.text(*args, "--end-of-options", self._tip) or None

    def _time_of(self, commit: str | None) -> str:
        if commit is None:
            return format_time(utc_now())
        return read_log(self.repo.git, LogQuery(only=(commit,)))[0].committed
