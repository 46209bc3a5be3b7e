"""The hooks' entry point itself: its answers, its faults, and what it does not load."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from potpie_git.checks.rules.samples import claim, edited, file, pot, retracted
from tests.support.git_repo import GitRepo
from tests.support.pots import PotRepo

LOADED = "import sys; from potpie_git.hook import main; status = main(sys.argv[1:]); "
LOADED += "print(*sorted(sys.modules), sep='\\n'); sys.exit(status)"
SLOW = {
    "pydantic",
    "yaml",
    "detect_secrets",
    "pygit2",
    "ruamel",
    "typer",
    "numpy",
    "pyarrow",
    "lancedb",
    "lance",
}


def _hook(
    repo: GitRepo,
    *arguments: str,
    stdin: str = "",
    env: dict[str, str] | None = None,
    code: str | None = None,
) -> subprocess.CompletedProcess[str]:
    start = ["-c", code] if code else ["-m", "potpie_git.hook"]
    return subprocess.run(
        [sys.executable, *start, *arguments],
        cwd=repo.root,
        env=env,
        input=stdin,
        capture_output=True,
        text=True,
    )


@pytest.fixture
def repo(tmp_path: object, git_repo: GitRepo) -> PotRepo:
    """A pot on the unprotected branch `work`, without hooks."""
    made = PotRepo(git_repo.root)
    made.land(pot())
    made.branch("work")
    return made


def test_an_unknown_hook_is_named() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "potpie_git.hook", "pre-comit"], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "'pre-comit'" in done.stderr
    assert "pre-commit" in done.stderr


def test_a_probe_is_answered_without_looking(repo: PotRepo) -> None:
    repo.stage({".potpie/x": b"x"})
    done = _hook(repo, "pre-commit", env={**os.environ, "POTPIE_HOOK_PROBE": "1"})
    assert (done.returncode, done.stdout.split()[:2]) == (0, ["potpie-git-hook", "pre-commit"])


@pytest.mark.parametrize(
    "name", ["pre-commit", "commit-msg", "pre-merge-commit", "post-checkout", "post-merge"]
)
def test_a_commit_beside_the_pot_loads_next_to_nothing(repo: PotRepo, name: str) -> None:
    repo.stage({"a.txt": b"a"})
    message = repo.write(".git/COMMIT_EDITMSG", "change\n")
    done = _hook(repo, name, str(message), code=LOADED)
    assert (done.returncode, done.stderr) == (0, "")
    assert SLOW & {module.partition(".")[0] for module in done.stdout.split()} == set()


def test_a_good_message_loads_next_to_nothing(repo: PotRepo) -> None:
    repo.stage(file(claim()))
    assert _hook(repo, "pre-commit").returncode == 0
    for text in ("change\n", "change\n\nPotpie-Plan: p-1\nPotpie-Mutation: m-1\nPotpie-Risk: low\n"):
        message = repo.write(".git/COMMIT_EDITMSG", text)
        done = _hook(repo, "commit-msg", str(message), code=LOADED)
        assert (done.returncode, done.stderr) == (0, "")
        assert SLOW & {module.partition(".")[0] for module in done.stdout.split()} == set()


def test_a_claim_loads_neither_detector_nor_libgit(repo: PotRepo) -> None:
    repo.stage(file(claim()))
    done = _hook(repo, "pre-commit", code=LOADED)
    assert done.returncode == 0, done.stderr
    loaded = {module.partition(".")[0] for module in done.stdout.split()}
    assert loaded & SLOW == {"pydantic", "yaml"}
    assert "potpie_git.checks.registry" not in done.stdout


def test_a_grade_that_is_not_of_what_is_staged_is_not_believed(repo: PotRepo) -> None:
    repo.land(file(claim()))
    message = repo.write(".git/COMMIT_EDITMSG", "Retract it\n\nPotpie-Risk: low\n")
    repo.stage(file(claim(fact="Split the refund.")))
    assert _hook(repo, "pre-commit").returncode == 0
    assert _hook(repo, "commit-msg", str(message)).returncode == 0
    repo.stage(retracted(claim()))
    assert _hook(repo, "commit-msg", str(message)).returncode == 1
    (repo.root / ".git/potpie/staged-risk").write_bytes(b"\xff nonsense")
    assert _hook(repo, "commit-msg", str(message)).returncode == 1


def test_a_fault_of_ours_is_a_sentence_and_a_log(repo: PotRepo) -> None:
    repo.stage(file(claim()))
    broken = "import sys, potpie_git.checks.staged as staged\n"
    broken += "def fail(*given): raise RuntimeError('out of order')\n"
    broken += "staged.check_staged = fail\nfrom potpie_git.hook import main\nsys.exit(main(sys.argv[1:]))"
    done = _hook(repo, "pre-commit", code=broken)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "RuntimeError: out of order" in done.stderr
    log = repo.root / ".git/potpie/hook-fault.log"
    assert str(log) in done.stderr
    assert "Traceback" in log.read_text()


def test_an_expected_failure_is_a_sentence_with_a_remedy(repo: PotRepo) -> None:
    repo.stage(file(claim()))
    repo.git("commit", "--quiet", "--no-verify", "-m", "change")
    repo.stage(edited(claim(), "truth: agent_claim", "truth: user_decision"))
    blob = repo.git("rev-parse", f":{next(iter(file(claim())))}")
    (repo.root / ".git/objects" / blob[:2] / blob[2:]).unlink()
    done = _hook(repo, "pre-commit")
    assert done.returncode == 2
    assert done.stderr.startswith("potpie-git: object ")
    assert "git fsck" in done.stderr


def test_outside_of_a_repository_it_says_so(tmp_path_factory: pytest.TempPathFactory) -> None:
    nowhere = GitRepo(tmp_path_factory.mktemp("nowhere"))
    done = _hook(nowhere, "pre-commit")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "potpie-git: " in done.stderr


def test_a_push_of_nothing_is_fine(repo: PotRepo) -> None:
    assert _hook(repo, "pre-push", "origin", "nowhere").returncode == 0


def test_standard_output_stays_empty(repo: PotRepo) -> None:
    repo.stage(edited(claim(), "truth: agent_claim", "truth: fact"))
    done = _hook(repo, "pre-commit")
    assert (done.returncode, done.stdout) == (1, "")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_any_terminal_can_show_a_refusal(repo: PotRepo, encoding: str) -> None:
    repo.stage(edited(claim(fact="Rücknahme 🥧"), "truth: agent_claim", "truth: fäct🥧"))
    done = subprocess.run(
        [sys.executable, "-m", "potpie_git.hook", "pre-commit"],
        cwd=repo.root,
        env={**os.environ, "PYTHONIOENCODING": encoding, "LC_ALL": "C"},
        capture_output=True,
    )
    assert done.returncode == 1
    assert b"PG-S05" in done.stderr
    assert b"Traceback" not in done.stderr
