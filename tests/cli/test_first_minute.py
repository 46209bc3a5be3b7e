"""The first minute: init, record, commit, search in other words, and a hook that says no."""

from __future__ import annotations

from pathlib import Path

from tests.support.git_repo import GitRepo
from tests.support.program import document, ok, result, run


def files(repo: GitRepo) -> list[str]:
    return repo.git("show", "--name-only", "--format=", "HEAD").splitlines()


def test_from_nothing_to_evidence(git_repo: GitRepo) -> None:
    git_repo.commit(
        "Ship the refunds", files={"src/refunds.py": "x = 1\n", "CODEOWNERS": "/src/ @acme/payments\n"}
    )
    ok(git_repo.root, "init")
    (event,) = result(git_repo.root, "timeline", "recent")["items"]
    assert "Ship the refunds" in str(event["payload"])
    owned = result(
        git_repo.root,
        "graph",
        "read",
        "--subgraph",
        "code_topology",
        "--view",
        "ownership_by_path",
        "--path",
        "src/refunds.py",
    )
    assert "team:payments" in str(owned["items"][0]["payload"])

    git_repo.write("staged.txt", "staged before")
    git_repo.add("staged.txt")
    ok(
        git_repo.root, "record", "fix",
        "-d", "symptom_signature=refund answers 409 after a partial capture",
        "-d", "fix_steps=Refund what is left of the capture",
        "-d", "attempted_failed_fixes=Retrying with the whole amount",
        "--scope", "service:payments",
    )  # fmt: skip
    assert all(name.startswith(".potpie/") for name in files(git_repo))
    assert git_repo.git("diff", "--cached", "--name-only") == "staged.txt"
    found = result(git_repo.root, "search", "money does not come back when only part was charged")["items"]
    assert found[0]["candidate_key"].startswith("bug_pattern:")
    assert "Retrying with the whole amount" in str(found[0]["payload"])


def test_init_is_safe_to_repeat(git_repo: GitRepo) -> None:
    first = result(git_repo.root, "init")
    again = result(git_repo.root, "init")
    assert again["pot_id"] == first["pot_id"]
    assert again["created"] == []
    assert sorted(again["kept"]) == sorted(first["created"])


def test_a_claim_edited_by_hand_is_refused_by_git_commit(git_repo: GitRepo) -> None:
    ok(git_repo.root, "init")
    ok(
        git_repo.root,
        "record",
        "decision",
        "-d",
        "title=Queues",
        "-d",
        "summary=Use queues.",
        "-d",
        "rationale=Peaks.",
    )
    (claim,) = (git_repo.root / ".potpie/claims/decisions").rglob("*DECIDED*.yaml")
    name = claim.relative_to(git_repo.root).as_posix()
    text = claim.read_text("utf-8")
    for act, code in (
        (lambda: claim.write_text(text.replace("Use queues.", "Use topics."), "utf-8"), "PG-H02"),
        (lambda: claim.write_text(text.replace("object: ", "object: service:other#"), "utf-8"), "PG-"),
        (claim.unlink, "PG-H01"),
        (lambda: claim.rename(claim.with_name("a." + claim.name)), "PG-"),
    ):
        act()
        done = (
            git_repo.run("commit", "--all", "--message", "rewrite")
            if code != "PG-"
            else _add_and_commit(git_repo)
        )
        said = done.stderr.decode()
        assert done.returncode != 0, code
        assert code in said
        assert f"{name.rpartition('/')[0]}/" in said
        git_repo.git("reset", "--quiet", "--hard")
        git_repo.git("clean", "-fdq")


def _add_and_commit(repo: GitRepo):  # type: ignore[no-untyped-def]
    repo.git("add", "--all")
    return repo.run("commit", "--message", "rewrite")


def test_the_demo_shows_a_refusal_and_leaves_a_pot_to_play_with(tmp_path: Path) -> None:
    told = document(tmp_path, "demo", "--dir", str(tmp_path / "demo"))
    acts = {act["act"]: act for act in told["result"]["acts"]}
    assert acts["refuse"]["status"] == 1
    assert "PG-H02" in acts["refuse"]["said"]
    assert acts["index"]["embedded"] == acts["index"]["claims"] == acts["settle"]["claims"]
    asked = [act for act in told["result"]["acts"] if act["act"] == "ask"]
    assert [act["found"][0].partition(":")[0] for act in asked] == ["bug_pattern"] * 4
    assert run(tmp_path / "demo", "check", "--rev", "HEAD").returncode == 0
