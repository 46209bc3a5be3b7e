"""`git potpie skills`: instructions where agents look, nobody's edits lost, and every command in them true."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from potpie_git.store.skills import SKILLS, TARGETS
from tests.support.git_repo import GitRepo
from tests.support.program import document, ok, result, run
from tests.support.templates import isolated

FILES = {path: target for target in TARGETS.values() for path in target.files()}
CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`(git potpie [^`]*)`")


def states(repo: GitRepo) -> dict[str, str]:
    return {one["path"]: one["state"] for one in result(repo.root, "skills", "status")["files"]}


def contents(repo: GitRepo) -> dict[str, bytes]:
    files = (
        path
        for path in repo.root.rglob("*")
        if path.is_file() and ".git" not in path.relative_to(repo.root).parts
    )
    return {path.relative_to(repo.root).as_posix(): path.read_bytes() for path in files}


def test_install_status_remove(git_repo: GitRepo) -> None:
    git_repo.write("AGENTS.md", b"# Mine\r\n\r\nNo line end here")
    git_repo.write(".cursor/rules/other.mdc", "---\nalwaysApply: true\n---\nMine.\n")
    before = contents(git_repo)
    assert set(states(git_repo).values()) == {"missing"}

    names = tuple(TARGETS)
    wrote = ok(git_repo.root, "skills", "install", *names).splitlines()
    assert {line.split()[0] for line in wrote} == {"wrote"}
    assert {line.split()[-1] for line in wrote} == set(FILES)
    assert set(contents(git_repo)) == {*before, *FILES}
    assert states(git_repo) == dict.fromkeys(FILES, "current")

    installed = contents(git_repo)
    again = result(git_repo.root, "skills", "install", *names)
    assert not [one for one in again["files"] if one["changed"]]
    assert contents(git_repo) == installed

    assert {line.split()[0] for line in ok(git_repo.root, "skills", "remove").splitlines()} == {"removed"}
    assert contents(git_repo) == before
    assert not (git_repo.root / ".claude").exists()
    assert "nothing to remove" in ok(git_repo.root, "skills", "remove")


@pytest.mark.parametrize(
    ("signs", "targets"),
    [
        ((), {"agents-md"}),
        ((".claude/settings.json",), {"agents-md", "claude"}),
        (("CLAUDE.md", ".cursorrules"), {"agents-md", "claude", "cursor"}),
        ((".agents/x",), {"agents-md", "agents"}),
    ],
)
def test_by_default_the_hosts_that_show(git_repo: GitRepo, signs: tuple[str, ...], targets: set[str]) -> None:
    for sign in signs:
        git_repo.write(sign, "x\n")
    made = result(git_repo.root, "skills", "install")
    assert {one["target"] for one in made["files"]} == targets


@pytest.mark.parametrize("path", list(FILES))
def test_an_edit_is_told_and_kept(git_repo: GitRepo, path: str) -> None:
    target = FILES[path].name
    ok(git_repo.root, "skills", "install", *TARGETS)
    file = git_repo.root / path
    mark = b"`.potpie/`"
    file.write_bytes(file.read_bytes().replace(mark, b"our memory", 1))
    edited = contents(git_repo)
    assert states(git_repo)[path] == "edited"
    assert run(git_repo.root, "skills", "status").returncode == 3

    for verb in ("install", "remove"):
        refused = document(git_repo.root, "skills", verb, target)
        assert refused["error"]["code"] == "skill_edited"
        assert path in refused["error"]["message"]
        assert "--force" in refused["error"]["recommended_next_action"]
        assert contents(git_repo) == edited

    ok(git_repo.root, "skills", "install", target, "--force")
    assert states(git_repo)[path] == "current"


def test_an_older_version_is_brought_up_to_date(git_repo: GitRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    from potpie_git.store import skills

    git_repo.write("AGENTS.md", "# Mine\n")
    with monkeypatch.context() as patch:
        patch.setattr("potpie_git.store.skills.catalogue._shipped", lambda name: f"An older {name}.\n")
        skills.install(git_repo.root, list(TARGETS))
    assert set(states(git_repo).values()) == {"outdated"}
    assert (
        document(git_repo.root, "skills", "status")["recommended_next_action"] == "git potpie skills install"
    )
    ok(git_repo.root, "skills", "install", *TARGETS)
    assert set(states(git_repo).values()) == {"current"}
    ok(git_repo.root, "skills", "remove")
    assert contents(git_repo) == {"AGENTS.md": b"# Mine\n"}


def test_a_link_is_followed_inside_and_refused_outside(git_repo: GitRepo, tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("untouched\n")
    (git_repo.root / "AGENTS.md").symlink_to(outside)
    refused = document(git_repo.root, "skills", "install", "agents-md")
    assert refused["error"]["code"] == "refused"
    assert outside.read_text() == "untouched\n"

    (git_repo.root / "AGENTS.md").unlink()
    git_repo.write("CLAUDE.md", "# Mine\n")
    (git_repo.root / "AGENTS.md").symlink_to("CLAUDE.md")
    ok(git_repo.root, "skills", "install", "agents-md")
    assert (git_repo.root / "AGENTS.md").is_symlink()
    assert "potpie" in (git_repo.root / "CLAUDE.md").read_text()
    ok(git_repo.root, "skills", "remove")
    assert (git_repo.root / "CLAUDE.md").read_text() == "# Mine\n"


def test_an_unknown_target_is_told(git_repo: GitRepo) -> None:
    refused = document(git_repo.root, "skills", "install", "cursr")
    assert refused["error"]["code"] == "usage"
    assert "cursor" in refused["error"]["message"]


def test_front_matter_is_what_hosts_expect() -> None:
    for name in ("claude", "agents"):
        for path, text in TARGETS[name].files().items():
            front = yaml.safe_load(text.split("---\n")[1])
            assert set(front) == {"name", "description"}
            assert Path(path).parent.name == front["name"]
            assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", front["name"])
            assert len(front["description"]) <= 1024
    for text in TARGETS["cursor"].files().values():
        assert set(yaml.safe_load(text.split("---\n")[1])) == {"description", "alwaysApply"}
    for skill in SKILLS.values():
        assert len(skill.body) < 5000, "short enough to be read"


def shown_commands() -> list[str]:
    """Every command line of every skill and of the lines for AGENTS.md, in order."""
    texts = [*(skill.body for skill in SKILLS.values()), *TARGETS["agents-md"].files().values()]
    found: list[str] = []
    for text in texts:
        found += [line for block in CONSOLE.findall(text) for line in block.splitlines() if line]
        found += INLINE.findall(CONSOLE.sub("", text).replace("\n  ", " "))
    return [line for line in dict.fromkeys(found) if line not in {"git potpie", "git potpie record"}]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> GitRepo:
    """The example pot on a branch, as an agent meets it."""
    folder = tmp_path_factory.mktemp("demo") / "repo"
    with isolated(folder.parent):
        ok(folder.parent, "demo", "--dir", str(folder))
        repo = GitRepo(folder)
        repo.git("switch", "--quiet", "--create", "agent-work")
    return repo


def test_every_command_of_a_skill_works(demo: GitRepo) -> None:
    lines = shown_commands()
    assert len(lines) > 15
    view = "--subgraph debugging --view prior_occurrences --query envelope".split()
    found = result(demo.root, "graph", "read", *view)
    fixes = [one["subject"] for item in found["items"] for one in item["payload"].get("relations", ())
             if one["type"] == "RESOLVED"]  # fmt: skip
    known = {"CLAIM_ID": found["items"][0]["claim_id"], "FIX_KEY": fixes[0], "PLAN_ID": ""}
    for line in lines:
        assert line.startswith("git potpie "), line
        for name, held_by_demo in known.items():
            line = line.replace(name, held_by_demo)
        words = shlex.split(line)[2:]
        done = run(demo.root, *words)
        if "--help" in words:
            assert done.returncode == 0, line
            continue
        held: dict[str, Any] = json.loads(done.stdout)
        assert held["error"] is None, (line, held["error"])
        assert done.returncode in ({0, 4} if words[0] == "check" else {0}), (line, done.stdout[-500:])
        if words[:2] == ["graph", "propose"]:
            known["PLAN_ID"] = held["result"]["plan_id"]
        if words[0] in {"search", "resolve"}:
            assert held["result"]["context"].count("<<<quote-") == len(held["result"]["items"]), line
    assert known["PLAN_ID"]
    subjects = demo.git("log", "--format=%s", "main..HEAD").splitlines()
    assert len(subjects) >= 5, "records and the withdrawal are commits of their own"


def test_skills_name_only_what_is_there() -> None:
    from potpie_git.mcp.tools import TOOLS

    for skill in SKILLS.values():
        tools = re.search(
            r"`potpie-git` are at hand \(([^)]*)\)|`potpie-git` are at\nhand \(([^)]*)\)", skill.body
        )
        named = re.findall(r"`([a-z_]+)`", (tools[1] or tools[2]) if tools else "")
        assert named, skill.name
        assert set(named) <= set(TOOLS)
