"""Running git: what reaches it, what cannot, and what comes back."""

from __future__ import annotations

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from potpie_git.domain.errors import GitError, InvalidInputError, StorageError
from potpie_git.store.errors import (
    CorruptObjectError,
    GitMissingError,
    MissingObjectError,
    UnknownRevisionError,
)
from potpie_git.store.git import Git
from potpie_git.store.objects import Directory, ObjectReader, TreeNode, hash_object, parse_tree
from tests.support.git_repo import GitRepo

PROGRAM_SETTINGS = ("core.fsmonitor", "core.hooksPath", "gpg.program")


@pytest.fixture
def git(git_repo: GitRepo) -> Git:
    return Git(git_repo.root)


def _program(path: Path, script: str) -> Path:
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_run_returns_status_and_raw_output(git: Git) -> None:
    done = git.run("hash-object", "--stdin", input=b"\xff\x00")
    assert (done.status, done.stdout) == (0, hash_object("blob", b"\xff\x00").encode() + b"\n")
    assert done.argv == ("hash-object", "--stdin")


def test_a_failure_names_command_status_and_reason(git: Git) -> None:
    with pytest.raises(GitError, match=r"cat-file failed \(128\): fatal: Not a valid object name") as caught:
        git.run("cat-file", "blob", "nothing")
    assert caught.value.detail["argv"] == ["git", "cat-file", "blob", "nothing"]
    assert caught.value.detail["status"] == 128
    assert git.run("cat-file", "blob", "nothing", check=False).status == 128


def test_redirections_to_another_repository_are_dropped(
    git_repo: GitRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = GitRepo.init(tmp_path / "other")
    other.commit(files={"file": "other"})
    mine = git_repo.commit(files={"file": "mine"})
    for name, value in {
        "GIT_DIR": str(other.root / ".git"),
        "GIT_WORK_TREE": str(other.root),
        "GIT_INDEX_FILE": str(other.root / ".git/index"),
        "GIT_OBJECT_DIRECTORY": str(other.root / ".git/objects"),
        "GIT_NAMESPACE": "other",
    }.items():
        monkeypatch.setenv(name, value)
    git = Git(git_repo.root)
    blob = hash_object("blob", b"mine")

    assert git.verify_commit("HEAD") == mine
    assert git.text("ls-files", "-s") == f"100644 {blob} 0\tfile"
    assert git.user_run("rev-parse", "HEAD").stdout.decode().strip() == mine


def test_injected_configuration_reaches_only_what_acts_for_the_user(
    git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "'user.name'='Given'")
    assert git.text("config", "user.name") == "Rae Rivers"
    assert git.user_run("config", "user.name").stdout == b"Given\n"

    monkeypatch.delenv("GIT_CONFIG_PARAMETERS")
    for name, value in {"COUNT": "1", "KEY_0": "user.name", "VALUE_0": "Counted"}.items():
        monkeypatch.setenv(f"GIT_CONFIG_{name}", value)
    assert git.text("config", "user.name") == "Rae Rivers"
    assert git.user_run("config", "user.name").stdout == b"Counted\n"


def test_only_the_index_is_kept_for_a_hook(
    git_repo: GitRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git_repo.commit(files={"file": "1"})
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "other-index"))
    git_repo.git("read-tree", "--empty")

    assert Git(git_repo.root).text("ls-files") == "file"
    assert Git(git_repo.root, keep_index_env=True).text("ls-files") == ""


