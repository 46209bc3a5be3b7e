"""Claims derived from CODEOWNERS, at any revision and in the working tree.

A rule for everything makes an OWNED_BY claim about the repository. Any other rule makes one about a code asset, which
no stored claim may: `code:<repository>:<pattern>` for the rule itself, `code:<repository>:<path>` where a path was
asked about, with the deciding pattern and its line in `details`. They are answers, never written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from potpie_git.domain.claim import Claim, Evidence, Provenance
from potpie_git.domain.query import ClaimQuery, ClaimRow, Standing
from potpie_git.domain.vocabulary import subgraph_of
from potpie_git.store.derived.codeowners import LOCATIONS, MAX_SIZE, CodeOwners, Rule, parse_codeowners
from potpie_git.store.derived.history import path_of
from potpie_git.store.derived.names import RepositoryName, owner_key
from potpie_git.store.errors import storage_errors
from potpie_git.store.lexical import match_texts
from potpie_git.store.repository import Repository

PREDICATE: Final = "OWNED_BY"
TRUTH: Final = "authoritative_fact"
SYSTEM: Final = "codeowners"


def read_codeowners(repo: Repository, revision: str | None) -> CodeOwners | None:
    """The file at a commit, or in the working tree; None if there is none, or it is too large to be one."""
    for location in LOCATIONS:
        raw = _committed(repo, revision, location) if revision else _working(repo.root, location)
        if raw is not None:
            return (
                parse_codeowners(raw.decode("utf-8", "replace"), location) if len(raw) <= MAX_SIZE else None
            )
    return None


def _committed(repo: Repository, revision: str, location: str) -> bytes | None:
    folder, _, name = location.rpartition("/")
    tree = repo.tree_oid(revision, folder)
    node = repo.objects.directory(tree).by_name.get(name) if tree else None
    if node is None or node.mode not in {"100644", "100755"}:
        return None
    return repo.objects.read(node.oid, MAX_SIZE).data


def _working(root: Path, location: str) -> bytes | None:
    """The working file, unless it or its folder is a link, which could lead anywhere."""
    file = root / location
    with storage_errors(file):
        if file.is_symlink() or (file.parent != root and file.parent.is_symlink()) or not file.is_file():
            return None
        with file.open("rb") as stream:
            return stream.read(MAX_SIZE + 1)


def may_answer(query: ClaimQuery) -> bool:
    """False if no claim of CODEOWNERS can be among a query's answers."""
    return (
        query.derived
        and query.ids is None
        and query.environment is None
        and query.predicates is not None
        and PREDICATE in query.predicates
        and query.source_system in (None, SYSTEM)
        and query.source_ref is None
        and query.subgraph in (None, subgraph_of(PREDICATE))
        and (query.truth is None or TRUTH in query.truth)
    )


def ownership_rows(file: CodeOwners, query: ClaimQuery, name: RepositoryName, when: str) -> list[ClaimRow]:
    """Rows for what CODEOWNERS answers; `when` is the time (ISO 8601) from which the file is known to say so."""
    asked = query.subjects if query.subjects is not None else query.about
    claims = list(_asked(file, asked, name, when) if asked is not None else _all_rules(file, name, when))
    if query.objects is not None or (query.subjects is None and query.about is not None):
        claims += _owned_by(file, query.objects or query.about or frozenset(), name, when)
    if query.objects is not None:
        claims = [claim for claim in claims if claim.object in query.objects]
    kept = {claim.id: claim for claim in claims if _fits(claim, query)}
    if query.text is None:
        return [_row(claim) for claim in kept.values()][: query.limit]
    return _matching(query.text, list(kept.values()), query.limit)


def _asked(file: CodeOwners, keys: Iterable[str], name: RepositoryName, when: str) -> Iterator[Claim]:
    """Claims about the paths, patterns and repository that are named."""
    done: set[str] = set()
    for key in sorted(keys):
        if key in name.aliases:
            yield from _default(file, name, when)
        path = path_of(key, name)
        if path is None or path in done:
            continue
        done.add(path)
        for rule in file.rules_for(path):
            yield from _claims(file, rule, f"code:{name.short}:{path}", when)


def _all_rules(file: CodeOwners, name: RepositoryName, when: str) -> Iterator[Claim]:
    yield from _default(file, name, when)
    for rule in file.rules:
        if not rule.is_default:
            yield from _claims(file, rule, f"code:{name.short}:{rule.pattern.strip('/')}", when)


def _default(file: CodeOwners, name: RepositoryName, when: str) -> Iterator[Claim]:
    """Claims about the whole repository: the last rule for everything, in each section."""
    last = {rule.section: rule for rule in file.rules if rule.is_default}
    for rule in last.values():
        yield from _claims(file, rule, name.key, when)


def _owned_by(file: CodeOwners, owners: frozenset[str], name: RepositoryName, when: str) -> list[Claim]:
    return [claim for claim in _all_rules(file, name, when) if claim.object in owners]


def _claims(file: CodeOwners, rule: Rule, subject: str, when: str) -> Iterator[Claim]:
    place = f"{file.location}#L{rule.line}"
    for owner in rule.owners:
        target = owner_key(owner)
        if target is None:
            continue
        yield Claim.model_construct(
            id=f"codeowners:{rule.line}:{subject}:{target}",
            subject=subject,
            predicate=PREDICATE,
            object=target,
            truth=TRUTH,
            fact=f"{rule.pattern} is owned by {owner}",
            details={"pattern": rule.pattern, "rule": f"{file.location}:{rule.line}", "owner": owner},
            evidence=[Evidence.model_construct(source_ref=f"repo:{place}", authority="repository_metadata")],
            valid_from=when,
            provenance=Provenance.model_construct(recorded_at=when, source_system=SYSTEM, source_kind="file"),
        )


def _fits(claim: Claim, query: ClaimQuery) -> bool:
    return (query.subject_types is None or claim.subject_type in query.subject_types) and (
        query.object_types is None or claim.object_type in query.object_types
    )


def _matching(text: str, claims: list[Claim], limit: int | None) -> list[ClaimRow]:
    cards = [f"{claim.subject} {claim.fact} {claim.object} owner codeowners" for claim in claims]
    return [
        _row(claims[match.index], match.similarity, match.weak) for match in match_texts(text, cards)[:limit]
    ]


def _row(claim: Claim, similarity: float | None = None, weak: bool = False) -> ClaimRow:
    return ClaimRow(claim=claim, similarity=similarity, weak=weak, standing=Standing.DERIVED)
