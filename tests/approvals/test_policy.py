"""The policy: what it may say, how it is changed, and that a change of it is of high risk itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from potpie_git.cli.render.policy import policy_text, policy_warnings
from potpie_git.domain.errors import InvalidInputError, NotFoundError, RefusedError
from potpie_git.domain.layout import POLICY_FILE
from potpie_git.domain.policy import Policy
from potpie_git.domain.validation.policy import policy_problems
from potpie_git.store.codec import decode
from tests.approvals.keys import public_key
from tests.approvals.team import ADA, ANN, BEN, CLEO, Founder, environment, errors, identity
from tests.approvals.world import approver, email, policy
from tests.support import program
from tests.support.git_repo import GitRepo


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"approvers": [approver(ADA), approver("ada  archer", emails=["other@example.com"])]}, "told apart"),
        ({"approvers": [approver(ADA, emails=[])]}, "no address"),
        ({"approvers": [approver(ADA, emails=["ada at example"])]}, "not an address"),
        ({"approvers": [approver(ADA), approver(BEN, emails=[email(ADA).upper()])]}, "two approvers"),
        ({"approvers": [approver(ADA, keys=["ssh-dss AAAA"])]}, "cannot be used"),
        ({"approvers": [approver(ADA, accounts=["ada-gh"])]}, "not an account"),
        (
            {
                "approvers": [
                    approver(ADA, accounts=["github:hub"]),
                    approver(BEN, accounts=["github:HUB"]),
                ]
            },
            "two approvers",
        ),
        ({"approvers": [approver(ADA, emails=["ada@example.com\n"])]}, "not an address"),
        ({"approvers": [approver(ADA, accounts=["github:ada\n"])]}, "not an account"),
        ({"protected": ["refs/heads/main\n"]}, "names no branch"),
        ({"protected": ["main"]}, "names no branch"),
        ({"protected": ["refs/heads/*/x"]}, "names no branch"),
        ({"overrides": [{"medium": 2}]}, "for a subgraph or for a predicate"),
        (
            {"overrides": [{"subgraph": "decisions", "predicate": "DECIDED"}]},
            "for a subgraph or for a predicate",
        ),
        ({"overrides": [{"subgraph": "decision", "medium": 2}]}, "Did you mean 'decisions'?"),
        ({"overrides": [{"predicate": "OWNED", "medium": 2}]}, "no predicate"),
        (
            {"overrides": [{"subgraph": "decisions", "low": 1}, {"subgraph": "decisions", "high": 3}]},
            "two overrides",
        ),
        ({"attestation": {"forges": ["github"], "keys": ["nonsense"]}}, "cannot be used"),
    ],
)
def test_what_a_policy_may_not_say(fields: dict[str, Any], message: str) -> None:
    found = policy_problems(Policy.model_validate({"version": 1, **fields}))
    assert message in found[0].message
    assert {problem.code for problem in found} == {"PG-P02"}


def test_a_whole_policy_has_no_problem() -> None:
    whole = policy(
        ADA,
        BEN,
        mode="signature",
        bots=["ci-bot"],
        protected=["refs/heads/main", "refs/heads/release/*"],
        overrides=[{"predicate": "OWNED_BY", "medium": 2}, {"subgraph": "decisions", "high": 3}],
        self_approval="never",
        attestation={"forges": ["github"], "keys": [public_key("job")]},
    )
    assert policy_problems(whole) == []
    assert whole.protects("refs/heads/release/1")
    assert not whole.protects("refs/heads/releases")
    assert not whole.protects(None)


def test_names_are_told_apart_in_any_script() -> None:
    names = ["李雷", "韩梅梅", "José", "Jose", "Ada Archer"]
    made = Policy.model_validate({"version": 1, "approvers": [approver(name) for name in names]})
    principals = [each.principal for each in made.approvers]
    assert len(set(principals)) == len(names)
    assert all(part.isascii() and len(part) <= 40 for part in principals)


def test_a_reader_is_told_what_a_policy_makes_impossible_or_easy() -> None:
    assert "nobody is listed" in policy_warnings(policy())[0]
    assert "self-approved" in policy_warnings(policy(ADA))[0]
    assert policy_warnings(policy(ADA, self_approval="never")) == []
    assert "can never land" in policy_warnings(policy(ADA, BEN))[0]
    assert policy_warnings(policy(ADA, BEN, CLEO)) == []
    keyless = Policy.model_validate(
        {
            "version": 1,
            "mode": "signature",
            "approvers": [approver(each, keys=None) for each in (ADA, BEN, CLEO)],
        }
    )
    assert "no key is listed for Ada Archer" in policy_warnings(keyless)[0]
    text = policy_text(policy(ADA, bots=["ci"], overrides=[{"subgraph": "decisions", "high": 3}]))
    assert "SHA256:" in text
    assert "subgraph decisions: high 3" in text


def held(root: Path) -> Policy:
    record = decode(POLICY_FILE, (root / ".potpie/policy.yaml").read_bytes()).record
    assert isinstance(record, Policy)
    return record


def test_a_change_of_the_policy_is_refused_on_main_until_it_is_approved(found_team: Founder) -> None:
    team = found_team(ADA, BEN, CLEO)
    author = team.member(ANN)
    refused = program.run(author.repo.root, "policy", "set", "--medium", "2")
    assert refused.returncode == 4
    assert "have 0 of 2" in refused.stderr
    plan = refused.stderr.partition("git potpie approve ")[2].partition("`")[0]
    for name in (ADA, BEN):
        with environment(**identity(name)):
            done = program.run(author.repo.root, "approve", plan, "--yes")
            assert done.returncode == 0, done.stderr
    assert held(author.repo.root).thresholds.medium == 2
    assert held(author.repo.root).version == 2
    assert errors(team.judged(author)) == []


def test_on_a_branch_every_part_of_the_policy_can_be_set_and_comments_stay(found_team: Founder) -> None:
    team = found_team(ADA, BEN)
    author = team.branch()
    root = author.repo.root
    place = root / ".potpie/policy.yaml"
    place.write_bytes(b"# Ask Fay before you touch this.\n" + place.read_bytes())
    author.repo.commit("A comment")
    key = team.keys[CLEO].with_name("cleo_ed25519.pub")
    for command in (
        ["add-approver", CLEO, "--email", email(CLEO), "--account", "github:cleo"],
        ["add-key", "cleo-cook", str(key)],
        ["add-approver", CLEO, "--email", "cleo@other.example", "--valid-until", "2030-01-01T00:00:00Z"],
        ["revoke", email(BEN)],
        ["set", "--mode", "signature", "--low", "0", "--high", "3", "--self-approval", "never"],
        ["set", "--protect", "refs/heads/release/*", "--unprotect", "refs/heads/master", "--bot", "ci-bot"],
        ["set", "--override", "predicate:OWNED_BY:medium=2", "--override", "predicate:OWNED_BY:high=2"],
        ["set", "--forge", "github", "--forge-key", str(key)],
    ):
        done = program.run(root, "policy", *command)
        assert done.returncode == 0, done.stderr
        assert "pending" in done.stdout
    now = held(root)
    assert now.version == 9
    assert place.read_bytes().startswith(b"# Ask Fay before you touch this.\n")
    cleo = now.approver("cleo-cook")
    assert cleo is not None
    assert cleo.emails == [email(CLEO), "cleo@other.example"]
    assert cleo.accounts == ["github:cleo"]
    assert cleo.keys == [key.read_text().strip()]
    assert [each.name for each in now.approvers if each.revoked] == [BEN]
    assert (now.mode, now.self_approval, now.thresholds.high) == ("signature", "never", 3)
    assert now.protected == ["refs/heads/main", "refs/heads/release/*"]
    assert now.bots == ["ci-bot"]
    assert now.overrides is not None
    assert now.overrides[0].to_data() == {"predicate": "OWNED_BY", "medium": 2, "high": 2}
    assert now.attestation is not None
    assert now.attestation.forges == ["github"]
    shown = program.run(root, "policy", "show")
    assert "version 9" in shown.stdout
    assert "until 2030-01-01T00:00:00Z" in shown.stdout
    assert "revoked at" in shown.stdout
    document = program.result(root, "policy", "show")
    assert document["version"] == 9


def test_what_cannot_be_set_is_refused_with_a_remedy(found_team: Founder) -> None:
    team = found_team(ADA, BEN)
    author = team.branch()
    editor = author.pot.policy
    with pytest.raises(InvalidInputError, match="needs an address"):
        editor.add_approver(CLEO)
    with pytest.raises(NotFoundError, match="Did you mean"):
        editor.revoke("Ada Archr")
    with pytest.raises(RefusedError, match="says that already"):
        editor.set(mode="signoff")
    with pytest.raises(InvalidInputError):
        editor.set()
    with pytest.raises(InvalidInputError, match="mode"):
        editor.set(mode="paper")
    with pytest.raises(InvalidInputError, match="valid_until"):
        editor.add_approver(CLEO, emails=[email(CLEO)], valid_until="2030-01-01")
    for words in (
        ["add-key", ADA, "ssh-dss AAAA"],
        ["set", "--override", "OWNED_BY=2"],
        ["add-key", ADA, "none.pub"],
    ):
        done = program.run(author.repo.root, "policy", *words)
        assert done.returncode in {1, 2}, words
        assert "hint:" in done.stderr
    editor.revoke(BEN)


def test_before_the_first_commit_the_policy_can_be_changed_freely(tmp_path: Path) -> None:
    repo = GitRepo.init(tmp_path / "new")
    program.ok(repo.root, "init")
    done = program.run(repo.root, "policy", "add-approver", BEN, "--email", email(BEN))
    assert done.returncode == 0, done.stderr
    assert held(repo.root).version == 1
    assert [each.name for each in held(repo.root).approvers] == ["Rae Rivers", BEN]
    assert "list one more with `git potpie policy add-approver`" in done.stderr, (
        "two cannot approve each other's"
    )
    assert repo.git("status", "--porcelain") == ""
