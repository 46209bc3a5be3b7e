"""A team with a pot: a shared repository, and a clone, an identity and an SSH key for each of its members."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from potpie_git.approving import Approving
from potpie_git.checks.approvals.choosing import Wish
from potpie_git.checks.ranges import check_range
from potpie_git.checks.report import CheckReport
from potpie_git.domain.files import Pot as PotRecord
from potpie_git.domain.layout import ATTRIBUTES_FILE, ATTRIBUTES_TEXT, POLICY_FILE, POT_FILE, claim_path
from potpie_git.domain.policy import Policy
from potpie_git.pot import Pot
from potpie_git.store.codec import encode, repository_path
from potpie_git.store.repository import Repository
from tests.approvals.world import email
from tests.support.git_repo import GitRepo
from tests.support.records import claim

ANN = "Ann Author"
ADA, BEN, CLEO, EVE = "Ada Archer", "Ben Baker", "Cleo Cook", "Eve Else"
MAIN = "refs/heads/main"
FACTS = ["Retry the refund.", "Cache the rates.", "Lock the ledger."]
CLAIMS = [claim(subject=f"fix:{number:012x}", fact=fact) for number, fact in enumerate(FACTS)]
PATHS = [repository_path(claim_path(each)) for each in CLAIMS]


@contextmanager
def environment(**variables: str) -> Iterator[None]:
    """Environment variables for a while."""
    old = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, held in old.items():
            if held is None:
                del os.environ[name]
            else:
                os.environ[name] = held


def identity(name: str, address: str | None = None) -> dict[str, str]:
    """Variables under which git commits as somebody."""
    given = address or email(name)
    return {
        "GIT_AUTHOR_NAME": name,
        "GIT_AUTHOR_EMAIL": given,
        "GIT_COMMITTER_NAME": name,
        "GIT_COMMITTER_EMAIL": given,
    }


@dataclass
class Member:
    """Somebody with a clone."""

    name: str
    repo: GitRepo
    key: Path | None = None

    @property
    def pot(self) -> Pot:
        return Pot.open(self.repo.root)

    def fetch(self, branch: str) -> None:
        """Fetch, and switch to a branch as it is on the remote."""
        self.repo.git("fetch", "--quiet", "origin")
        self.repo.git("switch", "--quiet", "--force-create", branch, "--track", f"origin/{branch}")

    def push(self, branch: str, *options: str) -> None:
        self.repo.git("push", "--quiet", *options, "origin", f"HEAD:refs/heads/{branch}")

    def write(self, *operations: dict[str, Any]) -> str:
        """Propose and commit; returns the commit."""
        plan = self.pot.propose({"operations": list(operations)})
        done = self.pot.commit(plan.plan_id)
        assert done.commit is not None
        return done.commit

    def retract(self, *numbers: int, reason: str = "It no longer holds.") -> str:
        return self.write(
            *({"op": "retract_claim", "claim": CLAIMS[number].id, "reason": reason} for number in numbers)
        )

    def supersede(self, number: int, fact: str) -> str:
        held = CLAIMS[number]
        new = {
            "op": "assert_claim",
            "subject": held.subject,
            "predicate": held.predicate,
            "object": held.object,
            "fact": fact,
            "evidence": [{"source_ref": "github:pr:acme/payments:900", "authority": "external_system"}],
        }
        return self.write(
            {
                "op": "supersede_claim",
                "claim": held.id,
                "reason": "There is a better one.",
                "superseded_by": new,
            }
        )

    def approve(self, *targets: str, ref: str | None = None, **options: Any) -> Approving:
        """Approve what this branch lands, or something else; signs where the policy asks for it."""
        desk = self.pot.approvals
        offer = desk.offer(Wish(targets, ref, self.repo.root))
        if offer.policy.mode == "signature":
            options.setdefault("key", self.key)
        return desk.approve(offer, **options)

    def edit(self, path: str, change: Callable[[bytes], bytes], message: str = "Edit\n") -> str:
        """Change a file by hand, and commit it whatever the rules say."""
        place = self.repo.root / path
        place.write_bytes(change(place.read_bytes()))
        self.repo.git("commit", "--quiet", "--no-verify", "--all", "--message", message)
        return self.repo.git("rev-parse", "HEAD")


@dataclass
class Team:
    """A shared repository whose main branch holds a pot with three claims."""

    root: Path
    policy: Policy
    keys: dict[str, Path]
    members: dict[str, Member] = field(default_factory=dict)

    @property
    def origin(self) -> GitRepo:
        return GitRepo(self.root / "origin")

    @classmethod
    def founded(cls, root: Path, policy: Policy, keys: dict[str, Path]) -> Team:
        team = cls(root, policy, keys)
        GitRepo.init(team.origin.root, "--bare")
        founder = team.member("Fay Founder")
        files = {
            repository_path(POT_FILE): encode(
                PotRecord(pot_id="acme-payments", created_at="2026-06-01T00:00:00Z")
            ),
            repository_path(ATTRIBUTES_FILE): ATTRIBUTES_TEXT,
            repository_path(POLICY_FILE): encode(policy),
            **{path: encode(held) for path, held in zip(PATHS, CLAIMS, strict=True)},
        }
        founder.repo.commit("Found the pot", files=dict(files))
        founder.push("main")
        return team

    def member(self, name: str) -> Member:
        """A member's clone, made when it is first asked for."""
        if name not in self.members:
            place = self.root / name.split()[0].lower()
            GitRepo.init(place)
            repo = GitRepo(place)
            repo.git("remote", "add", "origin", str(self.origin.root))
            repo.git("config", "user.name", name)
            repo.git("config", "user.email", email(name))
            self.members[name] = Member(name, repo, self.keys.get(name))
            if repo.run("fetch", "--quiet", "origin").returncode == 0 and repo.git("branch", "-r"):
                self.members[name].fetch("main")
        return self.members[name]

    def branch(self, name: str = "topic", by: str = ANN) -> Member:
        """An author on a new branch from main."""
        author = self.member(by)
        author.fetch("main")
        author.repo.branch(name)
        return author

    def approved_branch(self, *approvers: str, work: Callable[[Member], object]) -> Member:
        """A branch that its author pushed and that these people approved; the author's clone has it all."""
        author = self.branch()
        work(author)
        author.push("topic")
        for name in approvers:
            reviewer = self.member(name)
            reviewer.fetch("topic")
            reviewer.approve()
            reviewer.push("topic")
        author.fetch("topic")
        return author

    def judged(
        self, member: Member, ref: str = MAIN, head: str = "HEAD", base: str = "origin/main"
    ) -> CheckReport:
        """What a check of the landing says in a member's clone."""
        member.repo.git("fetch", "--quiet", "origin")
        return check_range(Repository.discover(member.repo.root), f"{base}..{head}", ref)


