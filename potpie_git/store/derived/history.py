"""Claims derived from history: who authored a commit, and what it touched. Made when asked for, never stored."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final, TypeVar

from potpie_git.domain.claim import Claim, DetailValue, Evidence, Provenance, StoredModel
from potpie_git.domain.query import ClaimQuery, ClaimRow, Standing
from potpie_git.domain.text import slug
from potpie_git.domain.vocabulary import subgraph_of
from potpie_git.store.derived.commits import MAX_PLACES, Commit, LogQuery, places, read_log, touched_paths
from potpie_git.store.derived.names import RepositoryName, person_key
from potpie_git.store.git import Git, is_object_id
from potpie_git.store.lexical import Match, match_texts

PREDICATES: Final = frozenset({"AUTHORED", "TOUCHED"})
ACTIVITY: Final = "activity:git:"
TRUTH: Final = "timeline_event"
SYSTEM: Final = "git"
# Rows that one commit makes at most: its author, the places, and the repository.
ROWS_PER_COMMIT: Final = MAX_PLACES + 1
# Where a text is matched, few rows for each: what people wrote down must not be crowded out by what they did.
PLACES_OF_A_MATCH: Final = 2
# Nobody reads more commits than this. A text is looked for in the newest few, in a window of time in as many as this.
# A commit's subject is matched by words alone and says less than a claim that somebody wrote to be found.
SUBJECT_WEIGHT = 0.6
MAX_COMMITS: Final = 2_000
TEXT_COMMITS: Final = 500
# What all derived claims share.
_EVIDENCE: Final = Evidence.model_construct(source_ref="", authority="repository_metadata")
_PROVENANCE: Final = Provenance.model_construct(recorded_at="", source_system=SYSTEM, source_kind="commit")
_CLAIM: Final = Claim.model_construct(id="", subject="", predicate="", truth=TRUTH, provenance=_PROVENANCE)
_Record = TypeVar("_Record", bound=StoredModel)
_REFERENCE: Final = re.compile(r"git:commit:([0-9a-f]{40})$")
_REQUEST: Final = re.compile(r"(?:github|gitlab|bitbucket):(?:pr|mr):.+:(\d+)$")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a query asks of history. `repository`: claims that name the repository itself are wanted too."""

    log: LogQuery
    repository: bool = False
    person: str | None = None
    reference: str | None = None


