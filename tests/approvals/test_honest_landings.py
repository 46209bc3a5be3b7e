"""Honest changes land by merge, squash, rebase and queue, and none is refused: generated worlds, without git.

Each world has a policy, changes by several people, and approvals by exactly as many others as are needed, each in a
commit of its own. A landing method turns those commits into what stands on the branch afterwards.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from random import Random

import pytest

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
from potpie_git.domain.approval import Approval, content_digest
from potpie_git.domain.findings import has_errors
from potpie_git.domain.layout import approval_path
from potpie_git.domain.policy import Policy
from potpie_git.domain.trailers import sign_offs
from potpie_git.domain.vocabulary import Risk
from potpie_git.store.codec import encode
from tests.approvals.keys import is_signed
from tests.approvals.world import MAIN, NOW, STORE, approval, email, policy

EACH = 300
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
    files = _files(branch, {})
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


def _files(branch: Branch, authors: dict[str, frozenset[Person]]) -> list[ChangedFile]:
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
    records = [_record(path, held, history) for path, held in branch.records.items()]
    addresses = {record.path: _address(record) for record in records}
    files = _files(branch, history.authors(addresses))
    change = Change({each.path: each for each in files})
    target = Target(STORE, frozenset({MAIN}))
    return verify(change, records, branch.policy, NOW, target, {}, is_signed)


def _record(path: str, raw: bytes, history: Commits) -> Record:
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


def _address(record: Record) -> str:
    assert record.approval is not None
    return record.approval.statement.signed_off_by.partition("<")[2].rstrip(">")


@pytest.mark.parametrize("method", METHODS)
def test_no_honest_landing_is_refused(method: str) -> None:
    random = Random(f"honest {method}")
    seen: Counter[str] = Counter()
    for number in range(EACH):
        branch = generated(random)
        verdict = landed(branch, METHODS[method](branch, random))
        assert verdict.approved, (method, number, verdict)
        assert not has_errors(verdict_findings(verdict)), (method, number)
        assert not [each.faults for each in verdict.records if each.faults], (method, number)
        seen[f"{branch.policy.mode}, {max((file.needed for file in verdict.files), default=0)} needed"] += 1
    print(method, dict(seen))
    assert sum(seen.values()) == EACH
    assert len(seen) == 6, "modes and numbers of approvers are not all there"


@pytest.mark.parametrize("method", METHODS)
def test_the_same_landings_are_refused_once_a_needed_approval_is_missing_or_a_file_differs(
    method: str,
) -> None:
    random = Random(f"tampered {method}")
    refused = 0
    while refused < EACH:
        branch = generated(random)
        if not branch.records:
            continue
        lost = random.choice(sorted(branch.records))
        kept = {path: raw for path, raw in branch.records.items() if path != lost}
        without = replace(
            branch,
            records=kept,
            commits=tuple(commit for commit in branch.commits if lost not in commit.files),
        )
        covered = Approval.model_validate(_statement(branch.records[lost])).statement.changes
        honest = landed(branch, METHODS[method](branch, random))
        tight = {each.file.path for each in honest.files if len(each.approved_by) == each.needed}
        if tight & {path for path, _, _ in covered}:
            assert not landed(without, METHODS[method](without, random)).approved
        path = random.choice([path for path, _, _ in covered])
        edited = replace(branch, after={**branch.after, path: branch.after[path] + b"\n"})
        verdict = landed(edited, METHODS[method](edited, random))
        assert [fault.code for each in verdict.records for fault in each.faults].count("PG-A05") >= 1
        if path in {each.file.path for each in honest.files}:
            assert not verdict.approved
        refused += 1


def _statement(raw: bytes) -> object:
    read, _ = read_record("approvals/x.yaml", raw)
    assert read is not None
    return read.to_data()


def test_two_branches_that_land_together_may_approve_each_other() -> None:
    """A queue that tests two branches as one: each author approves what the other wrote."""
    ada, ben = (person_of(name) for name in PEOPLE[:2])
    judging = policy(*PEOPLE[:3])
    after = {"claims/a.yaml": b"1", "claims/b.yaml": b"2"}
    before = {"claims/a.yaml": b"0", "claims/b.yaml": b"0"}
    grades = dict.fromkeys(after, (Risk.MEDIUM, "decisions"))
    branch = Branch(judging, before, after, grades, (), {})
    files = {each.path: each for each in _files(branch, {})}
    by_ben = approval([files["claims/a.yaml"]], PEOPLE[1], authors=[ada.email])
    by_ada = approval([files["claims/b.yaml"]], PEOPLE[0], authors=[ben.email])
    commits = (
        Commit(ada, "a\n", {"claims/a.yaml": b"1"}),
        Commit(ben, f"ok\n\nSigned-off-by: B <{ben.email}>\n", {approval_path(by_ben): encode(by_ben)}),
        Commit(ben, "b\n", {"claims/b.yaml": b"2"}),
        Commit(ada, f"ok\n\nSigned-off-by: A <{ada.email}>\n", {approval_path(by_ada): encode(by_ada)}),
    )
    records = {approval_path(each): encode(each) for each in (by_ben, by_ada)}
    branch = replace(branch, commits=commits, records=records)
    assert landed(branch, commits).approved


def test_a_part_that_another_branch_landed_meanwhile_is_no_objection() -> None:
    """Two branches that assert the same thing write the same file; the second to land no longer brings it."""
    random = Random("meanwhile")
    for _ in range(20):
        branch = generated(random)
        low = next((path for path, (risk, _) in branch.grades.items() if risk is Risk.LOW), None)
        if low is None or not branch.records:
            continue
        history = Commits()
        records = [_record(path, held, history) for path, held in branch.records.items()]
        files = {each.path: each for each in _files(branch, {}) if each.path != low}
        change = Change(files, {low: content_digest(branch.after[low])})
        target = Target(STORE, frozenset({MAIN}))
        later = NOW + timedelta(hours=1)
        assert verify(change, records, branch.policy, later, target, {}, is_signed).approved
