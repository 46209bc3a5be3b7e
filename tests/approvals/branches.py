"""Generated pull requests, and what stands on the branch after each way of landing: without git.

Each has a policy, changes by several people, and approvals by exactly as many others as are needed, each in a commit of
its own. A landing method turns those commits into what stands on the branch afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random

from potpie_git.checks.approvals.commits import Commits, RawCommit, Touched
from potpie_git.checks.approvals.findings import verdict_findings
from potpie_git.checks.approvals.gather import read_record
from potpie_git.checks.approvals.model import (
    AddingCommit,
    Change,
    ChangedFile,
    Person,
    Record,
    Target,
    Verdict,
)
from potpie_git.checks.approvals.people import People
from potpie_git.checks.approvals.verify import verify
from potpie_git.domain.approval import content_digest
from potpie_git.domain.findings import has_errors
from potpie_git.domain.layout import approval_path
from potpie_git.domain.policy import Policy
from potpie_git.domain.trailers import person, sign_offs
from potpie_git.domain.vocabulary import Risk
from potpie_git.store.codec import encode
from tests.approvals.keys import is_signed
from tests.approvals.world import MAIN, NOW, STORE, approval, email, policy

EACH = 300
"""How many branches are generated for each method of landing."""
PEOPLE = [f"{first} {last}" for first in ("Ada", "Ben", "Cleo", "Dan", "Eli", "Fay") for last in ("Archer",)]
AUTHORS = ["Gus Gray", "Hal Hill", "Ida Ives"]
SUBGRAPHS = ["decisions", "debugging", "features"]
QUEUE = Person("Merge Queue", "queue@forge.example")


@dataclass(frozen=True)
class Commit:
    """A commit of a branch: its author, its message, and the files that it leaves behind."""

    author: Person
    message: str
    files: dict[str, bytes]

    @property
    def person(self) -> str:
        return f"{self.author.name} <{self.author.email}>"


@dataclass(frozen=True)
class Branch:
    """A generated pull request; `before` and `after` are its files at both ends, without approvals."""

    policy: Policy
    before: dict[str, bytes]
    after: dict[str, bytes]
    grades: dict[str, tuple[Risk, str]]
    commits: tuple[Commit, ...]
    records: dict[str, bytes]


def person_of(name: str) -> Person:
    return Person(name, email(name))


def generated(random: Random) -> Branch:
    """A branch that is honest from end to end."""
    names = random.sample(PEOPLE, random.randint(3, len(PEOPLE)))
    authors = random.sample(AUTHORS, random.randint(1, 2)) + random.sample(names, random.choice([0, 0, 1]))
    overrides = [{"subgraph": random.choice(SUBGRAPHS), "medium": 2}] if random.random() < 0.4 else None
    mode = random.choice(["signoff", "signature"])
    judging = policy(*names, mode=mode, overrides=overrides)
    branch = _changes(random, authors, judging)
    approvals, records = _approvals(random, branch, [name for name in names if name not in authors])
    return replace(branch, commits=(*branch.commits, *approvals), records=records)


def _changes(random: Random, authors: Sequence[str], judging: Policy) -> Branch:
    before: dict[str, bytes] = {}
    after: dict[str, bytes] = {}
    grades: dict[str, tuple[Risk, str]] = {}
    commits = []
    for number in range(random.randint(1, 6)):
        author, path = random.choice(authors), f"claims/x/{random.randrange(256):02x}/{number}.yaml"
        risk = random.choice([Risk.LOW, Risk.MEDIUM, Risk.MEDIUM, Risk.HIGH])
        if risk is not Risk.LOW:
            before[path] = random.randbytes(20)
        after[path] = random.randbytes(30)
        grades[path] = (risk, random.choice(SUBGRAPHS))
        message = f"Change {number}\n"
        if random.random() < 0.2:
            message += f"\nCo-authored-by: {random.choice(AUTHORS)} <gus.gray@example.com>\n"
        commits.append(Commit(person_of(author), message, {path: after[path]}))
    return Branch(judging, before, after, grades, tuple(commits), {})


def _approvals(random: Random, branch: Branch, able: Sequence[str]) -> tuple[list[Commit], dict[str, bytes]]:
    """As many approvals as the branch needs, by people who wrote none of it, in one record each or in several."""
    files = files_of(branch, {})
    people = People(branch.policy)
    needed = max((people.needed(each) for each in files), default=0)
    commits, records = [], {}
    for name in random.sample(able, min(needed, len(able))):
        parts = [files] if random.random() < 0.7 else [files[::2], files[1::2]]
        for part in filter(None, parts):
            made = approval(
                part,
                name,
                sign=branch.policy.mode == "signature",
                nonce=random.randbytes(16).hex(),
                authors=sorted({commit.author.email for commit in branch.commits}),
            )
            raw = {approval_path(made): encode(made)}
            message = f"Approve {len(part)} changes\n\nSigned-off-by: {name} <{email(name)}>\n"
            commits.append(Commit(person_of(name), message, raw))
            records |= raw
    return commits, records


def files_of(branch: Branch, authors: dict[str, frozenset[Person]]) -> list[ChangedFile]:
    return [
        ChangedFile(
            path,
            content_digest(branch.before.get(path)),
            content_digest(raw),
            branch.grades[path][0],
            subgraph=branch.grades[path][1],
            authors=authors.get(path, frozenset()),
        )
        for path, raw in branch.after.items()
        if branch.before.get(path) != raw
    ]


# How a branch lands


def merged(branch: Branch, random: Random) -> list[Commit]:
    """Its own commits, and a merge that changes nothing itself."""
    return [*branch.commits, Commit(person_of(random.choice(PEOPLE)), "Merge branch 'topic'\n", {})]


def squashed(branch: Branch, random: Random) -> list[Commit]:
    """One commit by the first author, which names everybody else as a co-author, as forges write it."""
    author = branch.commits[0].author
    others = dict.fromkeys(commit.person for commit in branch.commits if commit.author != author)
    trailers = "".join(f"Co-authored-by: {other}\n" for other in others)
    listed = "\n\n".join(f"* {commit.message.strip()}" for commit in branch.commits)
    files = {path: raw for commit in branch.commits for path, raw in commit.files.items()}
    return [Commit(author, f"Topic (#7)\n\n{listed}\n\n---------\n\n{trailers}", files)]


def rebased(branch: Branch, random: Random) -> list[Commit]:
    """The same commits on another base, now and then after others that have nothing to do with the pot."""
    return [Commit(person_of(random.choice(PEOPLE)), "Mend the build\n", {}), *branch.commits]


def queued(branch: Branch, random: Random) -> list[Commit]:
    """The same changes under the queue's own name, as one commit or as several."""
    commits = squashed(branch, random) if random.random() < 0.5 else list(branch.commits)
    return [replace(commit, author=QUEUE) for commit in commits]


