"""Bad places and bad input: a clear error, the right exit status, nothing half done, never a traceback."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.git_repo import GitRepo
from tests.support.program import PROGRAM, document, ok, run

ANY_READ = ("search", "anything")


def test_outside_a_repository(tmp_path: Path) -> None:
    done = run(tmp_path, *ANY_READ)
    assert done.returncode == 2
    assert "[not_a_repository]" in done.stderr
    assert "hint:" in done.stderr
    assert "Traceback" not in done.stderr


def test_in_a_bare_repository(tmp_path: Path) -> None:
    bare = GitRepo.init(tmp_path / "bare.git", "--bare")
    for command in (ANY_READ, ("init",), ("status",)):
        done = run(bare.root, *command)
        assert (done.returncode, "[bare_repository]" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    "command", [ANY_READ, ("status",), ("graph", "propose", "{}"), ("timeline", "recent")]
)
def test_in_a_repository_without_a_pot(git_repo: GitRepo, command: tuple[str, ...]) -> None:
    git_repo.commit(files={"a.txt": "a"})
    done = run(git_repo.root, *command)
    assert done.returncode == 2
    assert "[no_pot]" in done.stderr
    assert "git potpie init" in done.stderr


def test_a_claim_that_does_not_parse_is_named_with_its_line_and_never_skipped(pot_repo: GitRepo) -> None:
    (file,) = (pot_repo.root / ".potpie/claims/decisions").rglob("*.yaml")
    file.write_text(file.read_text("utf-8") + "truth: twice\n", encoding="utf-8")
    lines = file.read_text("utf-8").count("\n")
    for command in (ANY_READ, ("index", "rebuild"), ("fmt", "--check")):
        done = run(pot_repo.root, *command)
        assert done.returncode == 1, command
        assert f"{file.relative_to(pot_repo.root)}:{lines}:" in done.stdout + done.stderr, command


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("serch", "x"), "Did you mean 'search'?"),
        (("graph", "comit"), "Did you mean 'commit'?"),
        (("search", "--no-such-option", "x"), "no-such-option"),
        (("record",), "say what to record"),
        (("record", "fix", "-d", "nonsense"), "not key=value"),
        (("graph", "propose"), "--file"),
        (("graph", "propose", "{"), "the argument is not JSON"),
        (("graph", "propose", "-"), "standard input is not JSON"),
        (("graph", "propose", "ops.json"), "--file ops.json"),
        (("graph", "propose", "{}", "--ttl", "soon"), "not a time window"),
        (("search", "x", "--as-of", "soon"), "--as-of"),
        (("explain", "PG-Z99"), "no rule has the code"),
        (("-C",), "-C needs a path"),
    ],
)
def test_a_wrong_word_is_told_with_a_remedy(pot_repo: GitRepo, arguments: tuple[str, ...], says: str) -> None:
    done = run(pot_repo.root, *arguments)
    assert done.returncode == 1
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    held = document(pot_repo.root, *arguments)
    assert held["ok"] is False
    assert says in json.dumps(
        held["error"]["message"] + (held["error"]["recommended_next_action"] or ""), ensure_ascii=False
    )


def test_json_may_stand_before_or_after_the_command(pot_repo: GitRepo) -> None:
    before = run(pot_repo.root, "--json", "graph", "status")
    after = run(pot_repo.root, "graph", "status", "--json")
    assert json.loads(before.stdout)["result"] == json.loads(after.stdout)["result"]


def test_another_directory_may_be_named(pot_repo: GitRepo, tmp_path: Path) -> None:
    assert "decisions" in ok(tmp_path, "-C", str(pot_repo.root), "graph", "status")


def test_a_read_only_tree_loses_nothing(git_repo: GitRepo) -> None:
    (git_repo.root / ".potpie").write_text("a file in the way", encoding="utf-8")
    done = run(git_repo.root, "init")
    assert done.returncode == 1
    assert ".potpie is a file" in done.stderr
    assert (git_repo.root / ".potpie").read_text("utf-8") == "a file in the way"


def test_an_ignored_pot_is_refused_before_anything_is_written(git_repo: GitRepo) -> None:
    git_repo.write(".gitignore", ".potpie/\n")
    done = run(git_repo.root, "init")
    assert done.returncode == 1
    assert "[ignored_pot]" in done.stderr
    assert not (git_repo.root / ".potpie").exists()


def test_a_payload_file_is_found_from_the_named_directory(pot_repo: GitRepo, tmp_path: Path) -> None:
    operation = {
        "op": "link_entities",
        "subject": "service:pay",
        "predicate": "DEPENDS_ON",
        "object": "service:db",
    }
    (pot_repo.root / "ops.json").write_text(json.dumps({**operation, "fact": "Rows."}), encoding="utf-8")
    assert "validated" in ok(tmp_path, "-C", str(pot_repo.root), "graph", "propose", "--file", "ops.json")


@pytest.mark.skipif(sys.platform == "win32", reason="arguments are never bytes there")
def test_an_argument_that_is_no_text_is_refused(pot_repo: GitRepo) -> None:
    for words in (("search",), ("record", "service_note", "--summary"), ("timeline", "recent", "--path")):
        done = run(pot_repo.root, *words, "\udcff")
        assert (done.returncode, "[usage]" in done.stderr) == (1, True), done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no device that is always full")
def test_an_answer_that_cannot_be_written_is_no_success(pot_repo: GitRepo) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [str(PROGRAM), "--json", "graph", "catalog"],
            cwd=pot_repo.root,
            stdout=full,
            stderr=subprocess.PIPE,
        )
    assert done.returncode == 2
    assert b"could not be written" in done.stderr
    assert b"Traceback" not in done.stderr