def errors(report: CheckReport) -> list[str]:
    """Codes of what keeps a change from landing, each once."""
    return sorted({finding.code for finding in report.errors})


def notes(report: CheckReport) -> list[str]:
    return [finding.message for finding in report.findings if finding.severity.value == "note"]


# How a branch lands: each works in the author's clone, on `topic`, and returns the commit that main was at before.


def merge(member: Member) -> str:
    repo = member.repo
    before = repo.git("rev-parse", "origin/main")
    repo.git("switch", "--quiet", "--force-create", "main", "origin/main")
    with environment(**identity("Mia Merger")):
        repo.git("merge", "--quiet", "--no-ff", "--no-edit", "topic")
    return before


def squash(member: Member) -> str:
    """As a forge does it: one commit by the author, and everybody else as a co-author."""
    repo = member.repo
    before = repo.git("rev-parse", "origin/main")
    people = repo.git("log", "--format=%an <%ae>", "--reverse", "origin/main..topic").split("\n")
    messages = repo.git("log", "--format=* %B", "--reverse", "origin/main..topic")
    author = people[0]
    others = "".join(f"Co-authored-by: {each}\n" for each in dict.fromkeys(people[1:]) if each != author)
    repo.git("switch", "--quiet", "--force-create", "main", "origin/main")
    repo.git("merge", "--quiet", "--squash", "topic")
    message = f"Topic (#7)\n\n{messages}\n\n---------\n\n{others}"
    with environment(**identity("Forge", "noreply@forge.example")):
        repo.git("commit", "--quiet", f"--author={author}", "--cleanup=verbatim", "--message", message)
    return before


def rebase(member: Member) -> str:
    """On top of a commit that main got meanwhile."""
    repo = member.repo
    repo.git("switch", "--quiet", "--force-create", "main", "origin/main")
    with environment(**identity("Mia Merger")):
        repo.commit("Mend the build", files={"Makefile": "all:\n"})
    before = repo.git("rev-parse", "main")
    repo.git("rebase", "--quiet", "main", "topic")
    repo.git("switch", "--quiet", "main")
    repo.git("merge", "--quiet", "--ff-only", "topic")
    return before


def queue(member: Member) -> str:
    """A queue that writes every commit anew under its own name, on top of what main got meanwhile."""
    repo = member.repo
    repo.git("switch", "--quiet", "--force-create", "main", "origin/main")
    with environment(**identity("Mia Merger")):
        repo.commit("Mend the build", files={"Makefile": "all:\n"})
    before = repo.git("rev-parse", "main")
    for commit in repo.git("rev-list", "--reverse", "--no-merges", "origin/main..topic").split():
        with environment(**identity("Merge Queue", "queue@forge.example")):
            repo.git("cherry-pick", "--no-commit", commit)
            repo.git("commit", "--quiet", f"--reuse-message={commit}", "--reset-author")
    return before


LANDINGS: dict[str, Callable[[Member], str]] = {
    "merge": merge,
    "squash": squash,
    "rebase": rebase,
    "queue": queue,
}


# Founds a team of approvers; keyword arguments go to its policy.
Founder = Callable[..., Team]