def wanted(query: ClaimQuery, name: RepositoryName, revision: str) -> Wanted | None:
    """The part of history that can answer a claim query; None if no claim of it can."""
    keys = query.about or query.subjects or query.objects
    if not _may_answer(query, keys):
        return None
    since, until = query.since, query.until
    if query.as_of is not None:
        # what stood at a moment began no later than then
        then = query.as_of + timedelta(microseconds=1)
        until = min(until, then) if until is not None else then
    rows = query.limit
    predicates = PREDICATES if query.predicates is None else PREDICATES & query.predicates
    per_commit = ROWS_PER_COMMIT if "TOUCHED" in predicates else 1
    most = MAX_COMMITS if rows is None else max(1, -(-rows // per_commit))
    if query.text is not None:
        most = TEXT_COMMITS if since is None else MAX_COMMITS
    log = LogQuery(revision, since, until, limit=min(most, MAX_COMMITS))
    if query.source_ref is not None:
        return _by_reference(query.source_ref, log)
    return _by_keys(keys, name, log) if keys is not None else Wanted(log)


def _may_answer(query: ClaimQuery, keys: frozenset[str] | None) -> bool:
    named = keys is not None and any(key.startswith(ACTIVITY) for key in keys)
    speaks = named if query.predicates is None else bool(PREDICATES & query.predicates)
    return (
        speaks
        and query.derived
        and query.ids is None
        and query.environment is None
        and query.source_system in (None, SYSTEM)
        and query.subgraph in (None, subgraph_of("TOUCHED"))
        and (query.truth is None or TRUTH in query.truth)
    )


def _by_reference(reference: str, log: LogQuery) -> Wanted | None:
    commit = _REFERENCE.match(reference)
    if commit:
        return Wanted(replace(log, only=(commit[1],)), reference=reference)
    request = _REQUEST.match(reference)
    if request is None:
        return None
    return Wanted(
        replace(log, grep=f"{'!' if ':mr:' in reference else '#'}{request[1]}"), reference=reference
    )


def _by_keys(keys: frozenset[str], name: RepositoryName, log: LogQuery) -> Wanted | None:
    """Commits by their own key, by the paths that they touch, by the repository, or by their author."""
    commits = tuple(
        sorted(oid for key in keys if is_object_id(oid := key.removeprefix(ACTIVITY)) and oid != key)
    )
    if commits:
        return Wanted(replace(log, only=commits))
    if keys & name.aliases:
        return Wanted(log, repository=True)
    paths = tuple(sorted({path for key in keys if (path := path_of(key, name)) is not None}))
    if paths:
        return Wanted(replace(log, paths=paths))
    people = sorted(key for key in keys if key.startswith("person:"))
    if not people:
        return None
    pattern = "|".join("[^a-z0-9]*".join(person.removeprefix("person:").split("-")) for person in people)
    return Wanted(replace(log, author=pattern), person=" ".join(people))


def path_of(key: str, name: RepositoryName) -> str | None:
    """The path of one of this repository's code assets; None for any other key."""
    if not key.startswith("code:"):
        return None
    for head in sorted(name.heads, key=len, reverse=True):
        path = key.removeprefix(f"code:{head}:")
        if path != key and path.strip("/"):
            return path.strip("/")
    return None


def history_rows(git: Git, query: ClaimQuery, want: Wanted, name: RepositoryName) -> list[ClaimRow]:
    """Rows for what history answers, the newest commit first; with a text, those that match it, the best first."""
    commits = [commit for commit in _commits(git, want) if _is_wanted(commit, query, want, name)]
    matches: list[Match | None] = [None] * len(commits)
    if query.text is not None:
        found = match_texts(query.text, [commit.text for commit in commits])
        found = found[: -(-query.limit // ROWS_PER_COMMIT) if query.limit else None]
        commits = [commits[one.index] for one in found]
        matches = list(found)
    predicates = PREDICATES if query.predicates is None else PREDICATES & query.predicates
    paths = touched_paths(git, commits) if "TOUCHED" in predicates else {}
    rows: list[ClaimRow] = []
    most = MAX_PLACES if query.text is None else PLACES_OF_A_MATCH
    for commit, matched in zip(commits, matches, strict=True):
        for claim in _claims(commit, places(paths.get(commit.oid, []), most), want, name):
            if claim.predicate in predicates and _fits(claim, query):
                rows.append(_row(claim, commit, matched))
    return rows


def _commits(git: Git, want: Wanted) -> list[Commit]:
    only = want.log.only
    if not only:
        return read_log(git, want.log)
    known = git.run(
        "cat-file", "--batch-check=%(objectname) %(objecttype)", input="\n".join(only).encode()
    ).stdout
    held = tuple(line.split()[0] for line in known.decode().splitlines() if line.endswith(" commit"))
    return read_log(git, replace(want.log, only=held)) if held else []


def _is_wanted(commit: Commit, query: ClaimQuery, want: Wanted, name: RepositoryName) -> bool:
    if query.text is not None and commit.is_memory:
        return False
    if want.person is not None and person_key(commit.author, commit.address) not in want.person.split():
        return False
    if want.reference is not None and want.reference not in _references(commit, name):
        return False
    if not want.log.only:
        return True
    moment = datetime.fromisoformat(commit.committed)
    return (want.log.since is None or moment >= want.log.since) and (
        want.log.until is None or moment < want.log.until
    )


def _fits(claim: Claim, query: ClaimQuery) -> bool:
    """The filters on ends that the log could not apply; a place asked for stands for all that lies in it."""
    return (query.subject_types is None or claim.subject_type in query.subject_types) and (
        query.object_types is None or claim.object_type in query.object_types
    )


def _references(commit: Commit, name: RepositoryName) -> list[str]:
    request = commit.request
    requests = [name.pull_request(request[0], gitlab=request[1])] if request else []
    return [f"git:commit:{commit.oid}", *requests]


def _claims(commit: Commit, touched: list[str], want: Wanted, name: RepositoryName) -> Iterable[Claim]:
    activity = f"{ACTIVITY}{commit.oid}"
    evidence = [_like(_EVIDENCE, source_ref=reference) for reference in _references(commit, name)]
    details: dict[str, DetailValue] = {
        "verb": "merged" if commit.is_merge else "committed",
        "commit": commit.oid,
    }
    details["author"] = f"{commit.author} <{commit.address}>"
    if len(evidence) > 1:
        details["pull_request"] = evidence[1].source_ref
    common = {
        "fact": commit.title,
        "details": details,
        "evidence": evidence,
        "valid_from": commit.committed,
        "provenance": _like(_PROVENANCE, recorded_at=commit.committed),
    }
    shared = _like(_CLAIM, **common)

    def claim(subject: str, predicate: str, target: str) -> Claim:
        own = f"git:{commit.oid}:{predicate}:{slug(target)}"
        return _like(shared, id=own, subject=subject, predicate=predicate, object=target)

    yield claim(person_key(commit.author, commit.address), "AUTHORED", activity)
    for place in touched:
        yield claim(activity, "TOUCHED", f"code:{name.short}:{place}")
    if want.repository or not touched:
        yield claim(activity, "TOUCHED", name.key)


def _like(record: _Record, **told: Any) -> _Record:
    """`record` with other values: what `model_copy` gives, at a tenth of its cost; a window may hold thousands."""
    made = object.__new__(type(record))
    fill = object.__setattr__
    fill(made, "__dict__", {**record.__dict__, **told})
    fill(made, "__pydantic_fields_set__", {*record.model_fields_set, *told})
    fill(made, "__pydantic_extra__", None)
    fill(made, "__pydantic_private__", None)
    return made


def _row(claim: Claim, commit: Commit, matched: Match | None) -> ClaimRow:
    return ClaimRow(
        claim=claim,
        similarity=matched.similarity * SUBJECT_WEIGHT if matched else None,
        weak=matched.weak if matched else False,
        standing=Standing.DERIVED,
        commit=commit.oid,
    )