def test_messages_are_in_one_language(git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    monkeypatch.setenv("LANGUAGE", "de")
    # an alias that starts a program shows the environment that git runs in
    assert git.text("-c", "alias.locale=!printenv LC_ALL", "locale") == "C"


def test_no_program_named_by_a_configuration_runs(git_repo: GitRepo, tmp_path: Path) -> None:
    git_repo.commit(files={"file": "1"})
    ran = tmp_path / "ran"
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    _program(hooks / "post-index-change", f"echo hook >> '{ran}'")
    monitor = _program(tmp_path / "monitor", f"echo monitor >> '{ran}'")
    gpg = _program(tmp_path / "gpg", f"echo gpg >> '{ran}'")
    for setting, program in zip(PROGRAM_SETTINGS, (monitor, hooks, gpg), strict=True):
        git_repo.git("config", setting, str(program))
    git_repo.git("config", "log.showSignature", "true")
    signed = git_repo.git("cat-file", "commit", "HEAD").replace(
        "\n\n", "\ngpgsig -----BEGIN PGP SIGNATURE-----\n\n", 1
    )
    commit = git_repo.git("hash-object", "-w", "-t", "commit", "--stdin", stdin=f"{signed}\n".encode())
    ran.unlink(missing_ok=True)
    git = Git(git_repo.root)

    git.run("status", "--porcelain")
    git.run("update-index", "--refresh")
    git.run("ls-files", "-m", "-o")
    git.run("log", "-1", commit)
    assert not ran.exists()

    git_repo.git("status")
    git_repo.git("log", "-1", commit)
    assert set(ran.read_text().split()) >= {"monitor", "gpg"}


def test_reading_leaves_the_index_alone(git_repo: GitRepo) -> None:
    git_repo.commit(files={"file": "1"})
    index = git_repo.root / ".git/index"
    os.utime(git_repo.root / "file", (1, 1))
    before = index.read_bytes()
    Git(git_repo.root).run("status", "--porcelain")
    assert index.read_bytes() == before
    git_repo.git("status", "--porcelain")
    assert index.read_bytes() != before


def test_replace_refs_and_grafts_change_nothing(git_repo: GitRepo) -> None:
    first = git_repo.commit(files={"file": "1"})
    second = git_repo.commit(files={"file": "2"})
    third = git_repo.commit(files={"file": "3"})
    git_repo.git("replace", second, first)
    (git_repo.root / ".git/info/grafts").write_text(f"{third}\n")
    git = Git(git_repo.root)

    assert git_repo.git("rev-list", "HEAD") == third
    assert git.text("rev-list", "HEAD").split() == [third, second, first]
    assert git.text("show", "-s", "--format=%H", second) == second
    assert git.text("cat-file", "blob", f"{second}:file") == "2"


def test_verify_commit_takes_names_and_nothing_else(git_repo: GitRepo) -> None:
    commit = git_repo.commit(files={"file": "1"})
    git_repo.git("tag", "-a", "v1", "-m", "v1")
    git = Git(git_repo.root)
    assert [git.verify_commit(rev) for rev in ("HEAD", "main", "v1", commit[:8])] == [commit] * 4

    for rev in (
        "nothing",
        "",
        "HEAD:file",
        "--all",
        f"--output={git_repo.root}/out",
        "HEAD..HEAD",
        "^HEAD",
        "HEAD^@",
        "a\nb",
        "0" * 40,
    ):
        with pytest.raises(UnknownRevisionError) as caught:
            git.verify_commit(rev)
        assert caught.value.detail == {"revision": rev}
    assert not (git_repo.root / "out").exists()
    with pytest.raises(InvalidInputError, match="NUL"):
        git.verify_commit("a\0b")


def test_a_batch_yields_every_object_in_order_and_streams(git_repo: GitRepo) -> None:
    contents = [os.urandom(100 + 37 * number) for number in range(300)]
    oids = [git_repo.blob(content) for content in contents[:40]] * 50
    git = Git(git_repo.root)

    got = list(git.cat_file_batch(oids))
    assert [oid for oid, _ in got] == oids
    assert [data for _, data in got] == contents[:40] * 50
    assert list(git.cat_file_batch([])) == []

    stream = git.cat_file_batch(oids)
    assert next(stream) == (oids[0], contents[0])
    stream.close()


def test_a_batch_cuts_what_is_too_large(git_repo: GitRepo) -> None:
    large, small = git_repo.blob(b"x" * 500_000), git_repo.blob(b"small")
    got = dict(Git(git_repo.root).cat_file_batch([large, small], limit=1000))
    assert got == {large: b"x" * 1001, small: b"small"}


def test_a_missing_object_is_an_error_not_a_gap(git_repo: GitRepo) -> None:
    there, missing = git_repo.blob("there"), hash_object("blob", b"missing")
    batch = Git(git_repo.root).cat_file_batch([there, missing, there])
    assert next(batch) == (there, b"there")
    with pytest.raises(MissingObjectError, match=missing) as caught:
        next(batch)
    assert "git fsck" in caught.value.hint


@pytest.mark.parametrize("oid", ["HEAD", "", "a" * 39, "A" * 40, "a" * 40 + "\n", "a" * 40 + " --x"])
def test_a_batch_takes_object_ids_alone(git: Git, oid: str) -> None:
    with pytest.raises(InvalidInputError, match="not an object id"):
        git.cat_file_batch([oid])


def test_a_partial_clone_is_read_without_network_and_says_how_to_fetch(
    git_repo: GitRepo, tmp_path: Path
) -> None:
    git_repo.commit(files={"file": "old"})
    git_repo.commit(files={"file": "new"})
    partial = git_repo.clone(tmp_path / "partial", "--filter=blob:none")
    old, new = hash_object("blob", b"old"), hash_object("blob", b"new")
    git = Git(partial.root)
    assert git.promisor_remotes() == ["origin"]

    batch = git.cat_file_batch([new, old])
    assert next(batch) == (new, b"new")
    with pytest.raises(MissingObjectError, match=old) as caught:
        next(batch)
    with pytest.raises(MissingObjectError, match=old):
        ObjectReader(git).read(old)
    with pytest.raises(MissingObjectError, match=old):
        git.run("cat-file", "blob", old)

    command = caught.value.hint.partition("`")[2].partition("`")[0].split()
    partial.git(*command[1:])
    assert dict(git.cat_file_batch([old])) == {old: b"old"}


def test_without_git_the_error_says_so(git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GitMissingError, match="no git program"):
        git.run("version")


def test_a_git_in_the_checkout_is_never_run(
    git: Git, git_repo: GitRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _program(git_repo.root / "git", f"touch '{tmp_path}/ran'")
    monkeypatch.setenv("PATH", f".{os.pathsep}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(git_repo.root)
    assert git.text("version").startswith("git version")
    assert not (tmp_path / "ran").exists()


def test_a_hook_without_path_finds_the_git_that_started_it(
    git: Git, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GIT_EXEC_PATH", git.text("--exec-path"))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert git.text("version").startswith("git version")


def test_a_vanished_directory_is_a_storage_error(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="no such directory"):
        Git(tmp_path / "gone").run("version")


def test_the_reader_follows_refs_and_survives_its_process(git_repo: GitRepo) -> None:
    reader = ObjectReader(Git(git_repo.root))
    assert reader.find("HEAD") is None
    first = git_repo.commit(files={"file": "1"})
    found = reader.find("HEAD")
    assert found is not None
    assert (found.oid, found.kind) == (first, "commit")
    second = git_repo.commit(files={"file": "2"})
    git_repo.git("gc", "--quiet")
    found = reader.find("HEAD")
    assert found is not None
    assert found.oid == second

    reader.close()
    assert reader.read(hash_object("blob", b"1")).data == b"1"
    with pytest.raises(InvalidInputError):
        reader.find("HEAD\nHEAD")
    with pytest.raises(MissingObjectError):
        reader.read("1" * 40)
    with pytest.raises(CorruptObjectError, match="is a blob where a tree belongs"):
        reader.directory(hash_object("blob", b"1"))


def test_an_interrupted_lookup_does_not_answer_the_next_one(
    git_repo: GitRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = git_repo.blob("one"), git_repo.blob("two")
    reader = ObjectReader(Git(git_repo.root))
    assert reader.read(one).data == b"one"

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("potpie_git.store.objects.read_answer", interrupted)
        with pytest.raises(KeyboardInterrupt):
            reader.read(one)
    assert reader.read(two).data == b"two"


def test_several_threads_share_one_reader(git_repo: GitRepo) -> None:
    contents = {git_repo.blob(str(number)): str(number).encode() for number in range(20)}
    reader = ObjectReader(Git(git_repo.root))
    with ThreadPoolExecutor(8) as pool:
        got = list(pool.map(lambda oid: (oid, reader.read(oid).data), list(contents) * 20))
    assert got == list(contents.items()) * 20


def test_a_directory_has_the_id_that_git_gives_it(git_repo: GitRepo) -> None:
    git_repo.commit(files={"a.b/x": "1", "a/x": "2", "a-b": "3", "é": "4"})
    root = git_repo.git("rev-parse", "HEAD^{tree}")
    directory = ObjectReader(Git(git_repo.root)).directory(root)
    assert [node.name for node in directory.nodes] == ["a-b", "a.b", "a", "é"]
    assert Directory.of(reversed(directory.nodes)) == directory


@pytest.mark.parametrize(
    "raw", [b"100644", b"100644 a\0short", b"10064x a\0" + b"1" * 20, b" a\0" + b"1" * 20]
)
def test_a_malformed_tree_is_refused(raw: bytes) -> None:
    with pytest.raises(CorruptObjectError):
        parse_tree("1" * 40, raw)


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("40000", True),
        ("040000", True),
        ("40755", True),
        ("100644", False),
        ("160000", False),
        ("120000", False),
    ],
)
def test_a_tree_is_known_by_any_mode_that_git_takes_for_one(mode: str, expected: bool) -> None:
    assert TreeNode("a", mode, "1" * 40).is_tree is expected