METHODS = {"merge": merged, "squash": squashed, "rebase": rebased, "queue": queued}
Method = Callable[[Branch, Random], list[Commit]]


def landed(branch: Branch, commits: Sequence[Commit]) -> Verdict:
    """The verdict on a branch after it landed as these commits."""
    ids = [f"{number:040x}" for number in range(len(commits))]
    touched = {
        oid: tuple(
            Touched(path, path not in branch.before, content_digest(raw)[:40])
            for path, raw in commit.files.items()
        )
        for oid, commit in zip(ids, commits, strict=True)
        if commit.files
    }
    raw = {
        oid: RawCommit(oid, commit.author, commit.message, ("p",))
        for oid, commit in zip(ids, commits, strict=True)
    }
    history = Commits(touched, raw)
    records = [record_of(path, held, history) for path, held in branch.records.items()]
    people = {record.path: _signed_off(record) for record in records}
    files = files_of(branch, history.authors(people))
    change = Change({each.path: each for each in files})
    target = Target(STORE, frozenset({MAIN}))
    return verify(change, records, branch.policy, NOW, target, {}, is_signed)


def record_of(path: str, raw: bytes, history: Commits) -> Record:
    read, fault = read_record(path, raw)
    adding = tuple(
        AddingCommit(
            oid,
            history.raw[oid].author,
            tuple(sign_offs(history.raw[oid].message)),
            [each.path for each in files] == [path],
        )
        for oid, files in history.touched.items()
        if any(each.path == path for each in files)
    )
    return Record(path, read, fault, adding)


def _signed_off(record: Record) -> Person:
    assert record.approval is not None
    named = person(record.approval.statement.signed_off_by)
    assert named is not None
    return Person(*named)


def refusal(branch: Branch, verdict: Verdict) -> str:
    """Why an honest landing was refused, or one of its approvals not counted; empty if all is well."""
    faulty = [each.faults for each in verdict.records if each.faults]
    if verdict.approved and not faulty and not has_errors(verdict_findings(verdict)):
        return ""
    return f"{branch.policy.mode}: {faulty or verdict}"
